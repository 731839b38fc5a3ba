#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the coverage of each folder, from the JSON of llvm-cov export (scripts/coverage.sh)."""
import collections
import json
import pathlib
import sys

KINDS = {"lines": "lines", "branches": "branches", "mcdc": "MC/DC"}


def main():
    covered, count = collections.Counter(), collections.Counter()
    for file in json.load(sys.stdin)["data"][0]["files"]:
        path = pathlib.Path(file["filename"]).relative_to(pathlib.Path.cwd())
        for folder in {path.parts[0], str(path.parent)}:
            for kind in KINDS:
                covered[folder, kind] += file["summary"][kind]["covered"]
                count[folder, kind] += file["summary"][kind]["count"]
    print(f"{'folder':24}" + "".join(f"{title:>22}" for title in KINDS.values()))
    for folder in sorted({folder for folder, _ in count}):
        cells = (f"{covered[folder, kind]} of {count[folder, kind]}, "
                 f"{100 * covered[folder, kind] / max(1, count[folder, kind]):.1f} %"
                 for kind in KINDS)
        print(f"{folder:24}" + "".join(f"{cell:>22}" for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
