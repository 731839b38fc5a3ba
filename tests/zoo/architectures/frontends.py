# SPDX-License-Identifier: Apache-2.0
"""Features of sound as part of the net."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import frames
from architectures.registry import architecture


class SincNet(nn.Module):
    """Band-pass filters whose corner frequencies are the weights; folded when exported."""
    def __init__(self, filters=8, size=17):
        super().__init__()
        self.size = size
        self.low = nn.Parameter(torch.linspace(0.01, 0.35, filters))
        self.width = nn.Parameter(torch.full((filters,), 0.05))
        self.register_buffer("time", torch.arange(-(size // 2), size // 2 + 1).float())
        self.register_buffer("window", torch.hamming_window(size, periodic=False))
        self.body = nn.Sequential(nn.MaxPool1d(3), nn.LayerNorm(21), nn.LeakyReLU(0.2),
                                  nn.Conv1d(filters, 6, 5), nn.MaxPool1d(3), nn.Flatten(),
                                  nn.Linear(30, 8), nn.LogSoftmax(1))

    def low_pass(self, corner):
        angle = 2 * math.pi * corner.unsqueeze(1) * self.time
        sinc = torch.where(self.time == 0, torch.ones_like(angle),
                           torch.sin(angle) / torch.where(self.time == 0, 1.0, angle))
        return 2 * corner.unsqueeze(1) * sinc

    def forward(self, wave):
        low = torch.abs(self.low)
        high = torch.clamp(low + torch.abs(self.width), max=0.5)
        filters = (self.low_pass(high) - self.low_pass(low)) * self.window
        return self.body(torch.abs(F.conv1d(wave, filters.unsqueeze(1))))


@architecture("sinc_net")
def sinc_net():
    return SincNet(), (frames(1, 1, 80),)


class Leaf(nn.Module):
    """Gabor filters, squared modulus, Gaussian pooling, per-channel energy normalisation."""
    def __init__(self, filters=6, size=15, stride=8, steps=8):
        super().__init__()
        self.stride, self.steps = stride, steps
        time = torch.arange(-(size // 2), size // 2 + 1).float()
        self.register_buffer("time", time)
        self.centre = nn.Parameter(torch.linspace(0.3, 2.5, filters))
        self.spread = nn.Parameter(torch.linspace(2.0, 4.0, filters))
        self.pool = nn.Parameter(torch.full((filters,), 0.4))
        self.alpha, self.delta, self.root = (nn.Parameter(torch.full((filters,), value))
                                             for value in (0.96, 2.0, 2.0))
        self.smooth = nn.Parameter(torch.full((filters,), 0.04))

    def forward(self, wave):
        envelope = torch.exp(-self.time**2 / (2 * self.spread.unsqueeze(1)**2))
        angle = self.centre.unsqueeze(1) * self.time
        bank = torch.stack([envelope * torch.cos(angle), envelope * torch.sin(angle)], 1)
        parts = F.conv1d(wave, bank.reshape(-1, 1, self.time.shape[0]), padding=7)
        energy = parts.pow(2).unflatten(1, (-1, 2)).sum(2)
        place = torch.linspace(-1, 1, 16)
        window = torch.exp(-0.5 * (place / self.pool.unsqueeze(1))**2).unsqueeze(1)
        x = F.conv1d(energy, window, stride=self.stride, padding=8, groups=window.shape[0])
        x = torch.clamp(x, min=1e-5)
        mean, means = x[:, :, 0], []
        for step in range(x.shape[2]):
            mean = (1 - self.smooth) * mean + self.smooth * x[:, :, step]
            means.append(mean)
        mean = torch.stack(means, 2)
        alpha, delta, root = (v.unsqueeze(1) for v in (self.alpha, self.delta, self.root))
        return (x / (1e-6 + mean)**alpha + delta)**(1 / root) - delta**(1 / root)


@architecture("leaf")
def leaf():
    return Leaf(), (frames(1, 1, 48),)


class LogMel(nn.Module):
    """Centred transform with reflected ends, mel filters, decibels, mean and variance normalisation."""
    def __init__(self, size=32, hop=16, bands=8):
        super().__init__()
        self.size, self.hop = size, hop
        self.register_buffer("window", torch.hann_window(size))
        self.register_buffer("bands", torch.rand(size // 2 + 1, bands))

    def forward(self, wave):
        spectrum = torch.stft(wave, self.size, self.hop, window=self.window, center=True,
                              pad_mode="reflect", return_complex=True)
        power = torch.view_as_real(spectrum).pow(2).sum(-1)
        mel = torch.matmul(power.transpose(1, 2), self.bands)
        decibel = 10 * torch.log10(torch.clamp(mel, min=1e-10))
        decibel = torch.maximum(decibel, decibel.amax() - 80)
        return (decibel - decibel.mean(1, keepdim=True)) / (decibel.std(1, keepdim=True) + 1e-5)


@architecture("log_mel")
def log_mel():
    return LogMel(), (frames(1, 96),)


class SpectralFeatures(nn.Module):
    """Centroid, spread, flatness, roll-off, flux of framed magnitudes, as vibration monitors use."""
    def forward(self, magnitudes):
        bins = torch.arange(magnitudes.shape[-1], dtype=torch.float32)
        total = magnitudes.sum(-1, keepdim=True) + 1e-9
        centroid = (magnitudes * bins).sum(-1, keepdim=True) / total
        spread = torch.sqrt((magnitudes * (bins - centroid)**2).sum(-1, keepdim=True) / total)
        flatness = torch.exp(torch.log(magnitudes + 1e-9).mean(-1, keepdim=True)) / (total / 9)
        reached = torch.cumsum(magnitudes, -1) >= 0.85 * total
        rolloff = reached.float().argmax(-1, keepdim=True).float()
        flux = F.pad((magnitudes[:, 1:] - magnitudes[:, :-1]).relu().sum(-1, keepdim=True),
                     (0, 0, 1, 0))
        return torch.cat([centroid, spread, flatness, rolloff, flux], -1)


@architecture("spectral_features")
def spectral_features():
    return SpectralFeatures(), (frames(1, 6, 9).abs(),)


class ConstantQ(nn.Module):
    """Complex kernels per octave; the signal is decimated by 2 between octaves."""
    def __init__(self, octaves=3, bins=4, size=16):
        super().__init__()
        self.octaves = octaves
        angle = 2 * math.pi * torch.outer(2**(torch.arange(bins) / bins) * 0.25,
                                          torch.arange(size).float())
        window = torch.hann_window(size)
        self.register_buffer("real", (torch.cos(angle) * window).unsqueeze(1))
        self.register_buffer("imaginary", (torch.sin(angle) * window).unsqueeze(1))
        self.register_buffer("smooth", torch.tensor([[[0.25, 0.5, 0.25]]]))

    def forward(self, wave):
        found = []
        for octave in range(self.octaves):
            stride = 16 >> octave
            real = F.conv1d(wave, self.real, stride=stride, padding=8)
            imaginary = F.conv1d(wave, self.imaginary, stride=stride, padding=8)
            found.insert(0, torch.sqrt(real**2 + imaginary**2 + 1e-12)[:, :, :4])
            wave = F.conv1d(wave, self.smooth, stride=2, padding=1)
        return torch.log(torch.cat(found, 1) + 1e-6)


@architecture("constant_q")
def constant_q():
    return ConstantQ(), (frames(1, 1, 64),)
