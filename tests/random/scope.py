# SPDX-License-Identifier: Apache-2.0
"""The available values of one net, and functions that return one of a required type and shape.

Exact values are integers so small that f32 arithmetic on them never rounds. Only tanh, sigmoid and
recurrent cells create other values; these stay within SMALL so that errors do not grow.
"""

import types

import numpy as np

from ir_text import DTYPES, TYPE_OF
from reference.plain_operations import OPERATIONS

DATA = 4  # elements of inputs and constants are in [-DATA, DATA]
LARGE = 1000  # bound of exact states
SMALL = 2  # bound of values that are not exact
EXACT = 1 << 20  # intermediate values stay below
ROUNDED = 30  # bound of values that are not exact, outside of loops
MAX_ELEMENTS = 400  # of a new value


class Scope:
    """A net with its pool of values. fresh: creates a model input, if the net is the model."""
    def __init__(self, net, rng, fresh=None):
        self.net, self.rng, self.fresh = net, rng, fresh
        self.pool = []
        self.variables = []  # (id, dtype, dims) of those read and not yet assigned

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def dims(self, rank=None):
        rank = self.pick((0, 1, 1, 2, 2, 2, 3, 3, 4)) if rank is None else rank
        dims = [int(dim) for dim in self.rng.integers(1, self.rng.max_dim + 1, rank)]
        while np.prod(dims) > MAX_ELEMENTS:
            dims[int(np.argmax(dims))] //= 2
        return tuple(dims)

    def dtype(self):
        return self.pick(("f32", "f32", "f32", "i32", "i64"))

    def op(self, kind, inputs, dtype, dims, bound, data=None, opset=1, exact=None):
        """Adds an operation with one output."""
        value = self.net.add(kind, inputs, [(dtype, dims)], data, opset)[1][0]
        value.bound = bound
        value.exact = all(source.exact for source in inputs) if exact is None else exact
        return value

    def apply(self, kind, inputs, bound, data=None, opset=1, exact=None):
        """Adds an operation that the interpreter supports, which gives the types and shapes of its
        outputs. Returns all outputs."""
        arrays = [np.ones(value.dims, DTYPES[value.dtype]) if value.known is None else value.known
                  for value in inputs]
        words = {key: str(value) for key, value in (data or {}).items()}
        with np.errstate(all="ignore"):
            parts = OPERATIONS[kind](types.SimpleNamespace(data=words), arrays)
        parts = [np.asarray(part) for part in parts]
        if not all(part.dtype in TYPE_OF for part in parts):
            raise TypeError(f"{kind}: {parts}")
        made = self.net.add(kind, inputs, [(TYPE_OF[part.dtype], part.shape) for part in parts],
                            data, opset)[1]
        for value in made:
            value.bound = bound
            value.exact = all(x.exact for x in inputs) if exact is None else exact
        return made

    def attribute(self, *options):
        """One of the values of an attribute, the plainest first."""
        return options[0] if self.rng.plain else self.pick(options)

    def within(self, value, limit):
        """The value with its elements clamped to [-limit, limit]."""
        if value.bound <= limit:
            return value
        return self.op("Clamp", [value], value.dtype, value.dims, limit,
                       {"min": -limit, "max": limit})

    def floats(self, rank=None, exact=False, at_least=0):
        """An f32 value of the pool with this rank, or a new one."""
        options = [value for value in self.pool if value.dtype == "f32" and
                   (value.exact or not exact) and len(value.dims) >= at_least and
                   rank in (None, len(value.dims))]
        if options and self.chance(0.8):
            return self.rng.pick_value(options)
        if rank is None and at_least:
            rank = self.pick((at_least, at_least + 1))
        value = self.source("f32", self.dims(rank))
        return value if value.exact or not exact else self.random_constant("f32", value.dims)

    def integers(self, *values, dtype=np.int64):
        return self.net.constant(np.array(values, dtype))

    def scalar(self, number, dtype):
        return self.net.constant(np.array(number, DTYPES[dtype]))

    def random_constant(self, dtype, dims):
        if dtype == "boolean":
            return self.net.constant(np.asarray(self.rng.random(dims) < 0.5))
        return self.net.constant(self.rng.integers(-DATA, DATA + 1, dims).astype(DTYPES[dtype]))

    def source(self, dtype, dims):
        """A value of this type and shape: from the pool, or new."""
        same = [value for value in self.pool if (value.dtype, value.dims) == (dtype, tuple(dims))]
        if same and self.chance(0.5):
            return self.rng.pick_value(same)
        if self.pool and self.chance(0.5):
            value = self.fit(self.rng.pick_value(self.pool), dtype, dims)
            if value is not None:
                return value
        if self.fresh and self.chance(0.8):
            return self.fresh(dtype, tuple(dims))
        return self.random_constant(dtype, dims)

    def any(self, numbers=True):
        """Some value of the pool, or a new one."""
        options = [value for value in self.pool if value.dtype != "boolean" or not numbers]
        if options and self.chance(0.85):
            return self.rng.pick_value(options)
        return self.source(self.dtype(), self.dims())

    def fit(self, value, dtype, dims):
        """Converts `value` to another type and shape; None if that would require rounding."""
        if value.dtype != dtype:
            value = self.convert(value, dtype)
        return None if value is None else self.reshape(value, tuple(dims))

    def convert(self, value, dtype):
        if value.dtype == dtype:
            return value
        if not value.exact:
            return None
        if dtype == "boolean":
            zero = self.scalar(0, value.dtype)
            return self.op("Greater", [value, zero], "boolean", value.dims, 1)
        return self.op("Convert", [value], dtype, value.dims, value.bound,
                       {"destination_type": dtype})

    def reshape(self, value, dims):
        """Reshapes, sums, averages or repeats elements to the shape `dims`."""
        count = int(np.prod(dims, dtype=np.int64))
        if value.dims == dims:
            return value
        if value.count == count:
            target = self.integers(*dims)
            return self.op("Reshape", [value, target], value.dtype, dims, value.bound,
                           {"special_zero": "false"})
        if value.dtype == "boolean":
            return None
        if value.dims:
            axes = self.integers(*range(len(value.dims)))
            kind = "ReduceSum" if value.exact else "ReduceMean"  # a sum adds up errors of rounding
            bound = value.bound * (value.count if value.exact else 1)
            value = self.op(kind, [value, axes], value.dtype, (), bound, {"keep_dims": "false"})
            value = self.tame(value)
        if self.chance(0.5):
            zeros = self.net.constant(np.zeros(dims, DTYPES[value.dtype]))
            return self.op("Add", [value, zeros], value.dtype, dims, value.bound)
        if not dims:
            return value
        target = self.integers(*dims)
        return self.op("Broadcast", [value, target], value.dtype, dims, value.bound,
                       {"mode": "numpy"}, 3)

    def tame(self, value, limit=None):
        """Limits the elements to the bound of their kind."""
        limit = limit or (EXACT if value.exact else SMALL)
        if value.bound <= limit or value.dtype == "boolean":
            return value
        if not value.exact:
            return self.op("Tanh", [value], "f32", value.dims, 1)
        if self.chance(0.5):
            return self.op("Clamp", [value], value.dtype, value.dims, limit,
                           {"min": -limit, "max": limit})
        low, high = self.scalar(-limit, value.dtype), self.scalar(limit, value.dtype)
        value = self.op("Maximum", [value, low], value.dtype, value.dims, EXACT)
        return self.op("Minimum", [high, value], value.dtype, value.dims, limit)
