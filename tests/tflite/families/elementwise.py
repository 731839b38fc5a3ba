# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, functions, comparisons and types."""
import numpy as np
from casebook import Case, Const, Port, codes, i32, many, normal, single, source, uniform
from writer import RELU, RELU6, RELU_N1_TO_1, Model

ALL = ("f32", "i8", "u8", "i16")
HALF, UNIT = 1 / 256, 1 / 128


def _pair(label, *shapes):
    return [normal(f"{label}{index}", *shape) for index, shape in enumerate(shapes)]


def _binary():
    for name in ("ADD", "SUB", "MUL"):
        low = name.lower()
        yield from single(f"{low}", name, _pair(low, (2, 3, 5), (2, 3, 5)), ALL)
        yield from single(f"{low}_rows", name, _pair(low, (2, 3, 5), (5,)), ("f32", "i8"))
        yield from single(f"{low}_const", name,
                          [normal(low, 1, 7, 3), Const(normal(low + "c", 3), True)], ("f32", "i8"))
        for act, text in ((RELU, "relu"), (RELU6, "relu6"), (RELU_N1_TO_1, "relu1")):
            yield from single(f"{low}_{text}", name, _pair(low + text, (4, 9), (4, 9)),
                              ("f32", "i8"), act=act)
    yield from single("add_scalar", "ADD", [normal("as", 3, 4), Const(np.float32(1.5), True)])
    yield from single("add_outer", "ADD", _pair("outer", (4, 1, 3), (1, 5, 1)))
    yield from single("add_rank5", "ADD", _pair("five", (1, 2, 1, 3, 5), (1, 2, 1, 3, 5)))
    numbers = source("ints")
    left, right = (numbers.integers(-50, 50, (3, 5)).astype(np.int32) for _ in range(2))
    right[right == 0] = 7
    for name in ("ADD", "SUB", "MUL", "FLOOR_DIV", "FLOOR_MOD", "MAXIMUM", "MINIMUM",
                 "SQUARED_DIFFERENCE", "DIV"):
        yield from single(f"integers_{name.lower()}", name, [left, right], ("i32",))
    yield from single("div", "DIV", [normal("dx", 2, 5), uniform("dy", 0.5, 3, 2, 5)], ("f32",))
    yield from single("div_const", "DIV", [normal("dx", 2, 5), Const(uniform("dc", 0.5, 3, 5))],
                      ("f32",), act=RELU)
    for name in ("FLOOR_DIV", "FLOOR_MOD"):
        yield from single(f"{name.lower()}", name,
                          [normal("fx", 2, 5, scale=5), uniform("fy", 0.5, 3, 2, 5)], ("f32",))
    tenths = np.concatenate([np.arange(-40, 41) / 10, [1e9, -1e9, np.inf, -np.inf]]).astype(np.float32)
    for divisor in (0.1, -0.3):
        yield from single(f"floor_div_by_{divisor}", "FLOOR_DIV", [tenths, Const(np.float32(divisor))], ("f32",))
    yield from single("pow", "POW", [uniform("px", 0.1, 3, 2, 5), normal("py", 2, 5)], ("f32",))
    yield from single("pow_const", "POW", [normal("p2", 2, 5), Const(np.float32(2))], ("f32",))
    yield from single("squared_difference", "SQUARED_DIFFERENCE", _pair("sd", (3, 5), (3, 5)))
    yield from single("add_n", "ADD_N", _pair("an", (3, 5), (3, 5), (3, 5)), ("f32",))
    for name in ("MAXIMUM", "MINIMUM"):
        x = normal(name, 3, 7)
        yield from single(name.lower(), name, [x, x[::-1].copy()], ALL, quantised="x")
        yield from single(f"{name.lower()}_const", name, [normal(name, 3, 7), Const(np.float32(.5))],
                          ("f32",))


