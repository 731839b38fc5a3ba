#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures one model's program on one emulated board and compares it with footprint.txt.

    measure.py --cpu CPU --board BOARD --compiler NAME --model MODEL --map FILE --header FILE
               --pins footprint.txt -- COMMAND...

Code is the size of weft's two libraries (engine, verifier, the kernels in use) in the linker map.
Model, state and scratch are those in the header. Stack is the maximum that Open or Run used
below their caller. Instructions are ticks of SysTick under QEMU -icount, where each tick is a fixed
number of instructions. With the pinned compiler every number must be equal (instructions within two
ticks, whose phase depends on the emulator), with another compiler at most an eighth above. LIMITS
apply to every compiler.

WEFT_PIN_FOOTPRINT=1 rewrites the line of this CPU and model; check the difference before you
commit.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

COLUMNS = ("code", "model", "state", "scratch", "stack", "open", "run")
# Instructions per SysTick at the board's clock; QEMU counts one nanosecond per instruction.
TICK = {
    "mps2-an385": 40.0, "mps2-an386": 40.0, "mps2-an500": 40.0, "mps2-an505": 50.0,
    "mps3-an547": 31.25
}
MULTIPLY_ADDS = {"lstm": 100 * 256 * (32 + 64) + 64 * 32}
LIMITS = {
    ("cortex-m4f", "mlp"): {"code": 12 << 10},
    ("cortex-m4f", "lstm"): {
        "code": 16 << 10, "state+scratch": 30 << 10, "stack": 1 << 10, "open": 60000,
        "run": 3.0 * MULTIPLY_ADDS["lstm"]
    },
    ("cortex-m55", "lstm"): {"run": 1.0 * MULTIPLY_ADDS["lstm"]},
}

_SECTION = re.compile(r"^ (\.\S+)?\s*(?:0x([0-9a-f]+)\s+0x([0-9a-f]+)\s+(\S.*))?$")


def code_bytes(map_file):
    """Returns the bytes of the sections that were linked from weft's libraries."""
    text = map_file.read_text().split("Linker script and memory map", 1)[1]
    total, section = 0, ""
    for line in text.splitlines():
        match = _SECTION.match(line)
        if not match:
            continue
        section = match[1] or section
        if not match[4] or int(match[2], 16) == 0 and section.startswith(".debug"):
            continue
        linked = section.startswith((".text", ".rodata", ".data", ".ARM.ex", ".init_array"))
        if linked and re.search(r"libweft_(runtime|kernels)\.a\(", match[4]):
            total += int(match[3], 16)
    return total


def header_bytes(header, what):
    return int(re.search(rf"_{what}_BYTES = (\d+)", header.read_text())[1])


def output_of(command, name):
    """Returns the output of a program on the board, which counts instructions."""
    environment = dict(os.environ, QEMU_ICOUNT="shift=0")
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{name}: exit {run.returncode}: {run.stdout}{run.stderr}")
    return run.stdout


def measured(args):
    values = dict(line.split() for line in output_of(args.command, args.model).splitlines())
    tick = TICK[args.board]
    return {
        "code": code_bytes(args.map),
        "model": header_bytes(args.header, "MODEL"),
        "state": header_bytes(args.header, "STATE"),
        "scratch": header_bytes(args.header, "SCRATCH"),
        "stack": max(int(values["open_stack"]), int(values["run_stack"])),
        "open": round(int(values["open_ticks"]) * tick),
        "run": round(int(values["run_ticks"]) * tick),
    }


def pin(args, numbers):
    lines = args.pins.read_text().splitlines()
    kept = [line for line in lines if line.split()[:2] != [args.cpu, args.model]]
    row = " ".join([args.cpu, args.model, args.compiler, *(str(numbers[c]) for c in COLUMNS)])
    head = [line for line in kept if line.startswith("#")]
    rows = sorted([line for line in kept if not line.startswith("#")] + [row])
    args.pins.write_text("\n".join(head + rows) + "\n")


def faults(args, numbers):
    for row in args.pins.read_text().splitlines():
        cpu, model, compiler, *values = row.split()
        if [cpu, model] == [args.cpu, args.model]:
            break
    else:
        return [f"{args.cpu} {args.model}: has no line in {args.pins.name}"]
    found = []
    same = compiler == args.compiler
    for column, value in zip(COLUMNS, map(int, values)):
        is_now = numbers[column]
        play = 2 * TICK[args.board] if column in ("open", "run") else 0
        if same and abs(is_now - value) > play:
            found.append(f"{column}: is {is_now}; must be {value}, the value in {args.pins.name}")
        elif not same and is_now > value * 1.125:
            found.append(f"{column}: is {is_now}; must be at most an eighth above {value}")
    return found


def beyond_limits(args, numbers):
    for column, most in LIMITS.get((args.cpu, args.model), {}).items():
        is_now = sum(numbers[part] for part in column.split("+"))
        if is_now > most:
            yield f"{column}: is {is_now}; must be at most {most:.0f}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("cpu", "board", "compiler", "model"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("map", "header", "pins"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    numbers = measured(args)
    print(args.cpu, args.model, args.compiler, *(f"{c} {numbers[c]}" for c in COLUMNS))
    found = list(beyond_limits(args, numbers))
    if os.environ.get("WEFT_PIN_FOOTPRINT"):
        pin(args, numbers)
    else:
        found += faults(args, numbers)
    for fault in found:
        print(f"{args.model}: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
