# SPDX-License-Identifier: Apache-2.0
"""Spectra: RFFT2D and the operators that accept complex tensors."""
import litert
import numpy as np
from casebook import Case, normal
from writer import Model

# Lengths, and the shape of the input, which is cropped or padded to them.
TRANSFORMS = (((1, 16), (2, 1, 16)), ((1, 512), (3, 1, 480)), ((1, 64), (2, 2, 1, 100)),
              ((1, 2), (1, 1)), ((1, 8), (3, 8)), ((4, 8), (2, 4, 8)), ((8, 16), (2, 5, 20)))


class _Chain:
    """A model that begins with RFFT2D; `at` is its last tensor."""

    def __init__(self, lengths, x):
        self.model, self.arrays = Model(), [x]
        self.graph = self.model.graph()
        self.ports = [self.graph.tensor("f32", list(x.shape), name="x")]
        dims = [*x.shape[:-2], lengths[0], lengths[1] // 2 + 1]
        self.at = self.graph.tensor("c64", dims)
        self.graph.op("RFFT2D", [self.ports[0], self._const(lengths)], [self.at])

    def _const(self, numbers):
        return self.graph.tensor("i32", data=np.array(numbers, np.int32))

    def then(self, name, kind, dims, const=None, **options):
        """Adds an operator; `const` is its second input."""
        inputs = [self.at] if const is None else [self.at, self._const(const)]
        self.at = self.graph.tensor(kind, list(dims))
        self.graph.op(name, inputs, [self.at], **options)
        return self

    def case(self, path, answers=None):
        """The case of the last tensor."""
        self.graph.inputs, self.graph.outputs = self.ports, [self.at]
        size = np.sqrt(self.arrays[0].size)
        return Case(path, self.model, self.arrays, atol=1e-6 * size, answers=answers)


def _transforms():
    for lengths, dims in TRANSFORMS:
        label = "x".join(map(str, (*lengths, "of", *dims)))
        out = (*dims[:-2], lengths[0], lengths[1] // 2 + 1)
        for name, part in (("COMPLEX_ABS", "abs"), ("REAL", "real"), ("IMAG", "imag")):
            chain = _Chain(lengths, normal(label, *dims))
            yield chain.then(name, "f32", out).case(f"{part}_{label}")


def _shapes():
    """Each operator before the parts are read."""
    x = normal("shapes", 2, 3, 1, 16)
    rows = (("squeeze", "SQUEEZE", (2, 3, 9), None, {"squeeze_dims": [2]}),
            ("squeeze_from_end", "SQUEEZE", (2, 3, 9), None, {"squeeze_dims": [-2]}),
            ("squeeze_all", "SQUEEZE", (2, 3, 9), None, {}),
            ("reshape", "RESHAPE", (6, 9), (6, 9), {}),
            ("reshape_rest", "RESHAPE", (2, 27), (2, -1), {}),
            ("reshape_option", "RESHAPE", (3, 18), None, {"new_shape": [3, 18]}),
            ("expand", "EXPAND_DIMS", (2, 1, 3, 1, 9), 1, {}),
            ("expand_from_end", "EXPAND_DIMS", (2, 3, 1, 9, 1), -1, {}))
    for path, name, dims, const, options in rows:
        for part in ("COMPLEX_ABS", "IMAG"):
            chain = _Chain((1, 16), x).then(name, "c64", dims, const, **options)
            yield chain.then(part, "f32", dims).case(f"{path}_{part.lower()}")
    cast = _Chain((1, 16), x).then("CAST", "f32", (2, 3, 1, 9), in_data_type=8, out_data_type=0)
    yield cast.case("cast")


def _spectrum():
    """An output of the model is f32 with a last axis of two."""
    chain = _Chain((1, 16), normal("spectrum", 2, 1, 16))
    case = chain.case("spectrum")
    case.answers = [np.stack([y.real, y.imag], -1) for y in litert.run(case.data, case.inputs)]
    yield case


def cases():
    """All cases."""
    yield from _transforms()
    yield from _shapes()
    yield from _spectrum()
