#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the source tree: tidy.py RULE... checks the named rules, tidy.py all rules. tidy.py --list
prints their names, for CMake. tidy.py --write-readme updates the tables of README and docs/,
--write-messages the list of messages.

Exit code 0: no errors. 1: errors, one line each. 77: the requested rule cannot run on this machine.
"""
import pathlib
import sys

from rules import (arrows, commits, coverage, messages, narrowing, operations, readme, sentences, sizes, steps, style, texts,
                   vocabulary, words)
from rules.sizes import Skipped
from tree import Tree

RULES = {
    "arrows": arrows.check,
    "firmware_words": words.check_firmware,
    "names": words.check_names,
    "narrowing": narrowing.check,
    "function_lines": sizes.check_functions,
    "file_lines": sizes.check_files,
    "line_width": sizes.check_width,
    "operations": operations.check,
    "coverage": coverage.check,
    "steps": steps.check,
    "messages": messages.check,
    "licence": texts.check_licence,
    "guards": texts.check_guards,
    "leaks": texts.check_leaks,
    "readme": readme.check,
    "vocabulary": vocabulary.check,
    "sentences": sentences.check,
    "commits": commits.check,
    "clang_format": style.check,
}


def main(arguments):
    tree = Tree(pathlib.Path(__file__).resolve().parents[2])
    if arguments == ["--write-readme"]:
        for path, text in readme.filled(tree).items():
            (tree.root / path).write_text(text)
        return 0
    if arguments == ["--write-messages"]:
        (tree.root / messages.LIST).write_text(messages.written(tree))
        return 0
    if arguments == ["--list"]:
        print("\n".join(RULES))
        return 0
    names = arguments or list(RULES)
    unknown = [name for name in names if name not in RULES]
    if unknown:
        print(f"tidy: no rule {', '.join(unknown)}; there are {', '.join(RULES)}", file=sys.stderr)
        return 2
    fault_count = skipped_count = 0
    for name in names:
        try:
            faults = RULES[name](tree)
        except Skipped as reason:
            print(f"tidy: {name}: skipped: {reason}")
            skipped_count += 1
            continue
        for fault in faults:
            print(f"{name}: {fault}")
        fault_count += len(faults)
    print(f"tidy: {len(tree.paths)} files, {fault_count} faults")
    if fault_count:
        return 1
    return 77 if skipped_count == len(names) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
