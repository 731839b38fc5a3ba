#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares interpreter.py with the goldens of many operations, most of them OpenVINO's.

interpreter_test.py CASES. Cases with an operation that the interpreter does not support are skipped;
the test fails if fewer than KNOWN cases remain.
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

# pylint: disable=wrong-import-position
from conformance import arrays
from conformance.compare import difference
from reference.interpreter import Fault, Model
from reference.ir_file import Refused, TYPES

FAMILIES = ("adaptive_pooling", "attention", "bitwise", "blocks", "chains", "channels_last",
            "convert", "convolution", "elementwise", "embedding_bag", "folding", "formulas",
            "fourier", "if", "latency", "logic", "long", "loop_const", "loop_edges", "loop_nested",
            "loop_run", "patterns", "reverse_sequence", "spelled", "state", "streaming", "ti",
            "top", "traced")
KNOWN = 800


def answers(folder, case, inputs):
    """The interpreter's outputs for a case."""
    bound = dict(zip(case["convert"][::2], case["convert"][1::2])).get("--max-iterations")
    model = Model(folder / "model.xml", bound and int(bound))
    if not case.get("calls"):
        return model(inputs)
    calls = [model([array[call] for array in inputs]) for call in range(case["calls"])]
    return [np.stack(parts) for parts in zip(*calls)]


def main(cases):
    """Returns 1 if an output differs from its golden."""
    equal, wrong, unknown = 0, 0, 0
    for folder in sorted(path.parent for family in FAMILIES
                         for path in (cases / family).glob("*/case.json")):
        case = json.loads((folder / "case.json").read_text())
        inputs, expected = arrays.read(folder)
        try:
            made = answers(folder, case, inputs)
        except (KeyError, Refused, Fault) as reason:
            if isinstance(reason, Refused) and "is not known" in str(reason) or isinstance(
                    reason, KeyError) and reason.args[0] not in TYPES:
                unknown += 1
                continue
            made = []
            print(f"{folder.name}: {reason!r}")
        told = [difference(is_, must, case["rtol"], case["atol"])
                for is_, must in zip(made, expected)]
        told = [text for text in told if text] + ["no answer"] * (len(made) != len(expected))
        if told:
            wrong += 1
            print(f"{folder.parent.name}/{folder.name}: {'; '.join(told)}")
        else:
            equal += 1
    print(f"interpreter: {equal} goldens equal, {wrong} different, {unknown} not supported")
    return 0 if wrong == 0 and equal >= KNOWN else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
