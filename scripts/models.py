#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts every conformance case with the host's weft, for tests on targets that cannot convert.

    models.py WEFT CASES_DIR OUTPUT_DIR

writes OUTPUT_DIR/<family>/<case>.weft. A model that weft refuses is named and leaves no file (the
host's conformance tests judge refusals); a crash makes this script fail.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys


def convert(weft, case, target):
    """Returns (exit code, last line of the talk) of one conversion."""
    extra = []
    description = case / "case.json"
    if description.exists():
        extra = json.loads(description.read_text()).get("convert", [])
    target.parent.mkdir(parents=True, exist_ok=True)
    run = subprocess.run([weft, "convert", case / "model.xml", "-o", target, *extra],
                         capture_output=True, text=True, errors="replace", check=False)
    lines = (run.stderr or run.stdout).strip().splitlines()
    return run.returncode, lines[-1] if lines else ""


def main():
    weft, cases_dir, output_dir = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    cases = sorted(path.parent for path in cases_dir.glob("*/*/model.xml"))
    if output_dir.exists():
        shutil.rmtree(output_dir)
    output_dir.mkdir(parents=True)
    converted, refused, crashed = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        targets = [output_dir / case.parent.name / f"{case.name}.weft" for case in cases]
        results = pool.map(convert, [weft] * len(cases), cases, targets)
        for case, (code, talk) in zip(cases, results):
            converted += code == 0
            refused += code in (1, 2)
            crashed += code not in (0, 1, 2)
            if code != 0:
                print(f"{case.parent.name}/{case.name}: exit {code}: {talk}")
    print(f"models: {converted} converted, {refused} refused, {crashed} crashed")
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(main())
