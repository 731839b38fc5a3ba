# SPDX-License-Identifier: Apache-2.0
"""Audio front ends as OpenVINO graphs, which weft converts together with a model.

    front_end = Chain(Spectrum(400, 160), Power(), MelBank(16000, 40), Log(1e-6))
    step = weft.convert(weft.compose(front_end, "model.xml"), streaming=True)
    features = front_end.numpy(samples)    # for training: the bits that every target computes
"""
from weft.frontends._bands import BarkBank, FilterBank, MelBank, filter_matrix
from weft.frontends._cepstrum import DCT, Deltas, MFCC
from weft.frontends._graph import Chain, Stage
from weft.frontends._integers import MicroFrontEnd
from weft.frontends._levels import Decibels, Log, Quantise, Scale, Transpose, Unsqueeze
from weft.frontends._resample import PreEmphasis, Resample
from weft.frontends._running import PCAN, PCEN, RunningNorm
from weft.frontends._spectrum import (Frames, InverseSpectrum, Magnitude, Power, Spectrum, Window)
from weft.frontends._windows import window

__all__ = ["BarkBank", "Chain", "DCT", "Decibels", "Deltas", "FilterBank", "Frames",
           "InverseSpectrum", "Log", "MFCC", "Magnitude", "MelBank", "MicroFrontEnd", "PCAN", "PCEN", "Power",
           "PreEmphasis", "Quantise", "Resample", "RunningNorm", "Scale", "Spectrum", "Stage", "Transpose",
           "Unsqueeze", "Window", "filter_matrix", "window"]
