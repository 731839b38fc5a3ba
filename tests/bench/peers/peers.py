#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares weft with other engines and writes the results as JSON.

    peers.py --weft COMMAND --drivers FOLDER --work FOLDER --json FILE [--rounds 9] [--cpu 0]
             [--milliseconds 150] [--int8 | --tflite [FOLDER]] [--only PREFIX...]

First, every engine computes each case once. An output that differs from the first peer's by more
than TOLERANCE of the maximum magnitude ends the program, because times of wrong results mean
nothing. With --int8 the cases are quantised: weft and OpenVINO, which read the same file, may
differ by a QUANTUM, engines with other ranges or weights by OWN_QUANTA. With --tflite the
cases are .tflite files: those of Keras, and those of FOLDER.
Then rounds: in each, every engine runs every case on one core with one thread. The order of the
engines rotates from round to round, so that other processes and clock changes disturb all engines
equally. The limits of the core are measured at the beginning of each round. Ratios are computed
within a round.
"""
import argparse
import json
import os
import pathlib
import platform
import sys

import numpy as np

from cases import all_cases, int8_cases
from engines import Failed, engines_of, output_of, undisturbed
from tflite_cases import TfliteCase, tflite_cases

TOLERANCE = 1e-4
# One quantisation step with 127 steps up to the maximum magnitude.
QUANTUM = 1 / 127
OWN_QUANTA = 16


def prepare(case, folder, engines, cpu):
    """Writes the case's files: the graph in each format, inputs, and weights for other engines."""
    folder.mkdir(parents=True, exist_ok=True)
    case.write_models(folder)
    for i, array in enumerate(case.input_arrays()):
        np.save(folder / f"input.{i}.npy", array)
    for name, array in case.arrays.items():
        np.save(folder / f"{name}.npy", array)
    for engine in engines:
        engine.prepare(case, folder, cpu)


def tolerance_of(case, engine):
    if isinstance(case, TfliteCase):
        return QUANTUM * OWN_QUANTA if case.is_integer else TOLERANCE
    if case.is_calibrated:
        return QUANTUM * (OWN_QUANTA if engine == "ONNX Runtime" else 1)
    if engine == "oneDNN int8" or (engine == "weft" and case.convert[-1:] == ("i8x8",)):
        return QUANTUM * OWN_QUANTA
    return QUANTUM if "--precision" in case.convert and engine == "weft" else TOLERANCE


def compared(case, folder, engines, cpu):
    """Error of each engine that supports the case, relative to the maximum magnitude. The reference
    is the first peer or, in quantised cases, OpenVINO, which reads weft's file."""
    answers = {}
    for engine in engines:
        answer = engine.answer(case, folder, cpu)
        if answer is not None:
            answers[engine.name] = answer
    peers = ["OpenVINO"] if case.is_calibrated else [engine.name for engine in engines[1:]]
    reference = next(answers[peer] for peer in peers if peer in answers)
    errors = {}
    for name, answer in answers.items():
        if answer.shape != reference.shape:
            raise Failed(f"{case.graph.name}: {name}: has {answer.size} numbers; must have "
                         f"{reference.size}")
        errors[name] = float(np.abs(answer - reference).max() / np.abs(reference).max())
        most = tolerance_of(case, name)
        if not errors[name] <= most:
            raise Failed(f"{case.graph.name}: {name}: differs by {errors[name]:.2g}; must be at "
                         f"most {most:.2g}")
    return errors


def one_round(args, number, engines, cases, results):
    limits = json.loads(output_of([args.drivers / "limits", 20], args.cpu, undisturbed()))
    results["limits"].append({"load": round(os.getloadavg()[0], 2), **limits})
    turned = engines[number % len(engines):] + engines[:number % len(engines)]
    for name, case in cases.items():
        row = results["cases"][name]
        for engine in turned:
            if engine.name not in row["errors"]:
                continue
            found = engine.times(case, args.work / name, args.cpu, args.milliseconds)
            times = found["microseconds"]
            row["rounds"].setdefault(engine.name, []).append(
                {what: times[what] for what in ("min", "median", "p99")})
    print(f"round {number + 1} of {args.rounds}: load {results['limits'][-1]['load']}", flush=True)


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def measured(args):
    engines, absent = engines_of(args.weft, args.drivers)
    for name in absent:
        print(f"{name}: has no driver, see scripts/bench.sh --help; the table omits this engine")
    if len(engines) < 2:
        raise Failed("no peer engine has a driver; must be at least 1")
    if args.tflite is not None:
        known = tflite_cases(args.tflite)
    else:
        known = int8_cases() if args.int8 else all_cases()
    cases = {name: case for name, case in known.items()
             if not args.only or name.startswith(tuple(args.only))}
    results = {"processor": processor(), "milliseconds": args.milliseconds, "versions": {},
               "limits": [], "cases": {}}
    for name, case in cases.items():
        prepare(case, args.work / name, engines, args.cpu)
        errors = compared(case, args.work / name, engines, args.cpu)
        print(f"{name}: differs by at most "
              + ", ".join(f"{n} {e:.1e}" for n, e in errors.items() if e != 0), flush=True)
        results["cases"][name] = {"title": case.title, "cost": case.cost and vars(case.cost), "errors": errors,
                                  "rounds": {}}
    results["versions"] = {engine.name: engine.version for engine in engines}
    for number in range(args.rounds):
        one_round(args, number, engines, cases, results)
    return results


def main():
    parser = argparse.ArgumentParser()
    for name in ("weft", "drivers", "work", "json"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    for name, value in (("rounds", 9), ("cpu", 0), ("milliseconds", 150)):
        parser.add_argument(f"--{name}", type=int, default=value)
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--int8", action="store_true")
    kinds.add_argument("--tflite", nargs="?", const="", metavar="FOLDER")
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    try:
        results = measured(args)
    except Failed as fault:
        print(f"peers: {fault}", file=sys.stderr)
        return 1
    args.json.parent.mkdir(parents=True, exist_ok=True)
    args.json.write_text(json.dumps(results) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
