#!/usr/bin/env python3
"""Writes the error catalogue as C++ source: embed.py <output file>.

The texts and their ids come from catalogue/*.json. Which number a reason becomes is known by src/api/error_map.cc, and which
number a name stands for by the public headers; both are read here, so that nothing is written twice. Tests import load().
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACL_HEADERS = ("include/acl/acl_base_rt.h", "include/acl/error_codes/rt_error_codes.h")
HCCL_HEADER = "include/hccl/hccl_types.h"
ROW = re.compile(r"ROW\((k\w+),\s*(\w+),\s*(\w+),\s*\"(SH-[A-Z]\d{3})\"\)")


def acl_constants(root=ROOT):
    """Name -> number of every aclError."""
    text = "".join((root / header).read_text(encoding="utf-8") for header in ACL_HEADERS)
    pattern = r"(?:static const int|#define)\s+(ACL_(?:ERROR_|SUCCESS\b|RT_SUCCESS\b)\w*)\s*=?\s*(\d+)"
    return {name: int(number) for name, number in re.findall(pattern, text)}


def hccl_constants(root=ROOT):
    """Name -> number of every HcclResult."""
    text = (root / HCCL_HEADER).read_text(encoding="utf-8")
    body = re.search(r"typedef enum[^{]*\{([^}]*HCCL_E_PARA[^}]*)\}", text).group(1)
    return {name: int(number) for name, number in re.findall(r"\b(HCCL_\w+)\s*=\s*(\d+)", body)}


def reasons(root=ROOT):
    """Reason -> (aclError name, HcclResult name, id of the entry that explains it when nothing better is known)."""
    text = (root / "src/api/error_map.cc").read_text(encoding="utf-8")
    return {code: (acl, hccl, check) for code, acl, hccl, check in ROW.findall(text)}


def load(root=ROOT):
    """All entries, in order of their ids; each gets "numbers": [(name, number)] from its reasons and constants."""
    by_reason = reasons(root)
    numbers = {**acl_constants(root), **hccl_constants(root)}
    entries = []
    for path in sorted((root / "tools/explain/catalogue").glob("*.json")):
        entries += json.loads(path.read_text(encoding="utf-8"))
    for entry in entries:
        names = list(entry.get("constants", []))
        for code in entry["codes"]:
            names += by_reason[code][:2]
        entry["numbers"] = [(name, numbers[name]) for name in dict.fromkeys(names)]
    return sorted(entries, key=lambda entry: entry["id"])


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def listing(values):
    return "{" + ", ".join(values) + "}"


def number_literal(name, number):
    return f"{{{literal(name)}, {number}}}"


def entry_source(entry):
    texts = [listing(literal(entry[language][part]) for part in ("title", "cause", "remedy")) for language in ("en", "zh")]
    return listing([
        literal(entry["id"]), literal(entry["name"]), *texts, literal("\n".join(entry["example"])),
        listing(number_literal(*pair) for pair in entry["numbers"]),
        listing(literal(code) for code in entry["vendor"]), listing(str(code) for code in entry["vm"])])


def source(root=ROOT):
    constants = {**acl_constants(root), **hccl_constants(root)}
    defaults = []
    for acl, hccl, check in reasons(root).values():
        defaults += [(acl, check), (hccl, check)]
    first = {}
    for name, check in defaults:  # several reasons share a number: the first row speaks for it
        first.setdefault(name, check)
    lines = ["// Written by tools/explain/embed.py from the catalogue, the table of reasons and the public headers.",
             '#include "explain/catalogue.h"', "", "namespace softhccl::tools {", "",
             "const std::vector<Entry>& Catalogue() {", "  static const std::vector<Entry> entries = {"]
    lines += [f"      {entry_source(entry)}," for entry in load(root)]
    lines += ["  };", "  return entries;", "}", "", "const std::vector<Constant>& Constants() {",
              "  static const std::vector<Constant> constants = {"]
    lines += [f"      {{{literal(name)}, {number}, {literal(first.get(name, ''))}}}," for name, number in constants.items()]
    lines += ["  };", "  return constants;", "}", "", "}  // namespace softhccl::tools", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(source(), encoding="utf-8")
