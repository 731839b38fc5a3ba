# SPDX-License-Identifier: Apache-2.0
"""Causal nets, designed to run one step at a time."""

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import CausalConv1d, frames
from architectures.recurrent import Unrolled
from architectures.registry import architecture

STEPS = 12


def sound(channels, steps=STEPS):
    return (torch.randn(1, channels, steps),)


class SkipSums(nn.Module):
    """WaveNet: gated, dilated, the sum of all skips is the output."""
    def __init__(self, channels=4, dilations=(1, 2, 4)):
        super().__init__()
        self.enter = nn.Conv1d(1, channels, 1)
        self.pairs = nn.ModuleList([CausalConv1d(channels, 2 * channels, 2, dilation)
                                    for dilation in dilations])
        self.rest = nn.ModuleList([nn.Conv1d(channels, channels, 1) for _ in dilations])
        self.skip = nn.ModuleList([nn.Conv1d(channels, 5, 1) for _ in dilations])
        self.out = nn.Conv1d(5, 2, 1)

    def forward(self, x):
        x, total = self.enter(x), 0
        for pair, rest, skip in zip(self.pairs, self.rest, self.skip):
            new, gate = pair(x).chunk(2, 1)
            y = torch.tanh(new) * torch.sigmoid(gate)
            x, total = x + rest(y), total + skip(y)
        return self.out(F.relu(total))


@architecture("wavenet_skips", causal=True)
def wavenet_skips():
    return SkipSums(), sound(1)


class CumulativeNorm(nn.Module):
    """Conv-TasNet's cLN: mean and variance of all channels so far."""
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(1, channels, 1))
        self.bias = nn.Parameter(torch.rand(1, channels, 1))

    def forward(self, x):
        _, channels, steps = x.shape
        total, squares = torch.cumsum(x.sum(1), 1), torch.cumsum((x * x).sum(1), 1)
        count = torch.arange(channels, channels * (steps + 1), channels, dtype=x.dtype)
        mean = total / count
        variance = (squares - 2 * mean * total) / count + mean * mean
        deviation = torch.sqrt(variance + 1e-4)
        return self.gain * (x - mean.unsqueeze(1)) / deviation.unsqueeze(1) + self.bias


class Separator(nn.Module):
    """Conv-TasNet for two speakers; each block removes the look-ahead of its padding."""
    def __init__(self):
        super().__init__()
        self.encode = nn.Conv1d(1, 6, 4, 2, bias=False)
        self.enter = nn.Sequential(CumulativeNorm(6), nn.Conv1d(6, 4, 1))
        self.wide = nn.ModuleList([nn.Sequential(nn.Conv1d(4, 8, 1), nn.PReLU(), CumulativeNorm(8))
                                   for _ in range(2)])
        self.deep = nn.ModuleList([nn.Conv1d(8, 8, 3, dilation=d, groups=8, padding=2 * d)
                                   for d in (1, 2)])
        self.narrow = nn.ModuleList([nn.Conv1d(8, 8, 1) for _ in range(2)])
        self.mask = nn.Conv1d(4, 12, 1)
        self.decode = nn.ConvTranspose1d(6, 1, 4, 2, bias=False)

    def forward(self, x):
        coded = self.encode(F.pad(x, (2, 0)))
        y, total = self.enter(coded), 0
        for wide, deep, narrow in zip(self.wide, self.deep, self.narrow):
            inner = deep(wide(y))[:, :, :-deep.padding[0]]
            rest, skip = narrow(inner).chunk(2, 1)
            y, total = y + rest, total + skip
        masks = torch.relu(self.mask(total)).view(1, 2, 6, -1)
        parts = (coded.unsqueeze(1) * masks).view(2, 6, -1)
        return self.decode(parts)[:, :, :-2].view(1, 2, -1)


@architecture("conv_tasnet_cumulative", causal=True)
def conv_tasnet_cumulative():
    return Separator(), sound(1, 24)


class ComplexLayer(nn.Module):
    def __init__(self, make):
        super().__init__()
        self.real, self.imaginary = make(), make()

    def forward(self, real, imaginary):
        return (self.real(real) - self.imaginary(imaginary),
                self.real(imaginary) + self.imaginary(real))


