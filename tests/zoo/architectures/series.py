# SPDX-License-Identifier: Apache-2.0
"""Time series: anomalies, classes, forecasts."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import CausalConv1d, FeedForward, SqueezeExcite, frames
from architectures.registry import architecture


@architecture("dense_autoencoder")
def dense_autoencoder():
    widths, layers = (32, 16, 16, 4, 16, 16, 32), []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.BatchNorm1d(outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-2]), (frames(2, 32),)


class LstmAutoencoder(nn.Module):
    """The last state is repeated as the input of the decoder; the error is an output."""
    def __init__(self, features=4, hidden=10):
        super().__init__()
        self.encode = nn.LSTM(features, hidden, batch_first=True)
        self.decode = nn.LSTM(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, features)

    def forward(self, x):
        code = self.encode(x)[1][0][-1]
        made = self.out(self.decode(code.unsqueeze(1).repeat(1, x.shape[1], 1))[0])
        return made, (made - x).abs().mean(dim=(1, 2))


@architecture("lstm_autoencoder")
def lstm_autoencoder():
    return LstmAutoencoder(), (frames(1, 7, 4),)


class LstmFcn(nn.Module):
    def __init__(self, features=3, steps=12):
        super().__init__()
        self.lstm = nn.LSTM(steps, 6, batch_first=True)
        layers, width = [], features
        for outputs, kernel in ((8, 8), (12, 5), (8, 3)):
            layers += [nn.Conv1d(width, outputs, kernel, padding="same"), nn.BatchNorm1d(outputs),
                       nn.ReLU(), SqueezeExcite(outputs, 4)]
            width = outputs
        self.convs, self.out = nn.Sequential(*layers[:-1]), nn.Linear(14, 5)

    def forward(self, x):
        last = self.lstm(x)[0][:, -1]
        return F.softmax(self.out(torch.cat([self.convs(x).mean(2), last], 1)), 1)


@architecture("lstm_fcn")
def lstm_fcn():
    return LstmFcn(), (frames(1, 3, 12),)


class Inception(nn.Module):
    def __init__(self, inputs, width=4):
        super().__init__()
        self.narrow = nn.Conv1d(inputs, width, 1, bias=False)
        self.convs = nn.ModuleList(nn.Conv1d(width, width, k, padding=k // 2, bias=False)
                                   for k in (9, 5, 3))
        self.pool = nn.Sequential(nn.MaxPool1d(3, 1, 1), nn.Conv1d(inputs, width, 1, bias=False))
        self.norm = nn.BatchNorm1d(4 * width)

    def forward(self, x):
        y = self.narrow(x)
        return torch.relu(self.norm(torch.cat([*(conv(y) for conv in self.convs), self.pool(x)], 1)))


class InceptionTime(nn.Module):
    def __init__(self, features=3):
        super().__init__()
        self.first, self.second = Inception(features), Inception(16)
        self.side = nn.Sequential(nn.Conv1d(features, 16, 1, bias=False), nn.BatchNorm1d(16))
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        y = torch.relu(self.second(self.first(x)) + self.side(x))
        return self.out(F.adaptive_avg_pool1d(y, 1).squeeze(-1))


@architecture("inception_time")
def inception_time():
    return InceptionTime(), (frames(1, 3, 16),)


class Ts2Vec(nn.Module):
    """Dilated convolutions; missing steps (NaN) become zeros; the code is the maximum over time."""
    def __init__(self, features=3, width=8):
        super().__init__()
        self.enter = nn.Linear(features, width)
        self.convs = nn.ModuleList(nn.Conv1d(width, width, 3, padding=2**i, dilation=2**i)
                                   for i in range(4))

    def forward(self, x):
        present = ~x.isnan().any(-1)
        x = torch.where(present.unsqueeze(-1), x, torch.zeros_like(x))
        x = (self.enter(x) * present.unsqueeze(-1)).transpose(1, 2)
        for first, second in zip(self.convs[::2], self.convs[1::2]):
            x = x + second(F.gelu(first(F.gelu(x))))
        return F.max_pool1d(x, kernel_size=x.shape[2]).squeeze(2)


@architecture("ts2vec")
def ts2vec():
    x = frames(1, 10, 3)
    x[0, 4, 1] = float("nan")
    return Ts2Vec(), (x,)


class Tcn(nn.Module):
    """Two causal convolutions per block, forecast from the last step."""
    def __init__(self, features=3, width=6):
        super().__init__()
        self.convs = nn.ModuleList(
            nn.ModuleList([CausalConv1d(features if d == 1 else width, width, 3, d),
                           CausalConv1d(width, width, 3, d)]) for d in (1, 2, 4))
        self.side, self.out = nn.Conv1d(features, width, 1), nn.Linear(width, 2)

    def forward(self, x):
        x = x.transpose(1, 2)
        for index, (first, second) in enumerate(self.convs):
            y = torch.relu(second(torch.relu(first(x))))
            x = torch.relu(y + (x if index else self.side(x)))
        return self.out(x.transpose(1, 2))


@architecture("tcn", causal=True)
def tcn():
    return Tcn(), (frames(1, 12, 3),)


class BeatsBlock(nn.Module):
    def __init__(self, back, ahead, basis):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(back, 12), nn.ReLU(), nn.Linear(12, 12), nn.ReLU())
        self.theta = nn.Linear(12, 2 * basis, bias=False)
        grid = torch.arange(back + ahead).float() / (back + ahead)
        self.register_buffer("past", torch.stack([grid[:back]**i for i in range(basis)]))
        self.register_buffer("future", torch.stack([grid[back:]**i for i in range(basis)]))

    def forward(self, x):
        past, future = self.theta(self.body(x)).chunk(2, -1)
        return torch.einsum("bp,pt->bt", past, self.past), torch.einsum("bp,pt->bt", future,
                                                                        self.future)


class NBeats(nn.Module):
    def __init__(self, back=10, ahead=4):
        super().__init__()
        self.blocks = nn.ModuleList(BeatsBlock(back, ahead, 3) for _ in range(3))

    def forward(self, x):
        total = 0
        for block in self.blocks:
            past, future = block(x)
            x, total = x - past, total + future
        return total


@architecture("n_beats")
def n_beats():
    return NBeats(), (frames(2, 10),)


class NHits(nn.Module):
    """Pooled past at several rates, forecasts of few knots interpolated."""
    def __init__(self, back=12, ahead=8):
        super().__init__()
        self.ahead, self.back, self.rates = ahead, back, (4, 2, 1)
        self.nets = nn.ModuleList(nn.Sequential(
            nn.Linear(back // r, 12), nn.ReLU(), nn.Linear(12, back + ahead // r))
            for r in self.rates)

    def forward(self, x):
        total = 0
        for rate, net in zip(self.rates, self.nets):
            theta = net(F.max_pool1d(x.unsqueeze(1), rate, ceil_mode=True).squeeze(1))
            knots = theta[:, self.back:].unsqueeze(1)
            x = x - theta[:, :self.back]
            total = total + F.interpolate(knots, size=self.ahead, mode="linear").squeeze(1)
        return total


@architecture("n_hits")
def n_hits():
    return NHits(), (frames(2, 12),)


class DLinear(nn.Module):
    """Trend by a moving mean with repeated ends, one linear map for each part."""
    def __init__(self, back=12, ahead=4, kernel=5):
        super().__init__()
        self.reach, self.pool = (kernel - 1) // 2, nn.AvgPool1d(kernel, 1)
        self.trend, self.season = nn.Linear(back, ahead), nn.Linear(back, ahead)

    def forward(self, x):
        front, end = x[:, :1].repeat(1, self.reach, 1), x[:, -1:].repeat(1, self.reach, 1)
        trend = self.pool(torch.cat([front, x, end], 1).permute(0, 2, 1))
        return (self.trend(trend) + self.season(x.permute(0, 2, 1) - trend)).permute(0, 2, 1)


@architecture("d_linear")
def d_linear():
    return DLinear(), (frames(1, 12, 3),)


class PatchTst(nn.Module):
    """Instance normalisation, overlapping patches of each channel, encoder, flat head."""
    def __init__(self, steps=16, patch=4, stride=2, width=8, ahead=4):
        super().__init__()
        self.patch, self.stride, self.count = patch, stride, (steps - patch) // stride + 2
        self.enter = nn.Linear(patch, width)
        self.place = nn.Parameter(torch.randn(self.count, width) * 0.1)
        self.attend = nn.MultiheadAttention(width, 2, batch_first=True)
        self.norms = nn.ModuleList([nn.BatchNorm1d(width), nn.BatchNorm1d(width)])
        self.feed, self.head = FeedForward(width, 16, nn.GELU), nn.Linear(width * self.count, ahead)

    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        deviation = torch.sqrt(x.var(1, keepdim=True, unbiased=False) + 1e-5)
        y = ((x - mean) / deviation).transpose(1, 2)
        y = F.pad(y, (0, self.stride), mode="replicate").unfold(-1, self.patch, self.stride)
        batch, channels = y.shape[:2]
        y = (self.enter(y) + self.place).flatten(0, 1)
        y = y + self.attend(y, y, y)[0]
        y = self.norms[0](y.transpose(1, 2)).transpose(1, 2)
        y = self.norms[1]((y + self.feed(y)).transpose(1, 2))
        y = self.head(y.reshape(batch, channels, -1)).transpose(1, 2)
        return y * deviation + mean


@architecture("patch_tst")
def patch_tst():
    return PatchTst(), (frames(1, 16, 2),)


class GatedResidual(nn.Module):
    def __init__(self, inputs, width, outputs=None, context=None):
        super().__init__()
        outputs = outputs or width
        self.first = nn.Linear(inputs, width)
        self.context = nn.Linear(context, width, bias=False) if context else None
        self.second, self.gate = nn.Linear(width, width), nn.Linear(width, 2 * outputs)
        self.side = nn.Linear(inputs, outputs) if inputs != outputs else nn.Identity()
        self.norm = nn.LayerNorm(outputs)

    def forward(self, x, context=None):
        y = self.first(x)
        if context is not None:
            y = y + self.context(context)
        return self.norm(self.side(x) + F.glu(self.gate(self.second(F.elu(y))), -1))


class TemporalFusion(nn.Module):
    """Variable selection, LSTM with gated skips, interpretable attention, quantiles."""
    def __init__(self, variables=3, width=6, steps=6, ahead=2):
        super().__init__()
        self.ahead = ahead
        self.embed = nn.ModuleList(nn.Linear(1, width) for _ in range(variables))
        self.choose = GatedResidual(variables * width, width, variables, width)
        self.each = nn.ModuleList(GatedResidual(width, width) for _ in range(variables))
        self.static = nn.Linear(2, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.gate, self.norm = nn.Linear(width, 2 * width), nn.LayerNorm(width)
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width // 2), nn.Linear(width // 2, width)
        self.enrich, self.quantiles = GatedResidual(width, width, None, width), nn.Linear(width, 3)
        self.register_buffer("mask", torch.ones(ahead, steps).triu(steps - ahead + 1).bool())

    def forward(self, x, static):
        context = self.static(static).unsqueeze(1)
        parts = [embed(x[..., i:i + 1]) for i, embed in enumerate(self.embed)]
        weights = torch.softmax(self.choose(torch.cat(parts, -1), context), -1).unsqueeze(-2)
        parts = torch.stack([net(part) for net, part in zip(self.each, parts)], -1)
        chosen = (parts * weights).sum(-1)
        y = self.norm(chosen + F.glu(self.gate(self.lstm(chosen)[0]), -1))
        y = self.enrich(y, context.expand(-1, y.shape[1], -1))
        batch, steps, width = y.shape
        query = self.query(y[:, -self.ahead:]).view(batch, self.ahead, 2, -1).transpose(1, 2)
        key = self.key(y).view(batch, steps, 2, -1).permute(0, 2, 3, 1)
        scores = (query @ key / math.sqrt(width // 2)).masked_fill(self.mask, -1e9)
        attention = torch.softmax(scores, -1).mean(1)
        return self.quantiles(self.out(attention @ self.value(y))), attention


@architecture("temporal_fusion")
def temporal_fusion():
    return TemporalFusion(), (frames(1, 6, 3), frames(1, 2))


class DeepAr(nn.Module):
    """LSTM over scaled values with covariates and an embedded series; Gaussian parameters."""
    def __init__(self, covariates=2, hidden=8):
        super().__init__()
        self.embed = nn.Embedding(5, 3)
        self.lstm = nn.LSTM(1 + covariates + 3, hidden, 2, batch_first=True)
        self.mean, self.spread = nn.Linear(2 * hidden, 1), nn.Linear(2 * hidden, 1)

    def forward(self, values, covariates, series):
        scale = 1 + values.abs().mean(1, keepdim=True)
        who = self.embed(series).unsqueeze(1).expand(-1, values.shape[1], -1)
        x = torch.cat([(values / scale).unsqueeze(-1), covariates, who], -1)
        _, (hidden, _) = self.lstm(x)
        code = hidden.permute(1, 2, 0).contiguous().view(hidden.shape[1], -1)
        return self.mean(code) * scale, F.softplus(self.spread(code)) * scale


@architecture("deep_ar")
def deep_ar():
    return DeepAr(), (frames(2, 6), frames(2, 6, 2), torch.tensor([1, 3]))


class Rocket(nn.Module):
    """Random dilated kernels; features are maximum and fraction of positive values of each."""
    def __init__(self, kernels=6):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv1d(2, kernels, 9, padding=4 * d, dilation=d)
                                   for d in (1, 2))
        self.out = nn.Linear(4 * kernels, 4)

    def forward(self, x):
        made = [conv(x) for conv in self.convs]
        features = [y.amax(2) for y in made] + [(y > 0).float().mean(2) for y in made]
        return self.out(torch.cat(features, 1))


@architecture("rocket")
def rocket():
    return Rocket(), (frames(1, 2, 18),)


class AutoCorrelation(nn.Module):
    """Autoformer: selects the delays of maximum correlation and weights the rolled values."""
    def __init__(self, width=4, steps=8, top=2):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.top = top
        index = (torch.arange(steps).unsqueeze(0) + torch.arange(steps).unsqueeze(1)) % steps
        self.register_buffer("rolled", index)

    def forward(self, x):
        query, key, value = self.query(x), self.key(x), self.value(x)
        correlation = torch.einsum("btc,bdtc->bd", query, key[:, self.rolled]) / x.shape[1]
        weights, delays = torch.topk(correlation, self.top, -1)
        weights = torch.softmax(weights, -1)
        index = self.rolled[delays].unsqueeze(-1).expand(-1, -1, -1, value.shape[-1])
        gathered = torch.gather(value.unsqueeze(1).expand(-1, self.top, -1, -1), 2, index)
        return (gathered * weights[:, :, None, None]).sum(1)


@architecture("auto_correlation")
def auto_correlation():
    return AutoCorrelation(), (frames(1, 8, 4),)
