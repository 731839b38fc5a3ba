#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes an upper bound of the stack of a board's program, and proves that it has no recursion.

    stack_bound.py --cpu CPU --compiler NAME --model MODEL --objdump COMMAND --cxxfilt COMMAND
                   --pins stack_bounds.txt --painted footprint.txt PROGRAM

Reads the machine code of the linked program, so it includes the functions of the C library. A
function needs the sum of everything that it subtracts from the stack pointer. ROOTS are the
functions that an application calls. The bound of a root is the largest sum along any path of calls
from it. A jump to another function counts as a call. POINTERS says what calls through a pointer may
reach; any other call through a pointer is an error, as are recursion and stack of a size that is
computed at run time.

The bound must be at least the stack that the same program used (footprint.txt), and equal to its
line in stack_bounds.txt if the compiler is the one named there. WEFT_PIN_FOOTPRINT=1 rewrites the
line; check the difference before you commit.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOTS = ("weft_open", "weft_run", "weft_reset", "weft_input", "weft_output", "weft_input_count",
         "weft_output_count")
# Functions that call through a pointer, and the functions that the pointer may be: patterns of
# names, or of parameters where all kernels of a type are possible. The functions of a Profile and a
# FaultSink belong to the application and are not included.
_NAME = r"(?:[^()]|\(anonymous namespace\))+"
_COUNT = r"unsigned (?:int|long)"
_BLOCK = rf"{_NAME}\(void const\* const\*, void\*, {_COUNT}\).*"
_CONVERT = rf"{_NAME}\(void const\*, (?:void\*, {_COUNT}|{_COUNT}, void\*)\).*"
POINTERS = (
    (r"weft::RunSteps\(", r"weft_run_\w+"),
    (r"weft::VerifyListing\(", r"weft_check_\w+"),
    (r"weft::bind::CheckStep\(", r"weft::bind::.*Rules\(.*"),
    (r"weft::\(anonymous namespace\)::Verifier::", None),
    (r"weft::kernels::.*For(Runs|Blocks)\(", _BLOCK),
    (r"weft::kernels::.*Convert", _CONVERT),
    (r"weft::kernels::.*GroupsOfRectangle\(", r"(?:bool|void) weft::kernels::.*Group\w*<.*"),
    (r"weft::kernels::.*Run(Float|Integer)Rows\(", r"void weft::kernels::.*RunPairs<.*"),
    (r"weft::kernels::.*(?:Finish|Update)GruUnits\(", r"memcpy"),  # its address is in a local variable
    (r"weft::kernels::Copy\(", rf"{_NAME}Plane const&, void const\*, void\*\).*"),
)

_FUNCTION = re.compile(r"^([0-9a-f]+) <(\S+)>:$")
_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*([^;@]*)")
_TARGET = re.compile(r"\b([0-9a-f]+) <[^>]+>")
_REGISTER_RANGE = re.compile(r"([a-z]+)(\d+)-[a-z]+(\d+)")


def pushed_bytes(registers):
    """Bytes of a list of registers, such as {r4, r5, lr} or {d8-d11}."""
    total = 0
    for name in re.findall(r"[^{}, ]+", registers):
        match = _REGISTER_RANGE.fullmatch(name)
        count = int(match[3]) - int(match[2]) + 1 if match else 1
        total += count * (8 if name.startswith("d") else 4)
    return total


class Function:
    def __init__(self, begin, name):
        self.begin, self.name = begin, name
        self.frame, self.calls, self.faults = 0, set(), []
        self.literals = set()  # addresses of constants that are called
        self.is_indirect = False
        self._popped = ""  # the last registers
        self._constants = {}  # registers that were loaded with a constant: its address
        self._below = {}  # registers with an address below the stack pointer: by how many bytes

    def read(self, mnemonic, operands, line):
        """Adds the stack and the calls of one instruction. Compilers and the kernels' assembly
        call through a pointer by blx and bx only; they write pc in other ways to return and to jump
        inside a function. bx of a register that was just popped is a return as well."""
        op = mnemonic.split(".")[0]
        if op == "pop":
            self._popped = operands.strip(" {}")
        self._read_stack(op, operands)
        first = operands.split(",")[0].strip()
        if re.fullmatch(r"blx\w*", op) and first in self._constants:
            self.literals.add(self._constants[first])
        elif re.fullmatch(r"blx\w*", op) and re.fullmatch(r"r\d+|sl|fp|ip|lr", first):
            self.is_indirect = True
        elif re.fullmatch(r"bx\w{0,2}", op) and first not in ("lr", self._popped):
            self.is_indirect = True
        elif re.match(r"(b|cb|le|wls)", op) and not re.match(r"(bic|bfc|bfi|bkpt|bf)", op):
            self.calls.update(int(target, 16) for target in _TARGET.findall(operands))
        elif op == "ldr" and (match := re.search(r"\[pc, .*\(([0-9a-f]+)\b", line)):
            self._constants[first] = int(match[1], 16)
        else:
            self._constants.pop(first, None)

    def _read_stack(self, op, operands):
        parts = [part.strip() for part in operands.split(",")]
        number = re.search(r"#-?(\d+)", operands)
        if re.match(r"v?push", op):
            self.frame += pushed_bytes(operands)
        elif re.match(r"v?stmdb", op) and parts[0] == "sp!":
            self.frame += pushed_bytes(operands.split(",", 1)[1])
        elif "[sp, #-" in operands and operands.rstrip().endswith("]!"):
            self.frame += int(number[1])
        elif re.match(r"sub", op) and parts[0] == "sp":
            self._subtract(parts, number)
        elif re.match(r"(sub|mov|add)", op) and parts[1:2] == ["sp"]:
            self._below[parts[0]] = int(number[1]) if op.startswith("sub") and number else 0
        elif op == "bfc" and parts[0] in self._below:
            self._below[parts[0]] += 1 << int(parts[2].lstrip("#"))
        elif op.startswith("mov") and parts[0] == "sp":
            self.frame += self._below.get(parts[1], 0)

    def _subtract(self, parts, number):
        if number and (len(parts) == 2 or parts[1] == "sp"):
            self.frame += int(number[1])
        elif parts[1] != "r7" and parts[1] != "r11":  # from the frame pointer: restores
            self.faults.append(f"subtracts {parts[-1]} from the stack pointer")


