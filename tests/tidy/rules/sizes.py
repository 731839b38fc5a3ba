# SPDX-License-Identifier: Apache-2.0
"""Limits: lines of a function, lines of a file, width of a line, bytes and count of committed files."""
import ast
import os
import re
import shutil
import subprocess

FUNCTION_LINES = 70
FILE_LINES = 600
LINE_WIDTH = 100
FILE_BYTES = 2_000_000
FILE_COUNT = 2_800  # test cases are in archives: tests/conformance/pack.py
_COMMENT = re.compile(r"//|^\s*\*|/\*")


class Skipped(Exception):
    """The rule cannot run on this machine; the text is the reason."""


def _python_functions(tree, path):
    for node in ast.walk(ast.parse(tree.text(path))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno, node.name


def _cpp_functions(tree, paths):
    """Yields (path, first line, last line, name) for every function that ctags sees."""
    run = subprocess.run(
        ["ctags", "-x", "--_xformat=%F\t%n\t%{end}\t%N", "--languages=C++",
         "--langmap=C++:.cc.h", "--kinds-C++=f", "--fields=+ne", "-L", "-"],
        input="\n".join(paths), cwd=tree.root, capture_output=True, text=True, check=True)
    for row in run.stdout.splitlines():
        path, first, last, name = row.split("\t")
        if last.isdigit():
            yield path, int(first), int(last), name


def check_functions(tree):
    """Functions have at most FUNCTION_LINES lines."""
    ctags = shutil.which("ctags")
    version = subprocess.run([ctags, "--version"], capture_output=True, text=True,
                             check=False).stdout if ctags else ""
    if "Universal Ctags" not in version:
        raise Skipped("Universal Ctags is not installed, function lengths stay unchecked")
    found = list(_cpp_functions(tree, [path for path in tree.paths if path.endswith((".cc", ".h"))]))
    for path in tree.paths:
        if path.endswith(".py"):
            found += [(path, *span) for span in _python_functions(tree, path)]
    return [f"{path}:{first}: function {name} has {last - first + 1} lines; at most {FUNCTION_LINES}"
            for path, first, last, name in found if last - first + 1 > FUNCTION_LINES]


def check_files(tree):
    """Limits the lines of sources, the bytes of files and the number of files."""
    faults = []
    for path in tree.sources():
        count = len(tree.text(path).splitlines())
        if count > FILE_LINES:
            faults.append(f"{path}: {count} lines; at most {FILE_LINES}")
    for path in tree.paths:
        size = os.path.getsize(tree.root / path)
        if size > FILE_BYTES:
            faults.append(f"{path}: {size} bytes; at most {FILE_BYTES}")
    if len(tree.paths) > FILE_COUNT:
        faults.append(f"the tree has {len(tree.paths)} files; at most {FILE_COUNT}: "
                      "tests/conformance/pack.py --loose packs test cases into archives")
    return faults


def check_width(tree):
    """Limits the lines of scripts and the comments of C++ (clang-format limits its code)."""
    faults = [f"{path}:{number}: {len(line)} characters wide; at most {LINE_WIDTH}"
              for path in tree.sources() if path.endswith((".sh", ".cmake", "CMakeLists.txt"))
              for number, line in tree.lines(path) if len(line) > LINE_WIDTH]
    for path in tree.sources():
        if path.endswith((".cc", ".h", ".inc", ".fbs")):
            faults += [f"{path}:{number}: a comment ends in column {len(line)}; at most {LINE_WIDTH}: move it "
                       "above its line, or break it"
                       for number, line in tree.lines(path) if len(line) > LINE_WIDTH and _COMMENT.search(line)]
    return faults
