# SPDX-License-Identifier: Apache-2.0
"""Convert between f32, f16, bf16, f64, i64, i32, u8, i8 and boolean."""

import numpy as np

from build import node
from casebook import NARROW, by_numpy, exact, flags, integers, normal

NAMES = {
    "f32": np.float32, "f16": np.float16, "f64": np.float64, "i64": np.int64, "i32": np.int32,
    "u8": np.uint8, "i8": np.int8, "boolean": np.bool_
}


def to(kind):
    return lambda x: node("Convert", 1, [x], destination_type=kind)


def round_to_bf16(x):
    """Rounds f32 to the nearest bfloat16, ties to even, and returns it as f32."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16).astype(np.uint32).view(np.float32)


def _pairs():
    small = {
        "f32": np.round(normal("cf", 33) * 20),
        "f16": np.round(normal("ch", 33) * 20).astype(np.float16),
        "f64": np.round(normal("cd", 33) * 20).astype(np.float64),
        "i64": integers("cl", 0, 100, 33, dtype=np.int64), "i32": integers("ci", 0, 100, 33),
        "u8": integers("cu", 0, 256, 33,
                       dtype=np.uint8), "i8": integers("cb", -128, 128, 33,
                                                       dtype=np.int8), "boolean": flags("cB", 33)
    }
    for source, values in small.items():
        for target, dtype in NAMES.items():
            if source == target or target == "boolean":
                continue
            if target in ("u8", "i8") and source not in ("boolean",):
                values = np.clip(values, 0, 127)
            yield exact(f"convert/{source}_to_{target}", [values], to(target),
                        lambda x, dtype=dtype: x.astype(dtype))


def _boolean():
    yield exact("convert/f32_to_boolean",
                [np.array([0, -0.0, 1, -1, 0.3, -0.3, 256, 1e-20, 5], np.float32)], to("boolean"),
                lambda x: x != 0)
    yield exact("convert/i32_to_boolean", [np.array([0, 1, -1, 256, 65536, 2**31 - 1], np.int32)],
                to("boolean"), lambda x: x != 0)
    yield exact("convert/u8_to_boolean", [np.array([0, 1, 2, 255], np.uint8)], to("boolean"),
                lambda x: x != 0)
    yield exact("convert/i64_to_boolean", [np.array([0, 1, -1, 2**32, 2**40], np.int64)],
                to("boolean"), lambda x: x != 0, **NARROW)


def _rounding():
    fractions = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.99, -0.99, 7.999, -7.999, 1e9, -1e9],
                         np.float32)
    yield exact("convert/f32_to_i32_fractions", [fractions], to("i32"),
                lambda x: x.astype(np.int32), note="Fractions go toward zero.")
    yield exact("convert/f32_to_i64_large",
                [np.array([2.0**40, -(2.0**40), 2.0**62, 1.5, -1.5], np.float32)], to("i64"),
                lambda x: x.astype(np.int64), **NARROW)
    yield exact("convert/f32_to_u8_fractions",
                [np.array([0, 0.5, 0.99, 1.5, 2.5, 254.9, 255], np.float32)], to("u8"),
                lambda x: x.astype(np.uint8))
    halves = np.array(
        [1, 1.0004883, 1.0014648, 2049, 2051, 65504, 65519, -65504, 6.1e-5, 0.1, 1 / 3, 0, -0.0],
        np.float32)
    yield exact("convert/f32_to_f16_rounding", [halves], to("f16"), lambda x: x.astype(np.float16))
    yield exact("convert/f32_to_f16_to_f32", [normal("hf", 3, 17)], lambda x: to("f32")
                (to("f16")(x)), lambda x: x.astype(np.float16).astype(np.float32), **ROUNDS)
    yield exact("convert/f32_to_bf16_to_f32", [normal("bf", 3, 17) * 100], lambda x: to("f32")
                (to("bf16")(x)), round_to_bf16, **ROUNDS)
    yield exact("convert/i32_to_f32_large",
                [np.array([2**24 + 1, -(2**24) - 1, 2**31 - 1, -(2**31), 123456789], np.int32)],
                to("f32"), lambda x: x.astype(np.float32))
    yield exact("convert/i64_to_f32_large",
                [np.array([2**53 + 1, -(2**40) - 1, 2**62 + 12345], np.int64)], to("f32"),
                lambda x: x.astype(np.float32), **NARROW)
    yield exact("convert/i64_to_f64_large", [np.array([2**53 - 1, -(2**40) - 1, 7], np.int64)],
                to("f64"), lambda x: x.astype(np.float64), **NARROW)
    yield exact("convert/f64_to_f32_rounding",
                [np.array([1 / 3, 1e-10, 123456789.123, -2.5], np.float64)], to("f32"),
                lambda x: x.astype(np.float32))
    yield exact("convert/i64_to_i32_extremes", [np.array([0, 2**31 - 1, -(2**31), 77], np.int64)],
                to("i32"), lambda x: x.astype(np.int32))
    yield exact("convert/i32_to_i64_extremes", [np.array([0, 2**31 - 1, -(2**31), 77], np.int32)],
                to("i64"), lambda x: x.astype(np.int64))


ROUNDS = by_numpy("OpenVINO may drop the narrow type when it computes in f32.")


def _weights():
    """Constants of narrow types followed by a Convert, as in compressed models."""
    half = normal("wh", 17, 16).astype(np.float16)
    yield exact("convert/f16_constant", [normal("wx", 3, 17)], lambda x:
                (to("f32")(node("Add", 1, [half, half])), x),
                lambda x: [(half + half).astype(np.float32), x], **ROUNDS)
    bytes_ = integers("wb", -128, 128, 5, 7, dtype=np.int8)
    yield exact(
        "convert/i8_constant", [np.round(normal("wy", 5, 7) * 9)],
        lambda x: node("Add", 1, [x, node("Convert", 1, [bytes_], destination_type="f32")]),
        lambda x: x + bytes_.astype(np.float32))


def _promoted(path, a, b, kind, opset=14, **attributes):
    """ConvertPromoteTypes of two arrays to a NumPy type."""
    attributes = {"promote_unsafe": True, **attributes}
    return exact(f"convert/promote_{path}", [a, b],
                 lambda a, b: node("ConvertPromoteTypes", opset, [a, b], **attributes).outputs(),
                 lambda a, b: [a.astype(kind), b.astype(kind)])


def _promotions():
    """Two inputs converted to a type that can represent both."""
    pairs = [("f32", "i32", "f32"), ("i8", "f32", "f32"), ("i32", "i64", "i64"),
             ("u8", "i8", "i16"), ("u8", "i32", "i32"), ("i16", "i8", "i16"),
             ("boolean", "i32", "i32"), ("f32", "boolean", "f32"), ("i32", "i32", "i32")]
    for left, right, to in pairs:
        label = f"{left}_{right}"
        arrays = [flags(label, 3, 5) if kind == "boolean" else
                  integers(label + side, 0, 100, *shape).astype(KINDS[kind])
                  for side, kind, shape in (("l", left, (3, 5)), ("r", right, (2, 1)))]
        yield _promoted(label, *arrays, KINDS[to])
    scalar = np.array(3, np.int64)
    yield _promoted("pytorch_scalar", integers("pps", -9, 9, 4), scalar, np.int32,
                    pytorch_scalar_promotion=True)
    yield _promoted("scalar", integers("pns", -9, 9, 4), scalar, np.int64)
    yield _promoted("pytorch_scalar_of_float", np.array(2.5, np.float32), integers("pfs", -9, 9, 4),
                    np.float32, pytorch_scalar_promotion=True)


KINDS = {**NAMES, "i16": np.int16}


def cases():
    for part in (_pairs, _boolean, _rounding, _weights, _promotions):
        yield from part()