def functions_of(program, objdump):
    """Returns the functions of a program by address."""
    listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", program], check=True,
                             capture_output=True, text=True).stdout
    functions, words, current = {}, {}, None
    for line in listing.splitlines():
        if match := _FUNCTION.match(line):
            current = functions.setdefault(int(match[1], 16), Function(int(match[1], 16), match[2]))
        elif current and (match := _INSTRUCTION.match(line)):
            if match[2] == ".word":
                words[int(match[1], 16)] = int(match[3], 16)
            current.read(match[2], match[3], line)
    for function in functions.values():  # the lowest bit of an address says Thumb
        function.calls |= {words[literal] & ~1 for literal in function.literals}
    return functions


def resolve(functions, cxxfilt):
    """Demangles all names. Replaces the addresses that a function calls by functions."""
    starts = sorted(functions)
    names = subprocess.run([cxxfilt], input="\n".join(functions[s].name for s in starts),
                           capture_output=True, text=True, check=True).stdout.splitlines()
    for start, name in zip(starts, names):
        functions[start].name = name
    ends = dict(zip(starts, starts[1:] + [1 << 40]))
    for function in functions.values():
        inside = range(function.begin, ends[function.begin])
        function.calls = {functions[max(s for s in starts if s <= target)]
                          for target in function.calls if target not in inside}
        if not function.is_indirect:
            continue
        for caller, callee in POINTERS:
            if re.match(caller, function.name):
                function.calls |= {f for f in functions.values()
                                   if callee and re.fullmatch(callee, f.name)}
                break
        else:
            function.faults.append("calls through a pointer that POINTERS does not name")


def bound_of(function, path, bounds):
    """Returns the bound of a function; exits on a fault or on recursion."""
    if function in path:
        cycle = path[path.index(function):] + [function]
        sys.exit("recursion: " + " -> ".join(f.name for f in cycle))
    if function.faults:
        sys.exit(f"{function.name}: {function.faults[0]}; called by " +
                 (path[-1].name if path else "the application"))
    if function not in bounds:
        deepest = max((bound_of(callee, path + [function], bounds) for callee in function.calls),
                      default=0)
        bounds[function] = function.frame + deepest
    return bounds[function]


def path_of(function, bounds):
    path = [f"{function.frame} {function.name}"]
    while function.calls:
        function = max(function.calls, key=lambda f: bounds[f])
        path.append(f"{function.frame} {function.name}")
    return path


def rows_of(file):
    return [line.split() for line in file.read_text().splitlines() if not line.startswith("#")]


def pin(args, bound):
    rows = [row for row in rows_of(args.pins) if row[:2] != [args.cpu, args.model]]
    rows = sorted(rows + [[args.cpu, args.model, args.compiler, str(bound)]])
    lines = ["# cpu model compiler bytes"] + [" ".join(row) for row in rows]
    args.pins.write_text("\n".join(lines) + "\n")


def faults(args, bound, measured):
    """Compares the bound with the used stack, which includes the frame of the measuring function,
    and with its pinned value."""
    painted = {tuple(row[:3]): int(row[7]) for row in rows_of(args.painted)}
    used = painted.get((args.cpu, args.model, args.compiler))
    if used is not None and measured < used:
        yield f"bound is {measured} bytes; must be at least {used}, which the program used"
    for cpu, model, compiler, value in rows_of(args.pins):
        if (cpu, model) != (args.cpu, args.model):
            continue
        if compiler == args.compiler and bound != int(value):
            yield f"bound is {bound} bytes; must be {value}, the value in {args.pins.name}"
        return
    yield f"{args.cpu} {args.model}: has no line in {args.pins.name}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("cpu", "compiler", "model", "objdump", "cxxfilt"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("pins", "painted"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("program")
    args = parser.parse_args()
    functions = functions_of(args.program, args.objdump)
    resolve(functions, args.cxxfilt)
    bounds = {}
    roots = [f for f in functions.values() if f.name in ROOTS]
    deepest = max(roots, key=lambda f: bound_of(f, [], bounds))
    print(f"{args.cpu} {args.model} {args.compiler}: at most {bounds[deepest]} bytes of stack")
    print("\n".join(path_of(deepest, bounds)))
    if os.environ.get("WEFT_PIN_FOOTPRINT"):
        pin(args, bounds[deepest])
        return 0
    measuring = [f for f in functions.values() if f.name in ("Run", f"{args.model}_open")]
    measured = max(bound_of(f, [], bounds) for f in roots + measuring)
    found = list(faults(args, bounds[deepest], measured))
    for fault in found:
        print(f"{args.model}: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
