# SPDX-License-Identifier: Apache-2.0
"""ScatterUpdate, ScatterElementsUpdate, ScatterNDUpdate and SliceScatter."""

import numpy as np

import either
from build import node
from casebook import (NARROW, Case, by_numpy, counting, exact, flags, i64, integers, normal,
                      recurrent, sizes)
from loops import both
from reference.iterate import forward

FUNCTIONS = {
    "none": lambda a, b: b,
    "sum": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "prod": lambda a, b: a * b,
    "min": np.minimum,
    "max": np.maximum,
    "mean": lambda a, b: a + b,
}


def _numbers(label, *shape):
    """Small integers, so that float sums and products are exact."""
    return integers(label, -4, 5, *shape).astype(np.float32)


def _updated(x, i, updates, axis):
    y = x.copy()
    for at in np.ndindex(i.shape):  # in order: the last update wins
        y[(slice(None),) * axis + (int(i[at]),)] = updates[(slice(None),) * axis + at]
    return y


def _rows(path, x, i, axis=0, known=True, **more):
    updates = (100 + counting(*x.shape[:axis], *i.shape, *x.shape[axis + 1:])).astype(x.dtype)

    def graph(x, updates, index=i):
        return node("ScatterUpdate", 3, [x, index, updates, np.int64(axis)])

    def reference(x, updates, index=i):
        return _updated(x, index, updates, axis)

    return exact(f"scatter/rows_{path}", [x, updates] if known else [x, updates, i], graph,
                 reference, **more)


def _all_rows():
    for path, shape, axis, known, i in (
            ("one", (7, ), 0, True, i64(4)), ("run", (3, 7), 1, True, i64(1, 3, 5)),
            ("mixed", (2, 7, 3), 1, True, i64(6, 0, 5, 2, 3)),
            ("all_mixed", (6, 3), 0, True, i64(3, 5, 1, 0, 4, 2)),
            ("only", (1, 5), 0, True, i64(0)),
            ("square", (9, 2), 0, True, np.array([[0, 8, 2], [5, 4, 7]], np.int32)),
            ("computed", (2, 7, 3), 1, False, np.array([5], np.int32)),
            ("several_computed", (2, 7, 3), 1, False, i64(5, 0, 5, 2))):
        yield _rows(f"{path}_{sizes(shape)}_axis_{axis}", counting(*shape), i, axis, known)
    yield _rows("equal", counting(5, 3), i64(1, 3, 1, 1, 0), note="The last of equal ones stays.")
    scalar = by_numpy("OpenVINO's CPU device throws at a scalar index.")
    yield _rows("scalar", counting(7, 2), np.array(3), **scalar)
    yield _rows("computed_scalar", counting(7, 2), np.array(3), 0, False, **scalar)
    yield exact("scatter/rows_out_of_range", [counting(7, 2), counting(3, 2), i64(7, -1, 2)],
                lambda x, updates, i: node("ScatterUpdate", 3, [x, i, updates, np.int64(0)]),
                lambda x, updates, i: np.concatenate([x[:2], updates[2:], x[3:]]),
                note="A computed index out of range, which a negative one is, writes nothing.",
                **by_numpy("OpenVINO writes outside the tensor by such an index."))
    yield _rows("i64", counting(5, 2, dtype=np.int64) << 40, i64(3, 0), **NARROW)

    def twice(x, updates):
        written = node("ScatterUpdate", 3, [x, i64(2), updates, np.int64(0)])
        return node("Add", 1, [x, written])

    yield exact("scatter/rows_beside_the_data", [counting(5, 3), counting(1, 3)], twice,
                lambda x, updates: x + _updated(x, i64(2), updates, 0),
                note="The data is read again afterwards.")


def _first_place(written, row):
    if isinstance(row, np.ndarray):
        return _updated(written, i64(0), row, 0)
    return node("ScatterUpdate", 3, [written, i64(0), row, np.int64(0)])


