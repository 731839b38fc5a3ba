#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every option of a weft command that the documents show is in the help of this command.

    commands_test.py WEFT

Reads commands in code spans and code blocks of all pages. Exit code 1: a page shows a command or an
option that does not exist; each is printed with its place.
"""
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`([^`]+)`")
# A call ends at a comment, or where the shell begins another command.
_CALL = re.compile(r"((?:^|[\s/(]))weft ([a-z]+)\b([^#|;&<>)]*)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


def pages():
    """All pages that users read."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"),
             *ROOT.glob("python/**/*.md"), *ROOT.glob("packaging/**/*.md")]
    return sorted(found)


def texts(page):
    """Yields the line number and text of each line of a code block, and of each code span."""
    text = page.read_text(encoding="utf-8")
    for block in _BLOCK.finditer(text):
        first = text.count("\n", 0, block.start()) + 1
        joined = block.group().replace("\\\n", "  ")
        for offset, line in enumerate(joined.splitlines()):
            yield first + offset, line
    spans = _BLOCK.sub(lambda block: "\n" * block.group().count("\n"), text)
    for span in _SPAN.finditer(spans):
        yield spans.count("\n", 0, span.start()) + 1, span.group(1).replace("\n", " ")


@functools.cache
def options_of(weft, command):
    """The options in the help of a command; None if there is no such command."""
    done = subprocess.run([weft, command, "--help"], capture_output=True, text=True, check=False)
    return set(_OPTION.findall(done.stdout)) if done.returncode == 0 else None


def faults_of(weft, text):
    """Yields what is wrong with the commands in a text."""
    for before, command, rest in _CALL.findall(text):
        known = options_of(weft, command)
        if known is None:  # within a line it is a part of a sentence
            if before == "":
                yield f"`weft {command}` is no command"
            continue
        for option in _OPTION.findall(rest):
            if option not in known:
                yield f"`weft {command}` has no option {option}"


def main(weft):
    """Checks the pages, and that a wrong command would be found."""
    assert list(faults_of(weft, "run weft inspect m.weft --no-such-option")), "finds nothing"
    assert list(faults_of(weft, "weft invent m.weft")), "finds nothing"
    calls, faults = 0, []
    for page in pages():
        for line, text in texts(page):
            calls += len(_CALL.findall(text))
            faults += [f"{page.relative_to(ROOT)}:{line}: {fault}" for fault in faults_of(weft, text)]
    print("\n".join(faults) or f"{calls} commands, all in the help")
    return 1 if faults or calls < 100 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
