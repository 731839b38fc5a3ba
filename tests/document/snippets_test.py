#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every ```cpp block of the pages with the headers of the source tree, in C++17 with warnings as errors.

    snippets_test.py WEFT SOURCE_DIR WORK_DIR

Pages are README.md and all of docs/, but not the cookbook, whose programs document/cookbook runs. A block that begins
with #include is a file; other blocks are statements, which get the frame of their page. model.h is generated.
Exit code 77: no C++ compiler.
"""
import pathlib
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.DOTALL | re.MULTILINE)
STATEMENTS = "#include <weft/weft.h>\nvoid Snippet({arguments}) {{\n{block}}}\n"
# Objects that a block of statements uses without a declaration.
ARGUMENTS = {"docs/streaming.md": "weft::Bytes model, weft::Block state, weft::Streams other"}
# The functions of the reader that the text of a page names.
READER = {"README.md": "static void CopyInto(float*, const float*) {}\nstatic void Use(const float*) {}\n"}


def source_of(page, block):
    """Returns a translation unit with a block of a page."""
    if block.startswith("#include"):
        last = [line for line in block.splitlines(keepends=True) if line.startswith("#include")][-1]
        return block.replace(last, last + READER.get(page, ""), 1)
    return STATEMENTS.format(arguments=ARGUMENTS.get(page, ""), block=block)


def main():
    """Compiles all blocks; returns the exit code."""
    weft, source, work = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
    compiler = next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)
    if compiler is None:
        print("skipped: no C++ compiler")
        return 77
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "weft").symlink_to(source / "runtime")
    subprocess.run([weft, "convert", source / "examples/dtmf/model/dtmf.xml", "-o", work / "model.weft", "--c-source",
                    work / "model.c", "--quiet"], check=True)
    count, faults = 0, []
    for path in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        page = path.relative_to(source).as_posix()
        for index, block in enumerate(BLOCK.findall(path.read_text())):
            file = work / f"{path.stem}_{index}.cc"
            file.write_text(source_of(page, block))
            result = subprocess.run([compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                                     "-fsyntax-only", "-I", work, "-I", source, file],
                                    capture_output=True, text=True, check=False)
            count += 1
            if result.returncode != 0:
                faults.append(f"{page}: block {index} does not compile:\n{result.stderr}")
    print(*faults, sep="\n")
    print(f"{count} blocks compiled")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
