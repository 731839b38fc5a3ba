# SPDX-License-Identifier: Apache-2.0
"""Movement, shapes and resizing."""
import numpy as np
from casebook import Case, Const, Port, i32, many, normal, single
from writer import Model


def _scalar(value):
    return Const(np.array(value, np.int32))


def _moved(path, name, items, kinds=("f32", "i8"), **more):
    """Codes keep their quantisation."""
    yield from single(path, name, items, kinds, quantised="x", **more)


def _shapes():
    x = normal("move", 2, 3, 4)
    yield from _moved("reshape", "RESHAPE", [x, Const(i32(4, -1))])
    yield from _moved("reshape_option", "RESHAPE", [x], ("f32",), new_shape=[6, 4])
    yield from _moved("reshape_rank5", "RESHAPE", [x, Const(i32(1, 2, 3, 2, 2))], ("f32",))
    yield from _moved("transpose", "TRANSPOSE", [x, Const(i32(2, 0, 1))])
    yield from _moved("transpose_4d", "TRANSPOSE", [normal("t4", 1, 3, 2, 5), Const(i32(0, 3, 1, 2))])
    yield from _moved("expand_dims", "EXPAND_DIMS", [x, _scalar(-2)])
    yield from _moved("squeeze", "SQUEEZE", [x[:1, :, :1]], squeeze_dims=[0])
    yield from _moved("squeeze_twice", "SQUEEZE", [x[:1, :, :1].copy()], ("f32",), squeeze_dims=[0, -3])
    yield from _moved("squeeze_all", "SQUEEZE", [x[:1, :, :1].copy()], ("f32",))
    yield from single("shape", "SHAPE", [x], ("f32",), outs=("i32",), out_type=2)
    yield from single("shape_i64", "SHAPE", [x], ("f32",), outs=("i64",), out_type=4)
    yield from single("rank", "RANK", [x], ("f32",), outs=("i32",))
    yield from single("range", "RANGE", [_scalar(1), _scalar(9), _scalar(3)], ("i32",))
    yield from single("fill", "FILL", [Const(i32(2, 3)), Port(np.array(1.5, np.float32))], ("f32",),
                      outs=("f32",))
    yield from single("broadcast_args", "BROADCAST_ARGS", [Const(i32(2, 1, 3)), Const(i32(5, 1))],
                      ("i32",))
    yield from _moved("broadcast_to", "BROADCAST_TO", [x[:, :1], Const(i32(5, 2, 3, 4))],
                      version=2)
    yield from single("one_hot", "ONE_HOT", [Port(i32(0, 2, 1, -1)), _scalar(3),
                                             Const(np.array(2.5, np.float32)),
                                             Const(np.array(-1, np.float32))],
                      ("f32",), outs=("f32",), axis=-1)
    yield from single("one_hot_first", "ONE_HOT", [Port(i32(0, 2, 1, 3)), _scalar(3),
                                                   Const(np.array(1, np.float32)),
                                                   Const(np.array(0, np.float32))],
                      ("f32",), outs=("f32",), axis=0)


def _joins():
    x, y = normal("jx", 2, 3, 4), normal("jy", 2, 5, 4)
    yield from _moved("concatenation", "CONCATENATION", [x, x[::-1].copy()], ("f32", "i8"), axis=-1)
    yield from single("concatenation_other", "CONCATENATION", [x, y], ("f32",), axis=1)
    yield from single("concatenation_const", "CONCATENATION", [x, Const(y)], ("f32",), axis=1)
    yield from _moved("pack", "PACK", [x, x[::-1].copy()], values_count=2, axis=1)
    yield from _moved("pack_last", "PACK", [x[0], x[1]], ("f32",), values_count=2, axis=-1)
    yield from _moved("unpack", "UNPACK", [x], outs=("same",) * 3, num=3, axis=1)
    yield from single("split", "SPLIT", [_scalar(2), x], ("f32",), outs=("f32",) * 2, num_splits=2)
    yield from single("split_negative", "SPLIT", [_scalar(-2), x], ("f32",), outs=("f32",) * 3,
                      num_splits=3)
    yield from _moved("split_v", "SPLIT_V", [y, Const(i32(1, -1, 2)), _scalar(1)],
                      outs=("same",) * 3, num_splits=3)