def _functions():
    x = np.concatenate([normal("unary", 40, scale=2), [0, -0.0, 0.5, -0.5, 2.5, 6, 9]])
    x = x.astype(np.float32).reshape(1, 47)
    positive = uniform("positive", 0.05, 5, 2, 9)
    for name in ("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1"):
        yield from single(name.lower(), name, [x], ("f32", "i8"))
    yield from single("hard_swish", "HARD_SWISH", [x], ("f32", "i8"))
    yield from single("leaky_relu", "LEAKY_RELU", [x], ("f32", "i8", "i16"), alpha=0.1)
    yield from single("leaky_relu_steep", "LEAKY_RELU", [x], ("f32", "i8"), alpha=1.5)
    yield from single("prelu", "PRELU", [normal("pr", 1, 3, 5, 4), Const(normal("slope", 4), True)])
    yield from single("prelu_full", "PRELU", [normal("pr", 1, 3, 5, 4), normal("sl", 1, 3, 5, 4)])
    for name in ("ELU", "ABS", "NEG", "FLOOR", "CEIL", "ROUND", "SIGN", "SIN", "COS", "SQUARE"):
        kinds = {"ELU": ("f32", "i8"), "ABS": ("f32", "i8")}.get(name, ("f32",))
        yield from single(name.lower(), name, [x], kinds)
    yield from single("exp", "EXP", [normal("e", 3, 9)], ("f32", "i8"))
    yield from single("gelu", "GELU", [x], ("f32", "i8"))
    yield from single("gelu_tanh", "GELU", [x], ("f32", "i8"), approximate=True)
    yield from single("logistic", "LOGISTIC", [x], ALL,
                      quantised={"i8": (HALF, -128), "u8": (HALF, 0), "i16": (1 / 32768, 0)})
    yield from single("tanh", "TANH", [x], ALL,
                      quantised={"i8": (UNIT, 0), "u8": (UNIT, 128), "i16": (1 / 32768, 0)})
    for name in ("LOG", "SQRT", "RSQRT"):
        yield from single(name.lower(), name, [positive], ("f32", "i8"))
    integers = np.arange(-6, 6, dtype=np.int32).reshape(3, 4)
    for name in ("ABS", "NEG", "SIGN"):
        yield from single(f"{name.lower()}", name, [integers], ("i32",))
    for rank in (1, 2, 3, 4, 5):
        shape = (1, 2, 3, 1, 5)[5 - rank:]
        yield from single(f"relu_rank{rank}", "RELU", [normal("rank", *shape)], ("f32", "i8"))


def _compare():
    left = normal("cmp", 3, 5)
    right = left[::-1].copy()  # the same scale: LiteRT rescales codes of other scales coarsely
    for name in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
        yield from single(name.lower(), name, [left, right], ("f32", "i8"), outs=("bool",))
        yield from single(f"{name.lower()}", name, [i32(1, 2, 3), Const(i32(3, 2, 1))], ("i32",),
                          outs=("bool",))
    yield from single("less_scalar", "LESS", [left, Const(np.float32(0))], ("f32",), outs=("bool",))
    first, second = left > 0, right > 0
    for name in ("LOGICAL_AND", "LOGICAL_OR"):
        yield from single(name.lower(), name, [first, second], ("bool",), outs=("bool",))
    yield from single("logical_not", "LOGICAL_NOT", [first], ("bool",), outs=("bool",))
    yield from single("select_v2", "SELECT_V2", [first, left, right], ("f32",))
    yield from single("select_v2_rows", "SELECT_V2", [first[:, :1].copy(), left, right[0]], ("f32",))
    yield from single("select", "SELECT", [first, left, right], ("f32",))
    yield from single("select_rows", "SELECT", [first[:, 0].copy(), left, right], ("f32",))
    yield from single("select_codes", "SELECT_V2", [first, left, left[::-1].copy()], ("i8",),
                      quantised="x")
    yield from single("select_integers", "SELECT_V2", [np.array([True, False]), i32(1, 2), i32(3, 4)],
                      ("i32",))


