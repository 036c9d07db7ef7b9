#!/usr/bin/env python3
"""Prints the bash blocks of a document as one script that tells what it runs, so that a test can run what a reader reads.

shell_blocks.py <document> [<number of blocks to leave out at the beginning>]
shell_blocks.py --text <document> <word>: the text block that holds the word.
"""

import pathlib
import sys

import markdown


def main():
    if sys.argv[1] == "--text":
        text = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
        print("".join(block for language, block in markdown.code_blocks(text) if language == "text" and sys.argv[3] in block),
              end="")
        return
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    skipped = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    print("set -eux")
    print("".join(block for language, block in markdown.code_blocks(text)[skipped:] if language == "bash"), end="")


if __name__ == "__main__":
    main()
