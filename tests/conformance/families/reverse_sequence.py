# SPDX-License-Identifier: Apache-2.0
"""ReverseSequence with lengths that are computed at run time."""

import numpy as np

from build import node
from casebook import by_numpy, counting, exact, flags, sizes


def _turned(x, lengths, batch, time):
    y, batch = x.copy(), batch % x.ndim
    for place, length in enumerate(lengths):
        at = [slice(None)] * x.ndim
        at[batch] = place
        line = np.moveaxis(x[tuple(at)], time - (time > batch), 0).copy()
        line[:length] = line[:length][::-1]
        y[tuple(at)] = np.moveaxis(line, 0, time - (time > batch))
    return y


def _case(path, x, lengths, batch, time, **more):
    return exact(f"reverse_sequence/{path}_{sizes(x.shape)}", [x, lengths],
                 lambda x, lengths: node("ReverseSequence", 1, [x, lengths], batch_axis=batch,
                                         seq_axis=time),
                 lambda x, lengths: _turned(x, np.minimum(lengths, x.shape[time]), batch, time),
                 **more)


def cases():
    yield _case("batch_first", counting(4, 5), np.array([5, 0, 3, 1], np.int32), 0, 1)
    yield _case("batch_first", counting(3, 5, 2, 3), np.array([5, 2, 4], np.int64), 0, 1)
    yield _case("time_first", counting(5, 3, 2), np.array([1, 5, 2], np.int32), 1, 0)
    yield _case("batch_behind", counting(2, 6, 3), np.array([6, 1, 4], np.int32), -1, 1)
    yield _case("apart", counting(2, 3, 2, 4), np.array([3, 4], np.int32), 2, 3)
    yield _case("boolean", flags("rsb", 3, 7), np.array([7, 4, 0], np.int32), 0, 1)
    yield _case("one_batch", counting(1, 9, 2), np.array([7], np.int32), 0, 1)
    yield _case("too_long", counting(2, 4), np.array([9, 3], np.int32), 0, 1,
                note="A length is no more than the axis.",
                **by_numpy("OpenVINO's CPU device reads beyond the axis."))
