# SPDX-License-Identifier: Apache-2.0
"""Allowed includes between folders: converter -> runtime/format <- runtime -> kernels; tests include all.

Inside the converter the order is base < ir < tflite, program < ops < graph and plan < emit < pipeline < cli.
inspect includes only base and the format. report includes only base, because its input is JSON."""
import re

_INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]')


# Headers of kernels that the converter may include: the folder's header and the reason.
_KERNEL_HEADERS = (
    "kernels/elementwise/chain.h",       # instructions of fused elementwise steps
    "kernels/elementwise/convert.h",     # converts f16 and f64 constants to f32, bit-identical to the device
    "kernels/elementwise/functions.inc",  # functions with equal rounding on every target
    "kernels/fourier/fourier.h",         # layout of a transform's tables
    "kernels/fourier/fourier_tables.h",
    "kernels/elementwise/binary_q8.h",
    "kernels/elementwise/binary_q8_quotients.h",  # quotients of codes, which become tables
    "kernels/elementwise/binary_q8_shorts.h",
    "kernels/reduce/normalize_q8.h",     # lengths
    "kernels/reduce/pool_q8_shorts.h",
    "kernels/reduce/softmax_q16.h",
    "kernels/reduce/softmax_q8.h",
    "kernels/matrix/rectangles.h",       # terms of instructions
    "kernels/matrix/conv_i8.h",          # scratch sizes
    "kernels/matrix/conv_q8.h",
    "kernels/matrix/depthwise_i8.h",
    "kernels/matrix/dense_i4.h",         # ranges of integers
    "kernels/matrix/dense_i8.h",
    "kernels/matrix/pack.h",             # layouts of weights, which the converter writes
    "kernels/recurrent/cell.h",
    "kernels/recurrent/lstm_q8.h",
    "kernels/recurrent/svdf_q8.h",
    "kernels/signal/channel_gain.h",     # lengths and tables
    "kernels/signal/fixed_fourier.h",
    "kernels/signal/signal.h",
    "kernels/simd/code_range.h",
    "kernels/simd/fixed_point.h",        # functions of codes, which become tables
    "kernels/simd/requantise.h",
    "kernels/simd/sum.h",
    "kernels/types.inc",                 # the lists of element types and of weight types
    "kernels/variants.h",                # object files that a generated C source must link
    "kernels/weights.inc",
)


def _floors(*folders):
    return tuple(f"converter/{folder}" for folder in folders) + ("runtime",) + _KERNEL_HEADERS


# Folder -> folders and single headers that its files may include. The longest matching prefix defines the
# folder of a file.
_MAY_INCLUDE = {
    "kernels": ("kernels",),
    "runtime/format": ("runtime/format", "kernels/types.inc"),
    "runtime": ("runtime", "kernels"),
    "converter/base": _floors("base"),
    "converter/ir": _floors("base", "ir"),
    "converter/tflite": _floors("base", "ir", "tflite"),
    "converter/program": _floors("base", "program"),
    "converter/ops": _floors("base", "ir", "program", "ops"),
    "converter/graph": _floors("base", "ir", "program", "ops", "graph"),
    "converter/plan": _floors("base", "program", "plan"),
    "converter/emit": _floors("base", "program", "plan", "emit"),
    "converter/inspect": _floors("base", "inspect"),
    "converter/report": ("converter/base", "converter/report"),
    "converter": _floors("base", "ir", "tflite", "program", "ops", "graph", "plan", "emit", "inspect") +
                 ("converter/convert.h", "converter/file_checks.h", "converter/fold_work.h",
                  "converter/passes.h", "converter/pipeline.h", "converter/read_model.h"),
    "converter/cli": ("converter",) + _floors(),
    "python": ("converter/base", "converter/cli", "converter/convert.h",
               "converter/report/page.h", "runtime/weft.h"),
    "examples": ("runtime", "examples"),
    "tests": ("tests", "converter", "runtime", "kernels", "examples/run-twice"),
}
_ROOMS = ("kernels", "runtime", "converter", "python", "examples", "tests")


def _room(path):
    rooms = [room for room in _MAY_INCLUDE if path.startswith(room + "/")]
    return max(rooms, key=len) if rooms else None


def _cycle(tree):
    """A path of headers' folders that includes itself, or None. Sources are left out: nothing includes them."""
    arrows = {}
    for path in tree.under("kernels", "runtime", "converter", suffixes=(".h", ".inc")):
        for _, line in tree.lines(path):
            match = _INCLUDE.match(line)
            folder = path.rpartition("/")[0]
            target = match.group(2).rpartition("/")[0] if match else folder
            if target != folder and target.split("/")[0] in _ROOMS:
                arrows.setdefault(folder, set()).add(target)
    left = set(arrows)
    while True:  # folders that include only folders without a cycle are removed
        free = {folder for folder in left if not arrows[folder] & left}
        if not free:
            break
        left -= free
    return sorted(left) or None


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
    cycle = _cycle(tree)
    if cycle:
        faults.append(f"{' and '.join(cycle)}: their headers include each other in a cycle; move what they share "
                      "to a folder below")
    return faults
