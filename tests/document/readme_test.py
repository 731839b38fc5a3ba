#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of README.md in a folder that has the files they name.

    readme_test.py WEFT SOURCE_DIR WORK_DIR [--write]

A command stands in a block of ```sh, with what it is for behind two blanks or more; a line that ends in \\
goes on in the next. What `run` prints on the board must be README's block, with its numbers where the compiler
is the one that README names; --write puts it there. Commands that this machine cannot run are named, each with the
reason. Exit code 1: a command failed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

# What other tests run, or nothing here can: the beginning of the command, and why.
ELSEWHERE = {
    "pip install openvino": "needs a package index",
    "scripts/demo.sh": "begins with an installation of packages; its commands stand in this page, too",
    "scripts/test.sh": "runs this test",
    "cmake --install build/x86-64": "packaging/readme installs this build and runs the two snippets over it",
}
# The program that a command needs, where it is not weft's.
NEEDS = {"ovc": ["ovc"], "cmake -G Ninja -S examples/cortex-m": ["arm-none-eabi-g++", "qemu-system-arm"],
         "ninja -C build/cortex-m": ["arm-none-eabi-g++", "qemu-system-arm"]}


def commands(text):
    """The commands of the blocks, in order, without what is said of them."""
    found = []
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", "").splitlines():
            words = re.split(r"\s{2,}", line.strip())
            found.append(words[0] if "examples/cortex-m" not in line else " ".join(words))
    return found


def lay_out(source, weft, work):
    """A tree as README's reader has it after a build: links to the source, the command, the files."""
    shutil.rmtree(work, ignore_errors=True)
    (work / "build/x86-64").mkdir(parents=True)
    (work / "build/x86-64/weft").symlink_to(weft)
    if (source / "build/deps").is_dir():  # what scripts/setup.sh has unpacked
        (work / "build/deps").symlink_to(source / "build/deps")
    for entry in source.iterdir():
        if entry.name not in ("build", ".git"):
            (work / entry.name).symlink_to(entry)
    for entry in (source / "tests/document/readme").iterdir():
        (work / entry.name).symlink_to(entry)


# README's compiler, and the block of what the board prints.
BOARD = re.compile(r"prints the decoded keys.*?GCC ([\d.]+).*?```text\n(.*?)```", re.DOTALL)


def words_of(line):
    """A line without its numbers."""
    return [word for word in line.split() if not re.fullmatch(r"[\d.]+", word)]


def compiler_version():
    """Of the board's compiler."""
    return subprocess.run(["arm-none-eabi-g++", "-dumpfullversion"], capture_output=True, text=True,
                          check=True).stdout.strip()


def check_board(text, output):
    """README's block has the lines that were printed; without its numbers by another compiler than README's."""
    compiler, block = BOARD.search(text).groups()
    of_line = str.split if compiler == compiler_version() else words_of
    printed = [of_line(line) for line in output.splitlines()]
    for line in block.splitlines():
        if line != "..." and of_line(line) not in printed:
            sys.exit(f"README has the line\n{line}\nand the board prints\n{output}\n"
                     "(tests/document/readme_test.py --write puts it into README)")


def write_board(readme, output):
    """Puts the keys, the heading and the first three steps into README's block."""
    lines = output.splitlines()
    heading = next(i for i, line in enumerate(lines) if line.split()[:2] == ["step", "kind"])
    block = "\n".join([lines[heading - 1], *lines[heading:heading + 4], "...", ""])
    text = readme.read_text()
    found = BOARD.search(text)
    readme.write_text(text[:found.start(1)] + compiler_version() + text[found.end(1):found.start(2)] + block +
                      text[found.end(2):])


def main():
    """Runs all; the first fault ends the run."""
    weft, source, work = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
    text = (source / "README.md").read_text()
    lay_out(source, weft, work)
    environment = dict(os.environ)
    venv = source / "build/conformance-venv/bin"
    environment["PATH"] = os.pathsep.join([str(work / "build/x86-64"), environment["PATH"], str(venv)])
    ran = 0
    for command in commands(text):
        reason = next((why for start, why in ELSEWHERE.items() if command.startswith(start)), "")
        needs = next((programs for start, programs in NEEDS.items() if command.startswith(start)), [])
        missing = [name for name in needs if not shutil.which(name, path=environment["PATH"])]
        if reason or missing:
            print(f"not here: {command}: {reason or 'no ' + ', '.join(missing)}")
            continue
        print(f"$ {command}", flush=True)
        if command.startswith("ovc"):  # would write through the links
            for name in ("model.xml", "model.bin"):
                (work / name).unlink()
        result = subprocess.run(command, shell=True, cwd=work, env=environment, capture_output=True, text=True,
                                check=False)
        if result.returncode != 0:
            sys.exit(f"exit {result.returncode}\n{result.stdout}{result.stderr}")
        ran += 1
        if command.startswith("ninja") and "--write" in sys.argv:
            write_board(source / "README.md", result.stdout)
        elif command.startswith("ninja"):
            check_board(text, result.stdout)
    print(f"{ran} commands ran")
    if ran < 10:
        sys.exit("README.md must have at least 10 commands that run anywhere")


if __name__ == "__main__":
    main()
