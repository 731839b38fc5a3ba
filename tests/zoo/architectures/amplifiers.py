# SPDX-License-Identifier: Apache-2.0
"""Models of amplifiers and effects, sample by sample."""

import torch
from torch import nn

from architectures.parts import CausalConv1d, frames
from architectures.registry import architecture


class RecurrentAmp(nn.Module):
    """GuitarML: a recurrent layer, a dense layer and a skip connection."""
    def __init__(self, kind, hidden):
        super().__init__()
        self.recurrent = kind(1, hidden, batch_first=True)
        self.dense = nn.Linear(hidden, 1)

    def forward(self, wave):
        return self.dense(self.recurrent(wave)[0]) + wave


@architecture("lstm_amp", causal=True)
def lstm_amp():
    return RecurrentAmp(nn.LSTM, 20), (frames(1, 24, 1),)


@architecture("gru_amp", causal=True)
def gru_amp():
    return RecurrentAmp(nn.GRU, 16), (frames(1, 24, 1),)


class ConditionedAmp(nn.Module):
    """The knob values are additional inputs of every sample."""
    def __init__(self, knobs=2, hidden=12):
        super().__init__()
        self.lstm, self.dense = nn.LSTM(1 + knobs, hidden, batch_first=True), nn.Linear(hidden, 1)

    def forward(self, wave, knobs):
        settings = knobs.unsqueeze(1).expand(-1, wave.shape[1], -1)
        return torch.tanh(self.dense(self.lstm(torch.cat([wave, settings], 2))[0]))


@architecture("conditioned_amp", causal=True)
def conditioned_amp():
    return ConditionedAmp(), (frames(1, 16, 1), torch.rand(1, 2))


class FilmBlock(nn.Module):
    def __init__(self, inputs, channels, dilation, condition):
        super().__init__()
        self.conv = CausalConv1d(inputs, channels, 5, dilation)
        self.norm = nn.BatchNorm1d(channels, affine=False)
        self.adapt = nn.Linear(condition, 2 * channels)
        self.activation, self.rest = nn.PReLU(channels), nn.Conv1d(inputs, channels, 1)

    def forward(self, x, condition):
        gain, bias = self.adapt(condition).unsqueeze(-1).chunk(2, 1)
        return self.activation(self.norm(self.conv(x)) * gain + bias) + self.rest(x)


class MicroTcn(nn.Module):
    """Causal convolutions with feature-wise modulation by the knobs."""
    def __init__(self):
        super().__init__()
        self.knobs = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 6), nn.ReLU())
        self.blocks = nn.ModuleList(FilmBlock(1 if i == 0 else 6, 6, 4**i, 6) for i in range(3))
        self.out = nn.Conv1d(6, 1, 1)

    def forward(self, wave, knobs):
        condition, x = self.knobs(knobs), wave
        for block in self.blocks:
            x = block(x, condition)
        return torch.tanh(self.out(x))


@architecture("micro_tcn", causal=True)
def micro_tcn():
    return MicroTcn(), (frames(1, 1, 24), torch.rand(1, 2))


class NamWaveNet(nn.Module):
    """Neural Amp Modeler: the condition is the sample itself, head outputs are added, no padding."""
    def __init__(self, channels=4, dilations=(1, 2, 4)):
        super().__init__()
        self.enter = nn.Conv1d(1, channels, 1, bias=False)
        self.convs = nn.ModuleList(nn.Conv1d(channels, channels, 3, dilation=d) for d in dilations)
        self.mix = nn.ModuleList(nn.Conv1d(1, channels, 1, bias=False) for _ in dilations)
        self.rest = nn.ModuleList(nn.Conv1d(channels, channels, 1) for _ in dilations)
        self.head = nn.Conv1d(channels, 1, 1)
        self.scale = nn.Parameter(torch.tensor(0.02))

    def forward(self, wave):
        x, total, length = self.enter(wave), None, wave.shape[2] - 14
        for conv, mix, rest in zip(self.convs, self.mix, self.rest):
            y = conv(x)
            y = torch.tanh(y + mix(wave)[:, :, -y.shape[2]:])
            total = y[:, :, -length:] if total is None else total + y[:, :, -length:]
            x = rest(y) + x[:, :, -y.shape[2]:]
        return self.head(total) * self.scale


@architecture("nam_wavenet")
def nam_wavenet():
    return NamWaveNet(), (frames(1, 1, 32),)


class DelayLines(nn.Module):
    """A biquad as a loop over samples, as in trainable effects."""
    def __init__(self):
        super().__init__()
        self.forward_part = nn.Parameter(torch.tensor([0.3, 0.4, 0.3]))
        self.feedback = nn.Parameter(torch.tensor([-0.5, 0.25]))

    def forward(self, wave):
        first = torch.zeros_like(wave[:, 0])
        second, made = first, []
        for step in range(wave.shape[1]):
            x = wave[:, step]
            y = self.forward_part[0] * x + first
            first = self.forward_part[1] * x - self.feedback[0] * y + second
            second = self.forward_part[2] * x - self.feedback[1] * y
            made.append(y)
        return torch.stack(made, 1)


@architecture("biquad", causal=True)
def biquad():
    return DelayLines(), (frames(2, 12),)
