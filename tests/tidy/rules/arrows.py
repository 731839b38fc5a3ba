# SPDX-License-Identifier: Apache-2.0
"""Allowed includes between folders: converter -> runtime/format <- runtime -> kernels; tests include all.

Inside the converter the order is base < ir < program < ops < graph and plan < emit < pipeline < cli.
inspect includes only base and the format. report includes only base, because its input is JSON."""
import re

_INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]')


def _floors(*rooms):
    return tuple(f"converter/{room}" for room in rooms) + (
        "runtime", "kernels/matrix/pack.h", "kernels/elementwise/convert.h", "kernels/variants.h",
        "kernels/elementwise/functions.inc", "kernels/types.inc", "kernels/weights.inc",
        "kernels/elementwise/chain.h", "kernels/simd/code_range.h", "kernels/fourier/fourier.h", "kernels/matrix/conv_i8.h", "kernels/matrix/conv_q8.h", "kernels/matrix/dense_i4.h", "kernels/matrix/dense_i8.h", "kernels/matrix/depthwise_i8.h", "kernels/recurrent/cell.h",
        "kernels/fourier/fourier_tables.h", "kernels/simd/sum.h")


# Folder -> folders and single headers that its files may include. The longest matching prefix defines the
# folder of a file. Headers of kernels that other folders may include:
#   pack.h, cell.h                           layouts of weights, which the converter writes
#   convert.h                                converts f16 and f64 constants to f32, bit-identical to the device
#   variants.h                               object files that a generated C source must link
#   functions.inc                            functions with equal rounding on every target
#   types.inc, weights.inc                   the lists of element types and of weight types
#   dense_i4.h, dense_i8.h, code_range.h         ranges of integers
#   conv_q8.h, conv_i8.h, depthwise_i8.h     scratch sizes
#   fourier.h, fourier_tables.h              layout of a transform's tables
_MAY_INCLUDE = {
    "kernels": ("kernels",),
    "runtime/format": ("runtime/format", "kernels/types.inc"),
    "runtime": ("runtime", "kernels"),
    "converter/base": _floors("base"),
    "converter/ir": _floors("base", "ir"),
    "converter/program": _floors("base", "program"),
    "converter/ops": _floors("base", "ir", "program", "ops"),
    "converter/graph": _floors("base", "ir", "program", "ops", "graph"),
    "converter/plan": _floors("base", "program", "plan"),
    "converter/emit": _floors("base", "program", "plan", "emit"),
    "converter/inspect": _floors("base", "inspect"),
    "converter/report": ("converter/base", "converter/report"),
    "converter": _floors("base", "ir", "program", "ops", "graph", "plan", "emit", "inspect") +
                 ("converter/convert.h", "converter/file_checks.h", "converter/fold_work.h",
                  "converter/pipeline.h", "converter/stream_note.h"),
    "converter/cli": ("converter",) + _floors(),
    "python": ("converter/base", "converter/cli", "converter/convert.h",
               "converter/report/page.h", "runtime/weft.h"),
    "examples": ("runtime", "examples"),
    "tests": ("tests", "converter", "runtime", "kernels"),
}
_ROOMS = ("kernels", "runtime", "converter", "python", "examples", "tests")


def _room(path):
    rooms = [room for room in _MAY_INCLUDE if path.startswith(room + "/")]
    return max(rooms, key=len) if rooms else None


def check(tree):
    """Include paths start at the repository's root and follow the allowed directions."""
    faults = []
    for path in tree.under(*_ROOMS):
        allowed = _MAY_INCLUDE[_room(path)]
        for number, line in tree.lines(path):
            match = _INCLUDE.match(line)
            if not match:
                continue
            quote, target = match.groups()
            first = target.split("/")[0]
            if first in _ROOMS:
                if target.startswith("kernels/reference/") and not path.startswith(
                        ("kernels/reference/", "tests/")):
                    faults.append(f"{path}:{number}: includes {target}; reference kernels are "
                                  "only for tests")
                elif not any(target == one or target.startswith(one + "/") for one in allowed):
                    faults.append(f"{path}:{number}: includes {target}; {_room(path)} may include "
                                  f"{' and '.join(allowed)}")
            elif first == "hwy" and not path.startswith(("kernels/", "tests/")):
                faults.append(f"{path}:{number}: includes {target}; Highway belongs to kernels")
            elif quote == '"' and first not in ("hwy", "flatbuffers"):
                if not path.startswith("examples/"):
                    faults.append(f'{path}:{number}: includes "{target}"; a path starts at the root '
                                  "of the repository")
    return faults
