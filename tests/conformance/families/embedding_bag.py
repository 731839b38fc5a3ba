# SPDX-License-Identifier: Apache-2.0
"""EmbeddingBagPacked, EmbeddingBagOffsets, EmbeddingSegmentsSum and SegmentMax, with constant bags
and with bags computed at run time."""

import numpy as np

from build import node
from casebook import (EXACT, NARROW, SINGLE, Case, by_numpy, counting, i64, integers, normal, sizes,
                      uniform)

UNSORTED = by_numpy("The document wants sorted segments, and OpenVINO's CPU device crashes on "
                    "others; they are summed in the order of the indices.")
BEHIND = by_numpy("The document allows an offset of the number of indices, an empty bag; "
                  "OpenVINO's CPU device reads behind the indices then.")


def _row(total, size, mean):
    return total / size if mean else total


def _bags(table, indices, numbers, bags, default=-1, weights=None, mean=False):
    """The sum of the rows of each bag; numbers[i] is the bag of indices[i]."""
    rows = [[] for _ in range(bags)]
    for place, (index, bag) in enumerate(zip(indices, numbers)):
        if 0 <= bag < bags:
            row = np.asarray(table[index], np.float64 if table.dtype.kind == "f" else np.int64)
            rows[bag].append(row * weights[place] if weights is not None else row)
    empty = table[default] if default >= 0 else np.zeros(table.shape[1:])
    made = [_row(sum(bag), len(bag), mean) if bag else empty for bag in rows]
    return np.array(made).reshape(bags, *table.shape[1:]).astype(table.dtype)


def _case(path, arrays, graph, reference, **more):
    whole = arrays[0].dtype.kind != "f"
    return Case(f"embedding_bag/{path}", arrays, graph, reference=reference,
                **{"rtol": EXACT if whole else SINGLE, "atol": EXACT if whole else SINGLE, **more})


def _given(names, constants, ports):
    """The inputs by name: constants, and the other inputs from the ports in order."""
    ports = iter(ports)
    return [constants[name] if name in constants else next(ports) for name in names]


# Packed

def _packed(path, table, indices, weights=None, opset=3, mean=False, known=True, **more):
    names = ["table", "indices"] + ([] if weights is None else ["weights"])
    constants = {"indices": indices} if known else {}
    values = (("table", table), ("indices", indices), ("weights", weights))
    arrays = [array for name, array in values if name in names and name not in constants]

    def graph(*ports):
        given = _given(names, constants, ports)
        if opset == 3:
            return node("EmbeddingBagPackedSum", 3, given)
        return node("EmbeddingBagPacked", 15, given, reduction="mean" if mean else "sum")

    def reference(*ports):
        given = dict(zip(names, _given(names, constants, ports)))
        numbers = np.repeat(np.arange(indices.shape[0]), indices.shape[1])
        chosen = given.get("weights")
        return _bags(given["table"], given["indices"].ravel(), numbers, len(indices),
                     weights=None if chosen is None else chosen.ravel(), mean=mean)

    return _case(f"packed_{path}", arrays, graph, reference, **more)


def _all_packed():
    table = normal("ebt", 7, 5)
    indices = integers("ebi", 0, 7, 3, 4, dtype=np.int64)
    yield _packed("sum_3", table, indices)
    yield _packed("weights_3", table, indices, normal("ebw", 3, 4))
    yield _packed("computed_3", table, indices.astype(np.int32), known=False)
    yield _packed("computed_weights_15", table, indices, normal("ebv", 3, 4), 15, known=False)
    yield _packed("mean_15", table, indices, opset=15, mean=True)
    yield _packed("computed_mean_15", table, indices, opset=15, mean=True, known=False)
    yield _packed("one_each", table, i64(3, 0, 6).reshape(3, 1))
    yield _packed("i32", integers("ebz", -50, 50, 7, 3), indices, integers("ebs", -3, 4, 3, 4))
    yield _packed("rows_of_one", normal("ebo", 40, 1), integers("ebn", 0, 40, 2, 33))
    yield _packed("no_bags", table, np.zeros((0, 3), np.int32), known=False)
    for shape in ((6, 2, 3), (6, 3, 1, 2)):
        label = sizes(shape)
        yield _packed(label, normal(label, *shape), integers(label, 0, 6, 2, 3), known=False)


# Offsets

def _offsets(path, table, indices, offsets, default=None, weights=None, opset=3, mean=False,
             computed=(), **more):
    values = {"table": table, "indices": indices, "offsets": offsets, "default": default,
              "weights": weights}
    names = [name for name, value in values.items() if value is not None]
    computed = ("table", "weights", *computed)
    constants = {name: values[name] for name in names if name not in computed}

    def graph(*ports):
        given = _given(names, constants, ports)
        if opset == 3:
            return node("EmbeddingBagOffsetsSum", 3, given)
        return node("EmbeddingBagOffsets", 15, given, reduction="mean" if mean else "sum")

    def reference(*ports):
        given = dict(zip(names, _given(names, constants, ports)))
        numbers = np.searchsorted(given["offsets"], np.arange(len(indices)), "right") - 1
        row = -1 if default is None else int(default)
        return _bags(given["table"], given["indices"], numbers, len(offsets), row,
                     given.get("weights"), mean)

    return _case(f"offsets_{path}", [values[name] for name in names if name in computed], graph,
                 reference, **more)


