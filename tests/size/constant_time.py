#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks on an emulated board that the kernels of WEFT_CONSTANT_TIME need the same number of
instructions for ordinary numbers, zeros, large numbers, NaN and infinities.

    constant_time.py --cpu CPU --board BOARD --terms weft_step_terms --index FILE RUNNER CONSTANT DEFAULT

RUNNER runs a program on the board. CONSTANT and DEFAULT are weft_size_steps with and without these
kernels. Prints the most instructions of the cells of 64 units with both, and each fault: a step of
KINDS that needs different numbers. Some steps must depend on data in DEFAULT, or the test sees
nothing.
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile

import instructions

# Every step of these kinds in the measured models is checked.
KINDS = ("conv_i8", "dense_i4", "dense_i8", "gru_cell", "gru_reset_cell", "gru_gates", "gru_reset",
         "gru_update", "lstm_cell", "lstm_gates", "quantize", "softmax", "unary")  # yapf: disable
MODELS = re.compile(r"cell/(gru|lstm)|quantised/|(compressed|narrow)_weights/"
                    r"|(formulas|beyond|unary)/.*(tanh|exp|sigmoid|softmax|relu|clamp)")
UNITS_64 = ("cell/gru_linear_b1_i7_h64", "cell/lstm4_b1_i7_h64")


def measured(args, program, chosen, terms):
    board = dict(os.environ, QEMU_ICOUNT=instructions.SHIFT)
    text = instructions.run([args.runner, args.board, program, chosen], env=board)
    steps = instructions.measured(text, terms, instructions.TICK[args.board])
    return [step for step in steps if step.variant.split()[0] in KINDS]


def varying(steps):
    return [step for step in steps if step.most - step.least > 1]


def print_cost(constant, default):
    before = {step.name: step for step in default}
    for step in constant:
        if any(f"/{model}.weft " in step.name for model in UNITS_64):
            old = before[step.name]
            print(f"{step.name}: {step.variant}: {step.most} instructions, {old.least} to "
                  f"{old.most} without WEFT_CONSTANT_TIME")


def main():
    parser = argparse.ArgumentParser()
    for name in ("cpu", "board"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--terms", required=True, type=pathlib.Path)
    parser.add_argument("--index", required=True, type=pathlib.Path)
    for name in ("runner", "constant", "default"):
        parser.add_argument(name, type=pathlib.Path)
    args = parser.parse_args()
    models = [model for model in instructions.listed(args.index)
              if MODELS.match(os.path.relpath(model, args.index.parent))]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as chosen:
        chosen.write("".join(f"{model}\n" for model in models))
        chosen.flush()
        terms = instructions.parsed_terms(instructions.run([args.terms, chosen.name, args.cpu]))
        constant = measured(args, args.constant, chosen.name, terms)
        default = measured(args, args.default, chosen.name, terms)
    print_cost(constant, default)
    found = varying(constant)
    kinds = {step.variant.split()[0] for step in constant}
    print(f"{len(models)} models, {len(constant)} steps, {len(found)} faults; "
          f"{len(varying(default))} steps depend on data without WEFT_CONSTANT_TIME")
    for step in found[:20]:
        print(f"{step.name}: {step.variant}: is {step.least} to {step.most} instructions; "
              "must not depend on data")
    for kind in sorted(set(KINDS) - kinds):
        print(f"{kind}: no step was measured; must be at least one")
    if not varying(default):
        print("no step depends on data without WEFT_CONSTANT_TIME; at least one must")
    return 1 if found or kinds != set(KINDS) or not varying(default) else 0


if __name__ == "__main__":
    sys.exit(main())
