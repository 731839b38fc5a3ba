# SPDX-License-Identifier: Apache-2.0
"""The rows of the random graphs: for each OpenVINO operation, a function that adds it to a Scope.

A function returns a Value, a list of Values, or None if the scope has no suitable input. An
operation whose kernels round takes any f32 value within a small bound; an operation that is not
continuous takes exact values only, so that errors of rounding cannot change its result.
"""

import numpy as np

from scope import EXACT, ROUNDED

ROWS = {}  # name of the operation -> functions
MAX_COUNT = 600  # elements of a value


def makes(*kinds):
    """Registers a function as a row of these operations."""
    def register(function):
        for kind in kinds:
            ROWS.setdefault(kind, []).append(function)
        return function

    return register


def finished(scope, value):
    """Limits a new value to the bound of its kind."""
    if value.dtype == "boolean" or value.bound <= (EXACT if value.exact else ROUNDED):
        return value
    return scope.tame(value)


def add(scope, kind):
    """Adds one operation of this kind, and its outputs to the pool; returns them."""
    functions = ROWS[kind]
    made = functions[int(scope.rng.integers(len(functions)))](scope)
    values = made if isinstance(made, list) else [made]
    values = [value for value in values if value is not None and 0 < value.count <= MAX_COUNT]
    values = [finished(scope, value) for value in values]
    scope.pool += values
    return values


def numbers(scope, dims, low=-8, high=8, divisor=8.0):
    """A constant with random multiples of 1 / divisor in [low, high] / divisor."""
    array = scope.rng.integers(low, high + 1, dims) / divisor
    return scope.net.constant(array.astype(np.float32))


def _known():
    """The rows of the generator's other parts: loops, branches, variables and plain operations."""
    import plain  # pylint: disable=import-outside-toplevel

    for function, kinds in ((plain._arithmetic, "Add Subtract Multiply Maximum Minimum"),
                            (plain._compare, "Less LessEqual Greater GreaterEqual Equal NotEqual"),
                            (plain._logic, "LogicalAnd LogicalOr LogicalNot"),
                            (plain._select, "Select"), (plain._unary, "Relu Abs Negative"),
                            (plain._matmul, "MatMul"), (plain._concat, "Concat"),
                            (plain._split, "Split"), (plain._transpose, "Transpose"),
                            (plain._ranks, "Squeeze Unsqueeze"), (plain._cut, "Slice StridedSlice"),
                            (plain._gather, "Gather"), (plain._reduce, "ReduceSum ReduceMax"),
                            (plain._convert, "Convert"), (plain._curve, "Tanh Sigmoid"),
                            (plain._cell, "LSTMCell GRUCell RNNCell")):
        makes(*kinds.split())(function)


_known()
