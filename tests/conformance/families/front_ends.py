# SPDX-License-Identifier: Apache-2.0
"""Audio front ends of the Python package weft, small enough for boards.

Without the package (pip install ./python), the stored IR replaces the graph; the outputs are derived
from it as usual. Those of the front end in integers are the features of its C library
(python/tests/micro_values.py).
"""

import pathlib

import numpy as np

from casebook import EXACT, RECURRENT, Case, by_numpy, normal
from generate import CASES

try:
    from weft import frontends as fe
except ImportError:
    fe = None

RATE, FRAME, HOP, STEPS = 1000, 40, 16, 6
_MICRO = pathlib.Path(__file__).resolve().parents[3] / "python/tests/micro_values.npz"


def _case(name, x, chain, **more):
    """chain: a function that returns the front end."""
    path = f"front_ends/{name}"
    arguments = {"rtol": RECURRENT, "atol": RECURRENT, **more}
    if fe is not None:
        return Case(path, [x], model=lambda: chain().model_of(*x.shape), **arguments)
    folder = CASES / path
    files = ((folder / "model.xml").read_text(), (folder / "model.bin").read_bytes())
    return Case(path, [x], files=files, **arguments)


def _samples(label, steps=STEPS):
    return normal(f"front_end_{label}", 1, steps * HOP, scale=0.3)


def _mel(bands=10, **options):
    return fe.Spectrum(FRAME, HOP, **options), fe.Power(), fe.MelBank(RATE, bands)


def _spectral():
    yield _case("log_mel", _samples("log_mel"), lambda: fe.Chain(*_mel(), fe.Log(1e-6)))
    yield _case("complete_frames", _samples("complete"),
                lambda: fe.Chain(*_mel(padding="none"), fe.Decibels()))
    yield _case("mfcc_deltas", _samples("mfcc"),
                lambda: fe.Chain(fe.MFCC(fe.Spectrum(FRAME, HOP, window="hamming"), RATE, 12, 7,
                                         floor=1e-6), fe.Deltas(1, orders=2)))
    yield _case("cosines_of_frames", _samples("frames"),
                lambda: fe.Chain(fe.Frames(32, HOP), fe.Window("povey", periodic=False),
                                 fe.DCT(9), fe.Unsqueeze(1)))
    yield _case("overlap_add", _samples("overlap"),
                lambda: fe.Chain(fe.Spectrum(32, HOP, window="vorbis"),
                                 fe.InverseSpectrum(32, HOP, window="vorbis")))


def _running():
    yield _case("pcen", _samples("pcen"), lambda: fe.Chain(*_mel(), fe.PCEN()))
    yield _case("pcan_of_integers", np.round(_samples("pcan") * 9000).astype(np.int16),
                lambda: fe.Chain(fe.Scale(0.1), *_mel(), fe.PCAN(), fe.Log(), input="i16"))
    yield _case("running_norm", _samples("norm"),
                lambda: fe.Chain(*_mel(), fe.Log(1e-6), fe.RunningNorm(0.1),
                                 fe.Transpose(0, 2, 1)))


def _rates():
    yield _case("third_of_the_rate", _samples("third", 3 * STEPS),
                lambda: fe.Chain(fe.Resample(1, 3, reach=3), fe.PreEmphasis(), *_mel()))
    yield _case("higher_rate", _samples("higher"), lambda: fe.Chain(fe.Resample(3, 2, reach=4)))


def _integers():
    noise = np.random.default_rng(11).integers(-32768, 32768, 16000)  # as micro_values.samples
    block = np.arange(noise.size) // 500
    tone = np.where(np.arange(noise.size) // 9 % 2, 9000, -9000) * (block % 3 == 1)
    x = ((noise >> block * 7 % 13) // 2 * (block % 7 != 4) + tone).astype(np.int16)
    for name, frame, hop, steps in (("micro_wake_word", 480, 160, 5), ("short", 128, 64, 12)):
        features = np.load(_MICRO)[name][None, :steps].astype(np.int16)
        yield _case(f"integers_{name}", x[None, :(steps - 1) * hop + frame],
                    lambda frame=frame, hop=hop: fe.Chain(fe.MicroFrontEnd(frame=frame, hop=hop),
                                                          input="i16"),
                    reference=lambda x, features=features: features, rtol=EXACT, atol=EXACT,
                    **by_numpy("OpenVINO does not have the operations of the front end."))


def cases():
    yield from _spectral()
    yield from _running()
    yield from _rates()
    yield from _integers()
