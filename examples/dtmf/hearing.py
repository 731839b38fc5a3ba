# SPDX-License-Identifier: Apache-2.0
"""Converts probabilities to keys by the rule of debounce.h, implemented again here, and counts how many
of the sent keys were found."""

import dataclasses

import numpy as np
import synthesize

FRAME_SAMPLES = 80
NONE_INDEX = len(synthesize.KEYS)
STREAM_SECONDS = 20.0
HOLD_FRAMES = 2
LATE_SECONDS = 0.050  # a key that is reported later than this after its end counts as invented


def debounce(keys):
    """Converts probabilities [frames, keys + 1] to [(key, frame in which it was detected)]."""
    events = []
    previous, run, armed = -1, 0, True
    for frame, row in enumerate(keys):
        best = int(np.argmax(row))
        answer = best if row[best] > 0.5 else -1
        run = run + 1 if answer == previous else 1
        previous = answer
        if run != HOLD_FRAMES or answer < 0:
            continue
        if answer == NONE_INDEX:
            armed = True
        elif armed:
            events.append((synthesize.KEYS[answer], frame))
            armed = False
    return events


@dataclasses.dataclass
class Tally:
    sent: int = 0
    found: int = 0
    invented: int = 0  # wrong, counted twice, or without a key

    def add(self, events, spans):
        open_spans = list(spans)
        for key, frame in events:
            heard = (frame + 1) * FRAME_SAMPLES
            late = synthesize.sample_count(LATE_SECONDS)
            match = [s for s in open_spans if s.key == key and s.begin < heard <= s.end + late]
            if match:
                open_spans.remove(match[0])
            else:
                self.invented += 1
        self.sent += len(spans)
        self.found += len(spans) - len(open_spans)


def measure_keys(net, snr_db, key_count, seed):
    """Measures streams of keys and pauses, with all signal levels and twists, for `key_count` keys."""
    rng = np.random.default_rng(seed)
    tally = Tally()
    while tally.sent < key_count:
        audio, spans = synthesize.key_stream(rng, STREAM_SECONDS, snr_db)
        tally.add(debounce(net.keys(audio)), spans)
    return tally