class ComplexCrn(nn.Module):
    """DCCRN on a spectrum of 8 bins: complex convolutions around a complex LSTM."""
    def __init__(self):
        super().__init__()
        down = {"kernel_size": (5, 2), "stride": (2, 1), "padding": (2, 0)}
        self.enter = ComplexLayer(lambda: nn.Conv2d(1, 2, **down))
        self.deep = ComplexLayer(lambda: nn.Conv2d(2, 3, **down))
        self.walk = ComplexLayer(lambda: FirstOf(nn.LSTM(6, 6, batch_first=True)))
        self.rise = ComplexLayer(lambda: nn.ConvTranspose2d(6, 2, output_padding=(1, 0), **down))
        self.leave = ComplexLayer(lambda: nn.ConvTranspose2d(4, 1, output_padding=(1, 0), **down))

    def forward(self, x):
        def before(pair):
            return [F.pad(part, (1, 0)) for part in pair]

        def lines(part):
            return part.permute(0, 3, 1, 2).reshape(1, -1, 6)

        def planes(part):
            return part.reshape(1, -1, 3, 2).permute(0, 2, 3, 1)

        def joined(first, second):
            return [torch.cat(pair, 1) for pair in zip(first, second)]

        spectrum = (x[:, :1], x[:, 1:])
        first = self.enter(*before(spectrum))
        second = self.deep(*before([F.relu(part) for part in first]))
        walked = [planes(part) for part in self.walk(*[lines(part) for part in second])]
        risen = [part[..., :-1] for part in self.rise(*joined(walked, second))]
        mask = [part[..., :-1] for part in self.leave(*joined(risen, first))]
        size = torch.sqrt(mask[0]**2 + mask[1]**2 + 1e-8)
        scale = torch.tanh(size) / size
        return torch.cat([part * scale * m for part, m in zip(spectrum, mask)], 1)


class FirstOf(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)[0]


@architecture("dccrn_causal", causal=True)
def dccrn_causal():
    return ComplexCrn(), (torch.randn(1, 2, 8, STEPS),)


class DeepFilter(nn.Module):
    """Each bin is filtered over its last three steps, with taps that a GRU computes."""
    def __init__(self):
        super().__init__()
        self.walk, self.taps = nn.GRU(8, 8, batch_first=True), nn.Linear(8, 24)

    def forward(self, x):
        taps = torch.tanh(self.taps(self.walk(x.flatten(2))[0])).view(1, x.shape[1], 3, 4, 2)
        last = F.pad(x, (0, 0, 0, 0, 2, 0)).unfold(1, 3, 1).permute(0, 1, 4, 2, 3)
        real = (last[..., 0] * taps[..., 0] - last[..., 1] * taps[..., 1]).sum(2)
        imaginary = (last[..., 0] * taps[..., 1] + last[..., 1] * taps[..., 0]).sum(2)
        return torch.stack([real, imaginary], -1)


@architecture("deep_filter_unfold", causal=True)
def deep_filter_unfold():
    return DeepFilter(), (torch.randn(1, STEPS, 4, 2),)


class SubBands(nn.Module):
    """FullSubNet with a running level, a full-band LSTM and one LSTM for all bins."""
    def __init__(self):
        super().__init__()
        self.full, self.mix = nn.LSTM(6, 6, batch_first=True), nn.Linear(6, 6)
        self.sub, self.out = nn.LSTM(4, 5, batch_first=True), nn.Linear(5, 2)

    def forward(self, x):
        steps = x.shape[-1]
        level = torch.cumsum(x.abs().sum(1), -1) / torch.arange(6, 6 * steps + 1, 6, dtype=x.dtype)
        x = x.abs() / (level + 1e-5).unsqueeze(1)
        full = F.relu(self.mix(self.full(x.transpose(1, 2))[0])).transpose(1, 2)
        near = F.pad(x, (0, 0, 1, 1))
        bands = torch.stack([near[:, :6], near[:, 1:7], near[:, 2:], full], 2).reshape(6, 4, -1)
        return self.out(self.sub(bands.transpose(1, 2))[0]).reshape(1, 6, steps, 2)


@architecture("sub_bands", causal=True)
def sub_bands():
    return SubBands(), sound(6)


