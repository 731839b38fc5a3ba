# SPDX-License-Identifier: Apache-2.0
"""A converted model that runs on this machine, bit-identical to a device."""
from __future__ import annotations

import dataclasses
import functools
import json
import operator
import os
import pathlib
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from weft import _core
from weft._arguments import arrays_by_port
from weft._errors import Error
from weft._feed import fed
from weft._ir import Files, InMemory

_Bytes = bytes  # Model has a property with this name

# Element types that NumPy does not have: views show their bits (bf16) or packed bytes.
_WITHOUT_DTYPE = {"bf16": "uint16", "i4": "uint8", "u4": "uint8"}


@dataclasses.dataclass(frozen=True)
class Port:
    """An input or output.

    ``shape`` is in elements. ``run_time_axis`` is the axis whose length is known only at run time, if
    any; ``shape`` then has its maximum. ``type`` is the name in the IR, such as ``"f32"``.
    """

    name: str
    names: tuple[str, ...]
    type: str
    shape: tuple[int, ...]
    run_time_axis: int | None


@dataclasses.dataclass(frozen=True)
class Source:
    """The source of a converted model, for weft.compare.

    ``rerun`` converts it again with additional outputs, given by layer id and port.
    """

    ir: Files | InMemory
    shapes: dict[str, list[int]]
    other_ports: bool  # streaming, values or states have changed the ports
    rerun: Callable[[list[tuple[int, int]]], Model]


def _ports(rows: list[tuple[str, list[str], str, list[int], int | None]]) -> tuple[Port, ...]:
    return tuple(Port(name, tuple(names), kind, tuple(shape), axis)
                 for name, names, kind, shape, axis in rows)


# All models of the process, whose locks are acquired before a fork.
_live: weakref.WeakSet[Model] = weakref.WeakSet()
_held_for_fork: list[Model] = []


def _before_fork() -> None:
    """Waits until no other thread runs a model, so that the child's states are those of complete runs."""
    for model in list(_live):
        model._lock.acquire()
        _held_for_fork.append(model)


def _after_fork_in_parent() -> None:
    while _held_for_fork:
        _held_for_fork.pop()._lock.release()


def _after_fork_in_child() -> None:
    """Releases all locks: the other threads do not exist in the child."""
    _held_for_fork.clear()
    for model in list(_live):
        model._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent,
                        after_in_child=_after_fork_in_child)


class State(_Bytes):
    """State bytes with the layout of the model from which they were saved."""

    layout: int

    def __new__(cls, saved: _Bytes, layout: int) -> State:
        state = super().__new__(cls, saved)
        state.layout = layout
        return state

    def __reduce__(self) -> tuple[type[State], tuple[_Bytes, int]]:
        return State, (_Bytes(self), self.layout)