def _slices():
    x = normal("slice", 3, 5, 4)
    yield from _moved("slice", "SLICE", [x, Const(i32(1, 0, 1)), Const(i32(2, -1, 2))])
    every = [x, Const(i32(0, 1, 0)), Const(i32(3, 4, 4)), Const(i32(1, 2, 3))]
    yield from _moved("strided_slice", "STRIDED_SLICE", every)
    yield from _moved("strided_slice_masks", "STRIDED_SLICE", every, ("f32",), begin_mask=2,
                      end_mask=5)
    yield from _moved("strided_slice_back", "STRIDED_SLICE",
                      [x, Const(i32(-1, -1, -1)), Const(i32(-4, 0, -9)), Const(i32(-1, -2, -1))],
                      ("f32",))
    yield from _moved("strided_slice_shrink", "STRIDED_SLICE",
                      [x, Const(i32(1, 0, -1)), Const(i32(2, 5, 0)), Const(i32(1, 1, 1))],
                      shrink_axis_mask=5, end_mask=2)
    yield from _moved("strided_slice_new_axis", "STRIDED_SLICE",
                      [x, Const(i32(0, 0, 1)), Const(i32(0, 3, 4)), Const(i32(1, 1, 1))], ("f32",),
                      new_axis_mask=1)
    yield from _moved("strided_slice_ellipsis", "STRIDED_SLICE",
                      [x, Const(i32(0, 1)), Const(i32(0, 3)), Const(i32(1, 1))], ("f32",),
                      ellipsis_mask=1)
    yield from _moved("strided_slice_offset", "STRIDED_SLICE",
                      [x, Const(i32(1, 2, 0)), Const(i32(2, 2, 3)), Const(i32(1, 1, 1))], ("f32",),
                      offset=True)
    pads = Const(i32(0, 1, 2, 0, 1, 1).reshape(3, 2))
    yield from _moved("pad", "PAD", [x, pads], ("f32", "i8", "i16"))
    yield from _moved("pad_value", "PADV2", [x, pads, Const(np.array(1.5, np.float32))], ("f32",))
    for mode, text in ((0, "reflect"), (1, "symmetric")):
        yield from _moved(f"mirror_pad_{text}", "MIRROR_PAD", [x, pads], mode=mode)


def _run_time_slices():
    """The run computes the position, the file has the size."""
    x = normal("slice", 3, 5, 4)
    kinds = {(1, 0, 2): (1, 5, 2), (0, 0, 1): (3, -1, 1), (1, 2, 0): (2, 3, 4)}
    for number, (begin, size) in enumerate(kinds.items()):
        yield from _moved(f"slice_at_{number}", "SLICE", [x, Port(i32(*begin)), Const(i32(*size))])
    yield from _moved("strided_slice_offset_at", "STRIDED_SLICE",
                      [x, Port(i32(1, 0, 2)), Const(i32(2, 5, 1)), Const(i32(1, 1, 1))], offset=True)
    yield from single("slice_at_rank1", "SLICE", [x[0, 0], Port(i32(2)), Const(i32(2))], ("f32",))
    model = Model()
    graph = model.graph()
    rows, at = graph.tensor("f32", [4, 5], name="x0"), graph.tensor("i32", [1], name="x1")
    begin, part, y = graph.tensor("i32", [2]), graph.tensor("f32", [1, 5]), graph.tensor("f32", [1, 5], name="y0")
    graph.op("CONCATENATION", [at, graph.tensor("i32", data=i32(0))], [begin])
    graph.op("SLICE", [rows, begin, graph.tensor("i32", data=i32(1, 5))], [part])
    graph.op("MUL", [part, graph.tensor("f32", data=normal("factors", 5))], [y])
    graph.inputs, graph.outputs = [rows, at], [y]
    yield Case("slice_at_row", model, [normal("rows", 4, 5), i32(3)])


def _scattered_codes():
    """LiteRT adds codes, not numbers, and other elements are code 0."""
    model = Model()
    graph = model.graph()
    x, y = (graph.tensor("i8", shape, name=name, scale=0.1, zero=20) for name, shape in (("x0", [3, 2]), ("y0", [6, 2])))
    indices = graph.tensor("i32", data=i32(4, 1, 4).reshape(3, 1))
    graph.op("SCATTER_ND", [indices, x, graph.tensor("i32", data=i32(6, 2))], [y])
    graph.inputs, graph.outputs = [x], [y]
    return Case("scatter_nd_codes", model, [np.array([[25, 100], [30, -7], [12, 90]], np.int8)])


