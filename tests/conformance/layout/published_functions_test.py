#!/usr/bin/env python3
"""Every published function is exported by the library in which programs look for it.

Programs are linked with all symbols resolved at the start, so one missing name keeps a whole program from running, also when
it would never be called. The list is published_functions.txt.

Environment: LIBRARY_DIR directory of the built libraries, NM the tool.
"""

import os
import pathlib
import subprocess
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def read_list(text):
    """Library → names."""
    listed, names = {}, None
    for line in (line.strip() for line in text.splitlines()):
        if line.startswith("["):
            names = listed.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            names.append(line)
    return listed


def exported(library):
    """Names that the library defines for others; versions are cut off."""
    command = [os.environ["NM"], "-D", "--defined-only", "--format=posix", str(library)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[0].split("@")[0] for line in lines}


class ReadList(unittest.TestCase):
    def test_SectionsAndComments_AreUnderstood(self):
        self.assertEqual(read_list("# a\n[x]\nf\ng\n\n[y]\nh\n"), {"x": ["f", "g"], "y": ["h"]})


class Published(unittest.TestCase):
    def test_Libraries_ExportWhatIsPublished(self):
        listed = read_list((HERE / "published_functions.txt").read_text(encoding="utf-8"))
        self.assertGreater(sum(map(len, listed.values())), 700)
        folder = pathlib.Path(os.environ["LIBRARY_DIR"])
        for library, names in listed.items():
            with self.subTest(library=library):
                self.assertEqual(sorted(set(names) - exported(folder / f"lib{library}.so")), [], "not exported")


if __name__ == "__main__":
    unittest.main()
