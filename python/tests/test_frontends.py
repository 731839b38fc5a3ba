# SPDX-License-Identifier: Apache-2.0
"""Audio front ends: values against NumPy, librosa and SciPy, and equal bits in streams."""
import importlib.util
import unittest

import numpy as np

import frontend_values as values
import weft
from frontend_values import BANDS, FRAME, HOP, RATE, samples
from weft.frontends import (DCT, MFCC, PCAN, PCEN, BarkBank, Chain, Decibels, Deltas, FilterBank,
                            Frames, InverseSpectrum, Log, Magnitude, MelBank, Power, PreEmphasis,
                            Quantise, Resample, RunningNorm, Scale, Spectrum, Window, filter_matrix, window)

HAS_OPENVINO = importlib.util.find_spec("openvino") is not None

STEPS = 12


def _power(x, before=FRAME - HOP):
    return np.abs(values.spectrum(x, FRAME, HOP, 512, values.hann(FRAME), before)) ** 2


def _mel(x):
    return _power(x) @ np.load(values.FILE)["slaney"].astype(np.float64)


def _log_mel(x):
    return np.log(np.maximum(_mel(x), 1e-6))


def _mel_stages():
    return Spectrum(FRAME, HOP), Power(), MelBank(RATE, BANDS, low=60, high=7600)


def _pcan(x, strength=0.95, offset=80.0, first=0.0):
    return x / (offset + values.running(x, 0.025, np.full(x.shape[1], first))) ** strength


def _normed(x):
    mean = values.running(x, 0.01, x[0])
    variance = values.running((x - mean) ** 2, 0.01, np.ones(x.shape[1]))
    return (x - mean) / np.sqrt(variance + 1e-5)


def _deltas(x):
    first = values.slopes(x, 2)
    second = values.slopes(first, 2)
    return np.concatenate([values.late(x, 4), values.late(first, 2), second], 1)


def _enhanced(x):
    size, hop, win = 256, 128, np.sin(np.pi * np.arange(256) / 256)
    return values.inverse(values.spectrum(x, size, hop, size, win, size - hop), size, hop, win)


def _rows():
    """Yields name, chain, reference and absolute tolerance; the relative one is 1e-4."""
    log_mel = (*_mel_stages(), Log(1e-6))
    yield "log_mel", Chain(*log_mel), _log_mel, 2e-5
    yield ("complete_frames", Chain(Spectrum(FRAME, HOP, padding="none"), Power()),
           lambda x: _power(x, 0), 1e-4)
    yield ("magnitudes", Chain(Spectrum(FRAME, HOP, window="povey", periodic=False), Magnitude()),
           lambda x: np.abs(values.spectrum(x, FRAME, HOP, 512, np.hanning(FRAME) ** 0.85,
                                            FRAME - HOP)), 1e-4)
    yield ("frames", Chain(Frames(250, 100), Window("hamming", periodic=False)),
           lambda x: values.frames(x, 250, 100, 150) * np.hamming(250), 1e-6)
    yield ("integers", Chain(Scale(1 / 32768), *log_mel, input="i16"),
           lambda x: _log_mel(x / 32768), 2e-5)
    yield ("bark", Chain(*_mel_stages()[:2], BarkBank(RATE, 18, low=100), Decibels(reference=2)),
           lambda x: 10 * np.log10(_power(x) @ filter_matrix(RATE, 18, 257, low=100, scale="bark",
                                                             norm=None) / 2), 1e-4)
    yield ("cosines", Chain(*log_mel, DCT(13, lifter=22)),
           lambda x: values.dct(_log_mel(x), 13, 22), 3e-4)
    yield ("pcen", Chain(*_mel_stages(), PCEN()),
           lambda x: np.sqrt(_pcan(_mel(x), 0.98, 1e-6, _mel(x)[0]) + 2) - np.sqrt(2), 1e-5)
    yield ("pcan", Chain(Scale(1000), *_mel_stages(), PCAN()),
           lambda x: _pcan(_mel(1000 * x.astype(np.float64))), 1e-4)
    yield "norm", Chain(*log_mel, RunningNorm()), lambda x: _normed(_log_mel(x)), 1e-4
    yield ("mean", Chain(*log_mel, RunningNorm(0.1, variance=False, initial=-8)),
           lambda x: _log_mel(x) - values.running(_log_mel(x), 0.1, np.full(BANDS, -8)), 1e-4)
    yield ("deltas", Chain(*log_mel, Deltas(orders=2)), lambda x: _deltas(_log_mel(x)), 1e-4)
    yield ("enhanced", Chain(Spectrum(256, 128, window="sqrt_hann"),
                             InverseSpectrum(256, 128, window="sqrt_hann")), _enhanced, 1e-5)
    yield ("emphasis", Chain(PreEmphasis(), *_mel_stages()),
           lambda x: _mel(np.convolve(x.astype(np.float64), [1, -0.97])[:x.size]), 1e-4)
    yield ("resampled", Chain(Resample(2, 3), *log_mel),
           lambda x: _log_mel(_resampled(x, 2, 3)), 5e-5)


