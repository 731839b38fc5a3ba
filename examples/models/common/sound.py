# SPDX-License-Identifier: Apache-2.0
"""Sounds for the examples: speech of eSpeak NG, noise, and WAV files. Samples are f32 in [-1, 1]."""
import ctypes
import functools
import wave

import numpy as np

RATE = 16000
_RETRIEVAL = 2  # AUDIO_OUTPUT_SYNCHRONOUS of espeak_ng's speak_lib.h
_UTF8 = 1
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int,
                             ctypes.c_void_p)


@functools.cache
def _library():
    import espeakng_loader  # pylint: disable=import-outside-toplevel
    library = ctypes.CDLL(espeakng_loader.get_library_path())
    rate = library.espeak_Initialize(_RETRIEVAL, 0, espeakng_loader.get_data_path().encode(), 0)
    return library, rate


def resample(samples, rate, new_rate):
    """Band-limited resampling of a complete clip by its spectrum."""
    count = round(len(samples) * new_rate / rate)
    spectrum = np.fft.rfft(samples)
    bins = count // 2 + 1
    kept = np.zeros(bins, complex)
    kept[:min(bins, len(spectrum))] = spectrum[:bins]
    return (np.fft.irfft(kept, count) * count / len(samples)).astype(np.float32)


def speech(text, rate=RATE, voice="en-us"):
    """Returns the samples of a spoken text, without silence at both ends."""
    library, own_rate = _library()
    blocks = []

    def receive(samples, count, _):
        if samples and count > 0:
            blocks.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    callback = _CALLBACK(receive)
    library.espeak_SetSynthCallback(callback)
    library.espeak_SetVoiceByName(voice.encode())
    data = text.encode() + b"\0"
    library.espeak_Synth(data, len(data), 0, 0, 0, _UTF8, None, None)
    library.espeak_Synchronize()
    samples = np.concatenate(blocks) / np.float32(32768)
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    return resample(samples[loud[0]:loud[-1] + 1], own_rate, rate)


def noise(seconds, level, seed, rate=RATE):
    """Returns noise with a falling spectrum, like that of a room, with this RMS value."""
    count = round(seconds * rate)
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(count))
    spectrum /= np.sqrt(np.maximum(np.arange(len(spectrum)), 50 * seconds))
    samples = np.fft.irfft(spectrum, count)
    return (samples * level / np.sqrt(np.mean(samples**2))).astype(np.float32)


def scene(parts, level=0.003, seed=1, rate=RATE):
    """Joins texts and pauses (numbers: seconds) with background noise. Returns the samples and, for
    each text, (first sample, end)."""
    pieces, spans, at = [], [], 0
    for part in parts:
        piece = np.zeros(round(part * rate), np.float32) if isinstance(part, (int, float)) else (
            speech(part, rate))
        if isinstance(part, str):
            spans.append((at, at + len(piece)))
        pieces.append(piece)
        at += len(piece)
    samples = np.concatenate(pieces)
    return np.clip(samples + noise(at / rate, level, seed, rate)[:at], -1, 1), spans


def write_wav(path, samples, rate=RATE):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())


def bar(value, width=20):
    """Returns a bar of text for a value in [0, 1]."""
    return ("#" * round(float(np.clip(value, 0, 1)) * width)).ljust(width)


def envelope(samples, width=20):
    """Returns a bar of the level: full for RMS 0.3, empty below 0.0003 (60 dB less)."""
    rms = float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))) + 1e-9)
    return bar(1 + np.log10(rms / 0.3) / 3, width)
