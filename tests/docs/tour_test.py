#!/usr/bin/env python3
"""docs/tour.md is only of use while it is true: every file that it names exists and holds the symbol that it names there.

A link whose label is `code` and that leads to a source file means "this symbol is in that file".
"""

import pathlib
import re
import unittest

import markdown

TOUR = markdown.ROOT / "docs/tour.md"


def named_symbols(text):
    """(symbol, target) of the links that name a symbol."""
    return [(label.strip("`"), target) for label, target in markdown.links(text)
            if label.startswith("`") and pathlib.PurePosixPath(target).suffix in {".h", ".cc", ".c", ".json"}]


def defines(source, symbol):
    """True when the code, comments apart, holds every part of `A::B`, and B is declared, defined or called there."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.S)
    parts = symbol.split("::")
    if not all(re.search(rf"\b{re.escape(part)}\b", code) for part in parts):
        return False
    name = re.escape(parts[-1])
    return re.search(rf"\b(?:class|struct|enum|using|constexpr|const|#define)\b[^;{{(]*\b{name}\b|\b{name}\s*(?:\(|\{{)|\"{name}\"",
                     code) is not None


def problems(text, folder):
    wrong = []
    for symbol, target in named_symbols(text):
        path = folder / target
        if not path.is_file():
            wrong.append(f"{symbol}: there is no {target}")
        elif not defines(path.read_text(encoding="utf-8"), symbol):
            wrong.append(f"{symbol}: not in {target}")
    return wrong


class Defines(unittest.TestCase):
    def test_FunctionClassAndConstant_AreFound(self):
        self.assertTrue(defines("Status Scheduler::Submit(int a) {}", "Scheduler::Submit"))
        self.assertTrue(defines("class Watch {};", "Watch"))
        self.assertTrue(defines("const OpClass kRead = {};", "kRead"))

    def test_OtherClassCommentOrPlainUse_IsNot(self):
        self.assertFalse(defines("Status Stream::Submit(int a) {}", "Scheduler::Submit"))
        self.assertFalse(defines("// Submit(x)\nint a;", "Submit"))
        self.assertFalse(defines("int a = Submit;", "Submit"))


class Problems(unittest.TestCase):
    def test_MissingFileAndMissingSymbol_AreNamed(self):
        text = "[`Nobody`](tour.md.cc) [`Nobody`](../src/exec/notify.cc) [`Notify::Record`](../src/exec/notify.cc)"
        self.assertEqual(problems(text, TOUR.parent),
                         ["Nobody: there is no tour.md.cc", "Nobody: not in ../src/exec/notify.cc"])


class Tour(unittest.TestCase):
    def test_FilesAndSymbols_Exist(self):
        text = TOUR.read_text(encoding="utf-8")
        self.assertEqual(problems(text, TOUR.parent), [])
        self.assertGreater(len(named_symbols(text)), 40)

    def test_Steps_AreFifteenInOrder(self):
        numbers = [row[0] for row in markdown.table_rows(TOUR.read_text(encoding="utf-8")) if row[0].isdigit()]
        self.assertEqual(numbers, [str(number) for number in range(1, 16)])


if __name__ == "__main__":
    unittest.main()
