# SPDX-License-Identifier: Apache-2.0
"""Speech enhancement and separation by masks in time and frequency, and in waveforms."""

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import (CausalConv1d, CausalConv2d, ChannelNorm, GlobalNorm, frames)
from architectures.registry import architecture


class Dtln(nn.Module):
    """Dual-signal transformation: a mask on magnitudes, then one on learnt features of frames."""
    def __init__(self, bins=17, frame=16, features=12, hidden=8):
        super().__init__()
        self.first = nn.LSTM(bins, hidden, 2, batch_first=True)
        self.mask = nn.Linear(hidden, bins)
        self.encode = nn.Conv1d(frame, features, 1, bias=False)
        self.norm = nn.LayerNorm(features)
        self.second = nn.LSTM(features, hidden, 2, batch_first=True)
        self.gain = nn.Linear(hidden, features)
        self.decode = nn.Conv1d(features, frame, 1, bias=False)

    def forward(self, magnitudes, waves):
        mask = torch.sigmoid(self.mask(self.first(torch.log(magnitudes**2 + 1e-7))[0]))
        encoded = self.encode(waves.transpose(1, 2)).transpose(1, 2)
        gain = torch.sigmoid(self.gain(self.second(self.norm(encoded))[0]))
        return magnitudes * mask, self.decode((encoded * gain).transpose(1, 2)).transpose(1, 2)


@architecture("dtln", causal=True)
def dtln():
    return Dtln(), (frames(1, 7, 17).abs(), frames(1, 7, 16))


class RnNoise(nn.Module):
    """Gains of 22 bands and voice activity from 42 features: three GRUs that see each other."""
    def __init__(self, scale=4):
        super().__init__()
        a, b, c = 24 // scale, 48 // scale, 96 // scale
        self.dense = nn.Linear(42, a)
        self.vad_gru = nn.GRU(a, a, batch_first=True)
        self.vad = nn.Linear(a, 1)
        self.noise_gru = nn.GRU(a + a + 42, b, batch_first=True)
        self.gain_gru = nn.GRU(a + b + 42, c, batch_first=True)
        self.gains = nn.Linear(c, 22)

    def forward(self, x):
        dense = torch.tanh(self.dense(x))
        vad = torch.relu(self.vad_gru(dense)[0])
        noise = torch.relu(self.noise_gru(torch.cat([dense, vad, x], 2))[0])
        gain = torch.relu(self.gain_gru(torch.cat([vad, noise, x], 2))[0])
        return torch.sigmoid(self.gains(gain)), torch.sigmoid(self.vad(vad))


@architecture("rnnoise", causal=True)
def rnnoise():
    return RnNoise(), (frames(1, 6, 42),)


class NsNet2(nn.Module):
    def __init__(self, bins=17, hidden=12):
        super().__init__()
        self.enter, self.gru = nn.Linear(bins, hidden), nn.GRU(hidden, hidden, 2, batch_first=True)
        self.leave = nn.Sequential(nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, bins),
                                   nn.Sigmoid())

    def forward(self, x):
        return self.leave(self.gru(torch.relu(self.enter(x)))[0])


@architecture("nsnet2", causal=True)
def nsnet2():
    return NsNet2(), (frames(1, 6, 17),)


class GatedTemporalConv(nn.Module):
    """GTCRN's block: half of the channels through dilated depthwise convolutions and attention over
    time, then the halves are shuffled."""
    def __init__(self, channels, dilation):
        super().__init__()
        half = channels // 2
        self.enter = nn.Sequential(nn.Conv2d(half * 3, channels, 1), nn.BatchNorm2d(channels),
                                   nn.PReLU())
        self.depth = nn.Sequential(CausalConv2d(channels, channels, (3, 3), groups=channels,
                                                dilation=dilation),
                                   nn.BatchNorm2d(channels), nn.PReLU())
        self.leave = nn.Sequential(nn.Conv2d(channels, half, 1), nn.BatchNorm2d(half))
        self.gru, self.gate = nn.GRU(half, channels, batch_first=True), nn.Linear(channels, half)

    @staticmethod
    def neighbours(x):
        """Three neighbouring bins of each channel, as channels."""
        batch, channels, time, bins = x.shape
        return F.unfold(x, (1, 3), padding=(0, 1)).reshape(batch, channels * 3, time, bins)

    def forward(self, x):
        first, second = torch.chunk(x, 2, dim=1)
        y = self.leave(self.depth(self.enter(self.neighbours(first))))
        energy = torch.mean(y.pow(2), dim=-1)
        gate = torch.sigmoid(self.gate(self.gru(energy.transpose(1, 2))[0])).transpose(1, 2)
        y = y * gate.unsqueeze(-1)
        y = torch.stack([y, second], dim=1).transpose(1, 2).contiguous()
        return y.flatten(1, 2)


