# SPDX-License-Identifier: Apache-2.0
"""Keyword spotting on spectra of about one second."""

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import FeedForward, SqueezeExcite, conv_norm, frames
from architectures.registry import architecture


@architecture("ds_cnn")
def ds_cnn():
    layers = [nn.Conv2d(1, 8, (10, 4), (2, 2), (4, 1)), nn.BatchNorm2d(8), nn.ReLU()]
    for _ in range(2):
        layers += [conv_norm(8, 8, 3, 1, 8), conv_norm(8, 8, 1)]
    return nn.Sequential(*layers, nn.Dropout(), nn.AvgPool2d((12, 5)), nn.Flatten(),
                         nn.Linear(8, 12), nn.Softmax(-1)), (frames(1, 1, 25, 10),)


class TcBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(inputs, outputs, 9, stride, 4, bias=False), nn.BatchNorm1d(outputs),
            nn.ReLU(), nn.Conv1d(outputs, outputs, 9, 1, 4, bias=False), nn.BatchNorm1d(outputs))
        self.side = None if stride == 1 else nn.Sequential(
            nn.Conv1d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm1d(outputs), nn.ReLU())

    def forward(self, x):
        return torch.relu(self.body(x) + (x if self.side is None else self.side(x)))


@architecture("tc_resnet8")
def tc_resnet8():
    return nn.Sequential(nn.Conv1d(10, 6, 3, 1, 1, bias=False), TcBlock(6, 8, 2), TcBlock(8, 10, 2),
                         nn.AdaptiveAvgPool1d(1), nn.Flatten(),
                         nn.Linear(10, 12)), (frames(1, 10, 25),)


