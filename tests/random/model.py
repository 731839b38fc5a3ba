# SPDX-License-Identifier: Apache-2.0
"""One random model from (seed, index): its files, its inputs and its list of features."""

import collections
import dataclasses
import zlib

import numpy as np

import ir_text
import nests
import spoils
import streams
from choices import Choices
from scope import DATA, LARGE, SMALL, Scope

MAX_ITERATIONS = (12, 12, 12, 12, 12, 12, 12, 2)  # of loops whose length is known at run time
CALLS = 3  # of models with variables
MAX_DIMS = (4, 4, 6, 9, 17)  # of graphs of all operations
DEPTHS = (0, 0, 0, 1, 1, 2)


@dataclasses.dataclass
class Limits:
    """The features that the generator may use."""
    depth: int = 4
    room: int = 60  # iterations of the innermost body: the product over all enclosing loops
    run_time: bool = True  # trip counts and conditions computed at run time
    branches: bool = True  # If
    variables: bool = True
    zero: bool = True  # loops with zero iterations
    open_scans: bool = True  # scan outputs of a length known at run time
    streams: bool = False  # causal graphs over a time axis (streams.py), with `operations`
    operations: bool = False  # all operations that have a row (rows.py), instead of loops mainly
    skip: tuple = ()  # steps of Choices that are not taken
    max_dim: int = 0  # maximum extent of new axes; 0: random
    plain: bool = False  # the first option of each attribute
    outputs: tuple = ()  # indices of the outputs that the model has; (): all


class Maker:
    """Collects the parts of a model during generation."""
    def __init__(self, seed, index, limits):
        self.rng = Choices(seed, index, limits.skip, plain=limits.plain)
        if limits.operations:
            self.rng.max_dim = int(self.rng.choice(MAX_DIMS))
            self.depth = min(int(self.rng.choice(DEPTHS)), limits.depth)
        else:
            self.depth = int(self.rng.integers(1, limits.depth + 1))
        self.rng.max_dim = limits.max_dim or self.rng.max_dim
        self.limits = limits
        self.run_time, self.branches = limits.run_time, limits.branches
        self.rounded = self.rng.random() < 0.2
        self.stateful = limits.variables and self.rng.random() < 0.12 and not limits.streams
        spoil = spoils.choose(self.rng) if self.rng.random() < 0.2 else None
        self.spoil = None if limits.operations else spoil
        self.spoiled = False
        self.weights = bytearray()
        self.inputs, self.ends = [], []
        self.shown = []  # outputs of a spoiled loop, which the model must use
        self.features = collections.Counter()
        self.needs_bound = False
        self.open_bodies = 0  # Loops and branches around the current net
        self.variable_count = 0
        net = ir_text.Net(self.rng, self.weights)
        self.scope = Scope(net, self.rng, self.fresh)

    def fill(self, scope, depth, room):
        """Adds random operations to a scope; its loops have at most `room` iterations in total."""
        nests.fill(self, scope, depth, room)

    def fresh(self, dtype, dims):
        """A new model input with random elements."""
        if dtype == "boolean":
            return self.input(np.asarray(self.rng.random(dims) < 0.6))
        dims = (CALLS, ) + dims if self.stateful else dims
        array = self.rng.integers(-DATA, DATA + 1, dims).astype(ir_text.DTYPES[dtype])
        return self.input(array, self.stateful)

    def input(self, array, per_call=False):
        """A new model input with these elements."""
        dims = array.shape[1:] if per_call else array.shape
        value = self.scope.net.parameter(ir_text.TYPE_OF[array.dtype], dims)
        value.bound = max(float(np.abs(array).max()), 1) if array.dtype != bool else 1
        if self.stateful and not per_call:
            array = np.broadcast_to(array, (CALLS, ) + array.shape).copy()
        self.inputs.append(array)
        return value

    def read_variable(self, scope):
        """A ReadValue, whose Assign close_variables adds."""
        dtype, dims = scope.dtype(), scope.dims()
        name = f"variable{self.variable_count}"
        self.variable_count += 1
        data, sources, opset = {"variable_id": name}, [], scope.pick((3, 6))
        if opset == 3 or scope.chance(0.5):
            initial = scope.source(dtype, dims)
            sources = [scope.tame(initial, LARGE if initial.exact else SMALL)]
        if opset == 6:
            shape = ",".join(map(str, dims))
            data.update(variable_type=dtype, variable_shape=shape)
        exact = not (self.rounded and dtype == "f32")
        if sources and exact and not sources[0].exact:
            sources = [scope.random_constant(dtype, dims)]
        bound = LARGE if exact else max([SMALL, *(source.bound for source in sources)])
        value = scope.op("ReadValue", sources, dtype, dims, bound, data, opset, exact)
        scope.variables.append((name, value))
        return value

    def close_variables(self, scope):
        """Assigns every variable that the scope has read."""
        for name, value in scope.variables:
            wanted = scope.source(value.dtype, value.dims)
            if value.exact and not wanted.exact:
                wanted = scope.random_constant(value.dtype, value.dims)
            if value.dtype != "boolean" and scope.chance(0.6):
                wanted = scope.op("Add", [wanted, value], value.dtype, value.dims,
                                  wanted.bound + value.bound)
            wanted = scope.tame(wanted, value.bound)
            scope.net.add("Assign", [wanted], [(value.dtype, value.dims)], {"variable_id": name}, 6)

    def make(self):
        """Returns the complete Model."""
        if self.limits.streams:
            streams.fill(self.scope)
        else:
            self.fill(self.scope, 0, self.limits.room)
        self.close_variables(self.scope)
        if self.stateful and not self.inputs:  # an input defines the number of calls
            self.scope.pool.append(self.fresh("f32", (1, )))
        ends = self._choose_ends()
        for index, value in enumerate(ends):
            self.scope.net.result(value, f"y{index}")
        exact = all(value.exact for value in ends)
        return Model(ir_text.model_text(self.scope.net), bytes(self.weights), self.inputs, exact,
                     self.spoil if self.spoiled else None, self.features,
                     ["--max-iterations", str(self.scope.pick(MAX_ITERATIONS))] if self.needs_bound else [],
                     CALLS if self.stateful else 0, [value.exact for value in ends],
                     self.limits.operations, self.limits.streams, self.rng.taken)

    def _choose_ends(self):
        """The values that are outputs."""
        pool = [value for value in self.scope.pool if value.known is None]
        if self.limits.operations:
            read = self.scope.net.read
            wanted = [value for value in pool if (value.layer, value.port) not in read or
                      zlib.crc32(value.key.encode()) % 4 == 0]
        else:
            wanted = [pool[int(place)] for place in self.rng.permutation(len(pool))[:6]]
            wanted = [value for value in self.scope.pool[:4] if value not in wanted] + wanted
        ends = self.ends + self.shown + wanted
        ends = [ends[index] for index in self.limits.outputs if index < len(ends)] or ends
        return ends or [self.scope.random_constant("f32", (2, ))]


@dataclasses.dataclass
class Model:
    """refusal: the name of the error in the model, or None. arguments: for weft convert."""
    xml: str
    weights: bytes
    inputs: list
    exact: bool
    refusal: object
    features: collections.Counter
    arguments: list
    calls: int
    exact_ends: list  # of each output
    graph: bool  # of all operations
    causal: bool  # converts with --streaming
    steps: list  # the steps of Choices that were taken


def make(seed, index, limits):
    """The model of (seed, index)."""
    return Maker(seed, index, limits).make()
