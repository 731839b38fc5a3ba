# SPDX-License-Identifier: Apache-2.0
"""A conformance case as its family describes it, before anything is written.

A family module offers `cases()`, which yields Case values. Most cases need only inputs and a
function from the model's Parameters to its outputs; ports are then called x0, x1 and y0, y1.
"""

import dataclasses
import zlib
from typing import Callable, Optional, Sequence

import numpy as np

EXACT = 0.0
SINGLE = 1e-5
RECURRENT = 1e-4


@dataclasses.dataclass
class Case:
    """One model, its inputs and who says what the outputs are.

    path: "family/name", also the folder in build/fixtures/cases.
    inputs: one array per Parameter; with `calls`, each has a leading axis of one entry per call.
    graph: makes the outputs from the Parameters (one Output or a list of them).
    model: makes the whole ov.Model instead of `graph`, for what a single function cannot say.
    files: (xml text, bin bytes) written by hand instead of `graph`.
    edit: changes the XML text after saving, for forms that OpenVINO reads but does not write.
    reference: NumPy's answer from the same inputs. OpenVINO must agree with it within the
        tolerance, or the generator refuses the case, unless `differs` says why OpenVINO is not
        asked or not believed.
    settings: further ones of OpenVINO's CPU device.
    oracle: whose numbers are stored, "openvino" or "numpy".
    """

    path: str
    inputs: Sequence[np.ndarray]
    graph: Optional[Callable] = None
    model: Optional[Callable] = None
    files: Optional[tuple] = None
    edit: Optional[Callable] = None
    reference: Optional[Callable] = None
    oracle: str = "openvino"
    differs: str = ""
    rtol: float = SINGLE
    atol: float = SINGLE
    convert: Sequence[str] = ()
    note: str = ""
    compress: bool = False
    calls: int = 0
    settings: dict = dataclasses.field(default_factory=dict)


def exact(path, inputs, graph, reference=None, **more):
    """A case of integers or of data movement: every bit must match."""
    return Case(path, inputs, graph, reference=reference, rtol=EXACT, atol=EXACT, **more)


def recurrent(path, inputs, graph, reference=None, **more):
    """A whole recurrent model, where rounding errors of many steps add up."""
    return Case(path, inputs, graph, reference=reference, rtol=RECURRENT, atol=RECURRENT, **more)


def source(label):
    """A generator seeded by a label, so that no case depends on the order of the others."""
    return np.random.Generator(np.random.PCG64(zlib.crc32(label.encode())))


def normal(label, *shape, scale=1.0):
    """Normal f32 values."""
    return (source(label).standard_normal(shape) * scale).astype(np.float32)


def uniform(label, low, high, *shape):
    """f32 values spread evenly over [low, high)."""
    return source(label).uniform(low, high, shape).astype(np.float32)


def integers(label, low, high, *shape, dtype=np.int32):
    """Integers in [low, high)."""
    return source(label).integers(low, high, shape, dtype=np.int64).astype(dtype)


def flags(label, *shape):
    """Booleans, about half of them true."""
    return source(label).random(shape) < 0.5


def counting(*shape, dtype=np.float32):
    """0, 1, 2, ... in row-major order: every element is known by its value."""
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def i64(*values):
    """A list of numbers as the control inputs of operations take them."""
    return np.array(values, np.int64)


def sizes(shape):
    """A shape as part of a path: 2x3, or scalar."""
    return "x".join(map(str, shape)) or "scalar"


def listed(numbers):
    """Numbers as part of a path: 0_2, with m1 for -1."""
    return "_".join(map(str, numbers)).replace("-", "m")


def by_numpy(reason):
    """Arguments of a case whose numbers NumPy gives, because OpenVINO cannot or errs."""
    return {"oracle": "numpy", "differs": reason}


NARROW = by_numpy("OpenVINO's CPU device computes i64 in 32 bits.")
