# SPDX-License-Identifier: Apache-2.0
"""Generation and coding of sound."""

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import CausalConv1d, frames
from architectures.registry import architecture


class WaveNet(nn.Module):
    """Gated dilated convolutions with residual and skip paths, softmax over companded levels."""
    def __init__(self, channels=6, skip=8, levels=16, layers=4):
        super().__init__()
        self.embed = nn.Conv1d(1, channels, 1)
        self.gated = nn.ModuleList(CausalConv1d(channels, 2 * channels, 2, 2**i)
                                   for i in range(layers))
        self.rest = nn.ModuleList(nn.Conv1d(channels, channels, 1) for _ in range(layers))
        self.skip = nn.ModuleList(nn.Conv1d(channels, skip, 1) for _ in range(layers))
        self.out = nn.Sequential(nn.ReLU(), nn.Conv1d(skip, skip, 1), nn.ReLU(),
                                 nn.Conv1d(skip, levels, 1))

    def forward(self, x):
        x, total = self.embed(x), None
        for gated, rest, skip in zip(self.gated, self.rest, self.skip):
            a, b = gated(x).chunk(2, 1)
            y = torch.tanh(a) * torch.sigmoid(b)
            x, add = x + rest(y), skip(y)
            total = add if total is None else total + add
        return self.out(total)


@architecture("wavenet", causal=True)
def wavenet():
    return WaveNet(), (frames(1, 1, 20),)


class SampleRnn(nn.Module):
    """A frame-level GRU conditions a net that predicts each sample of the frame."""
    def __init__(self, frame=4, hidden=10, levels=16):
        super().__init__()
        self.frame = frame
        self.gru = nn.GRU(frame, hidden, batch_first=True)
        self.up = nn.ConvTranspose1d(hidden, hidden, frame, frame)
        self.embed = nn.Embedding(levels, 6)
        self.sample = nn.Conv1d(6, hidden, frame)
        self.out = nn.Sequential(nn.Conv1d(hidden, hidden, 1), nn.ReLU(),
                                 nn.Conv1d(hidden, levels, 1))

    def forward(self, wave, levels):
        rows = wave.reshape(wave.shape[0], -1, self.frame)
        frame = self.up(self.gru(rows)[0].transpose(1, 2))
        near = self.sample(F.pad(self.embed(levels).transpose(1, 2), (self.frame - 1, 0)))
        return self.out(torch.relu(frame + near))


@architecture("sample_rnn")
def sample_rnn():
    return SampleRnn(), (frames(1, 20), torch.randint(0, 16, (1, 20)))