class BroadcastedBlock(nn.Module):
    """BC-ResNet: the mean over the bins is filtered in time and spread over the bins again."""
    def __init__(self):
        super().__init__()
        self.enter = nn.Conv2d(1, 4, (3, 1), (2, 1), (1, 0))
        self.bins = nn.Conv2d(4, 4, (3, 1), padding=(1, 0), groups=4)
        self.norm = nn.BatchNorm2d(8)
        self.steps = nn.Conv2d(4, 4, (1, 3), dilation=(1, 2), groups=4)
        self.point, self.out = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 3, (4, 1))

    def forward(self, x):
        x = self.enter(x)
        y = self.bins(x)
        batch, channels, bins, steps = y.shape
        y = self.norm(y.view(batch, 2 * channels, bins // 2, steps)).view(y.shape)
        mean = F.pad(y.mean(2, keepdim=True), (4, 0))
        return self.out(F.relu(x + y + self.point(F.silu(self.steps(mean))))).squeeze(2)


@architecture("bc_resnet_causal", causal=True)
def bc_resnet_causal():
    return BroadcastedBlock(), (torch.randn(1, 1, 8, STEPS),)


class Words(nn.Module):
    """MatchboxNet's separable blocks at half the rate; softmax of the words along the channels."""
    def __init__(self):
        super().__init__()
        self.enter = CausalConv1d(4, 6, 3, stride=2)
        self.blocks = nn.ModuleList([
            nn.Sequential(CausalConv1d(6, 6, 5, groups=6), nn.Conv1d(6, 6, 1), nn.BatchNorm1d(6))
            for _ in range(2)])
        self.out = nn.Conv1d(6, 3, 1)

    def forward(self, x):
        x = F.relu(self.enter(x))
        y = self.blocks[1](F.relu(self.blocks[0](x)))
        return torch.log_softmax(self.out(F.relu(x + y)), 1)


@architecture("matchbox_causal", causal=True)
def matchbox_causal():
    return Words(), sound(4, 24)


class Codec(nn.Module):
    """SEANet as streamed in EnCodec: strides, an LSTM, the nearest of five codes, and a decoder."""
    def __init__(self):
        super().__init__()
        self.enter, self.down = CausalConv1d(1, 4, 7), nn.Conv1d(4, 6, 4, 2)
        self.deeper = nn.Conv1d(6, 8, 6, 3)
        self.walk, self.codes = nn.LSTM(8, 8, batch_first=True), nn.Parameter(torch.randn(5, 8))
        self.up, self.higher = nn.ConvTranspose1d(8, 6, 6, 3), nn.ConvTranspose1d(6, 4, 4, 2)
        self.leave = CausalConv1d(4, 1, 7)

    def forward(self, x):
        y = self.down(F.pad(F.elu(self.enter(x)), (2, 0)))
        y = self.deeper(F.pad(F.elu(y), (3, 0))).transpose(1, 2)
        y = y + self.walk(y)[0]
        far = (y * y).sum(-1, keepdim=True) - 2 * y @ self.codes.T + (self.codes**2).sum(1)
        code = far.argmin(-1)
        y = self.up(F.elu(F.embedding(code, self.codes).transpose(1, 2)))[:, :, :-3]
        return self.leave(F.elu(self.higher(F.elu(y))[:, :, :-2])), code


@architecture("seanet_codec", causal=True)
def seanet_codec():
    return Codec(), sound(1, 48)


class WaveUNet(nn.Module):
    """Downsampling selects every second step; upsampling repeats each step."""
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = CausalConv1d(1, 4, 5), CausalConv1d(4, 6, 5), CausalConv1d(6, 8, 3)
        self.d, self.e, self.out = CausalConv1d(14, 6, 3), CausalConv1d(10, 4, 3), nn.Conv1d(5, 1, 1)

    def forward(self, x):
        a = F.leaky_relu(self.a(x))
        b = F.leaky_relu(self.b(a[:, :, ::2]))
        c = F.leaky_relu(self.c(b[:, :, ::2]))
        d = F.leaky_relu(self.d(torch.cat([F.interpolate(c, scale_factor=2), b], 1)))
        e = F.leaky_relu(self.e(torch.cat([d.repeat_interleave(2, 2), a], 1)))
        return torch.tanh(self.out(torch.cat([e, x], 1)))


@architecture("wave_unet_causal", causal=True)
def wave_unet_causal():
    return WaveUNet(), sound(1, 24)


class RepeatedEdges(nn.Module):
    """Padding that repeats the first step."""
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv1d(2, 3, 3), nn.Conv1d(3, 3, 2)
        self.walk = nn.GRU(6, 4, batch_first=True)

    def forward(self, x):
        y = F.elu(self.a(F.pad(x, (2, 0), mode="replicate")))
        y = self.b(F.pad(y, (1, 0), mode="replicate")).transpose(1, 2)
        change = y - torch.cat([y[:, :1], y[:, :-1]], 1)
        return self.walk(torch.cat([y, change], 2))[0]


@architecture("repeated_edges", causal=True)
def repeated_edges():
    return RepeatedEdges(), sound(2)


class MovingMedian(nn.Module):
    def forward(self, x):
        last = F.pad(x, (4, 0)).unfold(2, 5, 1)
        return torch.sort(last, -1)[0][..., 2], last.max(-1)[0]


@architecture("moving_median", causal=True)
def moving_median():
    return MovingMedian(), sound(3)


class FromTheFirst(nn.Module):
    """A recurrence whose initial state is its first step, as in trackers and smoothers."""
    def __init__(self):
        super().__init__()
        self.keep, self.new = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        keep, new = torch.sigmoid(self.keep(x)), self.new(x)
        made = [new[:, 0]]
        for step in range(1, x.shape[1]):
            made.append(keep[:, step] * made[-1] + new[:, step])
        return torch.stack(made, 1)


@architecture("from_the_first", causal=True)
def from_the_first():
    return FromTheFirst(), (frames(1, STEPS, 4),)


class Controller(nn.Module):
    """A PID controller with a bounded output and anti-windup, and its plant."""
    def forward(self, x, states):
        integral, before, plant = states
        error = x - plant
        wanted = 1.2 * error + integral + 0.1 * (error - before)
        given = torch.clamp(wanted, -1, 1)
        integral = integral + 0.05 * error + 0.5 * (given - wanted)
        return given, [integral, error, 0.8 * plant + 0.2 * given]


@architecture("pid_windup", causal=True)
def pid_windup():
    return Unrolled(Controller(), 4, 4, 4), (frames(1, STEPS, 4),)


class Welford(nn.Module):
    """Online normalisation by the mean and variance so far."""
    def forward(self, x, states):
        count, mean, spread = states
        count, apart = count + 1, x - mean
        mean = mean + apart / count
        spread = spread + apart * (x - mean)
        return apart / torch.sqrt(spread / count + 1e-3), [count, mean, spread]


@architecture("online_norm", causal=True)
def online_norm():
    return Unrolled(Welford(), 1, 4, 4), (frames(1, STEPS, 4),)


class Retention(nn.Module):
    """RetNet's recurrent form, each head normalised by itself."""
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(4, 3), nn.Linear(4, 3), nn.Linear(4, 4)
        self.norm = nn.GroupNorm(2, 4)

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        state, made = torch.zeros(1, 3, 4), []
        for step in range(x.shape[1]):
            state = 0.9 * state + k[:, step, :, None] * v[:, step, None]
            made.append(self.norm((q[:, step, None] @ state)[:, 0]))
        return torch.stack(made, 1)


@architecture("retention_steps", causal=True)
def retention_steps():
    return Retention(), (frames(1, STEPS, 4),)


class Collapse(nn.Module):
    """Greedy CTC: a label counts if it differs from the previous one."""
    def __init__(self):
        super().__init__()
        self.walk, self.out = nn.GRU(4, 6, batch_first=True), nn.Linear(6, 5)

    def forward(self, x):
        label = self.out(self.walk(x)[0]).argmax(-1)
        before = F.pad(label, (1, 0))[:, :-1]
        return torch.where((label != before) & (label != 0), label, torch.full_like(label, -1))


@architecture("ctc_collapse", causal=True)
def ctc_collapse():
    return Collapse(), (frames(1, STEPS, 4),)


class ShiftedState(nn.Module):
    """The step before the first is an input, and the last step is an output."""
    def __init__(self):
        super().__init__()
        self.walk = nn.GRU(8, 4, batch_first=True)

    def forward(self, x, last):
        before = torch.cat([last, x[:, :-1]], 1)
        return self.walk(torch.cat([x, before], 2))[0], x[:, -1:]


@architecture("shifted_state", causal=True)
def shifted_state():
    return ShiftedState(), (frames(1, STEPS, 4), frames(1, 1, 4))
