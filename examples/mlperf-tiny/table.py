#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the firmware of all tasks, and writes the table of README.md.

    table.py MODELS BUILD --board BOARD=PREFIX [--board ...] --weft-command WEFT

MODELS is a folder with the int8 reference models of MLCommons, BUILD a folder for builds, PREFIX the
installation of weft for the processor of a board. The columns of TFLM are those of tests/size in
weft's tree; the script needs this tree.
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TASKS = {
    "kws": ("keyword spotting", "kws_ref_model", ""),
    "vww": ("visual wake words", "vww_96_int8", ""),
    "ic": ("image classification", "pretrainedResnet_quant", ""),
    "ad": ("anomaly detection", "ad01_int8", "0.3910152316093445,89,0.36449846625328064,96"),
    "sww": ("streaming wake word", "str_ww_ref_model", ""),
}
CORES = {"mps2-an386": ("Cortex-M4F", "cortex-m4f"), "mps3-an547": ("Cortex-M55", "cortex-m55")}
RUNS = "5"


def output_of(command):
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"table.py: {command[0]}: exit {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout


def firmware_of(task, model, quantisation, board, prefix, args):
    folder = args.build / board / task
    output_of(["cmake", "-G", "Ninja", "-S", HERE, "-B", folder, f"-DTASK={task}", f"-DMODEL={model}",
               f"-DQUANTISATION={quantisation}", f"-DBOARD={board}", "-DWEFT_SOURCE=",
               f"-DCMAKE_PREFIX_PATH={prefix}", f"-DWEFT_COMMAND={args.weft_command}",
               f"-DCMAKE_TOOLCHAIN_FILE={HERE.parent / 'cortex-m/toolchain.cmake'}"])
    output_of(["cmake", "--build", folder])
    return folder / "firmware.elf"


def sizes_of(firmware):
    """Returns the bytes of flash and of RAM, without the stack."""
    rows = [line.split() for line in output_of(["arm-none-eabi-size", "-A", firmware]).splitlines()]
    sections = {row[0]: int(row[1]) for row in rows if len(row) == 3 and row[0].startswith(".")}
    data = sections.get(".data", 0)
    return sections[".text"] + data, data + sections[".bss"]


def instructions_of(firmware, board):
    run = [sys.executable, HERE / "run.py"]
    target = ["--firmware", firmware, "--board", board]
    output_of([*run, "check", *target])
    out = output_of([*run, "performance", *target, "--runs", RUNS])
    return int(re.search(r"(\d+) instructions per inference", out).group(1))


def tflm_of(core, model):
    """Returns flash, RAM and instructions of TFLM, from the rows of tests/size."""
    path = HERE.parents[1] / "tests/size/tflite.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split()
        if cells[:3] == [core, model, "tflm"]:
            return int(cells[4]), int(cells[6]), int(cells[9])
    sys.exit(f"table.py: {path} has no row {core} {model} tflm")


def texts(flash, ram, instructions):
    return f"{flash / 1024:.1f} KB | {ram / 1024:.1f} KB | {instructions / 1e6:.2f} M"


def main():
    parser = argparse.ArgumentParser(description="Write the table of README.md.")
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--board", action="append", required=True, metavar="BOARD=PREFIX")
    parser.add_argument("--weft-command", required=True)
    args = parser.parse_args()
    lines = ["| task | core | flash | RAM | instructions | TFLM: flash | RAM | instructions |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for task, (name, model, quantisation) in TASKS.items():
        for board, _, prefix in (text.partition("=") for text in args.board):
            core, rows = CORES[board]
            firmware = firmware_of(task, args.models / f"{model}.tflite", quantisation, board, prefix,
                                   args)
            weft = texts(*sizes_of(firmware), instructions_of(firmware, board))
            lines.append(f"| {name} | {core} | {weft} | {texts(*tflm_of(rows, model))} |")
    readme = HERE / "README.md"
    text = readme.read_text(encoding="utf-8")
    table = "\n".join(lines) + "\n"
    readme.write_text(re.sub(r"(<!-- table -->\n).*?(<!-- end -->)", rf"\g<1>{table}\g<2>", text,
                             flags=re.DOTALL), encoding="utf-8")
    print(table, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
