# SPDX-License-Identifier: Apache-2.0
"""A conformance case as its family module describes it; nothing here writes files.

A family module defines `cases()`, which yields Case values. Most cases need only inputs and a
function from the model's Parameters to its outputs. Their ports are named x0, x1 and y0, y1.
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
    """One model, its inputs and the source of its expected outputs.

    path: "family/name", also the folder in build/fixtures/cases.
    inputs: one array per Parameter; with `calls`, each has a leading axis of one entry per call.
    graph: creates the outputs from the Parameters (one Output or a list of them).
    model: creates the complete ov.Model, where a function of the Parameters is not enough.
    files: (xml text, bin bytes) written by hand instead of `graph`.
    edit: changes the XML text after saving, for forms that OpenVINO reads but does not write.
    reference: computes the outputs with NumPy from the same inputs. The generator rejects the case
        if OpenVINO differs by more than the tolerance, unless `differs` gives the reason why
        OpenVINO is not run or not trusted.
    settings: additional settings of OpenVINO's CPU device.
    oracle: the source of the stored outputs, "openvino" or "numpy".
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
    """A complete recurrent model, in which rounding errors accumulate over many steps."""
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
    """0, 1, 2, ... in row-major order: the value identifies the element."""
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def i64(*values):
    """An i64 array, as control inputs of operations require."""
    return np.array(values, np.int64)


def sizes(shape):
    """A shape as part of a path: 2x3, or scalar."""
    return "x".join(map(str, shape)) or "scalar"


def listed(numbers):
    """Numbers as part of a path: 0_2, with m1 for -1."""
    return "_".join(map(str, numbers)).replace("-", "m")


def by_numpy(reason):
    """Arguments of a case with NumPy as oracle, because OpenVINO fails or is wrong."""
    return {"oracle": "numpy", "differs": reason}


NARROW = by_numpy("OpenVINO's CPU device computes i64 in 32 bits.")
