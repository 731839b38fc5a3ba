# SPDX-License-Identifier: Apache-2.0
"""Exported forms of framework layers and of formulas that users write. Each model has one form with as
few other operations as possible, so that its steps can be counted (tests/zoo/patterns.txt)."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from architectures.registry import architecture

TORCH = ("onnx", "onnx13", "dynamo", "dynamo23", "openvino", "exported")
ROWS, WIDTH, HEADS, SIZE = 5, 8, 2, 4


class Form(nn.Module):
    """A formula of its inputs, with its parameters if it has any."""
    def __init__(self, formula, **parameters):
        super().__init__()
        self.formula = formula
        for name, value in parameters.items():
            self.register_parameter(name, nn.Parameter(value))

    def forward(self, *inputs):
        return self.formula(self, *inputs)


def pattern(name, module, *shapes, forms=TORCH):
    """Enters a function without arguments that returns a module."""
    inputs = shapes or ((1, ROWS, WIDTH),)
    architecture(f"pattern_{name}", forms=forms)(_made(module, inputs))


def _made(module, shapes):
    def make():
        return module(), tuple(torch.randn(*shape) for shape in shapes)

    return make


def written(name, formula, *shapes, forms=TORCH, **parameters):
    """A form without layers of its own."""
    pattern(name, lambda: Form(formula, **{key: make() for key, make in parameters.items()}),
            *shapes, forms=forms)


def row():
    return torch.rand(WIDTH) + 0.5


# Normalisations.
pattern("layer_norm", lambda: nn.LayerNorm(WIDTH))
written("layer_norm_written",
        lambda m, x: (x - x.mean(-1, keepdim=True)) / torch.sqrt(
            x.var(-1, keepdim=True, unbiased=False) + 1e-5) * m.gain + m.bias, gain=row, bias=row)
pattern("rms_norm", lambda: nn.RMSNorm(WIDTH, eps=1e-6))
written("rms_norm_written",
        lambda m, x: m.gain * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)), gain=row)
pattern("group_norm", lambda: nn.GroupNorm(2, WIDTH), (1, WIDTH, ROWS))
pattern("instance_norm", lambda: nn.InstanceNorm1d(WIDTH, affine=True), (1, WIDTH, ROWS))
written("l2_norm", lambda m, x: F.normalize(x, dim=-1))
pattern("batch_norm", lambda: nn.Sequential(nn.Conv1d(WIDTH, 4, 3, bias=False), nn.BatchNorm1d(4)),
        (1, WIDTH, ROWS))

# Activations.
pattern("gelu", nn.GELU)
pattern("gelu_tanh", lambda: nn.GELU("tanh"))
written("gelu_written", lambda m, x: 0.5 * x * (1 + torch.tanh(
    math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))
pattern("silu", nn.SiLU)
pattern("mish", nn.Mish)
pattern("softplus", nn.Softplus)
pattern("hard_swish", nn.Hardswish)
written("hard_swish_written", lambda m, x: x * F.relu6(x + 3) / 6)
pattern("hard_sigmoid", nn.Hardsigmoid)
pattern("leaky_relu", lambda: nn.LeakyReLU(0.1))
pattern("relu6", nn.ReLU6)

# Snake, as the vocoders that have it write it.
def channels(width=WIDTH):
    return (torch.rand(width) + 0.5).reshape(1, width, 1)


def exponents():
    return torch.randn(1, WIDTH, 1) * 0.3


written("snake", lambda m, x: x + torch.sin(m.slope * x)**2 / m.slope, (1, WIDTH, ROWS),
        slope=channels)
written("snake_inverse", lambda m, x: x + (m.slope + 1e-9).reciprocal() * torch.sin(
    m.slope * x).pow(2), (1, WIDTH, ROWS), slope=channels)
written("snake_beta", lambda m, x: x + (1.0 / (torch.exp(m.beta) + 1e-9)) * torch.pow(
    torch.sin(x * torch.exp(m.slope)), 2), (1, WIDTH, ROWS), slope=exponents, beta=exponents)
written("snake_exponent", lambda m, x: x + torch.square(torch.sin(x * m.slope.exp())) / (
    m.slope.exp() + 1e-9), (1, WIDTH, ROWS), slope=exponents)
written("snake_scalar", lambda m, x: x + (1.0 / 0.7) * torch.sin(0.7 * x)**2)
written("snake_one", lambda m, x: x + torch.sin(x)**2)
written("snake_last", lambda m, x: x + torch.sin(x * m.slope)**2 / (m.slope + 1e-9), slope=row)
written("snake_multiplied", lambda m, x: x + torch.sin(m.slope * x) * torch.sin(
    m.slope * x) / m.slope, (1, WIDTH, ROWS), slope=channels)
written("snake_cosine", lambda m, x: x + (1 - torch.cos(2 * m.slope * x)) / (2 * m.slope),
        (1, WIDTH, ROWS), slope=channels)


@torch.jit.script
def _snake_of_rows(x, slope):
    shape = x.shape
    x = x.reshape(shape[0], shape[1], -1)
    x = x + (slope + 1e-9).reciprocal() * torch.sin(slope * x).pow(2)
    return x.reshape(shape)


written("snake_scripted", lambda m, x: _snake_of_rows(x, m.slope), (1, WIDTH, ROWS),
        forms=("onnx", "openvino"), slope=channels)


class SnakeBetween(nn.Module):
    """Between convolutions that are normalised by weight, with a sum around both (DAC)."""
    def __init__(self):
        super().__init__()
        norm = torch.nn.utils.parametrizations.weight_norm
        self.enter = norm(nn.Conv1d(WIDTH, WIDTH, 3, padding=1))
        self.leave = norm(nn.Conv1d(WIDTH, WIDTH, 1))
        self.slopes = nn.ParameterList(channels() for _ in range(2))

    def forward(self, x):
        y = x
        for slope, layer in zip(self.slopes, (self.enter, self.leave)):
            y = layer(y + (slope + 1e-9).reciprocal() * torch.sin(slope * y).pow(2))
        return x + y


pattern("snake_between", SnakeBetween, (1, WIDTH, ROWS))

# Lengths and deviations.
written("deviation", lambda m, x: torch.cat((x.mean(-1), x.std(-1)), -1), (1, WIDTH, ROWS))
written("standardised", lambda m, x: (x - x.mean(1, keepdim=True)) / (
    x.std(1, keepdim=True) + 1e-5))
written("distance", lambda m, x, y: torch.sqrt(((x - y)**2).sum(-1)), (1, ROWS, WIDTH),
        (1, ROWS, WIDTH))
written("magnitude", lambda m, x: torch.sqrt(x[:, :4]**2 + x[:, 4:]**2), (1, WIDTH, ROWS))
written("magnitude_of_numbers", lambda m, x: torch.sqrt(x[..., 0]**2 + x[..., 1]**2),
        (1, ROWS, WIDTH, 2))
# OpenVINO's own tracing leaves the slope out.
pattern("softplus_of_slope", lambda: nn.Softplus(beta=2.0), forms=("onnx", "dynamo", "exported"))

# Attention.
QUERY = (1, HEADS, ROWS, SIZE)
written("sdpa", lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v), QUERY, QUERY, QUERY)
written("sdpa_causal", lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        QUERY, QUERY, QUERY)
written("sdpa_grouped", lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v,
                                                                          enable_gqa=True),
        (1, 4, ROWS, SIZE), QUERY, QUERY)
written("sdpa_written", lambda m, q, k, v: torch.softmax(
    q @ k.transpose(-2, -1) / math.sqrt(SIZE), -1) @ v, QUERY, QUERY, QUERY)
written("sdpa_split_scale", lambda m, q, k, v: torch.softmax(
    (q * SIZE**-0.25) @ (k * SIZE**-0.25).transpose(-2, -1), -1) @ v, QUERY, QUERY, QUERY)


def _masked(m, q, k, v):
    scores = q @ k.transpose(-2, -1) * SIZE**-0.5
    allowed = torch.tril(torch.ones(ROWS, ROWS))
    return torch.softmax(scores.masked_fill(allowed == 0, float("-inf")), -1) @ v


def _added(m, q, k, v):
    scores = q @ k.transpose(-2, -1) * SIZE**-0.5
    mask = torch.triu(torch.full((ROWS, ROWS), float("-inf")), diagonal=1)
    return torch.softmax(scores + mask, -1) @ v


def _chosen(m, q, k, v):
    scores = q @ k.transpose(-2, -1) * SIZE**-0.5
    allowed = torch.ones(ROWS, ROWS, dtype=torch.bool).tril()
    least = torch.full([], torch.finfo(torch.float32).min)
    return torch.softmax(torch.where(allowed, scores, least), -1) @ v


written("sdpa_masked_fill", _masked, QUERY, QUERY, QUERY)
written("sdpa_added_mask", _added, QUERY, QUERY, QUERY)
written("sdpa_chosen", _chosen, QUERY, QUERY, QUERY)
written("sdpa_mask_given", lambda m, q, k, v, mask: torch.softmax(
    q @ k.transpose(-2, -1) * SIZE**-0.5 + mask, -1) @ v, QUERY, QUERY, QUERY,
        (1, 1, ROWS, ROWS))


def _expanded(x, times):
    """Each head `times` times, as Llama's repeat_kv has it."""
    batch, heads, rows, size = x.shape
    return x[:, :, None].expand(batch, heads, times, rows, size).reshape(
        batch, heads * times, rows, size)