class Model:
    """A model.weft file with its own state. Created by :func:`weft.convert` or :func:`weft.load`.

    Variables keep their values between calls; ``reset()`` begins a new sequence. Several threads may
    call one model; the calls run one after the other. Models of :meth:`streams` run in parallel.
    """

    def __init__(self, stream: _core.Stream, source: Source | None = None) -> None:
        self._stream = stream
        self._lock = threading.RLock()
        _live.add(self)
        self._source = source
        self.inputs: tuple[Port, ...] = _ports(stream.inputs())
        self.outputs: tuple[Port, ...] = _ports(stream.outputs())

    def __repr__(self) -> str:
        def text(ports: tuple[Port, ...]) -> str:
            return ", ".join(f"{port.name} {port.type}{list(port.shape)}" for port in ports)
        late = "".join(f", {name} delayed by {steps}" for name, steps in self.latency.items()
                       if steps)
        streamed = self._streamed
        streams = f" streams {streamed['steps']} step(s){late}" if streamed else ""
        return f"<weft.Model ({text(self.inputs)}) -> ({text(self.outputs)}){streams}>"

    @functools.cached_property
    def _streamed(self) -> dict[str, Any] | None:
        """The streaming facts of ``weft inspect --json``; None if the model was not converted to streaming."""
        note: dict[str, Any] | None = json.loads(self._stream.streamed())
        return note

    @functools.cached_property
    def latency(self) -> dict[str, int]:
        """The latency of each output in time steps, for a model converted with ``streaming``.

        Layers with look-ahead are delayed: the first ``latency`` steps of an output are warm-up and
        belong to no step of the input. Empty for other models.
        """
        note = self._streamed
        return {row["name"]: row["latency"] for row in note["outputs"]} if note else {}

    @property
    def bytes(self) -> _Bytes:
        """The file, as ``save`` writes it."""
        return self._stream.file()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model.weft."""
        pathlib.Path(path).write_bytes(self.bytes)

    def save_c(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as C for firmware: ``path``, which ends in .c, and a header next to it.

        They contain the file's bytes, memory of the required size, port names and the list of the
        kernels that the model uses. All names start with the file's stem.
        """
        source = pathlib.Path(path)
        if source.suffix != ".c":
            raise Error(f"{source}: is the C source's path; must end in .c")
        header_text, source_text = self._stream.c_source(source.stem)
        source.write_bytes(source_text)
        source.with_suffix(".h").write_bytes(header_text)

    def __call__(self, *arrays: npt.ArrayLike) -> Any:
        """Runs once with one array for each input, in order.

        Arrays have the shapes of ``inputs``. Returns the output's array, or a tuple of several.
        """
        if len(arrays) != len(self.inputs):
            raise Error(f"weft: call: has {len(arrays)} arrays; must have one for each of the "
                        f"{len(self.inputs)} inputs: {_names(self.inputs)}")
        outputs = self._run(list(arrays))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def run(self, inputs: Mapping[str | int, npt.ArrayLike] | Any, *,
            check_finite: bool = False) -> dict[str, npt.NDArray[Any]]:
        """Runs once with arrays by any name of their input, or by its index; a tuple has one array
        for each input.

        Returns copies of the outputs by their first names; an axis of run-time length has the length
        of this run. ``check_finite`` raises :class:`weft.Error` at the first NaN or infinity in an
        output or variable; the state then has the values of this run.
        """
        outputs = self._run(self._arranged(inputs), check_finite)
        return dict(zip((port.name for port in self.outputs), outputs))

    def feed(self, *arrays: Any, axis: int = 0, check_finite: bool = False) -> Any:
        """Feeds sequences through the model, run by run, and concatenates the outputs along time.

        Pass one array for each input, in order, or a dictionary. The state is kept, so the next call
        continues. A model converted with ``streaming`` has known time axes: the length of an array
        along such an axis is a multiple of that of one run. An input without time is passed once. For
        other models, such as those converted with ``states``, ``axis`` is the time axis of inputs and
        outputs: arrays of the port's rank are split into runs along it; arrays with one more axis
        have one run for each of its indices.

        Returns the output's array, or a tuple of several; an output without time is that of the last
        run. Outputs are delayed by ``latency``. ``check_finite`` is that of :meth:`run`; the error
        has the index of the run.
        """
        given: Any = arrays[0] if len(arrays) == 1 else arrays
        by_port = arrays_by_port("feed", given, self.inputs)
        joined = fed(self, [np.asarray(array) for array in self._arranged(by_port)], axis,
                     check_finite)
        return joined[0] if len(joined) == 1 else tuple(joined)

    def input_view(self, port: str | int) -> npt.NDArray[Any]:
        """The memory of an input, to fill in place before ``run_in_place``, without a copy."""
        return self._stream.input(_find(self.inputs, "input", port))

    def output_view(self, port: str | int) -> npt.NDArray[Any]:
        """The memory of an output, read-only; it has the values of the last run until the next."""
        return self._stream.output(_find(self.outputs, "output", port))

    def run_in_place(self) -> None:
        """Runs once with the contents of all input views; fill each view again before every run."""
        with self._lock:
            self._stream.run()

    def reset(self) -> None:
        """Resets all variables to their initial values."""
        with self._lock:
            self._stream.reset()

    @functools.cached_property
    def state_layout(self) -> int:
        """Identifies the layout of ``state``: variables with their types, shapes and offsets.
        Models of the same layout can exchange their states."""
        return self._stream.state_layout()

    @property
    def state(self) -> _Bytes:
        """All data that is kept between runs. Assign a saved state, here or in another stream of the
        same model, to continue from it."""
        with self._lock:
            return State(self._stream.state(), self.state_layout)

    @state.setter
    def state(self, saved: _Bytes) -> None:
        layout = getattr(saved, "layout", self.state_layout)
        if layout != self.state_layout:
            raise Error(f"weft: state: has layout {layout:016x}; must have {self.state_layout:016x}: "
                        "it was saved from a model with other variables")
        state = _as_array(_Bytes(memoryview(saved)))
        with self._lock:
            self._stream.set_state(state)

    def streams(self, count: int) -> list[Model]:
        """Returns ``count`` additional models of the same file, each with its own initial state.
        They share the file's bytes, and threads may run them in parallel."""
        if count < 0:
            raise Error(f"weft: streams: count is {count}; must be 0 or more")
        return [Model(self._stream.another(), self._source) for _ in range(count)]

    def __reduce__(self) -> tuple[Callable[[_Bytes, _Bytes], Model], tuple[_Bytes, _Bytes]]:
        """Supports pickle and copy: a copy continues independently from this state."""
        return _restored, (self.bytes, self.state)

    def _arranged(self, given: Any) -> list[npt.ArrayLike]:
        inputs = arrays_by_port("inputs", given, self.inputs)
        arrays: dict[int, npt.ArrayLike] = {}
        for name, array in inputs.items():
            port = _find(self.inputs, "input", name)
            if port in arrays:
                raise Error(f'weft: input "{name}": is given twice; must be given once')
            arrays[port] = array
        missing = [port for i, port in enumerate(self.inputs) if i not in arrays]
        if missing:
            raise Error([f'weft: input "{port.name}": is missing; must be given'
                         for port in missing])
        return [arrays[i] for i in range(len(self.inputs))]

    def _run(self, arrays: list[npt.ArrayLike], check_finite: bool = False,
             run: int | None = None) -> list[npt.NDArray[Any]]:
        with self._lock:
            self._fill(arrays)
            if check_finite:
                self._stream.run_checked(run)
            else:
                self._stream.run()
            return [np.array(self._stream.output(i)) for i in range(len(self.outputs))]

    def _fill(self, arrays: list[npt.ArrayLike]) -> None:
        """Copies all arrays to the inputs, after checking all of them."""
        views = [self._stream.input(i) for i in range(len(self.inputs))]
        given = [_array(port, array) for port, array in zip(self.inputs, arrays)]
        faults = [fault for port, view, array in zip(self.inputs, views, given)
                  for fault in _array_faults(port, view, array)]
        if faults:
            raise Error(faults)
        for view, array in zip(views, given):
            np.copyto(view, array, casting="same_kind")


