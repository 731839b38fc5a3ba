# SPDX-License-Identifier: Apache-2.0
"""The contents of a net: plain operations, variables, and nested loops and branches."""

import branches
import iterators
import plain
import rows
import rows_elementwise
import rows_layers
import rows_movement
import rows_transforms


def fill(maker, scope, depth, room):
    """Adds random operations to the scope's pool."""
    if maker.stateful and scope.chance(0.5 if depth else 0.8):
        scope.pool.append(maker.read_variable(scope))
        maker.features["variable inside a body" if depth else "variable"] += 1
    _grow(maker, scope, depth)
    if depth < maker.depth:
        wanted = 1 if scope.chance(0.7) else int(scope.rng.integers(0 if depth else 1, 3))
        for _ in range(wanted):
            with scope.rng.step() as taken:
                if taken:
                    nest(maker, scope, depth, room)
    _grow(maker, scope, depth)


def _grow(maker, scope, depth):
    """Adds operations without bodies."""
    if not maker.limits.operations:
        plain.grow(scope, int(scope.rng.integers(0, 4)), maker.rounded)
        return
    low, high = (0, 7) if depth else (2, scope.pick((4, 8, 16)))
    for _ in range(int(scope.rng.integers(low, high))):
        with scope.rng.step() as taken:
            if taken:
                rows.add(scope, scope.pick(sorted(rows.ROWS)))


def nest(maker, scope, depth, room):
    """Adds one operation with a body."""
    if maker.branches and scope.chance(0.25):
        made = branches.branch(maker, scope, depth, room)
    else:
        made = iterators.Iterator(maker, scope, depth, room).build()
    for value in made:
        if value.dims and min(value.dims) < 1:
            if depth == 0:  # in a body no operation can read a length that is 0 or unknown
                maker.ends.append(_handled(maker, scope, value))
        else:
            scope.pool.append(value)


def _handled(maker, scope, value):
    """Elementwise operations, which accept a run-time length."""
    if min(value.dims) == 0 or value.dtype == "boolean" or scope.chance(0.5):
        return value
    maker.features["operation on a length known at run time"] += 1
    if scope.chance(0.5):
        return scope.op("Negative", [value], value.dtype, value.dims, value.bound)
    return scope.op("Add", [value, value], value.dtype, value.dims, 2 * value.bound)
