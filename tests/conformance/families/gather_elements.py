# SPDX-License-Identifier: Apache-2.0
"""GatherElements and GatherND: constant and computed indices of both types, also negative ones."""

import numpy as np

from build import node
from casebook import NARROW, by_numpy, counting, exact, flags, i64, integers, normal, sizes

BEYOND = "An index out of range gives zeros and must read nothing outside the tensor."
OUTSIDE = by_numpy("OpenVINO throws, or reads what lies outside the tensor.")


def _elements_of(x, i, axis):
    dim = x.shape[axis]
    inside = (i >= -dim) & (i < dim)
    return np.where(inside, np.take_along_axis(x, np.where(inside, i, 0), axis), x.dtype.type(0))


def _elements(path, x, i, axis, known=False, **more):
    def graph(x, index=i):
        return node("GatherElements", 6, [x, index], axis=axis)

    def reference(x, index=i):
        return _elements_of(x, index, axis)

    return exact(f"gather_elements/{path}", [x] if known else [x, i], graph, reference, **more)


def _all_elements():
    rows = [  # data, indices, axis, type of the indices
        ((3, 17), (3, 5), 1, np.int64),
        ((17, 3), (33, 3), 0, np.int32),
        ((2, 3, 4, 5), (2, 3, 1, 5), -2, np.int32),
    ]
    for shape, indices, axis, kind in rows:
        dim = shape[axis]
        label = f"{sizes(shape)}_by_{sizes(indices)}"
        i = integers(label, -dim, dim, *indices, dtype=kind)
        yield _elements(f"known_{label}", counting(*shape), i, axis, known=True)
        yield _elements(f"computed_{label}", counting(*shape), i, axis)
    last = np.broadcast_to(i64(4, 2, 0).reshape(3, 1, 1), (3, 1, 16)).copy()
    yield _elements("known_rows", counting(3, 5, 16), last, 1, known=True,
                    note="An index that is the same for all elements of a row.")
    beyond = np.array([[0, 5, -6], [4, -5, 2**31 - 1]], np.int32)
    yield _elements("out_of_range", counting(2, 5) + 1, beyond, 1, note=BEYOND, **OUTSIDE)
    i = integers("ge_types", 0, 5, 3, 2)
    yield _elements("boolean", flags("ge_boolean", 5, 2), i, 0)
    wide = integers("ge_i64", -2**62, 2**62, 5, 2, dtype=np.int64)
    yield _elements("i64", wide, i, 0, **NARROW)

    def best(x, y):
        top = node("TopK", 11, [x, np.int32(1)], axis=1, mode="max", sort="value",
                   index_element_type="i64")
        return node("GatherElements", 6, [y, top.output(1)], axis=1)

    yield exact("gather_elements/of_the_best",
                [np.round(normal("ge_best", 3, 17) * 9), counting(3, 17)], best,
                lambda x, y: np.take_along_axis(y, x.argmax(1)[:, None], 1),
                note="What stands where another tensor is greatest.")


def _tuples_of(x, i, batch_dims, opset):
    depth = i.shape[-1]
    batch = x.shape[:batch_dims]
    dims = x.shape[batch_dims:batch_dims + depth]
    rows = x.reshape((-1,) + x.shape[batch_dims:])
    tuples = i.reshape((len(rows),) + i.shape[batch_dims:])
    parts = []
    for row, part in zip(rows, tuples):
        inside = ((part >= -np.array(dims)) & (part < dims)).all(-1)
        taken = row[tuple(np.moveaxis(np.where(inside[..., None], part, 0), -1, 0))]
        parts.append(np.where(inside.reshape(inside.shape + (1,) * (taken.ndim - inside.ndim)),
                              taken, x.dtype.type(0)))
    if batch_dims > 1 and opset == 5:
        batch = (int(np.prod(batch)),)
    return np.stack(parts).reshape(batch + i.shape[batch_dims:-1] + x.shape[batch_dims + depth:])


def _tuples(path, x, i, batch_dims=0, opset=8, known=False, **more):
    def graph(x, index=i):
        return node("GatherND", opset, [x, index], batch_dims=batch_dims)

    def reference(x, index=i):
        return _tuples_of(x, index, batch_dims, opset)

    return exact(f"gather_elements/nd_{path}", [x] if known else [x, i], graph, reference, **more)


def _all_tuples():
    rows = [  # data, indices, batch_dims, version, known
        ((7, 3), (5, 1), 0, 8, False),
        ((5, 6, 3), (4, 2), 0, 8, False),
        ((5, 6, 3), (4, 2), 0, 5, True),
        ((3, 4, 5), (2, 2, 3), 0, 8, False),
        ((5, 4), (2,), 0, 8, True),
        ((3, 4, 5, 2), (3, 6, 2), 1, 8, False),
        ((2, 3, 5, 4), (2, 3, 2, 1), 2, 5, False),
        ((2, 3, 5, 4), (2, 3, 2, 1), 2, 8, True),
        ((2, 3, 5, 4), (2, 3, 2), 2, 8, False),
    ]
    for turn, (shape, indices, batch_dims, opset, known) in enumerate(rows):
        label = f"{sizes(shape)}_by_{sizes(indices)}"
        dims = shape[batch_dims:batch_dims + indices[-1]]
        columns = [integers(f"{label}_{at}", -dim, dim, *indices[:-1],
                            dtype=(np.int32, np.int64)[turn % 2]) for at, dim in enumerate(dims)]
        yield _tuples(f"{opset}_{'known' if known else 'computed'}_{label}", counting(*shape),
                      np.stack(columns, -1), batch_dims, opset, known)
    far = 2**31 - 1
    pairs = np.array([[0, 3], [2, 0], [-3, -4], [2, -4], [0, 4], [3, 0], [-4, 3], [far, -far],
                      [-1, 99]], np.int32)
    yield _tuples("out_of_range_pairs", counting(3, 4, 2) + 1, pairs, note=BEYOND, **OUTSIDE)
    yield _tuples("out_of_range_i64", counting(3, 4) + 1,
                  np.array([[2**40, 0], [2, 2**62], [-2**63, 1], [1, 1]], np.int64), note=BEYOND,
                  **OUTSIDE)
    some = np.array([[0, 2], [2, -1], [1, 1]], np.int32)
    yield _tuples("boolean", flags("nd_boolean", 3, 4), some)

    def last_steps(x, lengths):
        last = node("Subtract", 1, [lengths, np.int32(1)])
        return node("GatherND", 8, [x, node("Unsqueeze", 1, [last, i64(1)])], batch_dims=1)

    yield exact("gather_elements/nd_last_steps",
                [counting(3, 5, 4), np.array([5, 1, 3], np.int32)], last_steps,
                lambda x, lengths: x[np.arange(3), lengths - 1],
                note="The last valid step of each row of a batch.")


def cases():
    for part in (_all_elements, _all_tuples):
        yield from part()