class SubSpectralNorm(nn.Module):
    def __init__(self, channels, bands):
        super().__init__()
        self.bands, self.norm = bands, nn.BatchNorm2d(channels * bands)

    def forward(self, x):
        batch, channels, bins, time = x.shape
        x = self.norm(x.reshape(batch, channels * self.bands, bins // self.bands, time))
        return x.reshape(batch, channels, bins, time)


class BroadcastedBlock(nn.Module):
    """BC-ResNet: two-dimensional part, mean over the bins, part over time, broadcast back."""
    def __init__(self, channels, bands=5):
        super().__init__()
        self.bins = nn.Sequential(nn.Conv2d(channels, channels, (3, 1), padding=(1, 0),
                                            groups=channels, bias=False),
                                  SubSpectralNorm(channels, bands))
        self.time = nn.Sequential(nn.Conv2d(channels, channels, (1, 3), padding=(0, 2),
                                            dilation=(1, 2), groups=channels, bias=False),
                                  nn.BatchNorm2d(channels), nn.SiLU(),
                                  nn.Conv2d(channels, channels, 1, bias=False), nn.Dropout2d())

    def forward(self, x):
        y = self.bins(x)
        return torch.relu(x + y + self.time(y.mean(2, keepdim=True)))


@architecture("bc_resnet")
def bc_resnet():
    return nn.Sequential(nn.Conv2d(1, 6, 5, (2, 1), 2, bias=False), nn.BatchNorm2d(6), nn.ReLU(),
                         BroadcastedBlock(6), BroadcastedBlock(6),
                         nn.Conv2d(6, 6, 5, groups=6, padding=(0, 2)), nn.Conv2d(6, 8, 1),
                         nn.AdaptiveAvgPool2d((1, 1)), nn.Conv2d(8, 12, 1),
                         nn.Flatten()), (frames(1, 1, 20, 12),)


class MatchboxBlock(nn.Module):
    def __init__(self, inputs, outputs, kernel, repeats=2):
        super().__init__()
        self.parts, width = nn.ModuleList(), inputs
        for _ in range(repeats):
            self.parts.append(nn.Sequential(
                nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width, bias=False),
                nn.Conv1d(width, outputs, 1, bias=False), nn.BatchNorm1d(outputs, eps=1e-3)))
            width = outputs
        self.side = nn.Sequential(nn.Conv1d(inputs, outputs, 1, bias=False),
                                  nn.BatchNorm1d(outputs, eps=1e-3))

    def forward(self, x):
        side = self.side(x)
        for index, part in enumerate(self.parts):
            x = part(x)
            x = torch.relu(x + side if index + 1 == len(self.parts) else x)
        return x


@architecture("matchbox_net")
def matchbox_net():
    return nn.Sequential(nn.Conv1d(10, 8, 11, 2, 5), nn.ReLU(), MatchboxBlock(8, 6, 13),
                         MatchboxBlock(6, 6, 15), nn.Conv1d(6, 8, 29, padding=28, dilation=2),
                         nn.ReLU(), nn.Conv1d(8, 12, 1), nn.AdaptiveAvgPool1d(1),
                         nn.Flatten()), (frames(1, 10, 24),)


class MhattRnn(nn.Module):
    """Two bidirectional recurrent layers; the middle step is the query of multi-head attention."""
    def __init__(self, bins=10, hidden=6, heads=2, words=12):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, (5, 1), padding=(2, 0))
        self.down = nn.Conv2d(4, 1, (5, 1), padding=(2, 0))
        self.norms = nn.ModuleList([nn.BatchNorm2d(4), nn.BatchNorm2d(1)])
        self.gru = nn.GRU(bins, hidden, 2, batch_first=True, bidirectional=True)
        self.heads = nn.ModuleList(nn.Linear(2 * hidden, 2 * hidden) for _ in range(heads))
        self.out = nn.Sequential(nn.Linear(2 * hidden * heads, 16), nn.ReLU(),
                                 nn.Linear(16, words), nn.LogSoftmax(-1))

    def forward(self, x):
        x = torch.relu(self.norms[0](self.conv(x.unsqueeze(1))))
        x = self.gru(torch.relu(self.norms[1](self.down(x))).squeeze(1))[0]
        middle, found = x[:, x.shape[1] // 2], []
        for head in self.heads:
            scores = torch.softmax((x * head(middle).unsqueeze(1)).sum(2), 1)
            found.append(torch.bmm(scores.unsqueeze(1), x).squeeze(1))
        return self.out(torch.cat(found, 1))


@architecture("kws_mhatt_rnn")
def kws_mhatt_rnn():
    return MhattRnn(), (frames(1, 9, 10),)


class Crnn(nn.Module):
    def __init__(self, words=12):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, (5, 4), (2, 2))
        self.gru = nn.GRU(4 * 4, 8, 2, batch_first=True)
        self.out = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, words))

    def forward(self, x):
        x = torch.relu(self.conv(x)).permute(0, 2, 1, 3).flatten(2)
        return F.softmax(self.out(self.gru(x)[0][:, -1]), -1)


@architecture("kws_crnn")
def kws_crnn():
    return Crnn(), (frames(1, 1, 17, 10),)


class Svdf(nn.Module):
    """A layer of rank 1: a filter over the features of each step, then one over past steps."""
    def __init__(self, inputs, units, memory):
        super().__init__()
        self.features = nn.Linear(inputs, units, bias=False)
        self.time = nn.Conv1d(units, units, memory, groups=units)
        self.memory = memory

    def forward(self, x):
        y = F.pad(self.features(x).transpose(1, 2), (self.memory - 1, 0))
        return torch.relu(self.time(y)).transpose(1, 2)


@architecture("svdf", causal=True)
def svdf():
    return nn.Sequential(Svdf(10, 12, 4), nn.Linear(12, 8), Svdf(8, 12, 4), nn.Linear(12, 6),
                         nn.Softmax(-1)), (frames(1, 8, 10),)


