#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Estimates the cycles of the innermost loops of products of a board's program by llvm-mca.

    cycles.py --cpu CPU --compiler NAME --objdump llvm-objdump --mca llvm-mca --pins cycles.txt PROGRAM

LOOPS names the functions. Of the loops of a function that contain no other loop, the one with the most
products counts. llvm-mca repeats its instructions with LLVM's model of the core: no memory is slower
than the model's, and branches are predicted. The estimates must equal those of cycles.txt if the
compiler is the one named there. WEFT_PIN_FOOTPRINT=1 rewrites the lines of this core.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

MODELS = {"cortex-m4f": "cortex-m4", "cortex-m7": "cortex-m7", "cortex-m55": "cortex-m55"}
# Loop -> functions, of which a core has one.
LOOPS = {
    "int8_rows": (r"SumThreeRows<16u>\(", r"RunPairs<\S*RowResults\)1>\("),
    "int8_row": (r"SumRow\(short", r"RunRow<false>\("),
    "int8_depthwise": (r"CodesOfRun<false>\(", r"CodesOfRun<16u, \S*RunResults\)0>\("),
    "f32_rows": (r"AddTwoRows<float>\(", r"AddThreeRows<float const\*>\("),
    "f32_row": (r"AddRow<float const\*>\(",),
    "f32_depthwise": (r"AddBlocks<float>\(", r"AddChannels<16u, float>\("),
}  # yapf: disable
# Instruction -> products; a vector of f32 has four.
PRODUCTS = (("vmlava.s8", 16), ("vmullb.s8", 8), ("vmullt.s8", 8), ("smlad", 2))

_FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*([^@<]*)")
_BRANCH = re.compile(r"(?:b(?:ne|eq|hi|hs|lo|ls|lt|le|gt|ge|mi|pl)?(?:\.[nw])?|le|cbn?z)$")


def functions_of(text):
    """Returns {name: [(address, instruction, operands)]}."""
    found, name = {}, ""
    for line in text.splitlines():
        head = _FUNCTION.match(line)
        if head:
            name = head[1]
            found[name] = []
            continue
        match = _INSTRUCTION.match(line)
        if match and name:
            found[name].append((int(match[1], 16), match[2], match[3].strip()))
    return found


def products_of(loop):
    total = 0
    for _, name, operands in loop:
        total += dict(PRODUCTS).get(name, 0)
        if name == "vfma.f32":
            total += 4 if operands.startswith("q") else 1
    return total


def innermost_loops(code):
    index = {address: i for i, (address, _, _) in enumerate(code)}
    loops = []
    for i, (_, name, operands) in enumerate(code):
        target = re.search(r"0x([0-9a-f]+)$", operands)
        begin = index.get(int(target[1], 16)) if target and _BRANCH.match(name) else None
        if begin is not None and begin <= i:
            loops.append((begin, i))
    for begin, end in loops:
        if not any((b, e) != (begin, end) and begin <= b and e <= end for b, e in loops):
            yield code[begin:end + 1]


def loop_of(functions, patterns):
    """Returns the innermost loop with the most products of the function that matches."""
    loops = [
        loop for name, code in functions.items()
        if any(re.search(pattern, name) for pattern in patterns) for loop in innermost_loops(code)
    ]
    return max(loops, key=products_of)


def cycles_of(mca, core, loop):
    """Returns the cycles of one iteration. LE, which LLVM's model lacks, costs none: cores cache it."""
    lines = [".syntax unified", ".thumb"]
    for _, name, operands in loop:
        if _BRANCH.match(name):
            operands = re.sub(r"0x[0-9a-f]+$", "target", operands)
        if name != "le":
            lines.append(f"{name} {operands}")
    triple = "thumbv8.1m.main-none-eabihf" if core == "cortex-m55" else "thumbv7em-none-eabihf"
    count = 200
    text = subprocess.run([mca, f"-mtriple={triple}", f"-mcpu={core}", f"-iterations={count}"],
                          input="\n".join(lines) + "\n", capture_output=True, text=True,
                          check=True).stdout
    return int(re.search(r"Total Cycles:\s+(\d+)", text)[1]) / count


def estimates(args):
    text = subprocess.run([args.objdump, "-d", "-C", "--no-show-raw-insn",
                           f"--mcpu={MODELS[args.cpu]}", args.program],
                          capture_output=True, text=True, check=True).stdout
    functions = functions_of(text)
    for name, patterns in LOOPS.items():
        loop = loop_of(functions, patterns)
        products = products_of(loop)
        cycles = cycles_of(args.mca, MODELS[args.cpu], loop)
        yield [args.cpu, name, args.compiler, str(products), str(len(loop)), f"{cycles:.1f}"]


def main():
    parser = argparse.ArgumentParser()
    for name in ("cpu", "compiler", "objdump", "mca"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--pins", required=True, type=pathlib.Path)
    parser.add_argument("program")
    args = parser.parse_args()
    rows = list(estimates(args))
    lines = args.pins.read_text().splitlines()
    pinned = [line.split() for line in lines if line.startswith(args.cpu + " ")]
    for row in rows:
        print(*row)
    if os.environ.get("WEFT_PIN_FOOTPRINT"):
        others = [line for line in lines if not line.startswith(args.cpu + " ")]
        own = [" ".join(row) for row in rows]
        args.pins.write_text("\n".join([others[0], *sorted(others[1:] + own)]) + "\n")
        return 0
    if any(row[2] != args.compiler for row in pinned):
        return 0
    missing = [row for row in rows if row not in pinned]
    for row in missing:
        print(f"{row[0]} {row[1]}: is {' '.join(row[3:])}; must be as in {args.pins.name}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
