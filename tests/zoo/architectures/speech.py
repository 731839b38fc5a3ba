# SPDX-License-Identifier: Apache-2.0
"""Speech recognition: encoders, transducers, voice activity."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import FeedForward, frames
from architectures.registry import architecture


class ConformerConv(nn.Module):
    def __init__(self, width, kernel=5):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.enter, self.leave = nn.Conv1d(width, 2 * width, 1), nn.Conv1d(width, width, 1)
        self.depth = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.batch = nn.BatchNorm1d(width)

    def forward(self, x):
        y = F.glu(self.enter(self.norm(x).transpose(1, 2)), dim=1)
        return self.leave(F.silu(self.batch(self.depth(y)))).transpose(1, 2)


class RelativeAttention(nn.Module):
    """Transformer-XL: content and position biases, scores shifted by padding and reshaping."""
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.place = nn.Linear(width, width, bias=False)
        self.content_bias = nn.Parameter(torch.randn(heads, self.size) * 0.3)
        self.place_bias = nn.Parameter(torch.randn(heads, self.size) * 0.3)

    def split(self, x):
        return x.unflatten(-1, (self.heads, self.size))

    @staticmethod
    def shift(x):
        batch, heads, rows, columns = x.shape
        x = F.pad(x, (1, 0)).reshape(batch, heads, columns + 1, rows)
        return x[:, :, 1:].reshape(batch, heads, rows, columns)[:, :, :, :columns // 2 + 1]

    def forward(self, x, places):
        query, value = self.split(self.query(x)), self.split(self.value(x)).transpose(1, 2)
        key = self.split(self.key(x)).transpose(1, 2)
        place = self.split(self.place(places)).permute(0, 2, 3, 1)
        by_content = (query + self.content_bias).transpose(1, 2) @ key.transpose(-2, -1)
        by_place = self.shift((query + self.place_bias).transpose(1, 2) @ place)
        weights = torch.softmax((by_content + by_place) / math.sqrt(self.size), -1)
        return self.out((weights @ value).transpose(1, 2).flatten(2))


class Conformer(nn.Module):
    def __init__(self, width=12, steps=7):
        super().__init__()
        self.first, self.last = FeedForward(width, 24, nn.SiLU), FeedForward(width, 24, nn.SiLU)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(4))
        self.attend, self.conv = RelativeAttention(width, 3), ConformerConv(width)
        place = torch.arange(steps - 1, -steps, -1).float().unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        self.register_buffer("places", torch.cat(
            [torch.sin(place * rate), torch.cos(place * rate)], 1).unsqueeze(0))

    def forward(self, x):
        x = x + 0.5 * self.first(self.norms[0](x))
        x = x + self.attend(self.norms[1](x), self.places)
        x = x + self.conv(x)
        return self.norms[3](x + 0.5 * self.last(self.norms[2](x)))


@architecture("conformer")
def conformer():
    return Conformer(), (frames(1, 7, 12),)


@architecture("transformer_encoder")
def transformer_encoder():
    layer = nn.TransformerEncoderLayer(12, 3, 24, activation="gelu", batch_first=True,
                                       norm_first=True)
    return nn.TransformerEncoder(layer, 2, nn.LayerNorm(12),
                                 enable_nested_tensor=False), (frames(1, 6, 12),)


class CausalTransformer(nn.Module):
    def __init__(self, steps=6):
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(12, 3, 24, batch_first=True)
        mask = torch.full((steps, steps), float("-inf")).triu(1)
        self.register_buffer("mask", mask)

    def forward(self, x, memory):
        return self.layer(x, memory, tgt_mask=self.mask)


@architecture("transformer_decoder", causal=True)
def transformer_decoder():
    return CausalTransformer(), (frames(1, 6, 12), frames(1, 4, 12))


class Wav2VecFront(nn.Module):
    """Group normalisation in the first layer, then layer normalisation, weight-normed positions."""
    def __init__(self, width=8):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(1, width, 10, 5, bias=False),
                                    nn.Conv1d(width, width, 3, 2, bias=False),
                                    nn.Conv1d(width, width, 2, 2, bias=False)])
        self.group, self.norm = nn.GroupNorm(width, width), nn.LayerNorm(width)
        self.project = nn.Linear(width, 12)
        self.places = nn.utils.parametrizations.weight_norm(
            nn.Conv1d(12, 12, 4, padding=2, groups=4), dim=2)

    def forward(self, wave):
        x = F.gelu(self.group(self.convs[0](wave.unsqueeze(1))))
        for conv in self.convs[1:]:
            x = F.gelu(conv(x))
        x = self.project(self.norm(x.transpose(1, 2)))
        return x + F.gelu(self.places(x.transpose(1, 2))[:, :, :-1]).transpose(1, 2)


@architecture("wav2vec_front")
def wav2vec_front():
    return Wav2VecFront(), (frames(1, 160),)


class SileroVad(nn.Module):
    """Transform as a convolution, convolutional encoder, LSTM whose state is input and output."""
    def __init__(self, size=32, hop=16, hidden=10):
        super().__init__()
        angle = 2 * math.pi * torch.arange(size // 2 + 1).outer(torch.arange(size)) / size
        window = torch.hann_window(size)
        self.register_buffer("basis", torch.cat(
            [torch.cos(angle) * window, -torch.sin(angle) * window]).unsqueeze(1))
        self.hop, self.bins, self.size = hop, size // 2 + 1, size
        self.encode = nn.Sequential(nn.Conv1d(self.bins, 12, 3, 1, 1), nn.ReLU(),
                                    nn.Conv1d(12, 8, 3, 2, 1), nn.ReLU(),
                                    nn.Conv1d(8, hidden, 3, 2, 1), nn.ReLU())
        self.cell = nn.LSTMCell(hidden, hidden)
        self.decode = nn.Sequential(nn.Dropout(), nn.ReLU(), nn.Conv1d(hidden, 1, 1), nn.Sigmoid())

    def forward(self, wave, state):
        padded = F.pad(wave.unsqueeze(1), (0, self.size // 4), mode="reflect")
        parts = F.conv1d(padded, self.basis, stride=self.hop)
        real, imaginary = parts[:, :self.bins], parts[:, self.bins:]
        x = self.encode(torch.sqrt(real**2 + imaginary**2))[:, :, 0]
        hidden, cell = self.cell(x, (state[0], state[1]))
        voice = self.decode(hidden.unsqueeze(-1)).squeeze(1).mean(1, keepdim=True)
        return voice, torch.stack([hidden, cell])


@architecture("silero_vad")
def silero_vad():
    return SileroVad(), (frames(1, 72), frames(2, 1, 10))


class WhisperEncoder(nn.Module):
    def __init__(self, bins=8, width=12, steps=6):
        super().__init__()
        self.first = nn.Conv1d(bins, width, 3, padding=1)
        self.second = nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.register_buffer("places", torch.randn(steps, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.query, self.value, self.out = (nn.Linear(width, width) for _ in range(3))
        self.key = nn.Linear(width, width, bias=False)
        self.feed = FeedForward(width, 4 * width, nn.GELU)

    def attend(self, x, heads=3):
        batch, steps, width = x.shape
        query, key, value = (made(x).view(batch, steps, heads, width // heads).permute(0, 2, 1, 3)
                             for made in (self.query, self.key, self.value))
        y = F.scaled_dot_product_attention(query, key, value)
        return self.out(y.permute(0, 2, 1, 3).flatten(start_dim=2))

    def forward(self, x):
        x = F.gelu(self.second(F.gelu(self.first(x)))).permute(0, 2, 1) + self.places
        x = x + self.attend(self.norms[0](x))
        return self.norms[2](x + self.feed(self.norms[1](x)))


@architecture("whisper_encoder")
def whisper_encoder():
    return WhisperEncoder(), (frames(1, 8, 12),)


class CachedDecoder(nn.Module):
    """One token of a decoder whose keys and values of the past are inputs and outputs."""
    def __init__(self, tokens=20, width=12, heads=3):
        super().__init__()
        self.embed, self.norm = nn.Embedding(tokens, width), nn.LayerNorm(width)
        self.parts, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed, self.heads = FeedForward(width, 24, nn.GELU), heads

    def forward(self, token, keys, values):
        x = self.embed(token)
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                             for part in self.parts(self.norm(x)).chunk(3, -1))
        keys, values = torch.cat([keys, key], 2), torch.cat([values, value], 2)
        y = F.scaled_dot_product_attention(query, keys, values)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        logits = F.linear(x + self.feed(x), self.embed.weight)
        return logits, keys[:, :, 1:], values[:, :, 1:]


@architecture("cached_decoder")
def cached_decoder():
    return CachedDecoder(), (torch.tensor([[3]]), frames(1, 3, 5, 4), frames(1, 3, 5, 4))


class DeepSpeech2(nn.Module):
    def __init__(self, letters=10):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 4, (5, 3), (2, 1), (2, 1)), nn.BatchNorm2d(4),
                                  nn.Hardtanh(0, 20))
        self.rnns = nn.ModuleList([nn.GRU(20, 6, bidirectional=True), nn.GRU(6, 6, bidirectional=True)])
        self.norm, self.out = nn.BatchNorm1d(6), nn.Linear(6, letters, bias=False)

    def forward(self, x):
        x = self.conv(x).flatten(1, 2).permute(2, 0, 1)
        for index, rnn in enumerate(self.rnns):
            if index:
                x = self.norm(x.permute(1, 2, 0)).permute(2, 0, 1)
            x = rnn(x)[0].unflatten(2, (2, -1)).sum(2)
        return self.out(x).transpose(0, 1).log_softmax(-1)


@architecture("deep_speech2")
def deep_speech2():
    return DeepSpeech2(), (frames(1, 1, 10, 7),)


class Transducer(nn.Module):
    """RNN-T: the predictor's step and the joint net, for one frame and one token."""
    def __init__(self, tokens=12, width=10):
        super().__init__()
        self.embed, self.lstm = nn.Embedding(tokens, width), nn.LSTM(width, width, batch_first=True)
        self.frame, self.text = nn.Linear(14, width), nn.Linear(width, width)
        self.out = nn.Linear(width, tokens)

    def forward(self, frame, token, hidden, cell):
        text, (hidden, cell) = self.lstm(self.embed(token), (hidden, cell))
        joint = torch.tanh(self.frame(frame).unsqueeze(2) + self.text(text).unsqueeze(1))
        scores = self.out(joint)
        return scores, scores.argmax(-1), hidden, cell


