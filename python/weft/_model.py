# SPDX-License-Identifier: Apache-2.0
"""A converted model that runs on this machine, bit for bit as it does on a device."""
from __future__ import annotations

import dataclasses
import os
import pathlib
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from weft import _core
from weft._errors import Error
from weft._ir import Files, InMemory

_Bytes = bytes  # Model has a property of that name

# Element types for which NumPy has no name: views show their bits (bf16) or their packed bytes.
_WITHOUT_DTYPE = {"bf16": "uint16", "i4": "uint8", "u4": "uint8"}


@dataclasses.dataclass(frozen=True)
class Port:
    """An input or output.

    ``shape`` counts elements; ``run_time_axis`` is the axis whose length only a run tells, if any:
    ``shape`` then shows the most it can be. ``type`` is the IR's word, such as ``"f32"``.
    """

    name: str
    names: tuple[str, ...]
    type: str
    shape: tuple[int, ...]
    run_time_axis: int | None


@dataclasses.dataclass(frozen=True)
class Source:
    """What a model was converted from, for weft.compare.

    ``rerun`` converts it again, with further outputs: those of layers by id and port.
    """

    ir: Files | InMemory
    shapes: dict[str, list[int]]
    other_ports: bool  # streaming, values or states have changed what goes in or out
    rerun: Callable[[list[tuple[int, int]]], Model]


def _ports(rows: list[tuple[str, list[str], str, list[int], int | None]]) -> tuple[Port, ...]:
    return tuple(Port(name, tuple(names), kind, tuple(shape), axis)
                 for name, names, kind, shape, axis in rows)


class Model:
    """A model.weft and a state of its own. Made by :func:`weft.convert` or :func:`weft.load`.

    Variables stay from one call to the next: ``reset()`` begins a new sequence. Several threads may
    call one model; they wait for one another. Models of :meth:`streams` run side by side.
    """

    def __init__(self, stream: _core.Stream, source: Source | None = None) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._source = source
        self.inputs: tuple[Port, ...] = _ports(stream.inputs())
        self.outputs: tuple[Port, ...] = _ports(stream.outputs())

    def __repr__(self) -> str:
        def text(ports: tuple[Port, ...]) -> str:
            return ", ".join(f"{port.name} {port.type}{list(port.shape)}" for port in ports)
        return f"<weft.Model ({text(self.inputs)}) -> ({text(self.outputs)})>"

    @property
    def bytes(self) -> _Bytes:
        """The file, as ``save`` writes it."""
        return self._stream.file()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model.weft."""
        pathlib.Path(path).write_bytes(self.bytes)

    def save_c(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as C for firmware: ``path``, which ends in .c, and the header beside it.

        The two hold the file's bytes, memory of the right size, names of ports and the list of the
        kernels that the model takes. The file's stem begins their names.
        """
        source = pathlib.Path(path)
        if source.suffix != ".c":
            raise Error(f"{source}: is the C source's path; must end in .c")
        header_text, source_text = self._stream.c_source(source.stem)
        source.write_bytes(source_text)
        source.with_suffix(".h").write_bytes(header_text)

    def __call__(self, *arrays: npt.ArrayLike) -> Any:
        """Runs once with one array for each input, in their order.

        Arrays have the shapes of ``inputs``. Gives the output's array, or a tuple of several.
        """
        if len(arrays) != len(self.inputs):
            raise Error(f"weft: call: has {len(arrays)} arrays; must have one for each of the "
                        f"{len(self.inputs)} inputs: {_names(self.inputs)}")
        outputs = self._run(list(arrays))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def run(self, inputs: Mapping[str | int, npt.ArrayLike]) -> dict[str, npt.NDArray[Any]]:
        """Runs once with arrays by any name of their input, or its index.

        Gives copies of the outputs by their first names; an axis of run-time length has its length
        of this run.
        """
        return dict(zip((port.name for port in self.outputs), self._run(self._arranged(inputs))))

    def input_view(self, port: str | int) -> npt.NDArray[Any]:
        """The memory of an input, to be filled in place before ``run_in_place``; no copy is made."""
        return self._stream.input(_find(self.inputs, "input", port))

    def output_view(self, port: str | int) -> npt.NDArray[Any]:
        """The memory of an output, read-only: it holds the last run's values until the next."""
        return self._stream.output(_find(self.outputs, "output", port))

    def run_in_place(self) -> None:
        """Runs once with what lies in the views of all inputs, each of which must be filled again."""
        with self._lock:
            self._stream.run()

    def reset(self) -> None:
        """Gives all variables their initial values again."""
        with self._lock:
            self._stream.reset()

    @property
    def state(self) -> _Bytes:
        """All that is kept between runs. A state set again, here or in another stream of the same
        model, goes on from there."""
        with self._lock:
            return self._stream.state()

    @state.setter
    def state(self, saved: _Bytes) -> None:
        state = _as_array(_Bytes(memoryview(saved)))
        with self._lock:
            self._stream.set_state(state)

    def streams(self, count: int) -> list[Model]:
        """``count`` further models of the same file, each with a state of its own in its beginning.
        They share the file's bytes, and threads may run them at the same time."""
        if count < 0:
            raise Error(f"weft: streams: count is {count}; must be 0 or more")
        return [Model(self._stream.another(), self._source) for _ in range(count)]

    def __reduce__(self) -> tuple[Callable[[_Bytes, _Bytes], Model], tuple[_Bytes, _Bytes]]:
        """A copy, also in another process, goes on from this state by itself."""
        return _restored, (self.bytes, self.state)

    def _arranged(self, inputs: Mapping[str | int, npt.ArrayLike]) -> list[npt.ArrayLike]:
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

    def _run(self, arrays: list[npt.ArrayLike]) -> list[npt.NDArray[Any]]:
        with self._lock:
            self._fill(arrays)
            self._stream.run()
            return [np.array(self._stream.output(i)) for i in range(len(self.outputs))]

    def _fill(self, arrays: list[npt.ArrayLike]) -> None:
        """Checks all arrays before the first is copied."""
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
    if isinstance(name, int):
        if 0 <= name < len(ports):
            return name
    else:
        found = [i for i, port in enumerate(ports) if name in port.names]
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            raise Error(f'weft: {side} "{name}": is the name of {len(found)} {side}s; must be an '
                        "index, or another of their names")
    raise Error(f'weft: {side} "{name}": is not there; must be one of {_names(ports)}, or an index '
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
        raise Error(f'weft: input "{port.name}": is no array: {error}') from error


def load(file: str | os.PathLike[str] | bytes) -> Model:
    """Reads a model.weft: a path, or the file's bytes."""
    if isinstance(file, bytes):
        return Model(_core.Stream(_as_array(file), "model.weft"))
    try:
        data = pathlib.Path(file).read_bytes()
    except OSError as error:
        raise Error(f"{os.fspath(file)}: cannot be read: {error.strerror}") from error
    return Model(_core.Stream(_as_array(data), os.fspath(file)))


def _as_array(data: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8) if data else _EMPTY
