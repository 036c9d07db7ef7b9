#!/usr/bin/env python3
"""Writes docs/compat.md from docs/compat.json and the list of declared functions.

What is supported is data, so that a test can hold it to the headers and to the tests; the page is for people. The functions
and their order come from tests/conformance/layout/inventory.json, which is held to include/ by a test of its own.
make_compat.py writes the page, make_compat.py --check only says whether it is up to date.
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATUSES = ("implemented", "approximated", "not supported")

HEAD = """# Compatibility

<!-- Written by scripts/docs/make_compat.py from docs/compat.json; edit that file. -->

One row per function that `include/` declares. A function that is not declared does not exist here: a program that
calls it does not compile. *Implemented* means that the function does what the vendor's documentation says, as far as
that can be observed without a card. *Approximated* means that something documented is missing or different, and the
note says what. Structures, enumerations and constants may be declared without any function that uses them.

"""

CHOICES = """
## Choices

Where the vendor's documentation leaves something open, where two of its places disagree, where its product generations
differ, and where this library does something else on purpose.

| situation | here | why | functions |
|---|---|---|---|
"""


def load(root=ROOT):
    compat = json.loads((root / "docs/compat.json").read_text(encoding="utf-8"))
    inventory = json.loads((root / "tests/conformance/layout/inventory.json").read_text(encoding="utf-8"))
    return compat, [(function["name"], function["header"]) for function in inventory["functions"]]


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def test_cell(test):
    if test is None:
        return ""
    return f"[{pathlib.PurePosixPath(test).name}](../{test})" if "/" in test else f"`{test}`"


def count_line(compat):
    rows = list(compat["functions"].values())
    counts = [f"{sum(row['status'] == status for row in rows)} {status}" for status in STATUSES]
    return f"{len(rows)} functions: {', '.join(counts)}.\n"


def page(compat, functions):
    lines = [HEAD, count_line(compat)]
    header = None
    for name, where in sorted(functions, key=lambda pair: pair[1]):
        if where != header:
            header = where
            lines.append(f"\n## {header}\n\n| function | status | notes | test |\n|---|---|---|---|\n")
        row = compat["functions"][name]
        lines.append(f"| `{name}` | {row['status']} | {cell(row['note'])} | {test_cell(row['test'])} |\n")
    lines.append(CHOICES)
    for choice in compat["choices"]:
        names = ", ".join(f"`{name}`" for name in choice["functions"])
        lines.append(f"| {cell(choice['topic'])} | {cell(choice['choice'])} | {cell(choice['why'])} | {names} |\n")
    return "".join(lines)


def main():
    compat, functions = load()
    missing = [name for name, _ in functions if name not in compat["functions"]]
    if missing:
        sys.exit(f"make_compat.py: docs/compat.json has no row for {', '.join(missing)}")
    text = page(compat, functions)
    target = ROOT / "docs/compat.md"
    if "--check" not in sys.argv[1:]:
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        sys.exit("make_compat.py: docs/compat.md is not up to date; run scripts/docs/make_compat.py")


if __name__ == "__main__":
    main()