@architecture("transducer_step")
def transducer_step():
    return Transducer(), (frames(1, 1, 14), torch.tensor([[5]]), frames(1, 1, 10),
                          frames(1, 1, 10))


class XVector(nn.Module):
    """Time delay net with statistics pooling."""
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv1d(8, 10, 5), nn.ReLU(), nn.BatchNorm1d(10),
                                    nn.Conv1d(10, 10, 3, dilation=2), nn.ReLU(),
                                    nn.BatchNorm1d(10), nn.Conv1d(10, 14, 1), nn.LeakyReLU(0.2))
        self.out = nn.Linear(28, 8)

    def forward(self, x):
        x = self.layers(x)
        return self.out(torch.cat([x.mean(2), x.std(2)], 1))


@architecture("x_vector")
def x_vector():
    return XVector(), (frames(1, 8, 16),)


class Lookback(nn.Module):
    """An encoder block with attention over a limited past: keys of earlier chunks are a state."""
    def __init__(self, width=8, chunk=4, left=4):
        super().__init__()
        self.parts, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm, self.left = nn.LayerNorm(width), left
        self.register_buffer("bias", torch.zeros(chunk, left + chunk).masked_fill(
            torch.ones(chunk, left + chunk).triu(left + 1).bool(), -1e4))

    def forward(self, x, past):
        query, key, value = self.parts(self.norm(x)).chunk(3, -1)
        both = torch.cat([past, torch.stack([key, value])], 2)
        weights = torch.softmax(query @ both[0].transpose(1, 2) / 8**0.5 + self.bias, -1)
        return x + self.out(weights @ both[1]), both[:, :, -self.left:]


@architecture("chunked_attention")
def chunked_attention():
    return Lookback(), (frames(1, 4, 8), frames(2, 1, 4, 8))
