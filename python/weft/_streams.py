# SPDX-License-Identifier: Apache-2.0
"""Streams that share each run of a model that was converted with ``streams``."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from weft._errors import Error
from weft._model import Model, State, _array, _array_faults, _as_array


class Streams:
    """The streams of one engine of a model converted with ``weft.convert(..., streams=N)``.

    Each run processes a frame of up to N streams. Streams join and leave between runs. The results of a
    stream are bit-identical to those of the model without ``streams``, and do not depend on the other
    streams. Several objects of one model are several engines, which threads may run in parallel.
    """

    def __init__(self, model: Model) -> None:
        """Opens a new engine. Raises :class:`weft.Error` if the model was converted without
        ``streams``."""
        self._model, = model.streams(1)
        self._lock = self._model._lock
        self._stream = self._model._stream
        self.count: int = self._stream.lane_count()  #: streams per run
        self.state_bytes: int = self._stream.lane_bytes()  #: bytes of a saved stream
        self._used: set[int] = set()

    def __repr__(self) -> str:
        return f"<weft.Streams: {len(self._used)} of {self.count} in use>"

    @property
    def used(self) -> tuple[int, ...]:
        """The numbers of the streams that have joined and not left."""
        return tuple(sorted(self._used))

    def join(self, saved: bytes | None = None) -> int:
        """Begins a stream and returns its number, 0 to ``count - 1``.

        The stream starts with the initial state, or continues from one that ``state`` or ``leave``
        returned, here or in another engine of the same file.
        """
        with self._lock:
            free = [stream for stream in range(self.count) if stream not in self._used]
            if not free:
                raise Error(f"weft: join: all {self.count} streams are in use; must have a free one "
                            "(leave() frees one)")
            if saved is None:
                self._stream.reset_lane(free[0])
            else:
                self._load(free[0], saved)
            self._used.add(free[0])
            return free[0]

    def leave(self, stream: int) -> State:
        """Ends a stream and returns its state, from which it can join another engine."""
        with self._lock:
            state = self.state(stream)
            self._used.remove(stream)
            return state

    def state(self, stream: int) -> State:
        """All data that the stream keeps between runs."""
        with self._lock:
            self._check(stream)
            return State(self._stream.save_lane(stream), self._model.state_layout)

    def set_state(self, stream: int, saved: bytes) -> None:
        """Replaces the state of the stream by a saved one."""
        with self._lock:
            self._check(stream)
            self._load(stream, saved)

    def reset(self, stream: int) -> None:
        """Sets the variables of the stream to their initial values."""
        with self._lock:
            self._check(stream)
            self._stream.reset_lane(stream)

    def step(self, frames: Mapping[int, Any]) -> dict[int, Any]:
        """Runs once with the frames of some streams, by the number of the stream.

        A frame is what ``Model.run`` accepts: an array of the shape that the model has without
        ``streams``, so that its first extent is 1; of several inputs a tuple or a dictionary. Returns
        the output of each of these streams, or a tuple of several. Streams without a frame keep their
        state.
        """
        with self._lock:
            self._fill(frames)
            waiting = {stream: self._stream.save_lane(stream)
                       for stream in self._used if stream not in frames}
            try:
                self._stream.run()
            finally:
                for stream, saved in waiting.items():
                    self._stream.load_lane(stream, _as_array(saved))
            return {stream: self._outputs(stream) for stream in frames}

    def _check(self, stream: int) -> None:
        if stream not in self._used:
            used = ", ".join(map(str, self.used))
            raise Error(f"weft: stream {stream}: has not joined; must be one of the streams in use: "
                        f"{used or 'there are none'}")

    def _load(self, stream: int, saved: bytes) -> None:
        layout = getattr(saved, "layout", self._model.state_layout)
        if layout != self._model.state_layout:
            raise Error(f"weft: stream {stream}: state has layout {layout:016x}; must have "
                        f"{self._model.state_layout:016x}: it was saved from another model")
        state = bytes(memoryview(saved))
        if len(state) != self.state_bytes:
            raise Error(f"weft: stream {stream}: state is {len(state)} bytes; must be "
                        f"{self.state_bytes}")
        self._stream.load_lane(stream, _as_array(state))

    def _part(self, view: npt.NDArray[Any], stream: int) -> npt.NDArray[Any]:
        extent = len(view) // self.count
        return view[stream * extent:(stream + 1) * extent]

    def _fill(self, frames: Mapping[int, Any]) -> None:
        """Copies all frames to the inputs, after checking all of them."""
        if not isinstance(frames, Mapping):
            raise TypeError(f"weft: frames: is {type(frames).__name__}; must be a dict of frames by "
                            "stream")
        ports, copies, faults = self._model.inputs, [], []
        for stream, frame in frames.items():
            self._check(stream)
            for index, (port, array) in enumerate(zip(ports, self._model._arranged(frame))):
                view = self._part(self._stream.input(index), stream)
                given = _array(port, array)
                faults += [f"weft: stream {stream}: {line.removeprefix('weft: ')}"
                           for line in _array_faults(port, view, given)]
                copies.append((view, given))
        if faults:
            raise Error(faults)
        for view, given in copies:
            np.copyto(view, given, casting="same_kind")

    def _outputs(self, stream: int) -> Any:
        arrays = tuple(np.array(self._part(self._stream.output(index), stream))
                       for index in range(len(self._model.outputs)))
        return arrays[0] if len(arrays) == 1 else arrays