def _last_state():
    """A list of one element, into which each iteration writes its state."""
    def body(slices, states, _):
        following = either.tanh(either.add(slices[0], states[0]))
        return [following, _first_place(states[1], following)], []

    graph, reference = both(body, [forward(0)], 2, [(1, None)])
    yield recurrent("scatter/list_of_one",
                    [normal("list_x", 7, 2, 5), normal("list_h", 1, 2, 5), np.zeros((1, 2, 5),
                                                                                   np.float32)],
                    graph, reference, note="What a recurrent layer writes that returns its last "
                    "state alone.")


def _combined(y, hits, place, update, reduction, with_data):
    fresh = hits[place] == 0 and not with_data
    with np.errstate(all="ignore"):
        y[place] = update if fresh else FUNCTIONS[reduction](y[place], update)
    hits[place] += 1


def _mean(y, hits, with_data):
    return np.where(hits > 0, y / np.maximum(hits + with_data, 1), y)


def _elements_of(x, i, updates, axis, reduction="none", with_data=True):
    y, hits = x.copy(), np.zeros(x.shape, np.int64)
    for at in np.ndindex(i.shape):
        place = list(at)
        place[axis] = int(i[at]) % x.shape[axis]
        _combined(y, hits, tuple(place), updates[at], reduction, with_data or reduction == "none")
    return _mean(y, hits, with_data).astype(x.dtype) if reduction == "mean" else y


def _elements(path, x, i, updates, axis=-1, opset=12, reduction="none", with_data=True, **more):
    given = {} if opset == 3 else {"reduction": reduction, "use_init_val": with_data}
    return Case(f"scatter/elements_{path}", [x, updates],
                lambda x, updates: node("ScatterElementsUpdate", opset,
                                        [x, i, updates, np.int64(axis)], **given),
                reference=lambda x, updates: _elements_of(x, i, updates, axis, reduction,
                                                          with_data), **more)