class Gtcrn(nn.Module):
    def __init__(self, bins=16, channels=4):
        super().__init__()
        self.bands = nn.Linear(bins, 8, bias=False)
        self.encode = nn.Sequential(nn.Conv2d(3, channels, (1, 5), (1, 2), (0, 2)),
                                    nn.BatchNorm2d(channels), nn.PReLU())
        self.middle = nn.ModuleList(GatedTemporalConv(channels, d) for d in (1, 2))
        self.intra = nn.GRU(channels, channels // 2, batch_first=True, bidirectional=True)
        self.inter = nn.GRU(channels, channels, batch_first=True)
        self.norm = nn.LayerNorm((4, channels), eps=1e-8)
        self.decode = nn.ConvTranspose2d(channels, 2, (1, 5), (1, 2), (0, 2), (0, 1))
        self.unbands = nn.Linear(8, bins, bias=False)

    def forward(self, spectrum):
        real, imaginary = spectrum[..., 0], spectrum[..., 1]
        magnitude = torch.sqrt(real**2 + imaginary**2 + 1e-12)
        x = self.bands(torch.stack([magnitude, real, imaginary], 1))
        x = skip = self.encode(x)
        for block in self.middle:
            x = block(x)
        batch, channels, time, bins = x.shape
        rows = x.permute(0, 2, 3, 1)
        y = self.intra(rows.reshape(batch * time, bins, channels))[0]
        rows = rows + self.norm(y.reshape(batch, time, bins, channels))
        y = self.inter(rows.permute(0, 2, 1, 3).reshape(batch * bins, time, channels))[0]
        y = y.reshape(batch, bins, time, channels).permute(0, 2, 1, 3)
        x = (rows + self.norm(y)).permute(0, 3, 1, 2)
        mask = self.unbands(torch.tanh(self.decode(x + skip)))
        return torch.stack([real * mask[:, 0] - imaginary * mask[:, 1],
                            real * mask[:, 1] + imaginary * mask[:, 0]], -1)


@architecture("gtcrn", causal=True)
def gtcrn():
    return Gtcrn(), (frames(1, 5, 16, 2),)


class GroupedLinear(nn.Module):
    def __init__(self, width, groups):
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(torch.randn(groups, width // groups, width // groups) * 0.3)

    def forward(self, x):
        parts = x.unflatten(-1, (self.groups, -1))
        return torch.einsum("btgi,gij->btgj", parts, self.weight).flatten(2)


class DeepFilter(nn.Module):
    """DeepFilterNet: gains of bands from an encoder with a GRU, then complex filters of a few taps
    over the past of the lowest bins."""
    def __init__(self, bands=8, low=6, taps=3, channels=4):
        super().__init__()
        self.low, self.taps = low, taps
        self.first = CausalConv2d(1, channels, (3, 3))
        self.second = CausalConv2d(channels, channels, (1, 3), stride=2, groups=channels)
        self.mix = nn.Conv2d(channels, channels, 1)
        self.enter = GroupedLinear(channels * bands // 2, 4)
        self.gru = nn.GRU(channels * bands // 2, 16, batch_first=True)
        self.leave = nn.Linear(16, channels * bands // 2)
        self.up = nn.ConvTranspose2d(channels, channels, (1, 3), (1, 2), (0, 1), (0, 1))
        self.gains = nn.Conv2d(channels, 1, (1, 3), padding=(0, 1))
        self.coefficients = nn.Linear(16, low * taps * 2)

    def forward(self, bands, spectrum):
        first = torch.relu(self.first(bands.unsqueeze(1)))
        second = torch.relu(self.mix(self.second(first)))
        batch, channels, time, width = second.shape
        code = self.gru(self.enter(second.permute(0, 2, 1, 3).flatten(2)))[0]
        y = self.leave(code).unflatten(2, (channels, width)).permute(0, 2, 1, 3)
        gains = torch.sigmoid(self.gains(torch.relu(self.up(y + second)) + first))
        filters = torch.tanh(self.coefficients(code)).reshape(batch, time, self.low, self.taps, 2)
        low = F.pad(spectrum[:, :, :self.low], (0, 0, 0, 0, self.taps - 1, 0))
        past = low.unfold(1, self.taps, 1).permute(0, 1, 2, 4, 3)
        real = (past[..., 0] * filters[..., 0] - past[..., 1] * filters[..., 1]).sum(-1)
        imaginary = (past[..., 0] * filters[..., 1] + past[..., 1] * filters[..., 0]).sum(-1)
        return gains.squeeze(1), torch.stack([real, imaginary], -1)


@architecture("deep_filter_net", causal=True)
def deep_filter_net():
    return DeepFilter(), (frames(1, 5, 8), frames(1, 5, 16, 2))


class SeparableBlock(nn.Module):
    def __init__(self, channels, hidden, dilation, causal):
        super().__init__()
        norm = ChannelNorm if causal else GlobalNorm
        depth = (CausalConv1d(hidden, hidden, 3, dilation, hidden) if causal else nn.Conv1d(
            hidden, hidden, 3, padding=dilation, dilation=dilation, groups=hidden))
        self.body = nn.Sequential(nn.Conv1d(channels, hidden, 1), nn.PReLU(), norm(hidden), depth,
                                  nn.PReLU(), norm(hidden))
        self.rest, self.skip = nn.Conv1d(hidden, channels, 1), nn.Conv1d(hidden, channels, 1)

    def forward(self, x):
        y = self.body(x)
        return x + self.rest(y), self.skip(y)


class ConvTasNet(nn.Module):
    def __init__(self, filters=8, kernel=8, channels=6, hidden=10, speakers=2, causal=False):
        super().__init__()
        self.speakers = speakers
        self.encode = nn.Conv1d(1, filters, kernel, kernel // 2, bias=False)
        self.norm = (ChannelNorm if causal else GlobalNorm)(filters)
        self.enter = nn.Conv1d(filters, channels, 1)
        self.blocks = nn.ModuleList(
            SeparableBlock(channels, hidden, 2**i, causal) for i in range(3))
        self.masks = nn.Sequential(nn.PReLU(), nn.Conv1d(channels, filters * speakers, 1),
                                   nn.Sigmoid())
        self.decode = nn.ConvTranspose1d(filters, 1, kernel, kernel // 2, bias=False)

    def forward(self, wave):
        code = self.encode(wave)
        x, total = self.enter(self.norm(code)), 0
        for block in self.blocks:
            x, skip = block(x)
            total = total + skip
        masks = self.masks(total).unflatten(1, (self.speakers, -1))
        parts = masks * code.unsqueeze(1)
        return self.decode(parts.flatten(0, 1)).reshape(wave.shape[0], self.speakers, -1)


@architecture("conv_tasnet")
def conv_tasnet():
    return ConvTasNet(), (frames(1, 1, 64),)


@architecture("conv_tasnet_causal")
def conv_tasnet_causal():
    return ConvTasNet(causal=True), (frames(1, 1, 64),)


class Demucs(nn.Module):
    """Convolutions with GLU down, an LSTM, and transposed convolutions up with skips."""
    def __init__(self, depth=2, channels=4):
        super().__init__()
        self.encoder, self.decoder = nn.ModuleList(), nn.ModuleList()
        inputs = 1
        for level in range(depth):
            width = channels * 2**level
            self.encoder.append(nn.Sequential(nn.Conv1d(inputs, width, 8, 4), nn.ReLU(),
                                              nn.Conv1d(width, 2 * width, 1), nn.GLU(1)))
            self.decoder.insert(0, nn.Sequential(
                nn.Conv1d(width, 2 * width, 1), nn.GLU(1), nn.ConvTranspose1d(width, inputs, 8, 4),
                *([nn.ReLU()] if level else [])))
            inputs = width
        self.lstm = nn.LSTM(inputs, inputs, 2)

    def forward(self, wave):
        scale = wave.std(dim=-1, keepdim=True)
        x, skips = wave / (1e-3 + scale), []
        for encode in self.encoder:
            x = encode(x)
            skips.append(x)
        x = self.lstm(x.permute(2, 0, 1))[0].permute(1, 2, 0)
        for decode in self.decoder:
            skip = skips.pop()
            x = decode(x + skip[..., :x.shape[-1]])
        return scale * x


@architecture("demucs")
def demucs():
    return Demucs(), (frames(1, 1, 84),)


class Crn(nn.Module):
    """Convolutions over time and bins, an LSTM over time, transposed convolutions with skips."""
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([CausalConv2d(1, 4, (2, 3), 2), CausalConv2d(4, 6, (2, 3), 2)])
        self.norms = nn.ModuleList([nn.BatchNorm2d(4), nn.BatchNorm2d(6)])
        self.lstm = nn.LSTM(6 * 4, 6 * 4, batch_first=True)
        self.up = nn.ModuleList([nn.ConvTranspose2d(12, 4, (2, 3), (1, 2), (0, 1), (0, 1)),
                                 nn.ConvTranspose2d(8, 1, (2, 3), (1, 2), (0, 1), (0, 1))])

    def forward(self, x):
        time, skips = x.shape[2], []
        for conv, norm in zip(self.down, self.norms):
            x = F.elu(norm(conv(x)))
            skips.append(x)
        y = self.lstm(x.permute(0, 2, 1, 3).flatten(2))[0]
        x = y.unflatten(2, (6, 4)).permute(0, 2, 1, 3)
        x = F.elu(self.up[0](torch.cat([x, skips[1]], 1))[:, :, :time])
        return F.softplus(self.up[1](torch.cat([x, skips[0]], 1))[:, :, :time])


@architecture("crn", causal=True)
def crn():
    return Crn(), (frames(1, 1, 5, 16),)


class DualPath(nn.Module):
    """DPRNN: a bidirectional LSTM within chunks, one along the chunks."""
    def __init__(self, channels=6, hidden=5):
        super().__init__()
        self.intra = nn.LSTM(channels, hidden, batch_first=True, bidirectional=True)
        self.inter = nn.LSTM(channels, hidden, batch_first=True)
        self.dense = nn.ModuleList([nn.Linear(2 * hidden, channels), nn.Linear(hidden, channels)])
        self.norm = nn.ModuleList([nn.GroupNorm(1, channels), nn.GroupNorm(1, channels)])

    def forward(self, x):
        batch, channels, chunk, count = x.shape
        rows = x.permute(0, 3, 2, 1).reshape(batch * count, chunk, channels)
        y = self.dense[0](self.intra(rows)[0]).reshape(batch, count, chunk, channels)
        x = x + self.norm[0](y.permute(0, 3, 2, 1))
        rows = x.permute(0, 2, 3, 1).reshape(batch * chunk, count, channels)
        y = self.dense[1](self.inter(rows)[0]).reshape(batch, chunk, count, channels)
        return x + self.norm[1](y.permute(0, 3, 1, 2))


@architecture("dprnn")
def dprnn():
    return nn.Sequential(DualPath(), DualPath()), (frames(1, 6, 4, 5),)


class StftMask(nn.Module):
    """Transform, mask by a GRU, transform back."""
    def __init__(self, size=16, hop=8, hidden=8):
        super().__init__()
        self.size, self.hop = size, hop
        self.register_buffer("window", torch.hann_window(size))
        bins = size // 2 + 1
        self.gru, self.mask = nn.GRU(bins, hidden, batch_first=True), nn.Linear(hidden, bins)

    def forward(self, wave):
        spectrum = torch.stft(wave, self.size, self.hop, window=self.window, center=False,
                              return_complex=True)
        parts = torch.view_as_real(spectrum)
        power = parts.pow(2).sum(-1).transpose(1, 2)
        mask = torch.sigmoid(self.mask(self.gru(torch.log1p(power))[0])).transpose(1, 2)
        return parts * mask.unsqueeze(-1)


@architecture("stft_mask")
def stft_mask():
    return StftMask(), (frames(1, 64),)


class FullSubNet(nn.Module):
    """An LSTM over all bins, then one over each bin with its neighbours."""
    def __init__(self, bins=8, reach=2, hidden=6):
        super().__init__()
        self.reach = reach
        self.full, self.full_out = nn.LSTM(bins, hidden, batch_first=True), nn.Linear(hidden, bins)
        self.sub = nn.LSTM(2 * reach + 2, hidden, batch_first=True)
        self.sub_out = nn.Linear(hidden, 2)

    def forward(self, x):
        full = torch.relu(self.full_out(self.full(x)[0]))
        wide = F.pad(x, (self.reach, self.reach), mode="reflect")
        near = wide.unfold(2, 2 * self.reach + 1, 1)
        rows = torch.cat([near, full.unsqueeze(-1)], -1).transpose(1, 2)
        y = self.sub_out(self.sub(rows.flatten(0, 1))[0])
        return y.unflatten(0, (x.shape[0], -1)).permute(0, 3, 2, 1)


@architecture("full_sub_net", causal=True)
def full_sub_net():
    return FullSubNet(), (frames(1, 5, 8).abs(),)
