#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example 2 of the TensorIterator specification in full: LSTM 512 -> 256 over 25 steps, 3 MB of weights.

    example_test.py WEFT SOURCE_DIR WORK_DIR

creates the model in each form and converts it as one loop and with default options. Requires outputs that
equal a plain Python LSTM within 1e-4, loops without copied bytes, and 25 iterations of the one loop.
"""
import json
import pathlib
import subprocess
import sys


def run(*words):
    """Returns the output of a command that must succeed."""
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def ports(folder, option, kind):
    """Returns --input 0=... or --expect 0=... for every array of the folder."""
    files = sorted((folder / kind).glob("*.npy"), key=lambda path: int(path.stem))
    return [word for path in files for word in (option, f"{path.stem}={path}")]


def main():
    """Checks all forms; the first error ends the run."""
    weft, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    for form in ("document", "typed", "today"):
        folder = work / form
        run(sys.executable, source / "tests/conformance/document_lstm.py", folder, "--form", form)
        run(sys.executable, source / "tests/conformance/arrays.py", folder, folder)
        for plan in (["--arena-budget", "fastest"], []):
            model = folder / "model.weft"
            run(weft, "convert", folder / "model.xml", "-o", model, *plan)
            words = [*ports(folder, "--input", "inputs"), *ports(folder, "--expect", "expected")]
            talk = run(weft, "compare", model, "--rtol", "1e-4", "--atol", "1e-4", *words)
            loops = json.loads(run(weft, "inspect", model, "--json"))["sections"]
            trips = [loop["iterations"] for loop in loops]
            copied = sum(loop["copied_bytes_per_iteration"] for loop in loops)
            if copied != 0 or plan and trips != [25]:
                sys.exit(f"{form}: loops of {trips} iterations copy {copied:g} bytes; must be 25 and 0")
            print(f"{form}: {talk.strip()}; loops of {trips} iterations copy {copied:g} bytes")


if __name__ == "__main__":
    main()
