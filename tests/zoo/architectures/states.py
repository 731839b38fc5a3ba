# SPDX-License-Identifier: Apache-2.0
"""Linear recurrences: state spaces, retention, weighted key values."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import CausalConv1d, frames
from architectures.registry import architecture


class Mamba(nn.Module):
    """Selective state space: step sizes, inputs and outputs of the state depend on the input."""
    def __init__(self, width=4, inner=6, state=3, rank=2):
        super().__init__()
        self.state, self.rank = state, rank
        self.enter, self.leave = nn.Linear(width, 2 * inner, bias=False), nn.Linear(inner, width)
        self.conv = CausalConv1d(inner, inner, 3, groups=inner)
        self.parts = nn.Linear(inner, rank + 2 * state, bias=False)
        self.rate = nn.Linear(rank, inner)
        self.log_a = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(inner, 1))
        self.d = nn.Parameter(torch.ones(inner))

    def forward(self, x):
        y, gate = self.enter(x).chunk(2, -1)
        y = F.silu(self.conv(y.transpose(1, 2)).transpose(1, 2))
        rate, b, c = torch.split(self.parts(y), [self.rank, self.state, self.state], -1)
        rate = F.softplus(self.rate(rate))
        keep = torch.exp(rate.unsqueeze(-1) * -torch.exp(self.log_a))
        add = rate.unsqueeze(-1) * b.unsqueeze(2) * y.unsqueeze(-1)
        state, made = torch.zeros_like(add[:, 0]), []
        for step in range(x.shape[1]):
            state = keep[:, step] * state + add[:, step]
            made.append((state * c[:, step].unsqueeze(1)).sum(-1))
        y = torch.stack(made, 1) + y * self.d
        return self.leave(y * F.silu(gate))


@architecture("mamba", causal=True)
def mamba():
    return Mamba(), (frames(1, 5, 4),)


class MambaStep(Mamba):
    """One token; the past of the convolution and the state are inputs and outputs."""
    def forward(self, x, past, state):
        y, gate = self.enter(x).chunk(2, -1)
        past = torch.cat([past[:, :, 1:], y.unsqueeze(-1)], -1)
        y = F.silu((past * self.conv.conv.weight.squeeze(1)).sum(-1) + self.conv.conv.bias)
        rate, b, c = torch.split(self.parts(y), [self.rank, self.state, self.state], -1)
        rate = F.softplus(self.rate(rate))
        keep = torch.exp(torch.einsum("bd,dn->bdn", rate, -torch.exp(self.log_a)))
        state = keep * state + torch.einsum("bd,bn,bd->bdn", rate, b, y)
        y = torch.einsum("bdn,bn->bd", state, c) + self.d * y
        return self.leave(y * F.silu(gate)), past, state


@architecture("mamba_step")
def mamba_step():
    return MambaStep(), (frames(1, 4), frames(1, 6, 3), frames(1, 6, 3))


class S4d(nn.Module):
    """Diagonal state space as a long convolution; its kernel is computed only from weights."""
    def __init__(self, width=4, state=3, steps=10):
        super().__init__()
        self.steps = steps
        self.rate = nn.Parameter(torch.rand(width) * 0.1 + 0.01)
        self.c = nn.Parameter(torch.randn(width, state, 2))
        self.decay = nn.Parameter(torch.log(torch.full((width, state), 0.5)))
        self.turn = nn.Parameter(math.pi * torch.arange(state).float().repeat(width, 1))
        self.d, self.out = nn.Parameter(torch.randn(width)), nn.Conv1d(width, 2 * width, 1)

    def kernel(self):
        time = torch.arange(self.steps).float()
        rate = self.rate.unsqueeze(-1)
        shrink = torch.exp((-torch.exp(self.decay) * rate).unsqueeze(-1) * time)
        angle = (self.turn * rate).unsqueeze(-1) * time
        real, imaginary = self.c[..., :1], self.c[..., 1:]
        return 2 * (shrink * (real * torch.cos(angle) - imaginary * torch.sin(angle))).sum(1)

    def forward(self, x):
        kernel = self.kernel().flip(-1).unsqueeze(1)
        y = F.conv1d(F.pad(x, (self.steps - 1, 0)), kernel, groups=x.shape[1])
        return F.glu(self.out(F.gelu(y + x * self.d.unsqueeze(-1))), dim=1)


@architecture("s4d", causal=True)
def s4d():
    return S4d(), (frames(1, 4, 10),)


class LinearRecurrentUnit(nn.Module):
    """Complex diagonal recurrence in real arithmetic."""
    def __init__(self, width=4, state=5):
        super().__init__()
        self.nu, self.theta = nn.Parameter(torch.rand(state)), nn.Parameter(torch.rand(state) * 3)
        self.b, self.c = nn.Linear(width, 2 * state, bias=False), nn.Linear(2 * state, width)
        self.d = nn.Parameter(torch.randn(width))

    def forward(self, x):
        size = torch.exp(-torch.exp(self.nu))
        real, imaginary = size * torch.cos(self.theta), size * torch.sin(self.theta)
        gain = torch.sqrt(1 - size**2)
        u_real, u_imaginary = (self.b(x) * torch.cat([gain, gain])).chunk(2, -1)
        a = b = torch.zeros_like(u_real[:, 0])
        made = []
        for step in range(x.shape[1]):
            a, b = (real * a - imaginary * b + u_real[:, step],
                    real * b + imaginary * a + u_imaginary[:, step])
            made.append(torch.cat([a, b], -1))
        return self.c(torch.stack(made, 1)) + self.d * x


@architecture("lru", causal=True)
def lru():
    return LinearRecurrentUnit(), (frames(1, 6, 4),)


class Rwkv(nn.Module):
    """Time mixing with a shifted input and weighted key values, then channel mixing."""
    def __init__(self, width=5):
        super().__init__()
        self.mix = nn.Parameter(torch.rand(5, width))
        self.key, self.value, self.gate, self.out = (
            nn.Linear(width, width, bias=False) for _ in range(4))
        self.decay, self.first = nn.Parameter(torch.randn(width)), nn.Parameter(torch.randn(width))
        self.up, self.down = nn.Linear(width, 8, bias=False), nn.Linear(8, width, bias=False)
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.shift = nn.ZeroPad2d((0, 0, 1, -1))

    def forward(self, x):
        y = self.norms[0](x)
        old = self.shift(y)
        key, value, gate = (layer(y * mix + old * (1 - mix)) for layer, mix in
                            zip((self.key, self.value, self.gate), self.mix))
        top, above, below, made = torch.full_like(y[:, 0], -1e4), 0 * y[:, 0], 0 * y[:, 0], []
        decay = -torch.exp(self.decay)
        for step in range(x.shape[1]):
            k, v = key[:, step], value[:, step]
            high = torch.maximum(top, self.first + k)
            a, b = torch.exp(top - high), torch.exp(self.first + k - high)
            made.append((a * above + b * v) / (a * below + b))
            high = torch.maximum(top + decay, k)
            a, b = torch.exp(top + decay - high), torch.exp(k - high)
            above, below, top = a * above + b * v, a * below + b, high
        x = x + self.out(torch.sigmoid(gate) * torch.stack(made, 1))
        y = self.norms[1](x)
        y = y * self.mix[3] + self.shift(y) * (1 - self.mix[3])
        return x + self.down(torch.relu(self.up(y))**2)


@architecture("rwkv", causal=True)
def rwkv():
    return Rwkv(), (frames(1, 4, 5),)


class Retention(nn.Module):
    """Chunkwise: products within the chunk by a decay mask, a state from chunk to chunk."""
    def __init__(self, width=6, chunk=4, decay=0.9):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.gate, self.norm = nn.Linear(width, width), nn.GroupNorm(2, width)
        step = torch.arange(chunk).float()
        self.register_buffer("inner", (decay**(step.unsqueeze(1) - step)).tril())
        self.register_buffer("cross", (decay**(step + 1)).unsqueeze(1))
        self.register_buffer("late", (decay**(chunk - 1 - step)).unsqueeze(1))
        self.whole = decay**chunk

    def forward(self, x, state):
        query, key, value = self.query(x), self.key(x), self.value(x)
        y = (query @ key.transpose(1, 2) * self.inner) @ value + (query @ state) * self.cross
        state = state * self.whole + (key * self.late).transpose(1, 2) @ value
        batch, steps, width = y.shape
        y = self.norm(y.reshape(batch * steps, width)).reshape(batch, steps, width)
        return F.silu(self.gate(x)) * y, state


@architecture("retention")
def retention():
    return Retention(), (frames(1, 4, 6), frames(1, 6, 6))


class RealGated(nn.Module):
    """Griffin's RG-LRU after a short convolution, gated by a GeLU branch."""
    def __init__(self, width=6):
        super().__init__()
        self.enter, self.side, self.out = (nn.Linear(width, width) for _ in range(3))
        self.conv = CausalConv1d(width, width, 4, groups=width)
        self.gates = nn.ModuleList([nn.Linear(width, width), nn.Linear(width, width)])
        self.rate = nn.Parameter(torch.rand(width))

    def forward(self, x):
        y = self.conv(self.enter(x).transpose(1, 2)).transpose(1, 2)
        reset, gate = (torch.sigmoid(layer(y)) for layer in self.gates)
        log_a = -8 * reset * F.softplus(self.rate)
        a = torch.exp(log_a)
        drive = torch.sqrt(-torch.expm1(2 * log_a)) * gate * y
        state, made = torch.zeros_like(drive[:, 0]), []
        for step in range(x.shape[1]):
            state = a[:, step] * state + drive[:, step]
            made.append(state)
        return self.out(torch.stack(made, 1) * F.gelu(self.side(x), approximate="tanh"))