class WaveRnn(nn.Module):
    """One sample: coarse and fine halves share a GRU; sparse weights are dense here."""
    def __init__(self, hidden=16, condition=6, levels=16):
        super().__init__()
        self.cell = nn.GRUCell(2 + condition, hidden)
        self.coarse, self.fine = (nn.Sequential(nn.Linear(hidden // 2, 12), nn.ReLU(),
                                                nn.Linear(12, levels)) for _ in range(2))

    def forward(self, samples, condition, state):
        state = self.cell(torch.cat([samples, condition], 1), state)
        coarse, fine = torch.split(state, state.shape[1] // 2, 1)
        return torch.log_softmax(self.coarse(coarse), 1), self.fine(fine).softmax(1), state


@architecture("wave_rnn_step")
def wave_rnn_step():
    return WaveRnn(), (frames(1, 2), frames(1, 6), frames(1, 16))


class LpcNet(nn.Module):
    """Frame rate net: convolutions over five frames; sample rate net: embeddings and two GRUs."""
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv1d(10, 8, 3, padding=1), nn.Conv1d(8, 8, 3, padding=1)
        self.dense = nn.Linear(8, 8)
        self.embed = nn.Embedding(32, 4)
        self.gru_a = nn.GRU(3 * 4 + 8, 12, batch_first=True)
        self.gru_b = nn.GRU(12 + 8, 6, batch_first=True)
        self.dual = nn.ModuleList([nn.Linear(6, 16), nn.Linear(6, 16)])
        self.gains = nn.Parameter(torch.randn(2, 16))

    def forward(self, features, levels):
        x = torch.tanh(self.second(torch.tanh(self.first(features.transpose(1, 2)))))
        x = torch.tanh(self.dense(x.transpose(1, 2))).repeat_interleave(4, 1)
        y = self.gru_a(torch.cat([self.embed(levels).flatten(2), x], 2))[0]
        y = self.gru_b(torch.cat([y, x], 2))[0]
        parts = [torch.tanh(dense(y)) * gain for dense, gain in zip(self.dual, self.gains)]
        return torch.softmax(parts[0] + parts[1], -1)


@architecture("lpcnet")
def lpcnet():
    return LpcNet(), (frames(1, 3, 10), torch.randint(0, 32, (1, 12, 3)))


class ResidualStack(nn.Module):
    def __init__(self, channels, kernel, dilations):
        super().__init__()
        self.convs = nn.ModuleList(
            nn.utils.parametrizations.weight_norm(nn.Conv1d(
                channels, channels, kernel, padding=(kernel - 1) * d // 2, dilation=d))
            for d in dilations)

    def forward(self, x):
        for conv in self.convs:
            x = x + conv(F.leaky_relu(x, 0.1))
        return x


class HifiGan(nn.Module):
    def __init__(self, bins=8, channels=12):
        super().__init__()
        self.enter = nn.Conv1d(bins, channels, 7, padding=3)
        self.ups, self.stacks = nn.ModuleList(), nn.ModuleList()
        for level, (rate, kernel) in enumerate([(4, 8), (2, 4)]):
            width = channels // 2**(level + 1)
            self.ups.append(nn.ConvTranspose1d(channels // 2**level, width, kernel, rate,
                                               (kernel - rate) // 2))
            self.stacks.append(nn.ModuleList([ResidualStack(width, 3, (1, 3)),
                                              ResidualStack(width, 5, (1, 3))]))
        self.leave = nn.Conv1d(channels // 4, 1, 7, padding=3)

    def forward(self, mel):
        x = self.enter(mel)
        for up, stacks in zip(self.ups, self.stacks):
            x = up(F.leaky_relu(x, 0.1))
            x = sum(stack(x) for stack in stacks) / len(stacks)
        return torch.tanh(self.leave(F.leaky_relu(x)))


@architecture("hifi_gan")
def hifi_gan():
    return HifiGan(), (frames(1, 8, 6),)


class Snake(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.alpha = nn.Parameter(torch.rand(1, channels, 1) + 0.5)

    def forward(self, x):
        return x + torch.sin(self.alpha * x).pow(2) / (self.alpha + 1e-9)


class EnCodec(nn.Module):
    """Convolutional encoder, LSTM, residual vector quantisation by nearest code, decoder."""
    def __init__(self, channels=4, codes=8, books=2):
        super().__init__()
        width = channels * 4
        self.encode = nn.Sequential(CausalConv1d(1, channels, 7), nn.ELU(),
                                    CausalConv1d(channels, 2 * channels, 4, stride=2), nn.ELU(),
                                    CausalConv1d(2 * channels, width, 8, stride=4), nn.ELU())
        self.lstm = nn.LSTM(width, width, 1, batch_first=True)
        self.books = nn.Parameter(torch.randn(books, codes, width))
        self.decode = nn.Sequential(Snake(width), nn.ConvTranspose1d(width, channels, 8, 4),
                                    nn.ELU(), nn.ConvTranspose1d(channels, 1, 4, 2))

    def forward(self, wave):
        x = self.encode(wave).transpose(1, 2)
        rest, total, indices = x + self.lstm(x)[0], 0.0, []
        for book in self.books:
            distance = (rest.pow(2).sum(2, keepdim=True) - 2 * rest @ book.t() +
                        book.pow(2).sum(1))
            index = distance.argmin(-1)
            found = F.embedding(index, book)
            rest, total = rest - found, total + found
            indices.append(index)
        return self.decode(total.transpose(1, 2)), torch.stack(indices)


@architecture("encodec")
def encodec():
    return EnCodec(), (frames(1, 1, 48),)


class TacotronStep(nn.Module):
    """Prenet, attention LSTM, location-sensitive attention, decoder LSTM, projections."""
    def __init__(self, memory=8, hidden=10, mel=6, places=4):
        super().__init__()
        self.prenet = nn.Sequential(nn.Linear(mel, 8, bias=False), nn.ReLU(),
                                    nn.Linear(8, 8, bias=False), nn.ReLU())
        self.attention = nn.LSTMCell(8 + memory, hidden)
        self.decoder = nn.LSTMCell(hidden + memory, hidden)
        self.query = nn.Linear(hidden, 6, bias=False)
        self.keys = nn.Linear(memory, 6, bias=False)
        self.location = nn.Conv1d(2, places, 5, padding=2, bias=False)
        self.location_dense, self.energy = nn.Linear(places, 6, bias=False), nn.Linear(6, 1)
        self.mel, self.stop = nn.Linear(hidden + memory, mel), nn.Linear(hidden + memory, 1)

    def forward(self, frame, memory, weights, total, context, states):
        h1, c1 = self.attention(torch.cat([self.prenet(frame), context], 1),
                                (states[0], states[1]))
        places = self.location(torch.stack([weights, total], 1)).transpose(1, 2)
        energies = self.energy(torch.tanh(self.query(h1).unsqueeze(1) + self.keys(memory) +
                                          self.location_dense(places))).squeeze(2)
        weights = torch.softmax(energies, 1)
        context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        h2, c2 = self.decoder(torch.cat([h1, context], 1), (states[2], states[3]))
        both = torch.cat([h2, context], 1)
        return (self.mel(both), torch.sigmoid(self.stop(both)), weights, total + weights, context,
                torch.stack([h1, c1, h2, c2]))


@architecture("tacotron_step")
def tacotron_step():
    return TacotronStep(), (frames(1, 6), frames(1, 7, 8), torch.rand(1, 7), torch.rand(1, 7),
                            frames(1, 8), frames(4, 1, 10))


class Cbhg(nn.Module):
    """A bank of convolutions of widths 1 to K, pooling, highway layers, bidirectional GRU."""
    def __init__(self, width=6, bank=4):
        super().__init__()
        self.bank = nn.ModuleList(nn.Sequential(nn.Conv1d(width, width, k, padding=k // 2),
                                                nn.ReLU(), nn.BatchNorm1d(width))
                                  for k in range(1, bank + 1))
        self.pool = nn.MaxPool1d(2, 1, 1)
        self.project = nn.Conv1d(width * bank, width, 3, padding=1)
        self.gates, self.layers = (nn.ModuleList(nn.Linear(width, width) for _ in range(2))
                                   for _ in range(2))
        self.gru = nn.GRU(width, width, batch_first=True, bidirectional=True)

    def forward(self, x):
        steps = x.shape[1]
        y = torch.cat([conv(x.transpose(1, 2))[:, :, :steps] for conv in self.bank], 1)
        y = self.project(self.pool(y)[:, :, :steps]).transpose(1, 2) + x
        for gate, layer in zip(self.gates, self.layers):
            open_ = torch.sigmoid(gate(y))
            y = torch.relu(layer(y)) * open_ + y * (1 - open_)
        return self.gru(y)[0]


@architecture("cbhg")
def cbhg():
    return Cbhg(), (frames(1, 7, 6),)


class Coupling(nn.Module):
    """The affine coupling of a flow, inverted, as VITS and WaveGlow decode."""
    def __init__(self, channels=6, hidden=8):
        super().__init__()
        self.half = channels // 2
        self.enter, self.leave = nn.Conv1d(self.half, hidden, 1), nn.Conv1d(hidden, channels, 1)
        self.gated = nn.Conv1d(hidden, 2 * hidden, 3, padding=1)

    def forward(self, x):
        first, second = torch.split(x, [self.half, self.half], 1)
        a, b = self.gated(self.enter(first)).chunk(2, 1)
        mean, scale = self.leave(torch.tanh(a) * torch.sigmoid(b)).chunk(2, 1)
        return torch.flip(torch.cat([first, (second - mean) * torch.exp(-scale)], 1), [1])


@architecture("flow_coupling")
def flow_coupling():
    return nn.Sequential(Coupling(), Coupling()), (frames(1, 6, 9),)
