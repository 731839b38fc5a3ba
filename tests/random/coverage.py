#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the rows of the random graphs with weft's table of operations.

    coverage.py WEFT      checks that uncovered.txt lists the operations without a row, and no other

A new operation needs a row. An operation that gets its row leaves the list.
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

# Made by the parts of the generator that add loops, branches, variables and ports.
MADE = {"Assign", "Const", "If", "Loop", "Parameter", "ReadValue", "Result", "TensorIterator"}


def table(weft):
    """The names of the operations that weft supports."""
    done = subprocess.run([str(weft), "ops", "--json"], capture_output=True, text=True, check=True)
    return {row["name"] for row in json.loads(done.stdout)["operations"]}


def main(weft):
    """Returns 1 if the list is not that of the operations without a row."""
    import nests  # pylint: disable=import-outside-toplevel

    listed = set((HERE / "uncovered.txt").read_text().split())
    missing = table(weft) - set(nests.rows.ROWS) - MADE
    for name in sorted(missing - listed):
        print(f"tests/random: {name} has no row; must have one in rows_*.py")
    for name in sorted(listed - missing):
        print(f"tests/random/uncovered.txt: {name} has a row or is no operation; must not be listed")
    print(f"{len(missing)} operations without a row")
    return 0 if missing == listed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
