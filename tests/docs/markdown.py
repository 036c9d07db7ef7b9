"""What the tests of the documentation need to know of Markdown: files, links, anchors, code blocks and tables.

The documents are written for GitHub's dialect, so anchors follow its rule. Only what the documents use is understood; a
construct that is not would go unchecked, which is why the tests also insist on how much they have found.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = {"build", "build_out", "Ascend", ".git"}


def documents(root=ROOT):
    """All Markdown files of the checkout, without what builds leave there."""
    return sorted(path for path in root.rglob("*.md")
                  if not any(part in SKIPPED or part.startswith("build-") for part in path.relative_to(root).parts))


def without_code(text):
    """The text with the content of fenced blocks and of `code` blanked out."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", lambda match: "`" + " " * (len(match.group()) - 2) + "`", text)


def links(text):
    """(label, target) of every inline link, in order; labels keep their backquotes."""
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.findall(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)", plain)


def anchors(text):
    """Names that a link may have after '#', by GitHub's rule."""
    names = []
    for title in re.findall(r"^#{1,6} +(.+?) *#*$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), flags=re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = sum(known == name or re.fullmatch(re.escape(name) + r"-\d+", known) is not None for known in names)
        names.append(f"{name}-{count}" if count else name)
    return names


def code_blocks(text):
    """(language, content) of every fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S)


def table_rows(text):
    """Cells of every table row that is neither a head nor a rule; '\\|' is a bar."""
    rows = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        is_rule = re.fullmatch(r"\|(?:\s*:?-+:?\s*\|)+", line) is not None
        is_head = number + 1 < len(lines) and re.fullmatch(r"\|(?:\s*:?-+:?\s*\|)+", lines[number + 1]) is not None
        if line.startswith("|") and not is_rule and not is_head:
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            rows.append([cell.strip().replace("\\|", "|") for cell in cells])
    return rows
