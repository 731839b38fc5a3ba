# SPDX-License-Identifier: Apache-2.0
"""BatchToSpace-2 and SpaceToBatch-2 of rank 2 to 6; document.py has the specification's examples."""

import numpy as np

from build import node
from casebook import by_numpy, counting, exact, i64, integers, sizes
from reference import blocks

# data, block, crops_begin, crops_end
TO_SPACE = [
    ((6, 5), [1, 3], [0, 0], [0, 0]),
    ((10, 2), [1, 5], [0, 2], [0, 1]),
    ((4, 17), [1, 2], [0, 1], [0, 0]),
    ((4, 3, 5), [1, 2, 1], [0, 0, 0], [0, 0, 0]),
    ((12, 3, 2), [1, 2, 3], [0, 1, 0], [0, 0, 2]),
    ((3, 4, 7), [1, 1, 3], [0, 0, 4], [0, 2, 1]),
    ((4, 1, 2, 3), [1, 1, 2, 2], [0, 0, 0, 0], [0, 0, 0, 0]),
    ((8, 3, 2, 2), [1, 2, 2, 1], [0, 1, 0, 1], [0, 0, 3, 0]),
    ((6, 2, 1, 3, 2), [1, 1, 2, 3, 1], [0, 0, 0, 2, 0], [0, 0, 1, 0, 0]),
    ((8, 1, 2, 1, 2, 3), [1, 2, 1, 2, 1, 2], [0, 0, 0, 1, 0, 2], [0, 1, 0, 0, 1, 0]),
    ((3, 2), [1, 1], [0, 0], [0, 0]),
]
REPEATS = by_numpy(
    "OpenVINO's CPU device repeats elements where pads fill whole blocks; its constant "
    "folding gives these numbers.")


def _label(shape, block):
    return f"rank{len(shape)}_{sizes(shape)}_by_{sizes(block)}"


def cases():
    for shape, *control in TO_SPACE:
        given = [np.array(part, np.int64) for part in control]
        yield exact(f"blocks/batch_to_space_{_label(shape, control[0])}", [counting(*shape)],
                    lambda x, given=given: node("BatchToSpace", 2, [x, *given]),
                    lambda x, control=control: blocks.batch_to_space(x, *control))
        small = blocks.batch_to_space(counting(*shape), *control).shape
        yield exact(f"blocks/space_to_batch_{_label(small, control[0])}", [counting(*small) + 1],
                    lambda x, given=given: node("SpaceToBatch", 2, [x, *given]),
                    lambda x, control=control: blocks.space_to_batch(x, *control),
                    **(REPEATS if control[0] in ([1, 2, 2, 1], [1, 1, 2, 3, 1]) else {}))
    for dtype in (np.int32, np.uint8):
        block, zero = [1, 2, 2], [0, 0, 0]
        yield exact(
            f"blocks/batch_to_space_{np.dtype(dtype).name}",
            [integers("b2s", 0, 200, 4, 3, 2, dtype=dtype)],
            lambda x: node("BatchToSpace", 2, [x] +
                           [np.array(part, np.int32) for part in (block, zero, zero)]),
            lambda x: blocks.batch_to_space(x, block, zero, zero), note="The controls are i32.")

    def dilated(x):
        wide = node("SpaceToBatch", 2, [x, i64(1, 1, 4), i64(0, 0, 1), i64(0, 0, 2)])
        return node("BatchToSpace", 2, [wide, i64(1, 1, 4), i64(0, 0, 1), i64(0, 0, 2)])

    yield exact("blocks/there_and_back", [counting(2, 3, 5)], dilated, lambda x: x)
