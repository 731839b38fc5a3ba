# SPDX-License-Identifier: Apache-2.0
"""Feeds complete sequences through a model that processes some time steps per run."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from weft._errors import Error

if TYPE_CHECKING:
    from weft._model import Model, Port

_Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True)
class _Time:
    """The time axis of a port. ``own``: only the sequence has the axis, not the array of a run."""

    axis: int
    positions: int  # elements along the axis in one run
    own: bool = False


def fed(model: Model, arrays: list[_Array], axis: int, check_finite: bool) -> list[_Array]:
    """Returns the outputs of all runs, concatenated along time; without time, those of the last run."""
    note = model._streamed
    if note is not None:
        inputs = _noted(note["inputs"])
        outputs = _noted(note["outputs"])
    else:
        inputs = [_given(port, array, axis) for port, array in zip(model.inputs, arrays)]
        own = any(time is not None and time.own for time in inputs)
        outputs = [_Time(axis, 1, True) if own else _of_port(port, axis) for port in model.outputs]
    runs = _run_count(model, arrays, inputs)
    results = [model._run([_part(array, time, i) for array, time in zip(arrays, inputs)],
                          check_finite, i)
               for i in range(runs)]
    return [_joined([result[i] for result in results], time)
            for i, time in enumerate(outputs)]


def _noted(rows: list[dict[str, Any]]) -> list[_Time | None]:
    return [_Time(row["axis"], row["positions"]) if "axis" in row else None for row in rows]


def _of_port(port: Port, axis: int) -> _Time | None:
    return _Time(axis, port.shape[axis]) if -len(port.shape) <= axis < len(port.shape) else None


def _given(port: Port, array: _Array, axis: int) -> _Time | None:
    """Returns the time axis of an array; None if it has the port's shape and is the same in each run."""
    rank = len(port.shape)
    if array.ndim == rank + 1 and -array.ndim <= axis < array.ndim:
        return _Time(axis, 1, True)
    if array.shape == tuple(port.shape):
        return None
    return _of_port(port, axis)


def _run_count(model: Model, arrays: list[_Array], times: list[_Time | None]) -> int:
    counts = {}
    for port, array, time in zip(model.inputs, arrays, times):
        if time is None:
            continue
        if not -array.ndim <= time.axis < array.ndim:
            raise Error(f'weft: feed: input "{port.name}": has rank {array.ndim}; must have time axis '
                        f"{time.axis}")
        length = array.shape[time.axis]
        if time.positions == 0 or length % time.positions != 0 or length == 0:
            raise Error(f'weft: feed: input "{port.name}": has {length} steps on axis {time.axis}; '
                        f"must have a multiple of {time.positions}, at least one")
        counts[port.name] = length // time.positions
    if len(set(counts.values())) > 1:
        text = ", ".join(f'"{name}" {count}' for name, count in counts.items())
        raise Error(f"weft: feed: inputs have arrays for different numbers of runs: {text}; must be "
                    "the same")
    return next(iter(counts.values()), 1)


def _part(array: _Array, time: _Time | None, run: int) -> _Array:
    if time is None:
        return array
    if time.own:
        return np.take(array, run, axis=time.axis)
    positions = range(run * time.positions, (run + 1) * time.positions)
    return np.take(array, positions, axis=time.axis)


def _joined(parts: list[_Array], time: _Time | None) -> _Array:
    if time is None:
        return parts[-1]
    return np.stack(parts, time.axis) if time.own else np.concatenate(parts, time.axis)
