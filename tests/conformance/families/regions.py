# SPDX-License-Identifier: Apache-2.0
"""RegionYolo: with softmax and flattened axes, with masks and without."""

import numpy as np

from build import node
from casebook import Case, normal, sizes


def _sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def _regions(x, count, coords, classes, softmax, axis, end):
    y = x.astype(np.float64).reshape(x.shape[0], count, coords + 1 + classes, *x.shape[2:])
    for at in (slice(0, 2), slice(coords, coords + 1)):
        y[:, :, at] = _sigmoid(y[:, :, at])
    scores = y[:, :, coords + 1:]
    if softmax:
        scores = np.exp(scores - scores.max(2, keepdims=True))
        y[:, :, coords + 1:] = scores / scores.sum(2, keepdims=True)
    else:
        y[:, :, coords + 1:] = _sigmoid(scores)
    shape = list(x.shape)
    if softmax:
        shape[axis:end + 1] = [int(np.prod(shape[axis:end + 1]))]
    return y.reshape(shape).astype(np.float32)


def _case(shape, count, classes, softmax, axis=1, end=3, coords=4):
    label = f"region_{sizes(shape)}_of_{count}_{'softmax' if softmax else 'masks'}_{axis}_{end}"

    def graph(x):
        return node("RegionYolo", 1, [x], anchors=[1.0] * (2 * count), axis=axis, coords=coords,
                    classes=classes, end_axis=end, num=count if softmax else 9,
                    do_softmax=softmax, mask=[] if softmax else list(range(count)))

    return Case(f"regions/{label}", [normal(label, *shape)], graph,
                reference=lambda x: _regions(x, count, coords, classes, softmax, axis, end))


def cases():
    yield _case((1, 7, 1, 1), 1, 2, True)
    yield _case((2, 40, 3, 5), 5, 3, True)
    yield _case((1, 16, 2, 3), 2, 3, True, 2, 3)
    yield _case((1, 18, 3, 5), 3, 1, False)
    yield _case((2, 24, 2, 17), 3, 3, False)