@architecture("griffin", causal=True)
def griffin():
    return RealGated(), (frames(1, 5, 6),)


class DeltaRule(nn.Module):
    """Fast weights: the matrix state is corrected by its prediction error."""
    def __init__(self, width=4):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.rate = nn.Linear(width, 1)

    def forward(self, x):
        query = F.normalize(F.elu(self.query(x)) + 1, dim=-1)
        key = F.normalize(F.elu(self.key(x)) + 1, dim=-1)
        value, rate = self.value(x), torch.sigmoid(self.rate(x))
        state = torch.zeros(x.shape[0], x.shape[2], x.shape[2])
        made = []
        for step in range(x.shape[1]):
            k = key[:, step].unsqueeze(1)
            change = rate[:, step].unsqueeze(1) * (value[:, step].unsqueeze(1) - k @ state)
            state = state + k.transpose(1, 2) @ change
            made.append(query[:, step].unsqueeze(1) @ state)
        return torch.cat(made, 1)


@architecture("delta_net", causal=True)
def delta_net():
    return DeltaRule(), (frames(1, 5, 4),)


class Hyena(nn.Module):
    """Short convolutions, gates and a long implicit filter."""
    def __init__(self, width=4, steps=8):
        super().__init__()
        self.enter, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.short = CausalConv1d(3 * width, 3 * width, 3, groups=3 * width)
        time = torch.linspace(0, 1, steps).unsqueeze(1)
        self.register_buffer("time", torch.cat(
            [time, torch.cos(6 * time), torch.sin(6 * time)], 1))
        self.filter = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, width))
        self.steps = steps

    def forward(self, x):
        a, b, value = self.short(self.enter(x).transpose(1, 2)).chunk(3, 1)
        long = (self.filter(self.time) * torch.exp(-3 * self.time[:, :1])).t().unsqueeze(1)
        y = F.conv1d(F.pad(a * value, (self.steps - 1, 0)), long.flip(-1), groups=a.shape[1])
        return self.out((b * y).transpose(1, 2))


@architecture("hyena", causal=True)
def hyena():
    return Hyena(), (frames(1, 8, 4),)
