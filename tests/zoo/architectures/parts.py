# SPDX-License-Identifier: Apache-2.0
"""Layers that several architectures share."""

import torch
from torch import nn
from torch.nn import functional as F


class CausalConv1d(nn.Module):
    """A causal convolution over time, padded with zeros before the first step."""
    def __init__(self, inputs, outputs, kernel, dilation=1, groups=1, stride=1):
        super().__init__()
        self.before = (kernel - 1) * dilation
        self.conv = nn.Conv1d(inputs, outputs, kernel, stride=stride, dilation=dilation,
                              groups=groups)

    def forward(self, x):
        return self.conv(F.pad(x, (self.before, 0)))


class CausalConv2d(nn.Module):
    """[batch, channels, time, bins]: causal in time, centred over the bins."""
    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, dilation=1):
        super().__init__()
        self.before = (kernel[0] - 1) * dilation
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride=(1, stride), groups=groups,
                              padding=(0, kernel[1] // 2), dilation=(dilation, 1))

    def forward(self, x):
        return self.conv(F.pad(x, (0, 0, self.before, 0)))


class ChannelNorm(nn.Module):
    """Layer normalisation over the channels of [batch, channels, time]."""
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.LayerNorm(channels)

    def forward(self, x):
        return self.norm(x.transpose(1, 2)).transpose(1, 2)


class GlobalNorm(nn.Module):
    """Normalisation over channels and time, as Conv-TasNet's gLN."""
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1, channels, 1))
        self.bias = nn.Parameter(torch.zeros(1, channels, 1))

    def forward(self, x):
        mean = x.mean(dim=(1, 2), keepdim=True)
        variance = ((x - mean)**2).mean(dim=(1, 2), keepdim=True)
        return self.gain * (x - mean) / torch.sqrt(variance + 1e-8) + self.bias


class FeedForward(nn.Sequential):
    """Two dense layers with an activation between."""
    def __init__(self, width, hidden, activation=nn.ReLU):
        super().__init__(nn.Linear(width, hidden), activation(), nn.Linear(hidden, width))


class SqueezeExcite(nn.Module):
    """Gates of channels from their means over the later axes."""
    def __init__(self, channels, hidden, activation=nn.ReLU, gate=nn.Sigmoid):
        super().__init__()
        self.down, self.up = nn.Linear(channels, hidden), nn.Linear(hidden, channels)
        self.activation, self.gate = activation(), gate()

    def forward(self, x):
        gates = self.gate(self.up(self.activation(self.down(x.flatten(2).mean(2)))))
        return x * gates.reshape(gates.shape + (1,) * (x.dim() - 2))


def conv_norm(inputs, outputs, kernel=3, stride=1, groups=1, activation=nn.ReLU):
    """Convolution, batch normalisation, activation: the block of most vision nets."""
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
              nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([activation()] if activation else []))


def frames(*shape):
    """Normal numbers; the caller seeds the generator."""
    return torch.randn(*shape)
