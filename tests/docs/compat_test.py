#!/usr/bin/env python3
"""docs/compat has exactly one row per declared function, names only tests that exist, and docs/compat.md is its page."""

import pathlib
import re
import sys
import unittest

import markdown

sys.path.insert(0, str(markdown.ROOT / "scripts/docs"))
import make_compat  # noqa: E402

API_TESTS = markdown.ROOT / "tests/conformance/api"


def test_names(folder):
    """gtest suites and file names (with and without what a test file's name ends in) of a folder."""
    names = set()
    for path in folder.rglob("*") if folder.is_dir() else []:
        if path.suffix in {".cc", ".cpp", ".py", ".sh"}:
            names |= {path.name, re.sub(r"_test$", "", path.stem)}
            names |= set(re.findall(r"^TEST(?:_[FP])?\(\s*(\w+)\s*,", path.read_text(encoding="utf-8"), flags=re.M))
    return names


def problems(compat, functions, names, root):
    wrong = []
    declared = [name for name, _ in functions]
    rows = compat["functions"]
    wrong += [f"{name}: declared, but has no row" for name in declared if name not in rows]
    wrong += [f"{name}: has a row, but is not declared" for name in rows if name not in declared]
    for name, row in rows.items():
        if row["status"] not in make_compat.STATUSES:
            wrong.append(f"{name}: status '{row['status']}' is none of {', '.join(make_compat.STATUSES)}")
        if row["status"] == "approximated" and not row["note"]:
            wrong.append(f"{name}: {row['status']}, but no note says what is different")
        test = row["test"]
        if test is not None and not ((root / test).is_file() if "/" in test else test in names):
            wrong.append(f"{name}: there is no test {test}")
    for choice in compat["choices"]:
        wrong += [f"{choice['topic']}: {name} is not declared" for name in choice["functions"] if name not in declared]
    return wrong


class Problems(unittest.TestCase):
    def check(self, rows, expected, choices=()):
        compat = {"functions": rows, "choices": list(choices)}
        self.assertEqual(problems(compat, [("f", "f.h")], {"f"}, pathlib.Path("/nowhere")), expected)

    def test_GoodRow_IsAccepted(self):
        self.check({"f": {"status": "implemented", "note": "", "test": "f"}}, [])

    def test_MissingRow_IsNamed(self):
        self.check({}, ["f: declared, but has no row"])

    def test_RowOfNothing_IsNamed(self):
        row = {"status": "implemented", "note": "", "test": None}
        self.check({"f": row, "g": row}, ["g: has a row, but is not declared"])

    def test_MissingTest_IsNamed(self):
        self.check({"f": {"status": "implemented", "note": "", "test": "g"}}, ["f: there is no test g"])
        self.check({"f": {"status": "implemented", "note": "", "test": "a/g.cc"}}, ["f: there is no test a/g.cc"])

    def test_StatusWithoutNoteOrUnknown_IsNamed(self):
        self.check({"f": {"status": "approximated", "note": "", "test": None}},
                   ["f: approximated, but no note says what is different"])
        self.check({"f": {"status": "fine", "note": "x", "test": None}},
                   ["f: status 'fine' is none of implemented, approximated, not supported"])

    def test_ChoiceAboutNothing_IsNamed(self):
        self.check({"f": {"status": "implemented", "note": "", "test": None}}, ["t: g is not declared"],
                   [{"topic": "t", "functions": ["g"]}])


class Compat(unittest.TestCase):
    def test_Rows_MatchFunctionsAndTests(self):
        compat, functions = make_compat.load()
        self.assertEqual(problems(compat, functions, test_names(API_TESTS), markdown.ROOT), [])

    def test_Page_IsUpToDate(self):
        compat, functions = make_compat.load()
        written = (markdown.ROOT / "docs/compat.md").read_text(encoding="utf-8")
        self.assertEqual(written, make_compat.page(compat, functions), "run scripts/docs/make_compat.py")


if __name__ == "__main__":
    unittest.main()
