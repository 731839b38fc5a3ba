# SPDX-License-Identifier: Apache-2.0
"""Windows of frames, in double precision."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from weft._errors import Error

_Numbers = npt.NDArray[np.float64]


def _cosines(*factors: float) -> Callable[[_Numbers], _Numbers]:
    return lambda t: sum((-1) ** k * a * np.cos(2 * np.pi * k * t) for k, a in enumerate(factors))


# Functions of the position in the window, from 0 to 1.
_WINDOWS: dict[str, Callable[[_Numbers], _Numbers]] = {
    "rectangular": np.ones_like,
    "bartlett": lambda t: 1 - np.abs(2 * t - 1),
    "hann": _cosines(0.5, 0.5),
    "sqrt_hann": lambda t: np.sin(np.pi * t),
    "hamming": _cosines(0.54, 0.46),
    "blackman": _cosines(0.42, 0.5, 0.08),
    "povey": lambda t: _cosines(0.5, 0.5)(t) ** 0.85,
    "vorbis": lambda t: np.sin(np.pi / 2 * np.sin(np.pi * t) ** 2),
}


def window(name: str | npt.ArrayLike, length: int, periodic: bool = True) -> _Numbers:
    """Returns the window of ``length`` samples.

    name: "hann", "hamming", "povey", ..., or an array of ``length`` numbers.
    periodic: the period is ``length``, as in librosa and in torch.stft; False: ``length - 1``, as in
      Kaldi and in np.hanning. "vorbis" is sampled between the two, at half positions.
    """
    if not isinstance(name, str):
        given = np.asarray(name, np.float64)
        if given.shape != (length,):
            raise Error(f"weft: frontends: window: has the shape {list(given.shape)}; must be "
                        f"[{length}]")
        return given
    if name not in _WINDOWS:
        raise Error(f'weft: frontends: window: is "{name}"; must be one of {", ".join(_WINDOWS)}')
    at = np.arange(length, dtype=np.float64)
    if name == "vorbis":
        return _WINDOWS[name]((at + 0.5) / length)
    return _WINDOWS[name](at / max(length if periodic else length - 1, 1))
