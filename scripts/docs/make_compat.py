#!/usr/bin/env python3
"""Writes docs/compat.md from docs/compat/*.json, the list of declared functions and the list of those without implementation.

What is supported is data, so that a test can hold it to the headers and to the tests; the page is for people. A file of
docs/compat has "functions", a row each, and "choices". Of a row, status is implemented or approximated (something documented
is missing or different: the note says what); test is a gtest suite or file name in tests/conformance/api, a path, or null.
The functions and their order come from tests/conformance/layout/inventory, which is held to include/ by a test of its own.
What src/api/not_supported lists needs no row here and is "not supported".
make_compat.py writes the page, make_compat.py --check only says whether it is up to date.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/conformance/layout"))
import generate  # noqa: E402  (reads the inventory)

STATUSES = ("implemented", "approximated", "not supported")

HEAD = """# Compatibility

<!-- Written by scripts/docs/make_compat.py from docs/compat/*.json; edit those files. -->

One row per function that `include/` declares. *Implemented* means that the function does what the vendor's documentation says, as far as
that can be observed without a card. *Approximated* means that something documented is missing or different, and the
note says what. *Not supported*: programs that name it link; a call returns the vendor's number for "not supported" and says
its name once. Structures, enumerations and constants may be declared without any function that uses them.

"""

CHOICES = """
## Choices

Where the vendor's documentation leaves something open, where two of its places disagree, where its product generations
differ, and where this library does something else on purpose.

| situation | here | why | functions |
|---|---|---|---|
"""


def not_supported(root=ROOT):
    """Names of the functions that have no implementation."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "src/api/not_supported").glob("*.cc")))
    return re.findall(r"^SOFTHCCL_NOT_SUPPORTED_\w+\((\w+)\)", text, flags=re.M)


def load(root=ROOT):
    compat = {"functions": {}, "choices": []}
    for path in sorted((root / "docs/compat").glob("*.json")):
        part = json.loads(path.read_text(encoding="utf-8"))
        compat["functions"].update(part["functions"])
        compat["choices"] += part["choices"]
    for name in not_supported(root):
        if name in compat["functions"]:
            sys.exit(f"make_compat.py: {name} has a row in docs/compat and is listed in src/api/not_supported")
        compat["functions"][name] = {"status": "not supported", "note": "", "test": "NotSupportedTest"}
    functions = generate.load(root / "tests/conformance/layout/inventory")["functions"]
    return compat, [(function["name"], function["header"]) for function in functions]


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
        sys.exit(f"make_compat.py: docs/compat has no row for {', '.join(missing)}")
    text = page(compat, functions)
    target = ROOT / "docs/compat.md"
    if "--check" not in sys.argv[1:]:
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        sys.exit("make_compat.py: docs/compat.md is not up to date; run scripts/docs/make_compat.py")


if __name__ == "__main__":
    main()
