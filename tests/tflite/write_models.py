#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stored .tflite models with LiteRT's answers, or checks that they can be derived again.

write_models.py                      write every case into build/fixtures/tflite, pack changed families
write_models.py --only control/if    only the cases whose path starts with this prefix
write_models.py --check              derive all cases and compare them with the stored ones

Needs the packages of requirements.txt. Exit code: 0 done, 1 a case is invalid or differs, 2 invalid
command line.
"""
import argparse
import importlib
import json
import pathlib
import shutil
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "conformance")]

import archives  # noqa: E402
import arrays  # noqa: E402
import litert  # noqa: E402


def collect(prefix):
    """All cases by path; a path is "family/name"."""
    found = {}
    for module in sorted((HERE / "families").glob("*.py")):
        for case in importlib.import_module(f"families.{module.stem}").cases():
            path = f"{module.stem}/{case.path}"
            if path in found:
                raise SystemExit(f"{path}: two cases have this path")
            found[path] = case
    return {path: case for path, case in found.items() if path.startswith(prefix)}


def facts_of(case):
    """What case.json states."""
    entry = case.model.graphs[0]
    facts = {"oracle": litert.release(), "rtol": case.rtol, "atol": case.atol,
             "inputs": [tensor.name for tensor in entry.inputs],
             "outputs": [tensor.name for tensor in entry.outputs],
             "operators": case.operators, "convert": list(case.convert), "note": case.note}
    if case.calls:
        facts["calls"] = case.calls
    return json.dumps(facts, indent=1) + "\n"


def answers_of(path, case):
    """The expected outputs."""
    if case.answers is not None:
        return case.answers
    try:
        return litert.run(case.data, case.inputs, case.calls)
    except litert.Refused as error:
        raise SystemExit(f"{path}: {error}") from error


def write(cases):
    """Writes the cases and packs the families."""
    for path, case in cases.items():
        folder = archives.FIXTURES / "tflite" / path
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        outputs = answers_of(path, case)
        (folder / "model.tflite").write_bytes(case.data)
        arrays.write(folder, case.inputs, outputs)
        (folder / "case.json").write_text(facts_of(case))
    print(f"{len(cases)} cases; packed: {', '.join(archives.pack()) or 'nothing'}")


def differences(path, case):
    """Texts of what a stored case has otherwise."""
    folder = archives.FIXTURES / "tflite" / path
    if not folder.is_dir():
        return [f"{path}: is not stored"]
    found = []
    if (folder / "model.tflite").read_bytes() != case.data:
        found.append(f"{path}: model.tflite differs")
    stored = [array for part in arrays.read(folder) for array in part]
    for index, (left, right) in enumerate(zip(stored, [*case.inputs, *answers_of(path, case)])):
        same = left.shape == np.shape(right) and left.dtype == np.asarray(right).dtype
        if not same or not np.allclose(left, right, case.rtol, case.atol, equal_nan=True):
            found.append(f"{path}: array {index} differs")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PREFIX")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    archives.unpack()
    cases = collect(options.only)
    if not options.check:
        write(cases)
        return 0
    faults = [line for path, case in cases.items() for line in differences(path, case)]
    print("\n".join([*faults, f"{len(cases)} cases, {len(faults)} differences"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
