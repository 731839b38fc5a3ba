# SPDX-License-Identifier: Apache-2.0
"""The front end in integers of TensorFlow Lite's library "microfrontend", which micro_speech and
microWakeWord use. Its stages are operations of weft with the version "weft", which OpenVINO cannot
run."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from weft._errors import Error
from weft.frontends._graph import Stage, ints, openvino, ops, over_time, padded, part
from weft.frontends._spectrum import Frames

_FILTER_BITS = 12
_NOISE_BITS = 14
_RATIO_BITS = 12
_TABLE = 125  # numbers of the table of gains
_MIN_FFT = 1 << _FILTER_BITS // 2
_MAX_LOG_SCALE = 1024  # logarithms of 32 bits times this are i16


@functools.cache
def _operation(name: str) -> Any:
    """Returns the class of an operation of weft: inputs, types and shapes of outputs, attributes."""
    module = openvino()
    info = module.DiscreteTypeInfo(name, "weft")

    class Operation(module.Op):
        def __init__(self, inputs: Any, outputs: Any, **attributes: int) -> None:
            super().__init__(self)
            self.outputs_of, self.attributes = outputs, attributes
            self.set_arguments(inputs)
            self.constructor_validate_and_infer_types()

        def validate_and_infer_types(self) -> None:
            self.set_output_size(len(self.outputs_of))
            for i, (kind, shape) in enumerate(self.outputs_of):
                self.set_output_type(i, getattr(module.Type, kind), module.PartialShape(shape))

        def visit_attributes(self, visitor: Any) -> bool:
            visitor.on_attributes(self.attributes)
            return True

        def clone_with_new_inputs(self, inputs: Any) -> Any:
            return Operation(inputs, self.outputs_of, **self.attributes)

        @staticmethod
        def get_type_info() -> Any:
            return info

    return Operation


def _add(name: str, inputs: Any, *outputs: tuple[str, list[int]], **attributes: int) -> Any:
    node = _operation(name)([getattr(value, "output", lambda _, value=value: value)(0)
                             for value in inputs], outputs, **attributes)
    return node.outputs() if len(outputs) > 1 else node.output(0)


def _mel(hz: npt.ArrayLike) -> npt.NDArray[np.float32]:
    return np.float32(1127.0 * np.log1p(np.asarray(hz, np.float32) / 700.0))


class MicroFrontEnd(Stage):
    """i16 samples to i16 logarithms of 40 channels, with the bits of "microfrontend": a window, a
    transform in fixed point, a filter bank, spectral subtraction, PCAN and a logarithm. The shapes are
    [1, samples] and [1, frames, channels]; the first frame begins with the first sample.

    The defaults are those of microWakeWord; its Python code multiplies the results by 0.0390625.

    frame, hop: samples of a frame, and between two frames. channels: from ``low`` to ``high`` Hz.
    even, odd: smoothing of the noise of even and odd channels. min_signal: part of the signal that
      always remains. strength, offset: of PCAN, None without it. log_scale: factor of the logarithm.
    """

    def __init__(self, rate: int = 16000, frame: int = 480, hop: int = 160, *, channels: int = 40,
                 low: float = 125, high: float = 7500, even: float = 0.025, odd: float = 0.06,
                 min_signal: float = 0.05, smoothing_bits: int = 10, strength: float | None = 0.95,
                 offset: float = 80, gain_bits: int = 21, log_scale: int = 64) -> None:
        self.fft = 1 << max(frame - 1, 0).bit_length()
        if not 1 <= hop <= frame or self.fft < _MIN_FFT:
            raise Error(f"weft: frontends: MicroFrontEnd: hop is {hop} and frame {frame}; must be 1 <= "
                        f"hop <= frame, and frame more than {_MIN_FFT // 2}")
        if channels < 1 or not 0 <= low < high <= rate / 2:
            raise Error(f"weft: frontends: MicroFrontEnd: {channels} channels from {low} to {high} Hz; "
                        f"must be one or more, in order, from 0 to {rate / 2} Hz")
        self.rate, self.frame, self.hop, self.channels = rate, frame, hop, channels
        self.low, self.high, self.min_signal = low, high, min_signal
        self.even, self.odd, self.smoothing_bits = even, odd, smoothing_bits
        self.strength, self.offset, self.gain_bits = strength, offset, gain_bits
        self.log_scale = log_scale
        if not 1 <= log_scale <= _MAX_LOG_SCALE:
            raise Error(f"weft: frontends: MicroFrontEnd: log_scale is {log_scale}; must be from 1 to "
                        f"{_MAX_LOG_SCALE}")
        if self._filters()[3] > self.fft // 2:
            raise Error(f"weft: frontends: MicroFrontEnd: high is {high} Hz; must be lower than the last "
                        f"bin, {rate / 2} Hz")
        # Bits by which the magnitudes are smaller than the energies of the formulas.
        self.correction_bits = self.fft.bit_length() - 1 - _FILTER_BITS // 2

    def input_length(self, length: int) -> int:
        return (length - 1) * self.hop + self.frame

    def build(self, x: Any) -> Any:
        shape = x.get_partial_shape()
        if x.get_element_type() != openvino().Type.i16 or len(shape) != 2 or shape[0] != 1:
            raise Error(f"weft: frontends: MicroFrontEnd: its input is "
                        f"{x.get_element_type().to_string()}{shape}; must be i16[1,samples]")
        # Frames end with a hop. The first ones, which begin with padding, are not complete.
        early = -(-self.frame // self.hop) - 1
        frames = Frames(self.frame, self.hop).build(padded(x, (early + 1) * self.hop - self.frame))
        complete = part(frames, early, np.iinfo(np.int64).max, 1) if early else frames
        return over_time(self._features, complete, [np.zeros(self.channels, np.int32)])

    def _features(self, frame: Any, noise: Any) -> tuple[Any, Any]:
        op = ops()
        energy, shift = self._energy(op.reshape(frame, ints(-1), False))
        weights, bands = self._filters()[:2]
        sums = _add("SignalFilterBank", [energy, op.constant(weights), op.constant(bands)],
                    ("i64", [self.channels]))
        levels = ("i32", [self.channels])
        signal = _add("SignalFilterBankSquareRoot", [sums, shift], levels)
        signal, after = self._without_noise(signal, noise)
        if self.strength is not None:
            signal = _add("SignalPCAN", [signal, after, op.constant(self._gains())], levels,
                          snr_shift=self.gain_bits - self.correction_bits - _RATIO_BITS)
        y = _add("SignalFilterBankLog", [signal], ("i16", [self.channels]),
                 output_scale=self.log_scale, input_correction_bits=self.correction_bits)
        return op.reshape(y, ints(1, 1, -1), False).output(0), after

    def _energy(self, samples: Any) -> tuple[Any, Any]:
        """Returns the energies of the bins, and the shift that the transform had."""
        op, bins = ops(), self.fft // 2 + 1
        at = np.arange(self.frame, dtype=np.float32) + np.float32(0.5)
        angles = np.float32(np.pi) * np.float32(2) / np.float32(self.frame) * at
        hann = np.float32(0.5) - np.float32(0.5) * np.cos(angles.astype(np.float64)).astype(np.float32)
        window = np.floor(hann * np.float32(1 << _FILTER_BITS) + np.float32(0.5)).astype(np.int16)
        framed = _add("SignalWindow", [samples, op.constant(window)], ("i16", [self.frame]),
                      shift=_FILTER_BITS)
        scaled, shift = _add("SignalFftAutoScale", [framed], ("i16", [self.frame]), ("i32", []))
        spectrum = _add("SignalRfft", [scaled], ("i16", [2 * bins]), fft_length=self.fft)
        _, _, begin, end = self._filters()
        energy = _add("SignalEnergy", [spectrum], ("i32", [bins]), start_index=begin, end_index=end)
        return energy, shift

    def _without_noise(self, signal: Any, noise: Any) -> Any:
        even, odd, rest = (int(np.float32(value) * np.float32(1 << _NOISE_BITS))
                           for value in (self.even, self.odd, self.min_signal))
        levels = ("i32", [self.channels])
        return _add("SignalFilterBankSpectralSubtraction", [signal, noise], levels, levels,
                    smoothing=even, one_minus_smoothing=(1 << _NOISE_BITS) - even,
                    alternate_smoothing=odd, alternate_one_minus_smoothing=(1 << _NOISE_BITS) - odd,
                    min_signal_remaining=rest, smoothing_bits=self.smoothing_bits,
                    spectral_subtraction_bits=_NOISE_BITS, clamping=0)

    def _filters(self) -> tuple[Any, Any, int, int]:
        """Returns the pairs of weights, start and width of each band, and the range of the bins."""
        hz_per_bin = np.float32(0.5 * self.rate / self.fft * 2)
        low, high = _mel(self.low), _mel(self.high)
        spacing = np.float32((high - low) / np.float32(self.channels + 1))
        corners = (low + spacing * np.arange(1, self.channels + 2, dtype=np.float32))
        begin = bin_ = int(1.5 + self.low / hz_per_bin)
        pairs, bands = [], []
        for previous, corner in zip([low, *corners], corners):
            first = bin_
            while _mel(np.float32(bin_) * hz_per_bin) <= corner:
                weight = np.float32((corner - _mel(np.float32(bin_) * hz_per_bin)) /
                                    (corner - previous))
                pairs.append([np.floor(float(part_) * (1 << _FILTER_BITS) + 0.5)
                              for part_ in (weight, 1.0 - float(weight))])
                bin_ += 1
            bands.append((first, bin_ - first) if bin_ > first else (0, 0))
        return np.array(pairs, np.int16).reshape(-1, 2), np.array(bands, np.int16), begin, bin_

    def _gains(self) -> npt.NDArray[np.int16]:
        """Returns the table of (noise + offset)^-strength."""
        bits = self.smoothing_bits - self.correction_bits

        def gain(x: int) -> int:
            level = np.float32(x) / np.float32(1 << bits) + np.float32(self.offset)
            power = np.float32(float(level) ** float(np.float32(-self.strength)))
            value = np.float32(1 << self.gain_bits) * power
            return 0x7fff if value > 0x7fff else int(np.float32(value + np.float32(0.5)))

        table = np.zeros(_TABLE, np.int16)
        table[:2] = gain(0), gain(1)
        for interval in range(2, 33):
            x = 1 << (interval - 1)
            first, middle, last = (gain(at) for at in (x, x + (x >> 1),
                                                       2 * x - (1 if interval == 32 else 0)))
            slope = 4 * (middle - first) - (last - first)
            table[4 * interval - 6:4 * interval - 3] = first, slope, last - first - slope
        return table