def _all_elements():
    data = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    i, updates = i64(0, 0, -1, 1, 1, 1).reshape(2, 3), counting(2, 3) * 3 + 2
    for reduction, with_data in (("sum", True), ("sum", False), ("prod", True), ("min", False),
                                 ("max", True), ("mean", True), ("mean", False)):
        label = f"{reduction}{'' if with_data else '_of_updates'}"
        yield _elements(label, data, i, updates, 1, 12, reduction, with_data)
    for shape, indices, axis in (((7, 4), (9, 4), 0), ((2, 5, 3), (2, 4, 3), -2),
                                 ((3, 5, 4), (2, 3, 3), 0)):
        label = f"{sizes(shape)}_by_{sizes(indices)}"
        places = integers(label, -shape[axis], shape[axis], *indices)
        yield _elements(f"3_{label}", counting(*shape), places,
                        100 + counting(*indices), axis, 3, rtol=0, atol=0)
    for reduction, kind in (("none", np.int32), ("sum", np.int64)):
        places = integers(f"es_{reduction}", -5, 5, 2, 4, 3, dtype=kind)
        yield exact(f"scatter/elements_computed_{reduction}",
                    [_numbers("esx", 2, 5, 3), _numbers("esu", 2, 4, 3), places],
                    lambda x, updates, i, reduction=reduction: node(
                        "ScatterElementsUpdate", 12, [x, i, updates, np.int64(1)],
                        reduction=reduction, use_init_val=True),
                    lambda x, updates, i, reduction=reduction: _elements_of(
                        x, i, updates, 1, reduction))
    for reduction, with_data, kind in (
            ("mean", True, np.float32), ("mean", False, np.float32), ("sum", False, np.float32),
            ("prod", False, np.int32), ("min", False, np.float32), ("max", False, np.int32),
            ("min", False, np.uint8), ("max", False, np.int64)):
        label = f"{reduction}{'' if with_data else '_of_updates'}_{np.dtype(kind).name}"
        places = integers(f"ec_{label}", -5, 5, 2, 6, 3)
        yield Case(f"scatter/elements_computed_{label}",
                   [integers("ecx" + label, 1, 9, 2, 5, 3, dtype=kind),
                    integers("ecu" + label, 1, 9, 2, 6, 3, dtype=kind), places],
                   lambda x, updates, i, reduction=reduction, with_data=with_data: node(
                       "ScatterElementsUpdate", 12, [x, i, updates, np.int64(1)],
                       reduction=reduction, use_init_val=with_data),
                   reference=lambda x, updates, i, reduction=reduction, with_data=with_data:
                   _elements_of(x, i, updates, 1, reduction, with_data), rtol=1e-6, atol=0)
    for reduction, with_data, axis in (("none", True, 1), ("sum", True, 0), ("mean", False, -1)):
        places = integers(f"ep_{reduction}", -3, 3, 2, 3, 2, dtype=np.int64)
        yield Case(f"scatter/elements_computed_part_{reduction}",
                   [_numbers("epx", 3, 4, 3), _numbers("epu", 2, 3, 2), places],
                   lambda x, updates, i, reduction=reduction, with_data=with_data, axis=axis: node(
                       "ScatterElementsUpdate", 12, [x, i, updates, np.int64(axis)],
                       reduction=reduction, use_init_val=with_data),
                   reference=lambda x, updates, i, reduction=reduction, with_data=with_data,
                   axis=axis: _elements_of(x, i, updates, axis, reduction, with_data),
                   rtol=1e-6, atol=0)
    yield Case("scatter/elements_computed_mean_of_one", [normal("ecm", 4), normal("ecmu", 1), i64(2)],
               lambda x, updates, i: node("ScatterElementsUpdate", 12, [x, i, updates, np.int64(0)],
                                          reduction="mean", use_init_val=True),
               reference=lambda x, updates, i: _elements_of(x, i, updates, 0, "mean"))
    yield exact("scatter/elements_computed_sum_boolean",
                [flags("ecb", 3, 4), flags("ecbu", 3, 6), integers("ecbi", 0, 4, 3, 6)],
                lambda x, updates, i: node("ScatterElementsUpdate", 12, [x, i, updates, np.int64(1)],
                                           reduction="sum", use_init_val=False),
                lambda x, updates, i: np.where(
                    (np.arange(4) == i[..., None]).any(1),
                    ((np.arange(4) == i[..., None]) & updates[..., None]).any(1), x))
    same = np.zeros((3, 4), np.int32)
    yield _elements("max_u8", integers("es_u8", 0, 256, 3, 5, dtype=np.uint8), same,
                    integers("eu_u8", 0, 256, 3, 4, dtype=np.uint8), 1, 12, "max", rtol=0, atol=0)
    x, more = flags("eb_sum", 3, 5), flags("ebu_sum", 3, 4)
    wanted = x.copy()
    wanted[:, 0] |= more.any(1)
    yield exact("scatter/elements_sum_boolean", [x, more],
                lambda x, more: node("ScatterElementsUpdate", 12, [x, same, more, np.int64(1)],
                                     reduction="sum", use_init_val=True),
                lambda x, more: wanted)
    many = integers("em", 0, 3, 5, 40)
    yield _elements("sum_of_many", normal("emx", 5, 3), many, normal("emu", 5, 40), 1, 12, "sum")


def _narrow_indices():
    """Indices of types that no step accepts."""
    for kind, known in ((np.uint8, True), (np.uint8, False), (np.int8, True), (np.int8, False)):
        low, label = (0 if kind == np.uint8 else -5), f"{np.dtype(kind).name}_{known}".lower()
        places = integers(f"en_{label}", low, 5, 2, 4, 3, dtype=kind)
        inputs = [_numbers("enx", 2, 5, 3), _numbers("enu", 2, 4, 3)]
        yield exact(f"scatter/elements_of_{label}", inputs if known else [*inputs, places],
                    lambda x, updates, i=places: node(
                        "ScatterElementsUpdate", 12, [x, i, updates, np.int64(1)],
                        reduction="sum", use_init_val=True),
                    lambda x, updates, i=places: _elements_of(x, i, updates, 1, "sum"))
        yield _rows(f"of_{label}", counting(7, 3), np.array([5, 0, 2], kind), 0, known)


