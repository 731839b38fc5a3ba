#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes telephone audio at 8 kHz: keypad tones in noise, and sounds that are not keypad tones.

A key is two sines, one of four rows and one of four columns. Each key has a random length, pause after
it, frequency error of each sine, level ratio of both sines (twist), and phases. Each stream has a random
level and noise. All keys of a stream have the same power, so the stream's signal-to-noise ratio is that
of each key. It is the power of both tones relative to that of white noise in the full band of 0-4 kHz.

All random choices use the caller's generator, so a seed reproduces its audio. As a program, it writes
one dialled number as a WAV file.
"""

import argparse
import dataclasses
import wave

import numpy as np

SAMPLE_RATE_HZ = 8000
KEYS = "0123456789*#ABCD"
PAD = ("123A", "456B", "789C", "*0#D")
ROWS_HZ = (697.0, 770.0, 852.0, 941.0)
COLUMNS_HZ = (1209.0, 1336.0, 1477.0, 1633.0)
TONES_HZ = {
    key: (row_hz, column_hz)
    for row, row_hz in zip(PAD, ROWS_HZ)
    for key, column_hz in zip(row, COLUMNS_HZ)
}

KEY_SECONDS = (0.040, 0.120)
PAUSE_SECONDS = (0.040, 0.150)
TWIST_DB = 6.0
FREQUENCY_ERROR = 0.015
SNR_DB = (0.0, 30.0)
LEVEL_DB = (-38.0, -12.0)  # power of the tones, 0 dB = a constant 1.0
EDGE_SECONDS = 0.002  # rise and fall time of a tone

# Tones of an exchange: dial tone, ringing, busy, and the three steps of "number unknown".
CALL_PROGRESS_HZ = ((350, 440), (440, 480), (480, 620), (425,), (950,), (1400,), (1800,))
DISTRACTORS = ("silence", "single tone", "off-grid pair", "call progress", "speech")


@dataclasses.dataclass(frozen=True)
class Span:
    """A key in samples [begin, end) of a stream."""

    key: str
    begin: int
    end: int


def sample_count(seconds):
    return int(round(seconds * SAMPLE_RATE_HZ))


def decibel_gain(decibel):
    return 10.0 ** (decibel / 20.0)


def tones(rng, count, frequencies_hz, twist_db=0.0):
    """Sines of unit total power; twist_db is the level of the first relative to the second."""
    amplitudes = np.ones(len(frequencies_hz))
    amplitudes[0] = decibel_gain(twist_db)
    amplitudes *= np.sqrt(2.0 / np.sum(amplitudes**2))
    time = np.arange(count) / SAMPLE_RATE_HZ
    wave_sum = np.zeros(count)
    for amplitude, frequency_hz in zip(amplitudes, frequencies_hz):
        phase = rng.uniform(0.0, 2.0 * np.pi)
        wave_sum += amplitude * np.sin(2.0 * np.pi * frequency_hz * time + phase)
    edge = min(sample_count(EDGE_SECONDS), count // 2)
    ramp = np.sin(0.5 * np.pi * (np.arange(edge) + 0.5) / edge) ** 2
    wave_sum[:edge] *= ramp
    wave_sum[count - edge :] *= ramp[::-1]
    return wave_sum


def key_tone(rng, key):
    count = sample_count(rng.uniform(*KEY_SECONDS))
    errors = rng.uniform(-FREQUENCY_ERROR, FREQUENCY_ERROR, 2)
    frequencies_hz = np.asarray(TONES_HZ[key]) * (1.0 + errors)
    return tones(rng, count, frequencies_hz, rng.uniform(-TWIST_DB, TWIST_DB))


def filtered(gain, poles, source):
    from scipy import signal  # not needed for keys

    return signal.lfilter([gain], poles, source)


def resonance(source, centre_hz, width_hz):
    """One formant: a pole pair with about unit gain at its centre."""
    radius = np.exp(-np.pi * width_hz / SAMPLE_RATE_HZ)
    angle = 2.0 * np.pi * centre_hz / SAMPLE_RATE_HZ
    gain = (1.0 - radius) * np.sqrt(1.0 - 2.0 * radius * np.cos(2.0 * angle) + radius**2)
    return filtered(gain, [1.0, -2.0 * radius * np.cos(angle), radius**2], source)


def syllable(rng, count):
    """Voiced: pulses of a gliding pitch through three formants. Unvoiced: coloured noise."""
    if rng.random() < 0.25:
        hiss = rng.standard_normal(count)
        sound = resonance(hiss, rng.uniform(1500.0, 3500.0), rng.uniform(300.0, 1500.0))
    else:
        begin_hz = rng.uniform(80.0, 300.0)
        pitch_hz = np.linspace(begin_hz, begin_hz * rng.uniform(0.75, 1.3), count)
        phase = np.cumsum(pitch_hz) / SAMPLE_RATE_HZ
        pulses = np.diff(np.floor(phase), prepend=0.0) + 0.01 * rng.standard_normal(count)
        source = filtered(1.0, [1.0, -0.9], pulses)
        sound = np.zeros(count)
        for low_hz, high_hz, gain in ((250, 900, 1.0), (800, 2400, 0.6), (2200, 3300, 0.3)):
            centre_hz = rng.uniform(low_hz, high_hz)
            sound += gain * resonance(source, centre_hz, rng.uniform(40.0, 160.0))
    return sound * np.hanning(count + 2)[1:-1] ** 0.5


def speech(rng, count):
    """Syllables and short pauses; the loud parts have unit power, like the keys."""
    sound = np.zeros(count)
    at = 0
    while at < count:
        length = min(sample_count(rng.uniform(0.06, 0.30)), count - at)
        if length > 80 and rng.random() < 0.85:
            part = syllable(rng, length)
            power = np.mean(part**2) + 1e-12
            sound[at : at + length] = part / np.sqrt(power) * rng.uniform(0.2, 1.0)
        at += length
    return sound


def off_grid_pair(rng):
    """Two frequencies, at least one of which differs by 4 % or more from each of its four tones."""
    while True:
        pair = np.array([rng.uniform(600.0, 1050.0), rng.uniform(1100.0, 1800.0)])
        row_error = np.min(np.abs(pair[0] / np.asarray(ROWS_HZ) - 1.0))
        column_error = np.min(np.abs(pair[1] / np.asarray(COLUMNS_HZ) - 1.0))
        if max(row_error, column_error) >= 0.04:
            return pair


def distractor(rng, kind, seconds):
    """A sound of unit power, or silence, without a key."""
    count = sample_count(seconds)
    if kind == "silence":
        return np.zeros(count)
    if kind == "single tone":
        grid_hz = ROWS_HZ + COLUMNS_HZ
        on_grid = rng.random() < 0.5
        frequency_hz = rng.choice(grid_hz) if on_grid else rng.uniform(200.0, 3400.0)
        return tones(rng, count, [frequency_hz])
    if kind == "off-grid pair":
        return tones(rng, count, off_grid_pair(rng), rng.uniform(-TWIST_DB, TWIST_DB))
    if kind == "call progress":
        return tones(rng, count, CALL_PROGRESS_HZ[rng.integers(len(CALL_PROGRESS_HZ))])
    if kind == "speech":
        return speech(rng, count)
    raise ValueError(f"distractor {kind!r}; must be one of {DISTRACTORS}")


def _distractor_seconds(rng, kind):
    return rng.uniform(0.3, 1.5) if kind == "speech" else rng.uniform(0.04, 0.5)


def _mix(rng, pieces, count, snr_db, level_db):
    """Concatenates the pieces, truncates to `count`, sets the level, adds noise, clips like an ADC."""
    clean = np.concatenate(pieces)[:count]
    noise = rng.standard_normal(count) * decibel_gain(-snr_db)
    audio = (clean + noise) * decibel_gain(level_db)
    return (np.round(np.clip(audio, -1.0, 32767.0 / 32768.0) * 32768.0) / 32768.0).astype(
        np.float32
    )


def key_stream(rng, seconds, snr_db=None, level_db=None, distractor_share=0.0, keys=None):
    """Keys with pauses; a fraction `distractor_share` of the keys is replaced by distractors.

    If `keys` is None, keys are random; otherwise exactly these are sent and `seconds` is the minimum.
    Returns (audio float32 [-1, 1) on the 16-bit grid, [Span]).
    """
    snr_db = rng.uniform(*SNR_DB) if snr_db is None else snr_db
    level_db = rng.uniform(*LEVEL_DB) if level_db is None else level_db
    pieces, spans = [], []
    at = 0
    limit = sample_count(seconds)

    def put(piece):
        nonlocal at
        pieces.append(piece)
        at += len(piece)

    put(np.zeros(sample_count(rng.uniform(*PAUSE_SECONDS))))
    waiting = None if keys is None else list(keys)
    while waiting if waiting is not None else at < limit:
        if rng.random() < distractor_share:
            kind = str(rng.choice(DISTRACTORS))
            put(distractor(rng, kind, _distractor_seconds(rng, kind)))
        else:
            key = waiting.pop(0) if waiting is not None else KEYS[rng.integers(len(KEYS))]
            tone = key_tone(rng, key)
            if waiting is not None or at + len(tone) <= limit:
                spans.append(Span(key, at, at + len(tone)))
                put(tone)
        put(np.zeros(sample_count(rng.uniform(*PAUSE_SECONDS))))
    if at < limit:
        put(np.zeros(limit - at))
    count = limit if waiting is None else at
    return _mix(rng, pieces, count, snr_db, level_db), spans


def distractor_stream(rng, seconds, kind, snr_db=None, level_db=None):
    """Only distractors of one kind; "noise" is only the noise floor, at `level_db`."""
    snr_db = rng.uniform(*SNR_DB) if snr_db is None else snr_db
    level_db = rng.uniform(*LEVEL_DB) if level_db is None else level_db
    count = sample_count(seconds)
    if kind == "noise":
        return _mix(rng, [np.zeros(count)], count, 0.0, level_db)
    pieces = []
    length = 0
    while length < count:
        piece = distractor(rng, kind, _distractor_seconds(rng, kind))
        pause = np.zeros(sample_count(rng.uniform(*PAUSE_SECONDS)))
        pieces += [piece, pause]
        length += len(piece) + len(pause)
    return _mix(rng, pieces, count, snr_db, level_db)


def write_wav(path, audio):
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(SAMPLE_RATE_HZ)
        out.writeframes(np.round(audio * 32768.0).astype("<i2").tobytes())


def read_wav(path):
    with wave.open(str(path), "rb") as source:
        form = (source.getnchannels(), source.getsampwidth(), source.getframerate())
        if form != (1, 2, SAMPLE_RATE_HZ):
            raise ValueError(f"{path}: channels, bytes, rate are {form}; must be (1, 2, 8000)")
        samples = np.frombuffer(source.readframes(source.getnframes()), "<i2")
    return samples.astype(np.float32) / 32768.0


def main():
    parser = argparse.ArgumentParser(description="Write a telephone number as keypad tones.")
    parser.add_argument("number", help=f"keys out of {KEYS}")
    parser.add_argument("-o", "--output", required=True, help="WAV file, mono 16-bit 8 kHz")
    parser.add_argument("--snr", type=float, default=10.0, help="level of white noise below the tones, in dB")
    parser.add_argument("--level", type=float, default=-18.0, help="power of the tones, in dB")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.number) - set(KEYS))
    if unknown:
        parser.error(f"number has {''.join(unknown)!r}; keys are {KEYS}")
    rng = np.random.default_rng(arguments.seed)
    audio, _ = key_stream(rng, 0.0, arguments.snr, arguments.level, keys=arguments.number)
    write_wav(arguments.output, audio)


if __name__ == "__main__":
    main()
