#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of one run of nine models with callgrind and compares with counts.txt.

    counts.py --weft COMMAND --program COUNTED_RUN --compiler NAME --pins counts.txt

Counts Engine::Run and everything that it calls, in the second run, after one-time initialisation.
The kernels are those of TARGET on every processor, so a count depends only on the compiler and the
C library. With the pinned compiler it must be within 3 % of the pin, above or below (a gain must be
pinned as well, so that it cannot be lost unnoticed); with another one at most an eighth above.
Instruction counts are not times: they show what a change adds to every run, but not the effect of
caches.

WEFT_PIN_INSTRUCTIONS=1 rewrites counts.txt; check the difference before you commit. Exit code 77:
this machine lacks valgrind or the target.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TARGET = "AVX2"
BAND = 0.03  # differences between versions of the C library
OTHER_COMPILER = 1.125
SKIPPED = 77

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Name, model.xml and conversion options. They cover every kind of step with a large share of runs,
# and both small models, where the engine's overhead matters, and large ones, where it does not.
MODELS = {
    "mlp": ("tests/size/models/mlp.xml",),
    "lstm_100_steps": ("tests/size/models/lstm.xml",),
    "lstm_step": ("tests/size/models/lstm.xml", "--streaming"),
    "gru_100_steps": ("tests/size/models/gru.xml",),
    "ds_cnn": ("tests/size/models/dscnn.xml",),
    "lstm_both_ways": ("build/fixtures/zoo/models/bidirectional_lstm.openvino/model.xml",),
    "loop_until_a_condition": ("build/fixtures/cases/exports/tf_while_ends_early/model.xml",),
    "narrow_rows": ("build/fixtures/cases/logic/narrow_rows/model.xml",),
    "attention_step": ("build/fixtures/zoo/models/cached_decoder.dynamo/model.xml",),
}


def output_of(command):
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                         check=False)
    if run.returncode == SKIPPED:
        print(f"instructions: skipped: {run.stdout.strip()}")
        sys.exit(SKIPPED)
    if run.returncode != 0:
        raise RuntimeError(f"{command[0]}: exit {run.returncode}: {run.stdout}{run.stderr}")
    return run.stdout


def counted(args, name, folder):
    """Returns the instructions of the model's second run."""
    source, *options = MODELS[name]
    model, report = folder / f"{name}.weft", folder / f"{name}.callgrind"
    output_of([args.weft, "convert", ROOT / source, "-o", model, *options])
    output_of([
        "valgrind", "--quiet", "--tool=callgrind", "--toggle-collect=CountedRun",
        f"--callgrind-out-file={report}", args.program, TARGET, model
    ])
    return int(re.search(r"^(?:summary|totals): (\d+)", report.read_text(), re.MULTILINE)[1])


def all_counted(args):
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = {name: pool.submit(counted, args, name, pathlib.Path(folder)) for name in MODELS}
            return {name: job.result() for name, job in jobs.items()}


def pin(args, counts):
    head = [line for line in args.pins.read_text().splitlines() if line.startswith("#")]
    rows = [f"{name} {args.compiler} {count}" for name, count in counts.items()]
    args.pins.write_text("\n".join(head + rows) + "\n")


def faults(args, counts):
    lines = args.pins.read_text().splitlines()
    pins = {line.split()[0]: line.split()[1:] for line in lines if not line.startswith("#")}
    for name, is_now in counts.items():
        if name not in pins:
            yield f"{name}: has no line in {args.pins.name}"
            continue
        compiler, value = pins[name][0], int(pins[name][1])
        change = is_now / value - 1
        if compiler == args.compiler and abs(change) > BAND:
            yield (f"{name}: is {is_now} instructions, {change:+.1%}; must be within {BAND:.0%} "
                   f"of {value}, the value in {args.pins.name}")
        elif compiler != args.compiler and is_now > value * OTHER_COMPILER:
            yield f"{name}: is {is_now} instructions; must be at most an eighth above {value}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("weft", "program", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--pins", required=True, type=pathlib.Path)
    args = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("instructions: skipped: no valgrind; scripts/setup.sh installs it")
        return SKIPPED
    counts = all_counted(args)
    for name, count in counts.items():
        print(f"{name} {args.compiler} {count}")
    if os.environ.get("WEFT_PIN_INSTRUCTIONS"):
        pin(args, counts)
        return 0
    found = list(faults(args, counts))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
