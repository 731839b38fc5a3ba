# SPDX-License-Identifier: Apache-2.0
"""BatchToSpace and SpaceToBatch for any rank, step by step from the specification of
BatchToSpace-2."""

import numpy as np


def batch_to_space(data, block, crops_begin, crops_end):
    """data [batch, D_1, ..., D_{N-1}]; the other arguments have one entry per axis. The first entry
    is 1 in `block` and 0 in the crops."""
    data = np.asarray(data)
    rank, sizes = data.ndim, list(data.shape[1:])
    batch = data.shape[0] // int(np.prod(block))
    # 1. [B_1, ..., B_{N-1}, batch / (B_1 * ... * B_{N-1}), D_1, ..., D_{N-1}]
    apart = data.reshape(list(block[1:]) + [batch] + sizes)
    # 2. [batch / (...), D_1, B_1, D_2, B_2, ...], where the N-1 blocks come first: [N-1, N, 0, ...]
    order = [rank - 1]
    for axis in range(rank - 1):
        order += [rank + axis, axis]
    # 3. [batch / (...), D_1 * B_1, ...]
    merged = apart.transpose(order).reshape([batch] +
                                            [size * part for size, part in zip(sizes, block[1:])])
    # 4. crop
    return merged[(slice(None),) + tuple(
        slice(begin, size - end)
        for size, begin, end in zip(merged.shape[1:], crops_begin[1:], crops_end[1:]))]


def space_to_batch(data, block, pads_begin, pads_end):
    """The inverse: pads with zeros, then applies the steps of batch_to_space in reverse order."""
    padded = np.pad(np.asarray(data), list(zip(pads_begin, pads_end)))
    rank, batch = padded.ndim, padded.shape[0]
    sizes = [size // part for size, part in zip(padded.shape[1:], block[1:])]
    # [batch, D_1 / B_1, B_1, D_2 / B_2, B_2, ...]
    apart = padded.reshape([batch] + [entry for pair in zip(sizes, block[1:]) for entry in pair])
    order = [2 + 2 * axis
             for axis in range(rank - 1)] + [0] + [1 + 2 * axis for axis in range(rank - 1)]
    return apart.transpose(order).reshape([batch * int(np.prod(block[1:]))] + sizes)
