#!/usr/bin/env python3
"""The table of docs/configuration.md is the registry of src/base/config.cc, and the registry is what that file reads.

The registry is a list of string literals, so it is parsed rather than compiled: the tests of the documents need no build.
"""

import re
import unittest

import markdown

SOURCE = markdown.ROOT / "src/base/config.cc"
DOCUMENT = markdown.ROOT / "docs/configuration.md"
LITERAL = r'"((?:[^"\\]|\\.)*)"'


def registry(source):
    """(name, default, accepted, meaning) of every entry of Variables()."""
    body = re.search(r"kVariables = \{(.*?)\n  \};", source, flags=re.S).group(1)
    rows = []
    for entry in re.findall(r"\{(.*?)\}", body, flags=re.S):
        joined = re.sub(r'"\s*\n\s*"', "", entry)  # adjacent literals are one
        rows.append(tuple(re.findall(LITERAL, joined)))
    return rows


def variables_read(source):
    """Names that the file asks the environment for."""
    return set(re.findall(r'(?:Environment|Read\w+|getenv)\("(\w+)"', source))


def documented(text):
    """Rows of the table before the first section."""
    return [tuple([row[0].strip("`")] + row[1:]) for row in markdown.table_rows(text.split("\n## ")[0])]


class Registry(unittest.TestCase):
    def test_Entries_AreParsed(self):
        source = 'kVariables = {\n      {"A", "1", "x",\n       "one "\n       "two"},\n      {"B", "", "y", "z"},\n  };'
        self.assertEqual(registry(source), [("A", "1", "x", "one two"), ("B", "", "y", "z")])

    def test_Names_AreThoseThatAreRead(self):
        source = SOURCE.read_text(encoding="utf-8")
        self.assertEqual({row[0] for row in registry(source)}, variables_read(source))


class Configuration(unittest.TestCase):
    def test_Table_IsTheRegistry(self):
        rows = registry(SOURCE.read_text(encoding="utf-8"))
        self.assertTrue(all(len(row) == 4 for row in rows), rows)
        self.assertGreater(len(rows), 10)
        self.assertEqual(documented(DOCUMENT.read_text(encoding="utf-8")), rows)


if __name__ == "__main__":
    unittest.main()
