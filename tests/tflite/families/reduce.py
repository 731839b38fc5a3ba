# SPDX-License-Identifier: Apache-2.0
"""Reductions, pools, softmax and normalisations."""
import litert
import numpy as np
from casebook import Const, i32, many, normal, single, uniform
from writer import RELU, SAME, VALID

PROBABILITY = {"i8": (1 / 256, -128), "u8": (1 / 256, 0), "i16": (1 / 32768, 0)}


def _reductions():
    x = normal("reduce", 2, 4, 5, 3)
    for name in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"):
        low = name.lower().removeprefix("reduce_")
        # LiteRT's integer SUM with other scales is wrong.
        kinds = ("f32", "i8") if name != "SUM" and name != "REDUCE_PROD" else ("f32",)
        more = {"quantised": "x"} if "REDUCE" in name else {}
        yield from single(f"{low}_1_2", name, [x, Const(i32(1, 2))], kinds, keep_dims=True, **more)
        yield from single(f"{low}_drop", name, [x, Const(i32(1, 2))], kinds, **more)
        yield from single(f"{low}_last", name, [x, Const(i32(-1))], ("f32",), keep_dims=True)
        yield from single(f"{low}_rows", name, [x[0, 0], Const(i32(0))], ("f32",))
        yield from single(f"{low}_all", name, [x[0, 0], Const(i32(0, 1))], ("f32",))
        yield from single(f"{low}_twice", name, [x, Const(i32(3, -1, 1))], ("f32",))
    numbers = np.arange(12, dtype=np.int32).reshape(3, 4)
    for name in ("SUM", "REDUCE_MAX", "REDUCE_MIN"):
        yield from single(f"{name.lower()}_integers", name, [numbers, Const(i32(1))], ("i32",))
    flags = x[0, 0] > 0
    for name in ("REDUCE_ALL", "REDUCE_ANY"):
        yield from single(name.lower(), name, [flags, Const(i32(1))], ("bool",))
    for name in ("ARG_MAX", "ARG_MIN"):
        kinds = ("f32", "i8") if name == "ARG_MAX" else ("f32",)
        yield from single(f"{name.lower()}_last", name, [x, Const(i32(3))], kinds, outs=("i32",),
                          output_type=2)
        yield from single(f"{name.lower()}_axis1", name, [x, Const(np.array(1, np.int32))],
                          ("f32",), outs=("i64",), output_type=4)
    yield from single("topk", "TOPK_V2", [x, Const(np.array(2, np.int32))], ("f32",),
                      outs=("same", "i32"))
    for exclusive, reverse in ((0, 0), (1, 0), (0, 1), (1, 1)):
        yield from single(f"cumsum_{exclusive}{reverse}", "CUMSUM",
                          [x, Const(np.array(1, np.int32))], ("f32",),
                          exclusive=bool(exclusive), reverse=bool(reverse))


def _pools():
    for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"):
        low = name.lower().removesuffix("_2d")
        kinds = ("f32", "i8", "i16") if "L2" not in name else ("f32",)
        x = normal(low, 1, 7, 6, 3)
        for padding, text in ((SAME, "same"), (VALID, "valid")):
            yield from single(f"{low}_{text}", name, [x], kinds, quantised="x", padding=padding,
                              stride_w=1, stride_h=2, filter_width=2, filter_height=3)
        yield from single(f"{low}_relu", name, [normal(low, 2, 4, 4, 1)], kinds[:2], quantised="x",
                          padding=VALID, stride_w=2, stride_h=2, filter_width=2, filter_height=2,
                          act=RELU)
        yield from single(f"{low}_all", name, [normal(low, 1, 3, 5, 5)], kinds[:1], quantised="x",
                          padding=VALID, stride_w=1, stride_h=1, filter_width=5, filter_height=3)


def _normalisations():
    x = normal("softmax", 2, 3, 7, scale=3)
    yield from single("softmax", "SOFTMAX", [x], ("f32", "i8", "u8", "i16"), quantised=PROBABILITY,
                      beta=1.0)
    yield from single("softmax_beta", "SOFTMAX", [x[0]], ("f32", "i8"), quantised=PROBABILITY,
                      beta=0.5)
    yield from single("log_softmax", "LOG_SOFTMAX", [x[0]], ("f32", "i8"),
                      quantised={"i8": (16 / 256, 127)})
    yield from single("l2_normalization", "L2_NORMALIZATION", [x[0]], ("f32", "i8"),
                      quantised={"i8": (1 / 128, 0)})
    yield from single("l2_normalization_4d", "L2_NORMALIZATION", [normal("l2", 1, 2, 3, 4)],
                      ("f32",))
    for case in single("local_response", "LOCAL_RESPONSE_NORMALIZATION",
                       [uniform("lrn", 0, 2, 1, 2, 3, 8)], ("f32",), radius=2, bias=1.0, alpha=0.3,
                       beta=0.6):
        case.answers = litert.run(case.data, case.inputs, resolver=litert.OPTIMISED)
        case.note = "LiteRT's optimised kernel: the reference kernel omits the last neighbour."
        yield case


def cases():
    return many(_reductions(), _pools(), _normalisations())
