#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the coverage that scripts/coverage.sh measured (llvm-cov export).

    coverage_table.py EXPORT.json [--write] [--only-folders]

Prints covered lines, branches and MC/DC by folder, and the branches of runtime/ that no test reached.
tests/coverage/missed.txt must name each of these with a reason, and no others: else the exit code is
1. --write updates tests/coverage/files.txt, from which docs/safety.md and the evidence folder take
their figures, and missed.txt; new rows have the reason `?`, which tests/tidy rejects.
"""
import argparse
import collections
import json
import pathlib
import sys

KINDS = {"lines": "lines", "branches": "branches", "mcdc": "MC/DC"}
ROOT = pathlib.Path(__file__).resolve().parents[1]
FILES = ROOT / "tests/coverage/files.txt"
MISSED = ROOT / "tests/coverage/missed.txt"
FILES_HEAD = """\
# Coverage of the code in firmware; written by scripts/coverage.sh --write.
# file, then covered and all: lines, branches, conditions of decisions (MC/DC)
"""
MISSED_HEAD = """\
# Branches of runtime/ that the measured tests do not reach, each with its reason;
# scripts/coverage.sh compares this list with the measurement.
# file | condition | value that it never has | number of such places | reason
"""


def _path(name):
    return str(pathlib.Path(name).resolve().relative_to(ROOT))


def files_of(export):
    """Path -> [covered, all] of each kind."""
    return {
        _path(file["filename"]): [(file["summary"][kind]["covered"], file["summary"][kind]["count"])
                                  for kind in KINDS]
        for file in export["data"][0]["files"]
    }


def _text(lines, first, begin, last, end):
    """The source between two places, in one line."""
    if first == last:
        return lines[first - 1][begin - 1:end - 1]
    parts = [lines[first - 1][begin - 1:], *lines[first:last - 1], lines[last - 1][:end - 1]]
    return " ".join(part.strip() for part in parts)


def missed_of(export, folder):
    """(file, condition, value) -> number of places. A branch counts as reached if one instance of a
    template or one expansion of a macro reached it."""
    counts = collections.defaultdict(lambda: [0, 0])
    for function in export["data"][0]["functions"]:
        names = [_path(name) for name in function["filenames"]]
        for *place, true, false, file, _, _ in function.get("branches", []):
            if names[file].startswith(folder + "/"):
                count = counts[names[file], tuple(place)]
                count[0] += true
                count[1] += false
    missed, sources = collections.Counter(), {}
    for (file, place), count in counts.items():
        lines = sources.setdefault(file, (ROOT / file).read_text().splitlines())
        for value, times in zip(("true", "false"), count):
            if times == 0:
                missed[file, _text(lines, place[0], place[1], place[2], place[3]), value] += 1
    return missed


def print_folders(files):
    """A row for each folder, and for all folders of a root."""
    total = collections.Counter()
    for path, numbers in files.items():
        parents = {str(parent) for parent in pathlib.PurePath(path).parents} - {"."}
        for folder in {path.split("/")[0], max(parents, key=len)}:
            for kind, (covered, count) in zip(KINDS, numbers):
                total[folder, kind, "covered"] += covered
                total[folder, kind, "count"] += count
    print(f"{'folder':24}" + "".join(f"{title:>22}" for title in KINDS.values()))
    for folder in sorted({folder for folder, _, _ in total}):
        cells = (f"{total[folder, kind, 'covered']} of {total[folder, kind, 'count']}, "
                 f"{100 * total[folder, kind, 'covered'] / max(1, total[folder, kind, 'count']):.1f} %"
                 for kind in KINDS)
        print(f"{folder:24}" + "".join(f"{cell:>22}" for cell in cells))


def reasons():
    """(file, condition, value) -> (number of places, reason) in missed.txt."""
    if not MISSED.exists():
        return {}
    rows = (line.split(" | ") for line in MISSED.read_text().splitlines()
            if not line.startswith("#"))
    return {(row[0], " | ".join(row[1:-3]), row[-3]): (int(row[-2]), row[-1]) for row in rows}


def compare(missed, known):
    """Lines about branches that are missed without a row, and rows whose branches are reached."""
    faults = []
    for key in sorted(missed.keys() | known.keys()):
        now, listed = missed.get(key, 0), known.get(key, (0, ""))[0]
        if now != listed:
            faults.append(f"coverage: {' | '.join(key)}: is missed in {now} places; missed.txt has "
                          f"{listed}")
    return faults


def write(files, missed):
    """Writes both tables; keeps the reasons."""
    FILES.parent.mkdir(exist_ok=True)
    FILES.write_text(FILES_HEAD + "".join(
        f"{path} {' '.join(f'{covered} {count}' for covered, count in numbers)}\n"
        for path, numbers in sorted(files.items())))
    known = reasons()
    MISSED.write_text(MISSED_HEAD + "".join(
        f"{' | '.join(key)} | {count} | {known.get(key, (0, '?'))[1]}\n"
        for key, count in sorted(missed.items())))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("export")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only-folders", action="store_true")
    words = parser.parse_args()
    export = json.loads(pathlib.Path(words.export).read_text())
    files = files_of(export)
    print_folders(files)
    if words.only_folders:
        return 0
    missed = missed_of(export, "runtime")
    if words.write:
        write(files, missed)
        return 0
    faults = compare(missed, reasons())
    print("\n".join(faults) if faults else
          f"coverage: {sum(missed.values())} branches of runtime/ are missed, as listed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
