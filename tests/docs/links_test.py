#!/usr/bin/env python3
"""Every relative link of every Markdown file leads to a file or folder of the checkout, and every anchor to a heading.

Links to the network are not followed: the tests run without one, and other people's pages are not ours to check.
"""

import pathlib
import tempfile
import unittest

import markdown


def broken_links(root):
    found, broken = 0, []
    for path in markdown.documents(root):
        text = path.read_text(encoding="utf-8")
        for _, target in markdown.links(text):
            if target.startswith(("http://", "https://", "mailto:")):
                continue
            found += 1
            file, _, anchor = target.partition("#")
            goal = (path.parent / file).resolve() if file else path
            where = f"{path.relative_to(root)}: {target}"
            if not goal.exists():
                broken.append(f"{where}: there is no {file}")
            elif not goal.is_relative_to(root.resolve()):
                broken.append(f"{where}: leads out of the checkout")
            elif anchor and anchor not in markdown.anchors(goal.read_text(encoding="utf-8")):
                broken.append(f"{where}: there is no heading for #{anchor}")
    return found, broken


class BrokenLinks(unittest.TestCase):
    def check(self, files, expected):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for name, text in files.items():
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            self.assertEqual(broken_links(root)[1], expected)

    def test_GoodLinks_AreAccepted(self):
        self.check({"a.md": "[b](d/b.md#two-words) [self](#x) [far](https://example.invalid/x)\n# X\n",
                    "d/b.md": "# Two `words`!\n[up](../a.md) [folder](..)\n"}, [])

    def test_MissingFile_IsNamed(self):
        self.check({"a.md": "[b](b.md)"}, ["a.md: b.md: there is no b.md"])

    def test_MissingHeading_IsNamed(self):
        self.check({"a.md": "# X\n[x](#y)"}, ["a.md: #y: there is no heading for #y"])

    def test_LinkOutOfTheCheckout_IsRefused(self):
        self.check({"a.md": "[x](../)"}, ["a.md: ../: leads out of the checkout"])

    def test_LinksInCodeBlocks_AreNone(self):
        self.check({"a.md": "```\n[x](y.md)\n```\n"}, [])

    def test_SecondHeadingOfOneName_HasANumber(self):
        self.check({"a.md": "# X\n# X\n[x](#x-1)"}, [])


class Documents(unittest.TestCase):
    def test_Links_Resolve(self):
        found, broken = broken_links(markdown.ROOT)
        self.assertEqual(broken, [])
        self.assertGreater(found, 40, "hardly any links were found; the parser may be broken")


if __name__ == "__main__":
    unittest.main()