def _tuples_of(x, i, updates, reduction):
    y = x.copy()
    for at in np.ndindex(i.shape[:-1]):
        y[tuple(i[at])] = FUNCTIONS[reduction](y[tuple(i[at])], updates[at])
    return y


def _tuples(path, x, i, reduction="none", opset=15, known=True, **more):
    shape = i.shape[:-1] + x.shape[i.shape[-1]:]
    updates = _numbers(f"{path}_updates", *shape).astype(x.dtype)
    given = {} if opset == 4 else {"reduction": reduction}

    def graph(x, updates, index=i):
        return node("ScatterNDUpdate", opset, [x, index, updates], **given)

    def reference(x, updates, index=i):
        return _tuples_of(x, index, updates, reduction)

    return exact(f"scatter/nd_{path}", [x, updates] if known else [x, updates, i], graph, reference,
                 **more)


def _all_tuples():
    for shape, indices, opset, known in (((7, 3), (4, 1), 4, True), ((4, 5, 3), (6, 2), 15, True),
                                         ((4, 5), (2, 3, 2), 4, True), ((5, 2), (1, ), 15, True),
                                         ((7, 3), (4, 1), 15, False),
                                         ((4, 5, 3), (6, 2), 4, False)):
        label = f"{sizes(shape)}_by_{sizes(indices)}"
        i = np.stack([integers(f"{label}_{at}", -dim, dim, *indices[:-1], dtype=np.int64)
                      for at, dim in enumerate(shape[:indices[-1]])], -1)
        yield _tuples(f"{opset}_{'' if known else 'computed_'}{label}", counting(*shape), i,
                      opset=opset, known=known)
    equal = i64(1, 3, 1, 1, 0, 3).reshape(6, 1)
    for reduction, known in (("none", True), ("sub", True), ("sub", False), ("prod", True)):
        yield _tuples(f"{reduction}_equal{'' if known else '_computed'}", _numbers("nd_equal", 5, 3),
                      equal, reduction, known=known)


def _one_of_a_list():
    """A single index tuple without batch axes, with an update of shape [1]."""
    for known in (True, False):
        yield exact(f"scatter/nd_list_of_one{'' if known else '_computed'}",
                    [counting(5), np.array([9], np.float32), *([] if known else [i64(3)])],
                    lambda x, update, i=i64(3): node("ScatterNDUpdate", 4, [x, i, update]),
                    lambda x, update, i=i64(3): np.where(np.arange(5) == 3, update, x),
                    **by_numpy("OpenVINO's CPU device wants a scalar, which its reference does not."))


def _slices():
    far = 2**31 - 1
    rows = [  # name, shape, start, stop, step, axes, index expression
        ("columns", (7, 17), [-5], [-1], [1], [1], np.s_[:, -5:-1]),
        ("backward", (7, 5), [5], [-6], [-1], [0], np.s_[5:1:-1]),
        ("two_axes", (5, 6, 7), [2, 4], [7, 0], [3, -2], [2, 0], np.s_[4:0:-2, :, 2:7:3]),
        ("default_axes", (5, 6, 7), [1, 0], [4, 6], [1, 2], None, np.s_[1:4, 0:6:2]),
        ("all", (4, 3), [0], [far], [1], [0], np.s_[:]),
    ]
    for name, shape, start, stop, step, axes, index in rows:
        given = [i64(*part) for part in (start, stop, step, axes) if part is not None]
        x = counting(*shape)

        def reference(x, updates, index=index):
            y = x.copy()
            y[index] = updates
            return y

        yield exact(f"scatter/slice_{name}", [x, 1000 + counting(*x[index].shape)],
                    lambda x, updates, given=given: node("SliceScatter", 15, [x, updates, *given]),
                    reference)


def cases():
    for part in (_all_rows, _last_state, _all_elements, _narrow_indices, _all_tuples,
                 _one_of_a_list, _slices):
        yield from part()
