#!/usr/bin/env python3
"""The functions that include/ declares are those of inventory/*.json, no more and no less, each in the header named there.

The static assertions find a wrong or missing declaration, but not one too many. That matters: a declared function that nobody
implements turns a compile error of a user into a failure at load time. The headers are simple C, so braces and parentheses
are enough to find declarations; the parser has tests of its own.

Environment: INCLUDE_DIR directory of the public headers.
"""

import os
import pathlib
import re
import unittest

import generate


def code_only(text):
    """The text without comments, string contents, preprocessor lines and the braces of extern "C"."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", " ", text, flags=re.M)
    return re.sub(r'extern\s+"C"\s*\{', " ", text)


def declared_functions(text):
    """Names of the functions that a header declares or defines, outside of braces, except callback types."""
    names, depth, statement = [], 0, ""
    for character in code_only(text):
        if character == "{":
            if depth == 0:
                names += function_of(statement)
            depth += 1
        elif character == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                statement = ""
        elif depth == 0:
            if character == ";":
                names += function_of(statement)
                statement = ""
            else:
                statement += character
    return names


def function_of(statement):
    words = " ".join(statement.split())
    if words.startswith("typedef") or "=" in words:
        return []
    match = re.match(r"[\w\s*]*?[\s*](\w+)\s*\(", words)
    return [match.group(1)] if match else []


# Static helpers of macros: not published names, and nothing of them is exported.
PARTS_OF_MACROS = {"MmGetEnvByEnumerator", "MmSysGetEnvIfLinked"}


class Parser(unittest.TestCase):
    def test_Declarations_AreFound(self):
        text = 'extern "C" {\nint f(void);\nconst char* g(int (*callback)(int), char* name);\nvoid *h(\n  int a);\n}\n'
        self.assertEqual(declared_functions(text), ["f", "g", "h"])

    def test_InlineDefinition_CountsOnceAndItsCallsDoNot(self):
        self.assertEqual(declared_functions("static inline int f(int a) { if (a) { g(a); } return h(a); }\nint k(void);"),
                         ["f", "k"])

    def test_CommentsMacrosTypesAndConstants_AreNot(self):
        text = ("/* int a(void); */ // int b(void);\n#define C(x) \\\n  d(x)\ntypedef int (*E)(int);\n"
                "struct S {\n  int (*f)(void);\n};\nstatic const int G = (3);\nenum T { H = 1 };\n")
        self.assertEqual(declared_functions(text), [])


class DeclaredFunctions(unittest.TestCase):
    def test_Headers_DeclareExactlyTheInventory(self):
        include = pathlib.Path(os.environ["INCLUDE_DIR"])
        declared = {(name, str(path.relative_to(include)))
                    for path in include.rglob("*.h") for name in declared_functions(path.read_text(encoding="utf-8"))
                    if name not in PARTS_OF_MACROS}
        inventory = generate.load()
        listed = {(function["name"], function["header"]) for function in inventory["functions"]}
        self.assertEqual(sorted(declared - listed), [], "declared, but not in the inventory")
        self.assertEqual(sorted(listed - declared), [], "in the inventory, but not declared there")


if __name__ == "__main__":
    unittest.main()
