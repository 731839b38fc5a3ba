# SPDX-License-Identifier: Apache-2.0
"""Loop-5 in NumPy in all five forms, and If-8, written from their specifications.

One iteration of a Loop: body, scan values, body condition, stop if false, iteration number, back
edges (simultaneous). Trip count and first condition are read once. The iteration whose condition is
false still counts. After zero iterations a carried value has its initial value, a scan output has
extent 0, and other last values are zeros.
"""

import numpy as np


def repeat(body, trip, first, sliced, carried, invariant, outputs):
    """body(number, slices, states, invariants) -> (next states, results, goes on).

    trip: the maximum number of iterations, negative for no limit. sliced: (array, axis) pairs, one
    element per iteration. outputs: (index, axis or None) pairs; the index counts through next
    states, then results; None selects the last value.
    """
    states, kept, done, goes_on = list(carried), [], 0, bool(np.all(first))
    while goes_on and (trip < 0 or done < trip):
        slices = [np.take(array, [done], axis) for array, axis in sliced]
        following, results, condition = body(np.array(done), slices, states, invariant)
        kept.append([np.asarray(value) for value in list(following) + list(results)])
        goes_on = bool(np.all(condition))
        done += 1
        states = list(following)
    if not kept:
        return _untouched(body, sliced, carried, invariant, outputs)
    return [
        kept[-1][index] if axis is None else np.concatenate([values[index]
                                                             for values in kept], axis)
        for index, axis in outputs
    ]


def _untouched(body, sliced, carried, invariant, outputs):
    """The outputs after zero iterations; the body runs only to determine shapes."""
    slices = [np.take(array, [0], axis) for array, axis in sliced]
    following, results, _ = body(np.array(0), slices, carried, invariant)
    made = [np.asarray(value) for value in list(following) + list(results)]
    return [
        np.take(made[index], [], axis) if axis is not None else
        carried[index] if index < len(carried) else np.zeros_like(made[index])
        for index, axis in outputs
    ]
