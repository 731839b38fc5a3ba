#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of README.md and of the pages in PAGES in a folder with the files that they use.

    readme_test.py WEFT SOURCE_DIR WORK_DIR [--write]

Commands are the lines of ```sh blocks. Two or more blanks separate a command from its explanation; a line that ends
in \\ continues on the next one. A ```text block that follows a ```sh block is the output of its commands: each line
must be printed, and "..." replaces lines. Lines from the board include numbers only if the compiler is README's;
--write updates them. Commands that this machine cannot run are listed with the reason. Exit code 1: a command failed or
printed other lines.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

PAGES = ("README.md", "docs/commands.md", "docs/embedding.md")

# Prefixes of commands that are not run here, with the reason.
ELSEWHERE = {
    "pip install openvino": "needs a package index",
    "scripts/demo.sh": "installs packages; the pages have its commands",
    "scripts/test.sh": "runs this test",
    "cc -O2 -shared": "packaging/ctypes runs it",
    "cmake --preset": "builds this tree",
    "cmake --install build/": "packaging/readme installs this build and compiles both snippets with it",
    "scripts/export_sources.py": "packaging/sources runs it",
}
# The programs of other projects that a command requires.
NEEDS = {"ovc": ["ovc"], "cmake -G Ninja -S examples/cortex-m": ["arm-none-eabi-g++", "qemu-system-arm"],
         "ninja -C build/cortex-m": ["arm-none-eabi-g++", "qemu-system-arm"]}


def commands(block):
    """Returns the commands of one ```sh block in order, without their explanations."""
    found = []
    for line in block.replace("\\\n", "").splitlines():
        words = re.split(r"\s{2,}", line.strip())
        found.append(words[0] if "examples/cortex-m" not in line else " ".join(words))
    return found


def blocks(text):
    """Returns pairs of a ```sh block's commands and the ```text block that follows it, or ""."""
    found = []
    previous = ""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if language == "sh":
            found.append([commands(block), ""])
        elif language == "text" and previous == "sh":
            found[-1][1] = block
        previous = language
    return found


def lay_out(source, weft, work):
    """Creates a tree like a user's after a build: links to the source, the command, the files."""
    shutil.rmtree(work, ignore_errors=True)
    (work / "build/x86-64").mkdir(parents=True)
    (work / "build/x86-64/weft").symlink_to(weft)
    if (source / "build/deps").is_dir():  # unpacked by scripts/setup.sh
        (work / "build/deps").symlink_to(source / "build/deps")
    for entry in source.iterdir():
        if entry.name not in ("build", ".git"):
            (work / entry.name).symlink_to(entry)
    for entry in (source / "tests/document/readme").iterdir():
        (work / entry.name).symlink_to(entry)


# README's compiler, and the block with the board's output.
BOARD = re.compile(r"prints the decoded keys.*?GCC ([\d.]+).*?```text\n(.*?)```", re.DOTALL)


def words_of(line):
    """Returns the words of a line without its numbers."""
    return [word for word in line.split() if not re.fullmatch(r"[\d.]+", word)]


def compiler_version():
    """Returns the version of the board's compiler."""
    return subprocess.run(["arm-none-eabi-g++", "-dumpfullversion"], capture_output=True, text=True,
                          check=True).stdout.strip()


def check_board(text, output):
    """Checks that README's block has the printed lines; with another compiler, without the numbers."""
    compiler, block = BOARD.search(text).groups()
    of_line = str.split if compiler == compiler_version() else words_of
    printed = [of_line(line) for line in output.splitlines()]
    for line in block.splitlines():
        if line != "..." and of_line(line) not in printed:
            sys.exit(f"README has the line\n{line}\nand the board prints\n{output}\n"
                     "(tests/document/readme_test.py --write puts it into README)")


def write_board(readme, output):
    """Writes the keys, the heading and the first three steps into README's block."""
    lines = output.splitlines()
    heading = next(i for i, line in enumerate(lines) if line.split()[:2] == ["step", "kind"])
    block = "\n".join([lines[heading - 1], *lines[heading:heading + 4], "...", ""])
    text = readme.read_text()
    found = BOARD.search(text)
    readme.write_text(text[:found.start(1)] + compiler_version() + text[found.end(1):found.start(2)] + block +
                      text[found.end(2):])


def check_lines(page, block, output):
    """Checks that each line of the page's block was printed."""
    printed = output.splitlines()
    for line in block.splitlines():
        if line != "..." and line not in printed:
            sys.exit(f"{page} has the line\n{line}\nand its commands print\n{output}")


def run(command, work, environment):
    """Returns the output of a command, or None if this machine cannot run it."""
    reason = next((why for start, why in ELSEWHERE.items() if command.startswith(start)), "")
    needs = next((programs for start, programs in NEEDS.items() if command.startswith(start)), [])
    missing = [name for name in needs if not shutil.which(name, path=environment["PATH"])]
    if reason or missing:
        print(f"skipped: {command}: {reason or 'no ' + ', '.join(missing)}")
        return None
    print(f"$ {command}", flush=True)
    if command.startswith("ovc"):  # would write through the links into the source
        for name in ("model.xml", "model.bin"):
            (work / name).unlink()
    result = subprocess.run(command, shell=True, cwd=work, env=environment, capture_output=True, text=True,
                            check=False)
    if result.returncode != 0:
        sys.exit(f"exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def main():
    """Runs all commands; the first error ends the program."""
    weft, source, work = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
    lay_out(source, weft, work)
    environment = dict(os.environ)
    venv = source / "build/conformance-venv/bin"
    environment["PATH"] = os.pathsep.join([str(work / "build/x86-64"), environment["PATH"], str(venv)])
    count = 0
    for page in PAGES:
        text = (source / page).read_text()
        for block, expected in blocks(text):
            outputs = {command: run(command, work, environment) for command in block}
            ran = {command: output for command, output in outputs.items() if output is not None}
            count += len(ran)
            board = next((output for command, output in ran.items() if command.startswith("ninja")), None)
            if board is not None and "--write" in sys.argv:
                write_board(source / page, board)
            elif board is not None:
                check_board(text, board)
            elif len(ran) == len(block):
                check_lines(page, expected, "\n".join(ran.values()))
    print(f"{count} commands ran")
    if count < 10:
        sys.exit("the pages must have at least 10 commands that run anywhere")


if __name__ == "__main__":
    main()
