# SPDX-License-Identifier: Apache-2.0
"""TensorIterator-1 and the for-loops of Loop-5 in NumPy, written from their specifications.

Slices use start, end and stride. Negative start and end count from the end of the axis plus one, and
the range is half open: (0, -1) is the full axis, and (-1, 0) with a negative stride is the full axis
backwards. Back edges are simultaneous. A scan output of negative stride stores iteration i at index
N-1-i.
"""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Slicing:
    """How one tensor is split or concatenated along an axis: the attributes of a port_map entry with
    `axis`."""

    axis: int = 0
    start: int = 0
    end: int = -1
    stride: int = 1

    def pieces(self, array):
        """The chunks in the order of the iterations."""
        size = array.shape[self.axis]
        start, end = (bound + size + 1 if bound < 0 else bound for bound in (self.start, self.end))
        low, high = (end, start) if self.stride < 0 else (start, end)
        part = abs(self.stride)
        chunks = [np.take(array, range(at, at + part), self.axis) for at in range(low, high, part)]
        return chunks[::-1] if self.stride < 0 else chunks

    def glue(self, pieces):
        """The concatenation of the chunks of all iterations."""
        return np.concatenate(pieces[::-1] if self.stride < 0 else pieces, self.axis)


FORWARD = {"start": 0, "end": -1, "stride": 1}
BACKWARD = {"start": -1, "end": 0, "stride": -1}


def forward(axis):
    return Slicing(axis, **FORWARD)


def backward(axis):
    return Slicing(axis, **BACKWARD)


def iterate(body, sliced, carried, invariant, outputs, count=None):
    """Runs body(slices, states, invariants) -> (next states, results) once per slice.

    sliced: (array, Slicing) pairs. outputs: (index, Slicing or None) pairs; the index counts
    through next states, then results; None selects the value of the last iteration. count: required
    if there are no sliced inputs.
    """
    cut = [slicing.pieces(array) for array, slicing in sliced]
    counts = {len(pieces) for pieces in cut} or {count}
    if len(counts) != 1:
        raise ValueError(f"sliced inputs disagree on the number of iterations: {sorted(counts)}")
    states, kept = list(carried), [[] for _ in outputs]
    values = []
    for step in range(counts.pop()):
        states, results = body([pieces[step] for pieces in cut], states, invariant)
        values = list(states) + list(results)
        for place, (index, slicing) in enumerate(outputs):
            if slicing:
                kept[place].append(values[index])
    return [
        slicing.glue(pieces) if slicing else values[index]
        for pieces, (index, slicing) in zip(kept, outputs)
    ]