def _all_offsets():
    table = np.arange(1, 9, dtype=np.float32).reshape(4, 2)
    indices, offsets = i64(0, 1, 2, 3), i64(0, 2, 2)
    weights = np.arange(1, 5, dtype=np.float32)
    both = ("indices", "offsets")
    for known, computed in (("known", ()), ("computed_indices", ("indices",)), ("computed", both),
                            ("computed_offsets", ("offsets",))):
        yield _offsets(f"{known}_3", table, indices, offsets, computed=computed)
    for known, computed in (("known", ()), ("computed", both)):
        yield _offsets(f"{known}_default", table, indices, offsets, np.int64(1), computed=computed)
        yield _offsets(f"{known}_weights", table, indices, offsets, np.int64(1), weights,
                       computed=computed)
        yield _offsets(f"{known}_weights_no_default_15", table, indices, offsets, np.int64(-1),
                       weights, 15, computed=computed)
        yield _offsets(f"{known}_mean", table, indices, offsets, None, None, 15, True,
                       computed=computed)
        yield _offsets(f"{known}_mean_default", table, indices, offsets, np.int64(2), None, 15,
                       True, computed=computed)
    label = "long"
    many = integers(label, 0, 9, 23)
    starts = np.array([0, 3, 6, 6, 6, 7, 22], np.int32)
    wide = normal(label, 9, 2, 3)
    yield _offsets("runs_of_sizes", wide, many, starts, np.int32(8), normal("longw", 23))
    yield _offsets("runs_of_sizes_computed", wide, many, starts, np.int32(8), computed=both)
    yield _offsets("last_is_empty", table, indices, i64(0, 1, 4), **BEHIND)
    yield _offsets("i64", counting(4, 2, dtype=np.int64) << 40, indices, offsets, **NARROW)


# Segments

def _segments(path, table, indices, ids, count, default=None, weights=None, computed=(), **more):
    values = {"table": table, "indices": indices, "ids": ids, "count": np.array(count, ids.dtype),
              "default": default, "weights": weights}
    names = [name for name, value in values.items() if value is not None]
    computed = ("table", "weights", *computed)
    constants = {name: values[name] for name in names if name not in computed}

    def graph(*ports):
        return node("EmbeddingSegmentsSum", 3, _given(names, constants, ports))

    def reference(*ports):
        given = dict(zip(names, _given(names, constants, ports)))
        row = -1 if default is None else int(default)
        return _bags(given["table"], given["indices"], given["ids"], count, row,
                     given.get("weights"))

    return _case(f"segments_{path}", [values[name] for name in names if name in computed], graph,
                 reference, **more)


def _all_segments():
    table = np.arange(1, 9, dtype=np.float32).reshape(4, 2)
    indices, ids = i64(0, 1, 2), i64(0, 0, 2)
    for known, computed in (("known", ()), ("computed", ("indices", "ids"))):
        yield _segments(known, table, indices, ids, 4, computed=computed)
        yield _segments(f"{known}_default", table, indices, ids, 4, np.int64(3), computed=computed)
        yield _segments(f"{known}_weights", table, indices, ids, 4, np.int64(3),
                        np.array([2, -1, 3], np.float32), computed=computed)
    yield _segments("unsorted", normal("segu", 6, 3), integers("segi", 0, 6, 7),
                    np.array([2, 0, 2, 1, 0, 2, 4], np.int32), 5, np.int32(5), normal("segw", 7),
                    **UNSORTED)
    yield _segments("i32", integers("segt", -9, 9, 6, 3), integers("segj", 0, 6, 4),
                    np.array([1, 1, 1, 3], np.int32), 5)


# SegmentMax

def _greatest(data, ids, count, mode):
    low = np.finfo(data.dtype).min if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    y = np.full((count, *data.shape[1:]), low if mode == "LOWEST" else 0, data.dtype)
    for segment in range(count):
        rows = data[ids == segment]
        if len(rows):
            y[segment] = rows.max(0)
    return y


def _segment_max(path, data, ids, count=None, mode="ZERO", known=True, **more):
    def graph(data, ids=ids):
        given = [data, ids] + ([] if count is None else [np.array(count, ids_type)])
        return node("SegmentMax", 16, given, fill_mode=mode)

    ids_type = ids.dtype
    bags = int(ids[-1]) + 1 if count is None else count
    return _case(f"segment_max_{path}", [data] if known else [data, ids], graph,
                 lambda data, ids=ids: _greatest(data, ids, bags, mode), rtol=EXACT, atol=EXACT,
                 **more)


def _all_segment_max():
    data = -np.arange(1, 9, dtype=np.float32).reshape(4, 2)
    for mode in ("ZERO", "LOWEST"):
        yield _segment_max(f"known_{mode.lower()}", data, i64(0, 0, 2, 2), 4, mode)
        yield _segment_max(f"computed_{mode.lower()}", data, i64(0, 0, 2, 2), 4, mode, known=False)
        yield _segment_max(f"computed_i32_{mode.lower()}", integers("smi", -50, -9, 5, 3),
                           np.array([1, 1, 2, 2, 2], np.int32), 4, mode, known=False)
    yield _segment_max("count_of_ids", uniform("smc", -9, 9, 7, 2, 3),
                       np.array([0, 0, 0, 1, 1, 3, 5], np.int32))
    yield _segment_max("ids_beyond_count", data, i64(0, 1, 2, 3), 2)
    yield _segment_max("computed_ids_beyond_count", data, i64(0, 1, 2, 3), 2, known=False)
    yield _segment_max("rank_1", normal("sm1", 9), np.array([0, 0, 1, 1, 2, 2, 2, 4, 4]))
    infinite = np.array([[-np.inf], [-np.inf], [-1]], np.float32)
    for known in (True, False):
        yield _segment_max(f"infinite_{'known' if known else 'computed'}", infinite, i64(0, 0, 1),
                           3, "LOWEST", known,
                           **by_numpy("The greatest of minus infinities is one of them; OpenVINO's "
                                      "CPU device gives the lowest finite number."))


def cases():
    for part in (_all_packed, _all_offsets, _all_segments, _all_segment_max):
        yield from part()