def _types():
    x = np.array([[-2.7, -0.5, 0, 0.5, 1.5, 99.9]], np.float32)
    whole = i32(-3, -1, 0, 1, 127)
    for kind in ("i32", "i64", "i8", "u8", "i16", "bool"):
        values = np.abs(x) if kind == "u8" else x
        yield from single(f"cast_to_{kind}", "CAST", [values], ("f32",), outs=(kind,))
        yield from single(f"cast_from_{kind}", "CAST", [_as(whole, kind)], (kind,), outs=("f32",))
    yield from single("cast_i64_to", "CAST", [whole.astype(np.int64)], ("i32",), outs=("i32",))
    x = normal("quantize", 3, 41)
    for kind, q in (("i8", (0.02, -7)), ("u8", (0.02, 100)), ("i16", (1e-4, 0))):
        yield from _quantize(f"quantize_{kind}", x, None, (kind, q))
        yield from _quantize(f"dequantize_{kind}", x, (kind, q), None)
    yield from _quantize("requantize_i8_i8", x, ("i8", (0.02, -7)), ("i8", (0.03, 5)))
    yield from _quantize("requantize_i8_u8", x, ("i8", (HALF, -128)), ("u8", (HALF, 0)))
    yield from _quantize("requantize_u8_i8", x, ("u8", (HALF, 3)), ("i8", (HALF, -125)))
    yield from _quantize("requantize_i16_i8", x, ("i16", (1e-4, 0)), ("i8", (0.02, 3)))
    yield from _quantize("requantize_i32_i8", x, ("i32", (1e-5, 0)), ("i8", (0.02, 3)))
    yield from _quantize("requantize_i8_i16", x, ("i8", (0.02, 3)), ("i16", (1e-4, 0)))
    yield from many(_dequantized_long(), _scaled_output())
    yield from single("half_weights", "DEQUANTIZE", [Port(normal("hw", 2, 3).astype(np.float16))],
                      ("f32",), outs=("f32",))
    yield from single("zeros_like", "ZEROS_LIKE", [normal("zl", 2, 3)], ("f32",))
    yield from single("fake_quant", "FAKE_QUANT", [normal("fq", 2, 9)], ("f32",), min=-1.0, max=1.5,
                      num_bits=8)


def _as(values, kind):
    dtype = {"bool": np.bool_, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "i64": np.int64,
             "i32": np.int32}[kind]
    return values.astype(dtype)


def _dequantized_long():
    """Wide codes. No runtime has the operator for them; the schema defines the numbers."""
    for kind in ("i32", "i64"):
        for is_constant in (False, True):
            wide = np.array([3, 4, 100, 120], kind.replace("i", "int"))
            model = Model()
            graph = model.graph()
            x = graph.tensor(kind, wide.shape, wide if is_constant else None, "x0", scale=0.5, zero=1)
            y = graph.tensor("f32", wide.shape, name="y0")
            graph.op("DEQUANTIZE", [x], [y], 2)
            graph.inputs, graph.outputs = [] if is_constant else [x], [y]
            yield Case(f"dequantize_{kind}{'_constant' if is_constant else ''}", model,
                       [] if is_constant else [wide],
                       answers=[((wide - 1) * 0.5).astype(np.float32)],
                       note="(code - zero point) * scale")


def _scaled_output():
    """An output is a constant of integers with a scale."""
    model = Model()
    graph = model.graph()
    x, y = (graph.tensor("f32", [2, 3], name=name) for name in ("x0", "y0"))
    graph.op("ABS", [x], [y])
    graph.inputs = [x]
    graph.outputs = [y, graph.tensor("i32", data=i32(4, 5), name="y1", scale=0.5)]
    yield Case("constant_output_scaled", model, [normal("scaled", 2, 3)])


def _quantize(path, x, before, after):
    """QUANTIZE or DEQUANTIZE between two types; None is f32."""
    model = Model()
    graph = model.graph()
    made = []
    for name, q in (("x0", before), ("y0", after)):
        made.append(graph.tensor(q[0] if q else "f32", x.shape, name=name,
                                 **(dict(scale=q[1][0], zero=q[1][1]) if q else {})))
    graph.op("QUANTIZE" if after else "DEQUANTIZE", made[:1], made[1:], version=2 if before else 1)
    graph.inputs, graph.outputs = made[:1], made[1:]
    yield Case(path, model, [codes(x, before[0], before[1]) if before else x])


def cases():
    return many(_binary(), _functions(), _compare(), _types())
