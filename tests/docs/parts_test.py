#!/usr/bin/env python3
"""docs/architecture.md names every module, tool and subcommand, and docs/packaging.md every option for packing."""

import re
import unittest

import markdown

ROOT = markdown.ROOT


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def options_of_build_script(source):
    """The long options in the help of build.sh."""
    usage = re.search(r"<<'HELP'\n(.*?)\nHELP\n", source, flags=re.S).group(1)
    return sorted(set(re.findall(r"--[a-z][a-z_-]*", usage)))


def options_of_command(source):
    """The long options that a subcommand declares."""
    return sorted(set(re.findall(r'add_option\(\s*"(--[a-z-]+)"', source)))


def subcommands():
    """Those of softhccl; a folder with a main.cc is a program of its own."""
    found = set()
    for path in (ROOT / "tools").glob("*/*.cc"):
        if (path.parent / "main.cc").exists():
            continue
        found |= set(re.findall(r'\bapp\.add_subcommand\(\s*"([a-z]+)"', path.read_text(encoding="utf-8")))
    return sorted(found)


class Architecture(unittest.TestCase):
    def setUp(self):
        self.text = text_of("docs/architecture.md")

    def test_EveryModule_HasARow(self):
        named = {row[1] for row in markdown.table_rows(self.text.split("\n## ")[1])}
        modules = {path.parent.name for path in (ROOT / "src").glob("*/CMakeLists.txt")}
        self.assertGreater(len(modules), 5)
        self.assertEqual(sorted(modules - named), [])

    def test_EverySubcommandAndToolFolder_IsNamed(self):
        table = self.text.split("\n## ")[1]
        folders = [path.name.replace("_", "-") for path in (ROOT / "tools").iterdir() if path.is_dir()]
        self.assertIn("pack", subcommands())
        self.assertEqual([name for name in subcommands() + folders if f"`{name}`" not in table.replace("tools/", "").replace("_", "-")], [])


class Packaging(unittest.TestCase):
    def setUp(self):
        self.text = text_of("docs/packaging.md")

    def section(self, title):
        return self.text.split(f"\n## {title}\n")[1].split("\n## ")[0]

    def test_EveryOptionOfBuildSh_IsDescribed(self):
        options = options_of_build_script(text_of("build.sh"))  # the help ends with an example of --install
        self.assertIn("--custom_ops_path", options)
        section = self.section("With build.sh of this repository")
        self.assertEqual([name for name in options if name != "--install" and f"`{name}" not in section], [])

    def test_EveryOptionOfPack_IsDescribed(self):
        options = options_of_command(text_of("tools/pack/pack.cc"))
        self.assertIn("--vendor", options)
        section = self.section("With the softhccl command")
        self.assertEqual([name for name in options if f"`{name}" not in section], [])


if __name__ == "__main__":
    unittest.main()
