# SPDX-License-Identifier: Apache-2.0
"""Sentences that users read are short: README, and every message."""
import re

from rules.messages import LIST

MAX_WORDS = 30
_WORD = re.compile(r"[A-Za-z0-9{]")
_END = re.compile(r"(?<=[.!?:])\s+|\\n|\s*[;|]\s+")
# Inline code and links count as one word: they are read at a glance.
_ATOMS = re.compile(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|<[^>]*>")


def word_count(sentence):
    return sum(1 for word in _ATOMS.sub("atom", sentence).split() if _WORD.search(word))


def _paragraphs(text):
    """Yields (line, text) of each paragraph, list item and table cell; code blocks are left out."""
    begin, lines, in_code = 0, [], False
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.startswith("```"):
            in_code = not in_code
            line = ""
        if in_code:
            continue
        starts = bool(re.match(r"\s*(?:[-*#|]|\d+\.) ?", line))
        if lines and (not line.strip() or starts):
            yield begin, " ".join(lines)
            lines = []
        if line.strip():
            begin = begin if lines else number
            lines.append(line.strip())


def _long(path, number, text):
    for sentence in _END.split(text):
        count = word_count(sentence)
        if count > MAX_WORDS:
            yield (f"{path}:{number}: a sentence of {count} words; at most {MAX_WORDS}: split "
                   f"`{sentence.strip()[:60]}...`")


def check(tree):
    """No sentence of README and no message is longer than a reader can hold."""
    faults = []
    for number, text in _paragraphs(tree.text("README.md")) if "README.md" in tree.paths else ():
        faults += _long("README.md", number, text)
    if LIST in tree.paths:
        for number, line in tree.lines(LIST):
            if line.startswith('  "'):
                faults += _long(LIST, number, line[3:-1])
    return faults
