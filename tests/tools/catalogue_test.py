#!/usr/bin/env python3
"""The error catalogue is complete: every reason, number and id that the library can print has an entry in both languages.

It is data, so it is checked as data, against the sources that know the rest: the table of reasons, the headers, the registry
of variables, and the ids in the messages of src/.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/explain"))
import embed  # noqa: E402

ENTRIES = embed.load()
ID = re.compile(r"SH-[A-Z]\d{3}")
# The vendor's codes that a software implementation can meet: EI and the families of the runtime and of ACL.
VENDOR = re.compile(r"^(EI\d{4}|EJ\d{4}|EE\d{4}|EH\d{4})$")


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".h", ".cc", ".c"}:
                yield path, path.read_text(encoding="utf-8")


def declared_names():
    """Identifiers of the public headers, of the operators' headers, and the environment variables."""
    text = "".join(text for _, text in sources("include", "examples"))
    text += (ROOT / "src/base/config.cc").read_text(encoding="utf-8")
    return set(re.findall(r"\w+", text))


class Catalogue(unittest.TestCase):
    def test_Ids_AreUniqueAndWellFormed(self):
        ids = [entry["id"] for entry in ENTRIES]
        names = [entry["name"] for entry in ENTRIES]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(len(names), len(set(names)))
        for entry in ENTRIES:
            self.assertRegex(entry["id"], f"^{ID.pattern}$")
            self.assertRegex(entry["name"], r"^[a-z]+(-[a-z]+)*$")
        self.assertGreater(len(ids), 40)

    def test_Entries_AreCompleteInBothLanguages(self):
        for entry in ENTRIES:
            with self.subTest(entry["id"]):
                self.assertTrue(entry["example"])
                for part in ("title", "cause", "remedy"):
                    self.assertGreater(len(entry["en"][part]), 10)
                    self.assertRegex(entry["zh"][part], r"[\u4e00-\u9fff]{2}")
                    self.assertNotRegex(entry["en"][part], r"[\u4e00-\u9fff]")
                    self.assertNotIn("  ", entry["en"][part])
                for code in entry["vendor"]:
                    self.assertRegex(code, VENDOR)

    def test_Reasons_HaveAnEntryThatKnowsThem(self):
        header = (ROOT / "src/base/status.h").read_text(encoding="utf-8")
        codes = set(re.findall(r"^  (k\w+)[ ,=]", re.search(r"enum class Code.*?\};", header, flags=re.S).group(0), flags=re.M))
        reasons = embed.reasons()
        self.assertEqual(codes - {"kOk"}, set(reasons))
        by_id = {entry["id"]: entry for entry in ENTRIES}
        for code, (_, _, check) in reasons.items():
            self.assertIn(code, by_id[check]["codes"], f"{check} speaks for {code}")

    def test_Numbers_ThatTheLibraryAnswersWith_HaveAnEntry(self):
        known = {name for entry in ENTRIES for name, _ in entry["numbers"]}
        constants = {**embed.acl_constants(), **embed.hccl_constants()}
        self.assertGreater(len(constants), 200)
        self.assertEqual((constants["ACL_ERROR_RT_TASK_TIMEOUT"], constants["HCCL_E_REMOTE"]), (107020, 21))
        for path, text in sources("src/api"):
            for name in re.findall(r"\b(?:ACL_ERROR_\w+|HCCL_E_\w+)\b", text):
                if name in constants and name != "HCCL_E_RESERVED" and constants[name] != 0:
                    self.assertIn(name, known, f"{path.name} answers {name}")

    def test_Ids_InTheSources_HaveAnEntry(self):
        known = {entry["id"] for entry in ENTRIES}
        for path, text in sources("src", "tools"):
            for found in ID.findall(text):
                self.assertIn(found, known, str(path))

    def test_VendorCodes_OfTheMessages_HaveAnEntry(self):
        known = {code for entry in ENTRIES for code in entry["vendor"]}
        for path, text in sources("src"):
            for found in re.findall(r'"(E[IJEH]\d{4})\b', text):
                self.assertIn(found, known, str(path))
        for number in range(1, 20):
            if f"EI{number:04}" not in {"EI0016"}:
                self.assertIn(f"EI{number:04}", known)

    def test_Examples_NameWhatExists(self):
        declared = declared_names()
        pattern = re.compile(r"\b(?:acl[a-z]*[A-Z]\w*|Hccl[A-Z]\w*|Hcomm[A-Z]\w*|HCCL_\w+|HCOMM_\w+|ACL_\w+|COMM_\w+|SOFTHCCL_\w+|"
                             r"ASCEND_\w+)\b")
        for entry in ENTRIES:
            texts = entry["example"] + [entry[language][part] for language in ("en", "zh") for part in ("cause", "remedy")]
            for name in pattern.findall("\n".join(texts)):
                self.assertTrue(name in declared, f"{entry['id']} names {name}, which does not exist")

    def test_References_ToOtherEntries_AreRight(self):
        known = {entry["id"] for entry in ENTRIES}
        for entry in ENTRIES:
            for found in ID.findall(str(entry)):
                self.assertIn(found, known)

    def test_Documents_ThatAreNamed_Exist(self):
        for entry in ENTRIES:
            for document in re.findall(r"docs/[\w./-]+\.md", str(entry)):
                self.assertTrue((ROOT / document).exists(), document)


if __name__ == "__main__":
    unittest.main()