def _scaled_integers():
    """LiteRT ignores the scale of positions and extents."""
    x = normal("scaled", 3, 5, 4)
    scaled = [Const(i32(*values), scale=0.5) for values in ((2, 0), (1, 0, 1), (2, -1, 2), (6, -1))]
    yield from _moved("gather_scaled", "GATHER", [x, scaled[0]], axis=0)
    yield from single("gather_scaled_i16", "GATHER",
                      [x, Const(i32(2, 0).astype(np.int16), scale=0.5)], ("f32",), axis=0)
    yield from _moved("slice_scaled", "SLICE", [x, scaled[1], scaled[2]], ("f32",))
    yield from _moved("reshape_scaled", "RESHAPE", [x, scaled[3]], ("f32",))
    yield from single("tile_scaled", "TILE", [i32(3, 4, 5), Const(i32(2), scale=0.5)], ("i32",))
    yield from single("add_scaled", "ADD", [i32(3, 4), scaled[0]], ("i32",))
    yield from single("cast_scaled", "CAST", [scaled[0]], ("f32",), outs=("f32",))


def _gathers():
    x = normal("gather", 3, 5, 4)
    indices = Port(i32(2, 0, 2, 1).reshape(2, 2))
    yield from _moved("gather", "GATHER", [x, indices], axis=0)
    yield from _moved("gather_axis1", "GATHER", [x, indices], ("f32",), axis=1)
    yield from _moved("gather_scalar", "GATHER", [x, _scalar(1)], ("f32",), axis=-2)
    yield from _moved("gather_batch", "GATHER", [x, Port(i32(1, 4, 0).reshape(3, 1))], ("f32",),
                      axis=1, batch_dims=1)
    yield from _moved("gather_nd", "GATHER_ND", [x, Port(i32(2, 0, 1, 4).reshape(2, 2))])
    yield from single("scatter_nd", "SCATTER_ND", [Port(i32(4, 1, 4).reshape(3, 1)),
                                                   Port(normal("updates", 3, 2)), Const(i32(6, 2))],
                      ("f32",), outs=("f32",))
    yield _scattered_codes()
    yield from _moved("dynamic_update_slice", "DYNAMIC_UPDATE_SLICE",
                      [x, normal("update", 1, 2, 4), Port(i32(1, 4, 0))], ("f32",))
    yield from _moved("dynamic_update_slice_const", "DYNAMIC_UPDATE_SLICE",
                      [x, normal("update", 1, 2, 4), Const(i32(1, 2, 0))], ("f32",))
    yield from single("embedding_lookup", "EMBEDDING_LOOKUP",
                      [Port(i32(2, 0, 1, 2)), Const(normal("table", 3, 5))], ("f32",), outs=("f32",))
    yield from _moved("tile", "TILE", [x[:, :1, :2].copy(), Const(i32(1, 3, 2))])
    yield from _moved("reverse", "REVERSE_V2", [x, Const(i32(1))])
    yield from _moved("reverse_sequence", "REVERSE_SEQUENCE", [x, Port(i32(2, 5, 1))], ("f32",),
                      seq_dim=1, batch_dim=0)


def _blocks():
    x = normal("blocks", 1, 4, 6, 8)
    yield from _moved("depth_to_space", "DEPTH_TO_SPACE", [x], block_size=2)
    yield from _moved("space_to_depth", "SPACE_TO_DEPTH", [x], block_size=2)
    block, none = Const(i32(2, 2)), Const(np.zeros((2, 2), np.int32))
    yield from _moved("space_to_batch", "SPACE_TO_BATCH_ND", [x, block, none])
    yield from _moved("space_to_batch_pads", "SPACE_TO_BATCH_ND",
                      [x, Const(i32(2, 3)), Const(i32(1, 1, 0, 3).reshape(2, 2))])
    yield from _moved("batch_to_space", "BATCH_TO_SPACE_ND",
                      [normal("b2s", 4, 2, 3, 2), block, Const(i32(1, 0, 0, 1).reshape(2, 2))])
    yield from single("space_to_batch_3d", "SPACE_TO_BATCH_ND",
                      [x[:, :, 0].copy(), Const(i32(2)), Const(i32(0, 0).reshape(1, 2))], ("f32",))


def _resizes():
    for name, low in (("RESIZE_BILINEAR", "bilinear"),
                      ("RESIZE_NEAREST_NEIGHBOR", "nearest")):
        for size in ((6, 8), (2, 3), (5, 4)):
            for align, half in ((0, 0), (1, 0), (0, 1)):
                flags = {"align_corners": bool(align), "half_pixel_centers": bool(half)}
                path = f"{low}_{size[0]}x{size[1]}_{align}{half}"
                kinds = ("f32", "i8") if size == (6, 8) else ("f32",)
                yield from _moved(path, name, [normal(low, 1, 3, 4, 2), Const(i32(*size))], kinds,
                                  **flags)


def cases():
    return many(_shapes(), _joins(), _slices(), _run_time_slices(), _scaled_integers(), _gathers(), _blocks(), _resizes())
