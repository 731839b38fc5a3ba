#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures single layers on one emulated board and compares them with layers.txt.

    layers.py --cpu CPU --board BOARD --compiler NAME --pins layers.txt -- COMMAND...

Prints instructions per multiply-add of each layer that the program ran. With the pinned compiler
they must be within 0.01 of the pin, with another compiler at most an eighth above it. The limits in
MOST apply to every compiler.

WEFT_PIN_FOOTPRINT=1 rewrites the lines of this CPU.
"""
import argparse
import os
import pathlib
import sys

from measure import TICK, output_of

# Maximum instructions per multiply-add: cores with a scalar FPU, cores with Helium. Cores without an
# FPU have those of NO_FPU.
MOST = {
    "dense_64_to_64": (1.35, 0.75),
    "matmul_64": (1.60, 1.00),
    "conv_10x4_by_2": (1.80, 1.23),
    "pointwise_64_on_25x5": (1.36, 0.56),
    "conv_3x3_16_on_16x16": (1.36, 0.56),
    "conv_5_40_to_128_on_50": (1.36, 0.56),
    "depthwise_3x3_64_on_25x5": (2.0, 1.30),
    "depthwise_3x3_100_on_10x10": (3.0, 3.0),
    "depthwise_3_64_on_100": (3.3, 3.0),
    "dense_64_to_64_i8": (1.55, 0.47),
    "dense_64_to_256_i8": (1.40, 0.41),
    "dense_64_to_64_q8": (1.55, 0.40),
    "dense_64_to_256_q8": (1.48, 0.36),
    "dense_100_rows_32_to_256_q8": (1.50, 0.40),
    "pointwise_64_on_25x5_q8": (1.22, 0.28),
    "dense_64_to_64_f16": (2.35, 0.95),
    "pointwise_64_on_25x5_f16": (1.88, 0.66),
    "conv_3x3_16_on_16x16_f16": (1.70, 0.57),
    "depthwise_3x3_64_on_25x5_f16": (2.85, 1.55),
}

NO_FPU = {
    "cortex-m3": {
        "dense_64_to_64_q8_integers": 3.1, "pointwise_64_on_25x5_q8_integers": 3.1,
        "conv_3x3_16_on_16x16_q8_integers": 2.9, "depthwise_3x3_64_on_25x5_q8_integers": 12.8,
        "lstm_40_to_24_q8": 3.26
    },
    "cortex-m0plus": {
        "dense_64_to_64_q8_integers": 5.4, "pointwise_64_on_25x5_q8_integers": 5.4,
        "conv_3x3_16_on_16x16_q8_integers": 4.8, "depthwise_3x3_64_on_25x5_q8_integers": 38.2,
        "lstm_40_to_24_q8": 6.1
    }
}


def most(cpu, name):
    """Returns the maximum of a layer on a core; infinite if there is none."""
    if cpu in NO_FPU:
        return NO_FPU[cpu].get(name, float("inf"))
    return MOST[name][cpu == "cortex-m55"] if name in MOST else float("inf")


def measured(args):
    counts = {}
    for line in output_of(args.command, "layers").splitlines():
        name, ticks, multiply_adds = line.split()
        counts[name] = int(ticks) * TICK[args.board] / int(multiply_adds)
    return counts


def pinned(path):
    return [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]


def pin(args, counts):
    head = [line for line in args.pins.read_text().splitlines() if line.startswith("#")]
    rows = [" ".join(row) for row in pinned(args.pins) if row[0] != args.cpu]
    rows += [f"{args.cpu} {name} {args.compiler} {count:.3f}" for name, count in counts.items()]
    args.pins.write_text("\n".join(head + sorted(rows)) + "\n")


def faults(args, counts):
    pins = {row[1]: row[2:] for row in pinned(args.pins) if row[0] == args.cpu}
    for name, count in counts.items():
        if count > most(args.cpu, name):
            yield f"{name}: is {count:.3f}; must be at most {most(args.cpu, name)}"
        if os.environ.get("WEFT_PIN_FOOTPRINT"):
            continue
        if name not in pins:
            yield f"{name}: has no line of {args.cpu} in {args.pins.name}"
            continue
        compiler, value = pins[name][0], float(pins[name][1])
        if compiler == args.compiler and abs(count - value) > 0.01:
            yield f"{name}: is {count:.3f}; must be {value}, the value in {args.pins.name}"
        elif compiler != args.compiler and count > value * 1.125:
            yield f"{name}: is {count:.3f}; must be at most an eighth above {value}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("cpu", "board", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--pins", required=True, type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    counts = measured(args)
    for name, count in counts.items():
        print(f"{args.cpu} {name} {args.compiler} {count:.3f}")
    found = list(faults(args, counts))
    if os.environ.get("WEFT_PIN_FOOTPRINT"):
        pin(args, counts)
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
