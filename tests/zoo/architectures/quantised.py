# SPDX-License-Identifier: Apache-2.0
"""Quantised forms: by ONNX Runtime, and PyTorch's fake quantisation."""

import torch
from torch import nn

from architectures.parts import conv_norm, frames
from architectures.registry import architecture


def _convolutional():
    return nn.Sequential(conv_norm(1, 6, 3, 2), conv_norm(6, 6, 3, 1, 6), conv_norm(6, 8, 1),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))


@architecture("quantised_cnn", forms=("dynamic", "static"))
def quantised_cnn():
    return _convolutional(), (frames(1, 1, 10, 8),)


@architecture("quantised_mlp", forms=("dynamic", "static"))
def quantised_mlp():
    return nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(),
                         nn.Linear(16, 3)), (frames(2, 12),)


class QuantisedLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(6, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.lstm(x)[0])


@architecture("quantised_lstm", causal=True, forms=("dynamic", "static"))
def quantised_lstm():
    return QuantisedLstm(), (frames(1, 5, 6),)


class FakeQuantised(nn.Module):
    """Quantisation-aware training: per channel for weights, per tensor for activations."""
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv1d(3, 6, 3, padding=1), nn.Linear(6, 4)
        self.register_buffer("scale", torch.rand(6) * 0.01 + 0.002)
        self.register_buffer("zero", torch.zeros(6, dtype=torch.int32))

    def forward(self, x):
        x = torch.fake_quantize_per_tensor_affine(x, 0.03, 128, 0, 255)
        weight = torch.fake_quantize_per_channel_affine(self.first.weight, self.scale, self.zero, 0,
                                                        -128, 127)
        x = torch.relu(nn.functional.conv1d(x, weight, self.first.bias, padding=1))
        x = torch.fake_quantize_per_tensor_affine(x, 0.02, 0, 0, 255)
        return self.second(x.mean(2))


@architecture("fake_quantised", forms=("onnx", "openvino"))
def fake_quantised():
    return FakeQuantised(), (frames(1, 3, 9),)