class Kwt(nn.Module):
    """Keyword transformer: a class token before the steps, post-norm encoder blocks."""
    def __init__(self, bins=8, width=12, steps=9, words=12):
        super().__init__()
        self.enter = nn.Linear(bins, width)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.place = nn.Parameter(torch.randn(1, steps + 1, width))
        self.attend = nn.MultiheadAttention(width, 3, batch_first=True)
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.feed = FeedForward(width, 2 * width, nn.GELU)
        self.head = nn.Linear(width, words)

    def forward(self, x):
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), self.enter(x)], 1) + self.place
        x = self.norms[0](x + self.attend(x, x, x, need_weights=False)[0])
        x = self.norms[1](x + self.feed(x))
        return self.head(x[:, 0])


@architecture("kwt")
def kwt():
    return Kwt(), (frames(1, 9, 8),)


class Res8(nn.Module):
    def __init__(self, channels=6, words=12):
        super().__init__()
        self.enter = nn.Conv2d(1, channels, 3, padding=1, bias=False)
        self.pool = nn.AvgPool2d((4, 3))
        self.convs = nn.ModuleList(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(4))
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels, affine=False) for _ in range(4))
        self.out = nn.Linear(channels, words)

    def forward(self, x):
        x = old = self.pool(torch.relu(self.enter(x)))
        for index, (conv, norm) in enumerate(zip(self.convs, self.norms)):
            x = torch.relu(conv(x))
            if index % 2 == 1:
                x = old = x + old
            x = norm(x)
        return self.out(torch.mean(x.flatten(2), 2))


@architecture("res8")
def res8():
    return Res8(), (frames(1, 1, 25, 12),)


class EcapaBlock(nn.Module):
    """Res2Net within SE: channel groups one after another, each adding to the next."""
    def __init__(self, channels, scale=4, dilation=2):
        super().__init__()
        width = channels // scale
        self.scale = scale
        self.enter, self.leave = nn.Conv1d(channels, channels, 1), nn.Conv1d(channels, channels, 1)
        self.parts = nn.ModuleList(
            nn.Conv1d(width, width, 3, padding=dilation, dilation=dilation)
            for _ in range(scale - 1))
        self.gate = SqueezeExcite(channels, 4)

    def forward(self, x):
        chunks = torch.chunk(torch.relu(self.enter(x)), self.scale, 1)
        made = [chunks[0]]
        for index, part in enumerate(self.parts):
            y = chunks[index + 1] if index == 0 else chunks[index + 1] + made[-1]
            made.append(torch.relu(part(y)))
        return x + self.gate(torch.relu(self.leave(torch.cat(made, 1))))


class EcapaTdnn(nn.Module):
    """Speaker vectors: SE-Res2 blocks, then mean and deviation weighted by attention."""
    def __init__(self, bins=8, channels=8):
        super().__init__()
        self.enter = nn.Conv1d(bins, channels, 5, padding=2)
        self.blocks = nn.ModuleList([EcapaBlock(channels), EcapaBlock(channels, dilation=3)])
        self.join = nn.Conv1d(2 * channels, 12, 1)
        self.attend = nn.Sequential(nn.Conv1d(36, 6, 1), nn.Tanh(), nn.Conv1d(6, 12, 1))
        self.out = nn.Linear(24, 6)

    def forward(self, x):
        x, every = torch.relu(self.enter(x)), []
        for block in self.blocks:
            x = block(x)
            every.append(x)
        x = torch.relu(self.join(torch.cat(every, 1)))
        mean, deviation = x.mean(2, keepdim=True), torch.sqrt(x.var(2, keepdim=True) + 1e-5)
        weights = torch.softmax(
            self.attend(torch.cat([x, mean.expand_as(x), deviation.expand_as(x)], 1)), 2)
        mean = (x * weights).sum(2)
        deviation = torch.sqrt(((x**2 * weights).sum(2) - mean**2).clamp(min=1e-6))
        return F.normalize(self.out(torch.cat([mean, deviation], 1)), dim=1)


@architecture("ecapa_tdnn")
def ecapa_tdnn():
    return EcapaTdnn(), (frames(1, 8, 14),)
