# SPDX-License-Identifier: Apache-2.0
"""The command ``weft``, also as ``python -m weft``. If OpenVINO is installed, ``weft convert`` also
accepts files that OpenVINO reads, such as model.onnx, and converts them to IR first."""
from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import sys

from weft import _core, _ir
from weft._errors import Error


def main() -> int:
    """Runs the command with the arguments of the process; returns its exit code."""
    # Otherwise Python would handle the signal only after the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    words = sys.argv[1:]
    with contextlib.ExitStack() as until_end:
        if words[:1] == ["convert"]:
            try:
                words = _with_ir(words, until_end)
            except Error as error:
                print(error, file=sys.stderr)
                return 1
        return _core.run_command(words)


def _with_ir(words: list[str], until_end: contextlib.ExitStack) -> list[str]:
    """Returns the arguments with an IR in place of a file that OpenVINO must read."""
    for at, word in enumerate(words[1:], 1):
        path = pathlib.Path(word)
        model = None if words[at - 1] in ("-o", "--output") else _ir.read_foreign(path)
        if model is not None:
            xml = until_end.enter_context(_ir.serialized(model, path.stem))
            output = [] if _has_output(words) else ["--output", os.fspath(path.with_suffix(".weft"))]
            return [*words[:at], os.fspath(xml), *words[at + 1:], *output]
    return words


def _has_output(words: list[str]) -> bool:
    return any(word == "--output" or word.startswith("--output=") or
               word.startswith("-o") for word in words)


if __name__ == "__main__":
    sys.exit(main())
