# SPDX-License-Identifier: Apache-2.0
"""Causal attention: decoders, streaming encoders, and alternatives to attention."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import FeedForward, frames
from architectures.registry import architecture


def triangle(steps):
    return torch.ones(steps, steps).tril().bool()


def split(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def joined(y):
    return y.transpose(1, 2).flatten(2)


class GptBlock(nn.Module):
    """A mask from a buffer of ones, with masked_fill of minus infinity, as in nanoGPT."""
    def __init__(self, width, heads, steps):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.parts, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = FeedForward(width, 2 * width, nn.GELU)
        self.register_buffer("bias", torch.ones(steps, steps).tril().view(1, 1, steps, steps))

    def forward(self, x):
        steps = x.shape[1]
        query, key, value = (split(part, self.heads)
                             for part in self.parts(self.first(x)).chunk(3, -1))
        scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(key.shape[-1]))
        scores = scores.masked_fill(self.bias[:, :, :steps, :steps] == 0, float("-inf"))
        x = x + self.out(joined(torch.softmax(scores, -1) @ value))
        return x + self.feed(self.second(x))


class Gpt(nn.Module):
    def __init__(self, tokens=20, width=12, steps=10):
        super().__init__()
        self.embed, self.places = nn.Embedding(tokens, width), nn.Embedding(steps, width)
        self.blocks = nn.Sequential(GptBlock(width, 3, steps), GptBlock(width, 3, steps))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.embed(tokens) + self.places(torch.arange(tokens.shape[1]))
        return F.linear(self.norm(self.blocks(x)), self.embed.weight)


@architecture("gpt", causal=True)
def gpt():
    return Gpt(), (torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6, 5, 3]]),)


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class LlamaBlock(nn.Module):
    """Rotary positions, keys and values shared by several queries, a gated feed forward."""
    def __init__(self, width=16, heads=4, shared=2, steps=10):
        super().__init__()
        size = width // heads
        self.heads, self.shared = heads, shared
        self.query, self.out = nn.Linear(width, width, False), nn.Linear(width, width, False)
        self.key = nn.Linear(width, shared * size, False)
        self.value = nn.Linear(width, shared * size, False)
        self.gate, self.up = nn.Linear(width, 24, False), nn.Linear(width, 24, False)
        self.down = nn.Linear(24, width, False)
        self.first, self.second = RmsNorm(width), RmsNorm(width)
        rate = 1 / 10000**(torch.arange(0, size, 2).float() / size)
        angle = torch.cat([torch.arange(steps).float().outer(rate)] * 2, -1)
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def turned(self, x):
        low, high = x.chunk(2, -1)
        return x * self.cos + torch.cat([-high, low], -1) * self.sin

    def repeated(self, x):
        batch, shared, steps, size = x.shape
        x = x[:, :, None].expand(batch, shared, self.heads // shared, steps, size)
        return x.reshape(batch, self.heads, steps, size)

    def forward(self, x):
        y = self.first(x)
        query = self.turned(split(self.query(y), self.heads))
        key = self.repeated(self.turned(split(self.key(y), self.shared)))
        value = self.repeated(split(self.value(y), self.shared))
        y = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(joined(y))
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


@architecture("llama", causal=True)
def llama():
    return LlamaBlock(), (frames(1, 10, 16),)


class Alibi(nn.Module):
    """Scores that decrease with the distance, with a slope per head, and a window."""
    def __init__(self, width=12, heads=3, steps=12, window=7):
        super().__init__()
        self.heads, self.parts = heads, nn.Linear(width, 3 * width)
        distance = torch.arange(steps)[:, None] - torch.arange(steps)
        slopes = 2.0**-torch.arange(1, heads + 1).float()
        bias = -slopes[:, None, None] * distance
        self.register_buffer("bias", bias.masked_fill((distance < 0) | (distance >= window), -1e9))

    def forward(self, x):
        query, key, value = (split(part, self.heads) for part in self.parts(x).chunk(3, -1))
        scores = query @ key.transpose(-2, -1) / 2 + self.bias
        return x + joined(torch.softmax(scores, -1) @ value)


@architecture("alibi", causal=True)
def alibi():
    return Alibi(), (frames(1, 12, 12),)


class T5Attention(nn.Module):
    """Learned biases for buckets of distances, computed in the graph, and a mask of finfo.min."""
    def __init__(self, width=12, heads=3, buckets=8):
        super().__init__()
        self.heads, self.buckets = heads, buckets
        self.parts, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.bias = nn.Embedding(buckets, heads)

    def forward(self, x):
        places = torch.arange(x.shape[1])
        distance = torch.clamp(places[:, None] - places[None], min=0)
        far = 4 + (torch.log(distance.float().clamp(min=1) / 4) / math.log(4) * 4).long()
        bucket = torch.where(distance < 4, distance, far.clamp(max=self.buckets - 1))
        bias = self.bias(bucket).permute(2, 0, 1)[None]
        later = (places[None] > places[:, None]).float() * torch.finfo(torch.float32).min
        query, key, value = (split(part, self.heads) for part in self.parts(x).chunk(3, -1))
        scores = query @ key.transpose(-2, -1) + (bias + later)
        return x + self.out(joined(torch.softmax(scores, -1) @ value))


@architecture("t5_decoder", causal=True)
def t5_decoder():
    return T5Attention(), (frames(1, 12, 12),)


class CausalConformer(nn.Module):
    """Attention over a left context, a causal convolution between halves of a feed forward."""
    def __init__(self, width=12, heads=3, steps=12, left=5, kernel=3):
        super().__init__()
        self.first, self.last = FeedForward(width, 24, nn.SiLU), FeedForward(width, 24, nn.SiLU)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(5))
        self.parts, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.enter, self.leave = nn.Conv1d(width, 2 * width, 1), nn.Conv1d(width, width, 1)
        self.depth = nn.Conv1d(width, width, kernel, groups=width)
        self.heads, self.before = heads, kernel - 1
        self.register_buffer("sees", triangle(steps) & ~torch.ones(steps, steps).tril(-left).bool())

    def convolved(self, x):
        y = F.glu(self.enter(x.transpose(1, 2)), dim=1)
        y = self.depth(F.pad(y, (self.before, 0)))
        y = F.silu(self.norms[4](y.transpose(1, 2)))
        return self.leave(y.transpose(1, 2)).transpose(1, 2)

    def forward(self, x):
        x = x + 0.5 * self.first(self.norms[0](x))
        query, key, value = (split(part, self.heads)
                             for part in self.parts(self.norms[1](x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(query, key, value, attn_mask=self.sees)
        x = x + self.out(joined(y))
        x = x + self.convolved(self.norms[2](x))
        return self.norms[3](x + 0.5 * self.last(x))


@architecture("causal_conformer", causal=True)
def causal_conformer():
    return CausalConformer(), (frames(1, 12, 12),)


class ChunkEncoder(nn.Module):
    """Each position attends to its chunk and to the previous one, not to later chunks."""
    def __init__(self, width=12, heads=2, steps=12, chunk=3):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, 24, batch_first=True, norm_first=True)
            for _ in range(2))
        chunks = torch.arange(steps) // chunk
        distance = chunks[:, None] - chunks
        self.register_buffer("mask", (distance < 0) | (distance > 1))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x, src_mask=self.mask)
        return x


@architecture("chunk_encoder", causal=True)
def chunk_encoder():
    return ChunkEncoder(), (frames(1, 12, 12),)


class Retention(nn.Module):
    """The parallel form: scores decay with the distance, no softmax, a norm for each head."""
    def __init__(self, width=12, heads=3, steps=12):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.parts, self.gate = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        rates = 1 - 2.0**-torch.arange(2, 2 + heads).float()
        distance = (torch.arange(steps)[:, None] - torch.arange(steps)).float()
        decay = rates[:, None, None]**distance.clamp(min=0)
        self.register_buffer("decay", torch.where(distance >= 0, decay, 0.0))

    def forward(self, x):
        query, key, value = (split(part, self.heads) for part in self.parts(x).chunk(3, -1))
        y = (query @ key.transpose(-2, -1) * self.size**-0.5 * self.decay) @ value
        y = joined(F.layer_norm(y, (self.size,)))
        return x + self.out(F.silu(self.gate(x)) * y)


@architecture("parallel_retention", causal=True)
def parallel_retention():
    return Retention(), (frames(1, 12, 12),)


class LinearAttention(nn.Module):
    """Running sums of key times value, divided by the running sum of the keys."""
    def __init__(self, width=12, heads=3):
        super().__init__()
        self.heads, self.parts = heads, nn.Linear(width, 3 * width)

    def forward(self, x):
        query, key, value = (split(part, self.heads) for part in self.parts(x).chunk(3, -1))
        query, key = F.elu(query) + 1, F.elu(key) + 1
        pairs = (key.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(2)
        total = (query * key.cumsum(2)).sum(-1, keepdim=True)
        return x + joined((query.unsqueeze(-2) @ pairs).squeeze(-2) / (total + 1e-6))


@architecture("linear_attention", causal=True)
def linear_attention():
    return LinearAttention(), (frames(1, 12, 12),)