def _resampled(x, up, down):
    taps, slow = np.zeros(20 * down + 1), np.zeros(x.size * up)
    at = np.arange(-10 * down, 10 * down + 1)
    taps = np.sinc(at / down) * np.kaiser(at.size, 5.0)
    slow[::up] = x
    return np.convolve(slow, up * taps / taps.sum())[:slow.size][::down]


@unittest.skipUnless(HAS_OPENVINO, "OpenVINO is not installed")
class FrontEnds(unittest.TestCase):
    def setUp(self):
        self.stored = np.load(values.FILE)

    def test_values_of_the_formulas_in_double(self):
        for name, chain, reference, tolerance in _rows():
            with self.subTest(name):
                x = samples()
                if chain.input == "i16":
                    x = np.round(x * 20000).astype(np.int16)
                np.testing.assert_allclose(chain.numpy(x), reference(x), rtol=1e-4, atol=tolerance)

    def test_streams_have_the_bits_of_the_complete_sequence(self):
        for name, chain, _, _ in _rows():
            x = samples()[None]
            if chain.input == "i16":
                x = np.round(x * 20000).astype(np.int16)
            fixed = chain.model(STEPS * weft.convert(chain.model(), streaming=1).outputs[0].shape[1])
            for count, model in ((1, fixed), (1, chain.model()), (3, chain.model())):
                with self.subTest(name, count=count):
                    step = weft.convert(model, streaming=count)
                    run, = (port.shape[1] for port in step.inputs)
                    length = STEPS // count * run
                    y = step.feed(x[:, :length])
                    latency = step.latency["features"] * (y.shape[1] // STEPS)
                    whole = chain.numpy(x[:, :length])
                    np.testing.assert_array_equal(y[:, latency:], whole)

    def test_codes_of_quantised_features(self):
        x = samples()
        log_mel = Chain(*_mel_stages(), Log(1e-6))
        for scale, zero, kind in ((0.1, 83, "i8"), (0.0625, -128, "i8"), (0.02, 255, "u8"), (0.5, 0, "i16")):
            with self.subTest(scale=scale, zero=zero, kind=kind):
                chain = Chain(log_mel, Quantise(scale, zero, type=kind))
                quotient = log_mel.numpy(x) / np.float32(scale)  # f32, as tflite-micro
                codes = np.trunc(quotient + np.copysign(0.5, quotient).astype(np.float64)) + zero
                dtype = {"i8": np.int8, "u8": np.uint8, "i16": np.int16}[kind]
                limits = np.iinfo(dtype)
                np.testing.assert_array_equal(chain.numpy(x), np.clip(codes, limits.min, limits.max).astype(dtype))
                step = weft.convert(chain.model(), streaming=True)
                self.assertEqual(step.outputs[0].type, kind)
                np.testing.assert_array_equal(step.feed(x[None])[0], chain.numpy(x))
        halves = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 300, -300], np.float32)
        self.assertEqual(list(Chain(Quantise(1, 1)).numpy(halves)), [-2, -1, 0, 2, 3, 4, 127, -128])
        for arguments, words in (((0.0,), "scale is 0.0; must be"), ((1, 128), "zero_point is 128; must be -128 to"),
                                 ((float("nan"),), "scale is nan"), ((1, 0, "i4"), "must be one of i8")):
            with self.assertRaisesRegex(weft.Error, words):
                Quantise(*arguments[:2], **({"type": arguments[2]} if len(arguments) > 2 else {}))

    def test_values_of_librosa(self):
        x = samples()
        mfcc = MFCC(Spectrum(FRAME, HOP), RATE, BANDS, 13, low=60, high=7600)
        mfcc.stages[3].scale = Decibels().scale
        for name, chain in (("mel", Chain(*_mel_stages())),
                            ("decibels", Chain(*_mel_stages(), Decibels())), ("mfcc", mfcc),
                            ("pcen", Chain(*_mel_stages(), PCEN(initial=1)))):
            with self.subTest(name):
                np.testing.assert_allclose(chain.numpy(x), self.stored[name], rtol=2e-4, atol=2e-4)

    def test_filters_and_windows_of_librosa_and_scipy(self):
        for scale, norm in (("slaney", "slaney"), ("htk", None)):
            matrix = filter_matrix(RATE, BANDS, 257, low=60, high=7600, scale=scale, norm=norm)
            np.testing.assert_allclose(matrix, self.stored[scale], atol=1e-6)
        for name in ("hann", "hamming", "blackman", "bartlett"):
            np.testing.assert_allclose(window(name, 25), self.stored[f"window_{name}"], atol=1e-12)
        np.testing.assert_allclose(window("bartlett", 9, periodic=False), np.bartlett(9), atol=1e-12)

    def test_rates_of_scipy_later_by_the_delay(self):
        x = samples()
        for name, up, down, block in (("third", 1, 3, None), ("third", 1, 3, 1), ("third", 1, 3, 40),
                                      ("faster", 3, 2, None), ("faster", 3, 2, 1)):
            stage = Resample(up, down, block=block)
            late = round(stage.delay * up / down)
            y = Chain(stage).numpy(x)
            np.testing.assert_allclose(y[late:], self.stored[name][:y.size - late], atol=1e-6)

    def test_overlap_add_returns_the_samples(self):
        x = samples()
        inverse = InverseSpectrum(512, 128)
        y = Chain(Spectrum(512, 128), inverse).numpy(x)
        np.testing.assert_allclose(y[inverse.latency + 128:],
                                   x[128:y.size - inverse.latency], atol=1e-6)

    def test_batches_are_rows(self):
        chain, x = Chain(*_mel_stages(), PCEN()), samples().reshape(2, -1)
        np.testing.assert_array_equal(chain.numpy(x), [chain.numpy(row) for row in x])

    def test_each_invalid_argument_has_one_message(self):
        for message, build in (
                ("hop is 9, frame 8 and fft 8", lambda: Spectrum(8, 9)),
                ('padding: is "reflect"', lambda: Spectrum(8, 4, padding="reflect")),
                ('window: is "hat"', lambda: Chain(Spectrum(8, 4, window="hat")).model(4)),
                ("shape \\[3\\]; must be \\[8\\]",
                 lambda: Chain(Spectrum(8, 4, window=[1, 2, 3])).model(4)),
                ("40 bands from 9000 to 8000.0 Hz", lambda: MelBank(16000, 40, low=9000)),
                ("input has 257 bins; the matrix must have 257 rows instead of 3",
                 lambda: Chain(Spectrum(400, 160), Power(), FilterBank(np.ones((3, 2)))).model(2)),
                ("count is 41; must be from 1 to 40", lambda: Chain(*_mel_stages(), DCT(41)).model(2)),
                ("smoothing is 0; must be above 0", lambda: PCEN(smoothing=0)),
                ("floor is 0 and offset 0", lambda: Log(0)),
                ("14 positions of its output .* multiple of 12",
                 lambda: Chain(Resample(3, 2)).model(14)),
                ('input: is "f16"', lambda: Chain(Power(), input="f16"))):
            with self.subTest(message), self.assertRaisesRegex(weft.Error, message):
                build()


if __name__ == "__main__":
    unittest.main()