_EMPTY = np.zeros(0, np.uint8)


def _restored(file: bytes, state: bytes) -> Model:
    model = load(file)
    model.state = state
    return model


def _names(ports: tuple[Port, ...]) -> str:
    return ", ".join(f'"{port.name}"' for port in ports)


def _find(ports: tuple[Port, ...], side: str, name: str | int) -> int:
    if isinstance(name, SupportsIndex):
        if 0 <= (index := operator.index(name)) < len(ports):
            return index
    else:
        found = [i for i, port in enumerate(ports) if name in port.names]
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            raise Error(f'weft: {side} "{name}": is the name of {len(found)} {side}s; must be an '
                        "index, or another of their names")
    raise Error(f'weft: {side} "{name}": does not exist; must be one of {_names(ports)}, or an index '
                f"below {len(ports)}")


def _array_faults(port: Port, view: npt.NDArray[Any], array: npt.NDArray[Any]) -> list[str]:
    must = port.type + (f" ({_WITHOUT_DTYPE[port.type]} in NumPy)"
                        if port.type in _WITHOUT_DTYPE else "")
    faults = []
    if not np.can_cast(array.dtype, view.dtype, "same_kind"):
        faults.append(f'weft: input "{port.name}": is {array.dtype}; must be {must}')
    elif array.dtype.kind in "iu" and view.dtype.kind in "iu" and array.size:
        range_ = np.iinfo(view.dtype)
        for value in (int(array.min()), int(array.max())):
            if not range_.min <= value <= range_.max:
                faults.append(f'weft: input "{port.name}": holds {value}; must be {range_.min} to '
                              f"{range_.max}")
    if array.shape != view.shape:
        faults.append(f'weft: input "{port.name}": has shape {list(array.shape)}; must have '
                      f"{list(view.shape)}")
    return faults


def _array(port: Port, given: npt.ArrayLike) -> npt.NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError as error:
        raise Error(f'weft: input "{port.name}": is not an array: {error}') from error


def load(file: str | os.PathLike[str] | bytes) -> Model:
    """Loads a model.weft file from a path or from its bytes."""
    if isinstance(file, bytes):
        return Model(_core.Stream(_as_array(file), "model.weft"))
    try:
        data = pathlib.Path(file).read_bytes()
    except OSError as error:
        raise Error(f"{os.fspath(file)}: cannot be read: {error.strerror}") from error
    return Model(_core.Stream(_as_array(data), os.fspath(file)))


def _as_array(data: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8) if data else _EMPTY
