#!/usr/bin/env python3
"""The two READMEs give the same commands and the same output, lead to each other, and name scripts that can be run."""

import os
import re
import unittest

import markdown

ENGLISH = markdown.ROOT / "README.md"
CHINESE = markdown.ROOT / "README.zh-CN.md"
MADE_BY_BUILDS = "./build_out/"


def commands(text):
    """Scripts that the shell blocks start: `./x` and `bash x`, without what a build makes first."""
    names = []
    for language, content in markdown.code_blocks(text):
        if language == "bash":
            names += re.findall(r"^(?:bash +)?(\./[\w./-]+|[\w-]+\.sh)\b", content, flags=re.M)
    return [name for name in names if not name.startswith(MADE_BY_BUILDS)]


class Commands(unittest.TestCase):
    def test_ShellBlocks_GiveTheirScripts(self):
        text = "```bash\n./a.sh --x\nbash b.sh\n./build_out/c.run --install\nmake\n```\n```text\n./d.sh\n```\n"
        self.assertEqual(commands(text), ["./a.sh", "b.sh"])


class Readmes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.english = ENGLISH.read_text(encoding="utf-8")
        cls.chinese = CHINESE.read_text(encoding="utf-8")

    def test_CodeBlocks_AreTheSame(self):
        self.assertEqual(markdown.code_blocks(self.english), markdown.code_blocks(self.chinese))
        self.assertGreater(len(markdown.code_blocks(self.english)), 4)

    def test_Headings_AreAsMany(self):
        self.assertEqual(len(markdown.anchors(self.english)), len(markdown.anchors(self.chinese)))

    def test_EachLeadsToTheOther(self):
        self.assertIn(CHINESE.name, [target for _, target in markdown.links(self.english)])
        self.assertIn(ENGLISH.name, [target for _, target in markdown.links(self.chinese)])

    def test_OtherLinks_AreTheSame(self):
        others = [[target for _, target in markdown.links(text) if target not in {ENGLISH.name, CHINESE.name}]
                  for text in (self.english, self.chinese)]
        self.assertEqual(*others)

    def test_FirstCommands_AreQuickstartAndTest(self):
        self.assertEqual(commands(self.english)[:2], ["./quickstart.sh", "./test.sh"])

    def test_Scripts_CanBeRun(self):
        for name in commands(self.english):
            self.assertTrue(os.access(markdown.ROOT / name, os.X_OK), f"{name} is missing or not executable")


if __name__ == "__main__":
    unittest.main()
