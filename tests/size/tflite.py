#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the program of one .tflite file on one emulated board.

    tflite.py --cpu CPU --board BOARD --compiler NAME --model MODEL --runtime NAME --file FILE
              --without PROGRAM --rows tflite.txt -- COMMAND...

FILE is the model file as the program contains it. PROGRAM is compare.c without a model: its sections
are subtracted. The program of every runtime is compare.c, so all rows are measured in the same way:

- flash: .text, .rodata, .data and unwinding tables, with the model
- ram: .data and .bss, without the stack and without the bytes that the program prints as `unused`
- stack: the maximum that Open or Run used below their caller
- open, run: instructions
- first, second: hashes of the outputs of the first and the second run

WEFT_PIN_FOOTPRINT=1 updates the row of this core, model and runtime in tflite.txt.
"""
import argparse
import os
import pathlib
import subprocess
import sys

from measure import TICK, output_of

FLASH = (".text", ".rodata", ".ARM.extab", ".ARM.exidx", ".init_array", ".data")
RAM = (".data", ".bss")


def section_bytes(program):
    """Returns the sizes of a program's sections by name."""
    lines = subprocess.run(["arm-none-eabi-size", "-A", program], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    cells = (line.split() for line in lines)
    return {row[0]: int(row[1]) for row in cells if len(row) == 3 and row[0].startswith(".")}


def measured(args):
    values = dict(line.split() for line in output_of(args.command, args.model).splitlines())
    program, without = section_bytes(args.command[-1]), section_bytes(args.without)

    def added(sections):
        return sum(program.get(name, 0) - without.get(name, 0) for name in sections)

    tick = TICK[args.board]
    return [
        added(FLASH), args.file.stat().st_size,
        added(RAM) - int(values["unused"]),
        max(int(values["open_stack"]), int(values["run_stack"])),
        round(int(values["open_ticks"]) * tick),
        round(int(values["run_ticks"]) * tick), values["first_outputs"], values["outputs"]
    ]


def update(path, key, row):
    """Replaces the row whose first words are `key`, or adds one."""
    lines = path.read_text().splitlines()
    rows = [line for line in lines if not line.startswith("#") and line.split()[:len(key)] != key]
    head = [line for line in lines if line.startswith("#")]
    path.write_text("\n".join(head + sorted([*rows, " ".join(key + row)])) + "\n")


def main():
    parser = argparse.ArgumentParser()
    for name in ("cpu", "board", "compiler", "model", "runtime"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("file", "without", "rows"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    row = [args.compiler, *map(str, measured(args))]
    print(args.cpu, args.model, args.runtime, *row)
    if os.environ.get("WEFT_PIN_FOOTPRINT"):
        update(args.rows, [args.cpu, args.model, args.runtime], row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