def _of_heads(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) * SIZE**-0.5, -1) @ v


MANY = (1, 4, ROWS, SIZE)
written("sdpa_repeated", lambda m, q, k, v: _of_heads(q, _expanded(k, 2), _expanded(v, 2)), MANY,
        QUERY, QUERY)
written("sdpa_interleaved", lambda m, q, k, v: _of_heads(
    q, k.repeat_interleave(2, dim=1), v.repeat_interleave(2, dim=1)), MANY, QUERY, QUERY)
written("sdpa_repeated_causal", lambda m, q, k, v: F.scaled_dot_product_attention(
    q, _expanded(k, 2), _expanded(v, 2), is_causal=True), MANY, QUERY, QUERY)
written("sdpa_one_head", lambda m, q, k, v: _of_heads(
    q, k.expand(1, 4, ROWS, SIZE), v.expand(1, 4, ROWS, SIZE)), MANY, (1, 1, ROWS, SIZE),
        (1, 1, ROWS, SIZE))


class GroupedAttention(nn.Module):
    """Llama's layer without positions: four heads of queries, two of keys and values."""
    def __init__(self):
        super().__init__()
        self.query, self.leave = nn.Linear(WIDTH, 4 * SIZE), nn.Linear(4 * SIZE, WIDTH)
        self.key, self.value = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (layer(x).view(1, ROWS, -1, SIZE).transpose(1, 2)
                   for layer in (self.query, self.key, self.value))
        k, v = _expanded(k, 2), _expanded(v, 2)
        mask = torch.full((ROWS, ROWS), float("-inf")).triu(1)
        y = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(SIZE) + mask, -1) @ v
        return self.leave(y.transpose(1, 2).reshape(1, ROWS, -1))


