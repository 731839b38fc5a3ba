# SPDX-License-Identifier: Apache-2.0
"""Runs one model with several plans and compares the outputs with each other and with the oracles.

Outputs of all plans must have equal bits. Exact outputs must equal those of the interpreter; others
may differ by TOLERANCE, as all may from OpenVINO's.
"""

import functools
import importlib.util
import pathlib
import re
import sys
import zlib

import numpy as np

sys.path[:0] = [str(path) for path in pathlib.Path(__file__).resolve().parents[:2]]

# pylint: disable=wrong-import-position
from conformance.compare import difference
from streams import STEPS

TOLERANCE = 1e-3  # relative and absolute
OPENVINO = "OpenVINO"  # its name in failures
PLANS = {
    "the default plan": (),
    "the smallest plan": ("--arena-budget", "min"),
    "the fastest plan in two regions": ("--arena-budget", "fastest", "--region", "fast=256"),
}

PRECISIONS = ("f16", "bf16", "i8", "i8x8", "i8x32", "i4:32")


class Failure(Exception):
    """The result of weft differs from the specification."""


def _read(folder, count):
    return [np.load(folder / f"y{index}.npy") for index in range(count)]


def outputs(call, weft, folder, made, arguments, inputs):
    """The outputs of one plan. call: runs a command and returns its result."""
    model = folder / "model.weft"
    done = call(weft, "convert", folder / "model.xml", "-o", model, "--quiet", *arguments)
    if done.returncode:
        raise Failure(f"refused; must be accepted:\n{done.stderr.strip()}")
    done = call(weft, "run", model, *inputs, "--output-dir", folder)
    if done.returncode:
        raise Failure(f"does not run: {done.stderr.strip()}")
    return _read(folder, len(made.exact_ends))


def compare_plans(call, weft, folder, made, inputs):
    """Returns the outputs of all plans, whose bits must be equal."""
    first = None
    for name, plan in PLANS.items():
        made_now = outputs(call, weft, folder, made, [*made.arguments, *plan], inputs)
        first = first or made_now
        for index, (one, other) in enumerate(zip(first, made_now)):
            if one.shape != other.shape or one.tobytes() != other.tobytes():
                text = difference(other, one, 0, 0) or "a zero or a NaN has another sign"
                raise Failure(f"output {index} of {name}: {text}, as with the default plan")
    return first


def _compare_steps(call, weft, folder, made, inputs, expected, options):
    """Runs of 1, 2 and 3 time steps must give the bits of one run of all steps."""
    axes = [word for index in range(len(made.inputs)) for word in ("--time-axis", f"{index}=2")]
    for steps in STEPS:
        words = [*options, f"--streaming={steps}"]
        streamed = outputs(call, weft, folder, made, [*words, *axes], inputs)
        for index, (one, other) in enumerate(zip(expected, streamed)):
            if one.shape != other.shape or one.tobytes() != other.tobytes():
                text = difference(other, one, 0, 0) or "a zero or a NaN has another sign"
                raise Failure(f"output {index} with {' '.join(words)}: {text}, as in one run")


def compare_streamed(call, weft, folder, made, inputs, expected):
    """Compares runs of a few time steps with one run of all, in f32 and with one type of weights."""
    _compare_steps(call, weft, folder, made, inputs, expected, [])
    which = PRECISIONS[zlib.crc32(made.xml.encode()) % len(PRECISIONS)]
    options = ["--precision", which, "--min-snr", "0"]  # measured types could differ
    expected = outputs(call, weft, folder, made, options, inputs)
    _compare_steps(call, weft, folder, made, inputs, expected, options)


def compare(name, actual, expected, exacts):
    """Compares the outputs with those of an oracle."""
    for index, (one, other, exact) in enumerate(zip(actual, expected, exacts)):
        limit = 0 if exact else TOLERANCE
        text = difference(one, other, limit, limit)
        if text:
            raise Failure(f"output {index} and {name}: {text}")


def has_openvino():
    """Returns true if OpenVINO is installed."""
    return importlib.util.find_spec("openvino") is not None


@functools.cache
def _openvino():
    # pylint: disable=import-outside-toplevel
    from constants import remove
    from conformance.oracle import Oracle

    # Its int8 form moves a Clamp before the multiplication by the scale, and gives 0.
    return functools.partial(Oracle().run, prepare=remove, settings={"LP_TRANSFORMS_MODE": False})


def compare_with_openvino(folder, made, actual):
    """Compares with OpenVINO where it is installed and follows the specification. It does not in
    loops and branches (partial ranges, swapped states), and not in attention between Transposes:
    2026.4 gives other numbers than the same model with the result of the attention as an output. It
    rounds quotients of integers towards zero, where the specification rounds down. A Fourier
    transform that is longer than its input reads memory that was never written, which can end the
    process."""
    loops = made.calls or "<body>" in made.xml or "_body>" in made.xml
    fused = "ScaledDotProductAttention" in made.xml and "Transpose" in made.xml
    quotients = re.search(r'type="Divide"[^/]*(/>\s*)?<input>\s*<port id="0" precision="I',
                          made.xml)
    if loops or fused or quotients or "DFT" in made.xml or not has_openvino():
        return
    try:
        expected = _openvino()(folder / "model.xml", made.inputs)
    except RuntimeError:
        made.features["refused by OpenVINO"] += 1
        return
    expected = [array.astype(one.dtype) if array.dtype.kind in "iu" else array
                for array, one in zip(expected, actual)]
    compare(OPENVINO, actual, expected, [array.dtype.kind != "f" for array in actual])
