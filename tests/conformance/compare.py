# SPDX-License-Identifier: Apache-2.0
"""The rule for equality of two arrays, which README.md states for other test runners."""

import numpy as np


def difference(actual, expected, rtol, atol):
    """Returns "" if `actual` matches, else one line that describes the difference."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.dtype != expected.dtype:
        return f"type is {actual.dtype}; must be {expected.dtype}"
    if actual.shape != expected.shape:
        return f"shape is {actual.shape}; must be {expected.shape}"
    if expected.dtype.kind != "f" or (rtol == 0 and atol == 0):
        wrong = ~((actual == expected) | _both_nan(actual, expected))
    else:
        wrong = ~_close(actual.astype(np.float64), expected.astype(np.float64), rtol, atol)
    if not wrong.any():
        return ""
    where = tuple(int(axis[0]) for axis in np.nonzero(np.atleast_1d(wrong)))
    return (f"{int(wrong.sum())} of {wrong.size} elements differ, first at {where}: "
            f"{np.atleast_1d(actual)[where]!r}; must be {np.atleast_1d(expected)[where]!r}")


def _both_nan(actual, expected):
    if expected.dtype.kind != "f":
        return np.zeros(expected.shape, bool)
    return np.isnan(actual) & np.isnan(expected)


def _close(actual, expected, rtol, atol):
    finite = np.isfinite(expected)
    with np.errstate(invalid="ignore"):
        near = np.abs(actual - expected) <= np.maximum(atol, rtol * np.abs(expected))
    return np.where(finite, near, (actual == expected) | _both_nan(actual, expected))