pattern("attention_grouped", GroupedAttention)


class SelfAttention(nn.Module):
    """Heads from one projection, as in nanoGPT."""
    def __init__(self, causal):
        super().__init__()
        self.enter, self.leave = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.causal = causal

    def forward(self, x):
        q, k, v = (y.view(1, ROWS, HEADS, SIZE).transpose(1, 2)
                   for y in self.enter(x).split(WIDTH, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.leave(y.transpose(1, 2).reshape(1, ROWS, WIDTH))


class TorchAttention(nn.Module):
    """PyTorch's own layer."""
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


pattern("attention", lambda: SelfAttention(False))
pattern("attention_causal", lambda: SelfAttention(True))
pattern("attention_torch", TorchAttention)


# Rotary positions.
def _angles(interleaved):
    speeds = 10000.0**(-torch.arange(0, SIZE, 2) / SIZE)
    angles = torch.arange(ROWS)[:, None] * speeds
    return angles.repeat_interleave(2, -1) if interleaved else torch.cat((angles, angles), -1)


def _halves(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def _neighbours(x):
    return torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)


def _by_pairs(m, x):
    angles = _angles(False)[:, :SIZE // 2]
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * angles.cos() - odd * angles.sin(),
                        even * angles.sin() + odd * angles.cos()), dim=-1).flatten(-2)


written("rope_halves", lambda m, x: x * _angles(False).cos() + _halves(x) * _angles(False).sin(),
        QUERY)
written("rope_neighbours",
        lambda m, x: x * _angles(True).cos() + _neighbours(x) * _angles(True).sin(), QUERY)
written("rope_pairs", _by_pairs, QUERY)


# Gates.
def _wave(m, x):
    left, right = x.chunk(2, dim=1)
    return torch.tanh(left) * torch.sigmoid(right)


class Gated(nn.Module):
    """Llama's feed-forward layer, with both projections in one."""
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, 12), nn.Linear(6, WIDTH)

    def forward(self, x):
        gate, y = self.up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * y)


pattern("glu", lambda: nn.GLU(-1))
pattern("glu_channels", lambda: nn.GLU(1), (1, WIDTH, ROWS))
written("gated_gelu", lambda m, x: F.gelu(x[..., WIDTH // 2:]) * x[..., :WIDTH // 2])
written("gated_wave", _wave, (1, WIDTH, ROWS))
pattern("gated_linear", Gated)


class Squeezed(nn.Module):
    """Gates of channels by convolutions over maps of one element."""
    def __init__(self, gate):
        super().__init__()
        self.down, self.up, self.gate = nn.Conv2d(WIDTH, 2, 1), nn.Conv2d(2, WIDTH, 1), gate

    def forward(self, x):
        y = F.adaptive_avg_pool2d(x, 1)
        return x * self.gate(self.up(F.relu(self.down(y))))


pattern("squeeze_excite", lambda: Squeezed(nn.Sigmoid()), (1, WIDTH, 4, 3))
pattern("squeeze_excite_hard", lambda: Squeezed(nn.Hardsigmoid()), (1, WIDTH, 4, 3))

# Weights that are computed.
pattern("weight_norm", lambda: nn.utils.parametrizations.weight_norm(nn.Conv1d(WIDTH, 4, 3)),
        (1, WIDTH, ROWS))
pattern("weight_norm_hooked", lambda: torch.nn.utils.weight_norm(nn.Linear(WIDTH, 4)),
        forms=("onnx", "openvino"))


def _spectrum(m, x):
    size, places = 8, torch.arange(8) / 8 * 2 * math.pi
    turns = places[None, :] * torch.arange(size // 2 + 1)[:, None]
    basis = torch.cat((turns.cos(), -turns.sin()))[:, None] * torch.hann_window(size)
    real, imaginary = F.conv1d(x, basis, stride=4).chunk(2, dim=1)
    return torch.sqrt(real**2 + imaginary**2)


written("short_time", _spectrum, (1, 1, 24))
