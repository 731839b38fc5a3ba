# SPDX-License-Identifier: Apache-2.0
"""FakeConvert: values of an 8-bit float, halfway cases, subnormals, limits, scales and shifts of
every shape.

The NumPy reference rounds to f16 first, as OpenVINO's CPU device and its reference implementation
do, and then to multiples of the last bit. (The reference implementation truncates subnormals; the
CPU device rounds them.)"""

import numpy as np

from build import node
from casebook import Case, by_numpy, exact, normal, sizes, uniform

# fraction bits, exponent of the smallest normal number, maximum
FORMATS = {"f8e4m3": (3, -6, 448.0), "f8e5m2": (2, -14, 57344.0)}


def rounded(x, kind):
    """Rounds x (f32) to the nearest value of the format, ties to even, clamped to its maximum."""
    bits, least, greatest = FORMATS[kind]
    x = np.clip(np.asarray(x, np.float32), -greatest, greatest)
    x = np.asarray(x.astype(np.float16), np.float64)
    exponent = np.maximum(np.frexp(x)[1] - 1, least)
    unit = np.ldexp(1.0, exponent - bits)
    return (np.rint(x / unit) * unit).astype(np.float32)


def _faked(x, scale, shift, kind):
    scale, shift = np.asarray(scale, np.float32), np.asarray(shift, np.float32)
    return ((rounded(x * scale - shift, kind) + shift) / scale).astype(np.float32)


def _case(path, x, kind, scale, shift=None, computed=False, **more):
    given = [scale] + ([] if shift is None else [shift])

    def graph(x, *ports):
        return node("FakeConvert", 13, [x, *(ports or given)], destination_type=kind)

    return Case(f"fake_convert/{kind}_{path}", [x, *given] if computed else [x], graph,
                reference=lambda x, *_: _faked(x, scale, 0 if shift is None else shift, kind),
                **{"rtol": 1e-6, "atol": 1e-6, **more})


def numbers(kind):
    """All nonnegative values of the format."""
    bits, least, greatest = FORMATS[kind]
    subnormal = [np.ldexp(float(i), least - bits) for i in range(2**bits)]
    normals = [np.ldexp(1 + i / 2**bits, e) for e in range(least, 16) for i in range(2**bits)]
    return np.array([x for x in subnormal + normals if x <= greatest], np.float32)


def _halves_too(kind):
    """All nonnegative values of the format and their midpoints."""
    one = numbers(kind)
    return np.concatenate([one, (one[1:] + one[:-1]) / 2]).astype(np.float32)


def _neighbours(x):
    """The next lower and higher float of each value."""
    return np.concatenate([np.nextafter(x, np.float32(np.inf)), np.nextafter(x, np.float32(-np.inf))])


def _with_signs(x):
    x = x[np.abs(x) >= np.finfo(np.float32).tiny]
    return np.concatenate([x, -x, [0]]).astype(np.float32)


ONE = np.ones(1, np.float32)


def cases():
    for kind, (_, least, greatest) in FORMATS.items():
        every = _halves_too(kind)
        small = every <= 2.0**least
        yield _case("every_number", _with_signs(np.concatenate([every, _neighbours(every[~small])])),
                    kind, ONE, rtol=0, atol=0)
        yield _case("beside_subnormals", _with_signs(_neighbours(every[small])), kind, ONE, rtol=0, atol=0,
                    **by_numpy("OpenVINO's CPU device makes 2^-15 of the float before 2^-16 on some "
                               "processors and 2^-16 on others."))
        far = np.array([greatest, greatest * 1.03, greatest * 1.2, 1e6, 3e38, np.inf, 1e-30, 1e-20,
                        2.0**least, 2.0**(least - 5)], np.float32)
        yield _case("limits", np.concatenate([far, -far]), kind, ONE, rtol=0, atol=0)
        for shape, part in (((), ()), ((7,), ()), ((2, 3, 4, 5), (1, 3, 1, 1)), ((3, 17), (17,)),
                            ((2, 3, 5), (2, 1, 5)), ((0, 3), (1,))):
            label = f"{sizes(shape)}_by_{sizes(part)}"
            scale = np.asarray(uniform(label + "s", 0.5, 3, *part), np.float32)
            yield _case(label, np.asarray(normal(label, *shape)) * 4, kind, scale)
        yield _case("shift", normal("fcs", 2, 3, 7) * 9, kind,
                    np.array([[0.5], [2], [4]], np.float32),
                    np.array([[0.25], [-1], [3]], np.float32))
        yield _case("computed_scale_and_shift", normal("fcc", 3, 5) * 9, kind,
                    np.full((3, 1), 2, np.float32), np.full((3, 1), 0.75, np.float32), True)
    yield _case("nan", np.array([np.nan, 1, -np.nan], np.float32), "f8e4m3", ONE,
                **by_numpy("A NaN stays one; OpenVINO's CPU device makes 448 of it."))
