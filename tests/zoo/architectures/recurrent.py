# SPDX-License-Identifier: Apache-2.0
"""Cells without an operation in the IR: loops over time in Python, unrolled by tracing or kept as loops
by scripting."""

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import frames
from architectures.registry import architecture


class Unrolled(nn.Module):
    """Applies a cell step by step; the states begin as zeros."""
    def __init__(self, cell, *widths):
        super().__init__()
        self.cell, self.widths = cell, widths

    def forward(self, x):
        states = [torch.zeros(x.shape[0], width) for width in self.widths]
        made = []
        for step in range(x.shape[1]):
            y, states = self.cell(x[:, step], states)
            made.append(y)
        return torch.stack(made, 1)


class MinGru(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.gate, self.new = nn.Linear(inputs, width), nn.Linear(inputs, width)

    def forward(self, x, states):
        gate = torch.sigmoid(self.gate(x))
        state = (1 - gate) * states[0] + gate * self.new(x)
        return state, [state]


@architecture("min_gru", causal=True)
def min_gru():
    return Unrolled(MinGru(4, 8), 8), (frames(1, 6, 4),)


class ParallelMinGru(nn.Module):
    """MinGRU by sums of logarithms over time, as in training."""
    def __init__(self, inputs=4, width=6):
        super().__init__()
        self.gate, self.new = nn.Linear(inputs, width), nn.Linear(inputs, width)

    def forward(self, x):
        gate, new = self.gate(x), self.new(x)
        keep = torch.cumsum(-F.softplus(gate), 1)
        value = -F.softplus(-gate) + torch.where(new >= 0, torch.log(F.relu(new) + 0.5),
                                                 -F.softplus(-new))
        return torch.exp(keep + torch.log(torch.cumsum(torch.exp(value - keep), 1)))


@architecture("min_gru_parallel", causal=True)
def min_gru_parallel():
    return ParallelMinGru(), (frames(1, 6, 4),)


class SLstm(nn.Module):
    """xLSTM's scalar cell: exponential gates, held in range by a running maximum."""
    def __init__(self, inputs, width):
        super().__init__()
        self.x, self.h = nn.Linear(inputs, 4 * width), nn.Linear(width, 4 * width, bias=False)

    def forward(self, x, states):
        hidden, cell, norm, top = states
        new, i, f, o = (self.x(x) + self.h(hidden)).chunk(4, 1)
        f = F.logsigmoid(f)
        next_top = torch.maximum(f + top, i)
        i, f = torch.exp(i - next_top), torch.exp(f + top - next_top)
        cell, norm = f * cell + i * torch.tanh(new), f * norm + i
        hidden = torch.sigmoid(o) * cell / torch.clamp(norm, min=1e-6)
        return hidden, [hidden, cell, norm, next_top]


@architecture("xlstm_scalar", causal=True)
def xlstm_scalar():
    return Unrolled(SLstm(4, 6), 6, 6, 6, 6), (frames(1, 5, 4),)


class MLstm(nn.Module):
    """xLSTM's matrix cell in its parallel form."""
    def __init__(self, width=6, steps=6):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.gates = nn.Linear(width, 2)
        self.register_buffer("past", torch.ones(steps, steps).tril().bool())

    def forward(self, x):
        query, key, value = self.query(x), self.key(x) / x.shape[-1]**0.5, self.value(x)
        i, f = self.gates(x).split(1, -1)
        total = torch.cumsum(F.logsigmoid(f), 1)
        decay = total - total.transpose(1, 2) + i.transpose(1, 2)
        decay = decay.masked_fill(~self.past, float("-inf"))
        top = decay.max(-1, keepdim=True)[0]
        scores = query @ key.transpose(1, 2) * torch.exp(decay - top)
        norm = torch.maximum(scores.sum(-1, keepdim=True).abs(), torch.exp(-top))
        return scores / (norm + 1e-6) @ value


@architecture("xlstm_matrix")
def xlstm_matrix():
    return MLstm(), (frames(1, 6, 6),)


class ClosedForm(nn.Module):
    """CfC: two heads mixed by a gate that depends on the elapsed time."""
    def __init__(self, inputs, width):
        super().__init__()
        self.body = nn.Linear(inputs + width, 10)
        self.heads = nn.ModuleList(nn.Linear(10, width) for _ in range(4))

    def forward(self, x, states):
        y = 1.7159 * torch.tanh(0.666 * self.body(torch.cat([x, states[0]], 1)))
        first, second, a, b = (head(y) for head in self.heads)
        gate = torch.sigmoid(-(a * 0.1) + b)
        state = torch.tanh(first) * (1 - gate) + gate * torch.tanh(second)
        return state, [state]


@architecture("cfc", causal=True)
def cfc():
    return Unrolled(ClosedForm(3, 6), 6), (frames(1, 5, 3),)


class LiquidCell(nn.Module):
    """Liquid time constants: several semi-implicit steps of the equation per input."""
    def __init__(self, inputs, width, steps=3):
        super().__init__()
        self.steps = steps
        self.x, self.h = nn.Linear(inputs, width), nn.Linear(width, width, bias=False)
        self.tau = nn.Parameter(torch.rand(width) + 0.5)
        self.reach = nn.Parameter(torch.randn(width))

    def forward(self, x, states):
        state, drive = states[0], self.x(x)
        for _ in range(self.steps):
            rate = torch.sigmoid(drive + self.h(state))
            state = (state + 0.1 * rate * self.reach) / (1 + 0.1 * (1 / self.tau + rate))
        return state, [state]


@architecture("ltc", causal=True)
def ltc():
    return Unrolled(LiquidCell(3, 6), 6), (frames(1, 4, 3),)


class Qrnn(nn.Module):
    """Convolutions compute all gates; only the pooling is recurrent."""
    def __init__(self, inputs=4, width=6):
        super().__init__()
        self.conv = nn.Conv1d(inputs, 3 * width, 2)

    def forward(self, x):
        z, f, o = self.conv(F.pad(x.transpose(1, 2), (1, 0))).transpose(1, 2).chunk(3, 2)
        z, f, o = torch.tanh(z), torch.sigmoid(f), torch.sigmoid(o)
        state, made = torch.zeros_like(z[:, 0]), []
        for step in range(x.shape[1]):
            state = f[:, step] * state + (1 - f[:, step]) * z[:, step]
            made.append(o[:, step] * state)
        return torch.stack(made, 1)


@architecture("qrnn", causal=True)
def qrnn():
    return Qrnn(), (frames(1, 6, 4),)


class Sru(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.dense = nn.Linear(width, 3 * width, bias=False)
        self.peep, self.bias = (nn.Parameter(torch.randn(2, width)) for _ in range(2))

    def forward(self, x):
        u, f, r = self.dense(x).chunk(3, 2)
        cell, made = torch.zeros_like(x[:, 0]), []
        for step in range(x.shape[1]):
            forget = torch.sigmoid(f[:, step] + self.peep[0] * cell + self.bias[0])
            reset = torch.sigmoid(r[:, step] + self.peep[1] * cell + self.bias[1])
            cell = forget * cell + (1 - forget) * u[:, step]
            made.append(reset * torch.tanh(cell) + (1 - reset) * x[:, step])
        return torch.stack(made, 1)


@architecture("sru", causal=True)
def sru():
    return Sru(), (frames(1, 6, 6),)


class IndRnn(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.dense, self.own = nn.Linear(inputs, width), nn.Parameter(torch.rand(width))

    def forward(self, x, states):
        state = torch.relu(self.dense(x) + self.own * states[0])
        return state, [state]


@architecture("ind_rnn", causal=True)
def ind_rnn():
    return Unrolled(IndRnn(4, 8), 8), (frames(1, 6, 4),)


class PhasedLstm(nn.Module):
    """A time gate, open for a part of each unit's period, mixes new and old states."""
    def __init__(self, inputs=3, width=6):
        super().__init__()
        self.cell, self.width = nn.LSTMCell(inputs, width), width
        self.period = nn.Parameter(torch.rand(width) * 4 + 1)
        self.shift = nn.Parameter(torch.rand(width))
        self.ratio = nn.Parameter(torch.full((width,), 0.3))

    def forward(self, x, times):
        hidden = cell = torch.zeros(x.shape[0], self.width)
        made = []
        for step in range(x.shape[1]):
            new_hidden, new_cell = self.cell(x[:, step], (hidden, cell))
            phase = torch.fmod(times[:, step:step + 1] - self.shift, self.period) / self.period
            up, down = 2 * phase / self.ratio, 2 - 2 * phase / self.ratio
            gate = torch.where(phase < 0.5 * self.ratio, up,
                               torch.where(phase < self.ratio, down, 0.001 * phase))
            hidden, cell = gate * new_hidden + (1 - gate) * hidden, gate * new_cell + (1 - gate) * cell
            made.append(hidden)
        return torch.stack(made, 1)


@architecture("phased_lstm")
def phased_lstm():
    return PhasedLstm(), (frames(1, 4, 3), torch.cumsum(torch.rand(1, 4) + 1, 1))


class Legendre(nn.Module):
    """LMU: a fixed linear memory of past inputs and a nonlinear state."""
    def __init__(self, inputs, memory, width):
        super().__init__()
        self.read = nn.Linear(inputs + memory + width, 1, bias=False)
        self.dense = nn.Linear(inputs + memory + width, width)
        self.register_buffer("a", torch.randn(memory, memory) * 0.2)
        self.register_buffer("b", torch.randn(1, memory))

    def forward(self, x, states):
        memory, hidden = states
        u = self.read(torch.cat([x, memory, hidden], 1))
        memory = memory @ self.a + u * self.b
        hidden = torch.tanh(self.dense(torch.cat([x, memory, hidden], 1)))
        return hidden, [memory, hidden]


@architecture("lmu", causal=True)
def lmu():
    return Unrolled(Legendre(2, 5, 6), 5, 6), (frames(1, 6, 2),)


class EchoState(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.register_buffer("x", torch.randn(inputs, width) * 0.5)
        self.register_buffer("h", torch.randn(width, width) * 0.2)
        self.out = nn.Linear(width, 2)

    def forward(self, x, states):
        state = 0.7 * states[0] + 0.3 * torch.tanh(x @ self.x + states[0] @ self.h)
        return self.out(state), [state]


@architecture("echo_state", causal=True)
def echo_state():
    return Unrolled(EchoState(2, 16), 16), (frames(1, 6, 2),)


class ConvLstm(nn.Module):
    def __init__(self, inputs=2, width=3):
        super().__init__()
        self.width = width
        self.conv = nn.Conv2d(inputs + width, 4 * width, 3, padding=1)

    def forward(self, x):
        hidden = cell = torch.zeros(x.shape[0], self.width, x.shape[3], x.shape[4])
        for step in range(x.shape[1]):
            gates = self.conv(torch.cat([x[:, step], hidden], 1))
            i, f, o, g = torch.split(gates, self.width, 1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
            hidden = torch.sigmoid(o) * torch.tanh(cell)
        return hidden


@architecture("conv_lstm")
def conv_lstm():
    return ConvLstm(), (frames(1, 4, 2, 5, 5),)


class NormLstm(nn.Module):
    """Layer normalisation of all gates and of the cell, which no sequence operation supports."""
    def __init__(self, inputs, width):
        super().__init__()
        self.x, self.h = nn.Linear(inputs, 4 * width), nn.Linear(width, 4 * width, bias=False)
        self.norms = nn.ModuleList([nn.LayerNorm(4 * width), nn.LayerNorm(4 * width),
                                    nn.LayerNorm(width)])

    def forward(self, x, states):
        hidden, cell = states
        gates = self.norms[0](self.x(x)) + self.norms[1](self.h(hidden))
        i, f, g, o = gates.chunk(4, 1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        hidden = torch.sigmoid(o) * torch.tanh(self.norms[2](cell))
        return hidden, [hidden, cell]


@architecture("norm_lstm", causal=True)
def norm_lstm():
    return Unrolled(NormLstm(3, 5), 5, 5), (frames(1, 4, 3),)


class Bidirectional(nn.Module):
    """Stacked and bidirectional, with the last states of both directions concatenated."""
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(10, 3)

    def forward(self, x):
        _, (hidden, _) = self.lstm(x)
        return self.out(torch.cat([hidden[-2], hidden[-1]], 1))


@architecture("bidirectional_lstm")
def bidirectional_lstm():
    return Bidirectional(), (frames(2, 6, 4),)
