# SPDX-License-Identifier: Apache-2.0
"""Small images: classes, boxes, masks, text."""

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import SqueezeExcite, conv_norm, frames
from architectures.registry import architecture


class ResNet8(nn.Module):
    """ResNet-8 of MLPerf Tiny."""
    def __init__(self):
        super().__init__()
        self.enter, widths = conv_norm(3, 4), (4, 6, 8)
        self.first = nn.ModuleList(conv_norm(a, b, 3, 1 if a == b else 2)
                                   for a, b in zip((4, 4, 6), widths))
        self.second = nn.ModuleList(conv_norm(w, w, activation=None) for w in widths)
        self.side = nn.ModuleList(nn.Identity() if a == b else nn.Conv2d(a, b, 1, 2)
                                  for a, b in zip((4, 4, 6), widths))
        self.out = nn.Linear(8, 10)

    def forward(self, x):
        x = self.enter(x)
        for first, second, side in zip(self.first, self.second, self.side):
            x = torch.relu(second(first(x)) + side(x))
        return F.softmax(self.out(torch.flatten(F.avg_pool2d(x, 4), 1)), 1)


@architecture("resnet8")
def resnet8():
    return ResNet8(), (frames(1, 3, 16, 16),)


@architecture("mobilenet_v1")
def mobilenet_v1():
    layers, width = [conv_norm(3, 6, 3, 2)], 6
    for outputs, stride in ((8, 1), (10, 2), (10, 1)):
        layers += [conv_norm(width, width, 3, stride, width), conv_norm(width, outputs, 1)]
        width = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(10, 8)), (frames(1, 3, 16, 16),)


class Inverted(nn.Module):
    def __init__(self, inputs, outputs, expand, stride=1, kernel=3, activation=nn.ReLU6, gate=None):
        super().__init__()
        wide = inputs * expand
        self.body = nn.Sequential(conv_norm(inputs, wide, 1, activation=activation),
                                  conv_norm(wide, wide, kernel, stride, wide, activation),
                                  gate(wide) if gate else nn.Identity(),
                                  conv_norm(wide, outputs, 1, activation=None))
        self.add = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.body(x) if self.add else self.body(x)


@architecture("mobilenet_v2")
def mobilenet_v2():
    return nn.Sequential(conv_norm(3, 4, 3, 2, activation=nn.ReLU6), Inverted(4, 6, 3, 2),
                         Inverted(6, 6, 3), conv_norm(6, 12, 1, activation=nn.ReLU6),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(),
                         nn.Linear(12, 8)), (frames(1, 3, 16, 16),)


@architecture("mobilenet_v3")
def mobilenet_v3():
    def gate(width):
        return SqueezeExcite(width, 4, nn.ReLU, nn.Hardsigmoid)

    return nn.Sequential(conv_norm(3, 4, 3, 2, activation=nn.Hardswish),
                         Inverted(4, 6, 2, 2, 5, nn.ReLU, gate),
                         Inverted(6, 6, 2, 1, 3, nn.Hardswish, gate), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(6, 12), nn.Hardswish(),
                         nn.Linear(12, 8)), (frames(1, 3, 16, 16),)


class Fire(nn.Module):
    def __init__(self, inputs, narrow, wide):
        super().__init__()
        self.enter = nn.Conv2d(inputs, narrow, 1)
        self.one, self.three = nn.Conv2d(narrow, wide, 1), nn.Conv2d(narrow, wide, 3, padding=1)

    def forward(self, x):
        x = torch.relu(self.enter(x))
        return torch.cat([torch.relu(self.one(x)), torch.relu(self.three(x))], 1)


@architecture("squeezenet")
def squeezenet():
    return nn.Sequential(nn.Conv2d(3, 6, 3, 2), nn.ReLU(), nn.MaxPool2d(3, 2, ceil_mode=True),
                         Fire(6, 4, 6), Fire(12, 4, 6), nn.MaxPool2d(3, 2, ceil_mode=True),
                         nn.Conv2d(12, 8, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten()), (frames(1, 3, 19, 19),)


class ShuffleUnit(nn.Module):
    def __init__(self, channels):
        super().__init__()
        half = channels // 2
        self.body = nn.Sequential(conv_norm(half, half, 1),
                                  conv_norm(half, half, 3, 1, half, None), conv_norm(half, half, 1))

    def forward(self, x):
        first, second = x.chunk(2, dim=1)
        x = torch.cat([first, self.body(second)], 1)
        batch, channels, height, width = x.size()
        x = x.view(batch, 2, channels // 2, height, width)
        return torch.transpose(x, 1, 2).contiguous().view(batch, -1, height, width)


@architecture("shufflenet_v2")
def shufflenet_v2():
    return nn.Sequential(conv_norm(3, 8, 3, 2), nn.MaxPool2d(3, 2, 1), ShuffleUnit(8),
                         ShuffleUnit(8), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(8, 8)), (frames(1, 3, 16, 16),)


@architecture("efficientnet_lite")
def efficientnet_lite():
    return nn.Sequential(conv_norm(3, 4, 3, 2, activation=nn.ReLU6), Inverted(4, 4, 1),
                         Inverted(4, 6, 3, 2, 5), Inverted(6, 6, 3, 1, 5), nn.AvgPool2d(4),
                         nn.Flatten(), nn.Linear(6, 8)), (frames(1, 3, 16, 16),)


class Ghost(nn.Module):
    """Half of the channels are depthwise functions of the other half."""
    def __init__(self, inputs, outputs):
        super().__init__()
        half = outputs // 2
        self.outputs = outputs
        self.main, self.cheap = conv_norm(inputs, half, 1), conv_norm(half, half, 3, 1, half)

    def forward(self, x):
        x = self.main(x)
        return torch.cat([x, self.cheap(x)], 1)[:, :self.outputs]


@architecture("ghostnet")
def ghostnet():
    return nn.Sequential(conv_norm(3, 6, 3, 2), Ghost(6, 10), conv_norm(10, 10, 3, 2, 10, None),
                         SqueezeExcite(10, 4, nn.ReLU, nn.Hardsigmoid), Ghost(10, 8),
                         nn.AdaptiveAvgPool2d((1, 1)), nn.Conv2d(8, 8, 1),
                         nn.Flatten()), (frames(1, 3, 16, 16),)


@architecture("mcunet")
def mcunet():
    return nn.Sequential(conv_norm(3, 4, 3, 2, activation=nn.ReLU6), Inverted(4, 4, 2, 1, 7),
                         Inverted(4, 6, 3, 2, 5), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(6, 2)), (frames(1, 3, 20, 20),)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = conv_norm(1, 4), conv_norm(4, 6), conv_norm(6, 8)
        self.up, self.d = nn.ConvTranspose2d(8, 6, 2, 2), conv_norm(12, 6)
        self.smooth = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.e, self.out = conv_norm(10, 4), nn.Conv2d(4, 2, 1)

    def forward(self, x):
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2))
        x = self.up(self.c(F.max_pool2d(b, 2)))
        x = self.d(torch.cat([x, b], 1))
        return self.out(self.e(torch.cat([self.smooth(x), a], 1))).sigmoid()


@architecture("unet")
def unet():
    return UNet(), (frames(1, 1, 12, 12),)


class TinyYolo(nn.Module):
    """Two scales; the net decodes boxes by anchors and a grid."""
    def __init__(self, classes=2):
        super().__init__()
        self.classes = classes
        self.body = nn.Sequential(conv_norm(3, 4, activation=nn.LeakyReLU), nn.MaxPool2d(2),
                                  conv_norm(4, 6, activation=nn.LeakyReLU), nn.MaxPool2d(2))
        self.deep = nn.Sequential(conv_norm(6, 8, activation=nn.LeakyReLU), nn.MaxPool2d(2))
        self.heads = nn.ModuleList([nn.Conv2d(8, 3 * (5 + classes), 1),
                                    nn.Conv2d(8 + 6, 3 * (5 + classes), 1)])
        self.register_buffer("anchors", torch.tensor(
            [[[8.0, 8.0], [12.0, 6.0], [6.0, 12.0]], [[4.0, 4.0], [3.0, 5.0], [5.0, 3.0]]]))

    def decode(self, x, anchors, stride):
        batch, _, height, width = x.shape
        x = x.view(batch, 3, 5 + self.classes, height, width).permute(0, 1, 3, 4, 2).sigmoid()
        rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        grid = torch.stack([columns, rows], 2).float()
        centre = (x[..., 0:2] * 2 - 0.5 + grid) * stride
        size = (x[..., 2:4] * 2)**2 * anchors.view(1, 3, 1, 1, 2)
        return torch.cat([centre, size, x[..., 4:]], -1).view(batch, -1, 5 + self.classes)

    def forward(self, x):
        shallow = self.body(x)
        deep = self.deep(shallow)
        up = F.interpolate(deep, scale_factor=2.0, mode="nearest")
        return torch.cat([self.decode(self.heads[0](deep), self.anchors[0], 8),
                          self.decode(self.heads[1](torch.cat([up, shallow], 1)),
                                      self.anchors[1], 4)], 1)


@architecture("tiny_yolo")
def tiny_yolo():
    return TinyYolo(), (frames(1, 3, 16, 16),)


@architecture("fomo")
def fomo():
    return nn.Sequential(conv_norm(1, 4, 3, 2, activation=nn.ReLU6), Inverted(4, 6, 3, 2),
                         Inverted(6, 6, 3), nn.Conv2d(6, 12, 1), nn.ReLU(), nn.Conv2d(12, 3, 1),
                         nn.Softmax(1)), (frames(1, 1, 24, 24),)


class OcrHead(nn.Module):
    """CRNN: columns of a text line as steps of bidirectional LSTMs, greedy letters."""
    def __init__(self, letters=8):
        super().__init__()
        self.conv = nn.Sequential(conv_norm(1, 4), nn.MaxPool2d(2), conv_norm(4, 8),
                                  nn.MaxPool2d((2, 2), (2, 1), (0, 1)), nn.Conv2d(8, 8, (2, 2)),
                                  nn.ReLU())
        self.rnn = nn.LSTM(8, 6, 2, bidirectional=True)
        self.out = nn.Linear(12, letters)

    def forward(self, x):
        x = self.conv(x).squeeze(2).permute(2, 0, 1)
        scores = F.log_softmax(self.out(self.rnn(x)[0]), 2)
        return scores, scores.argmax(2)


@architecture("ocr_crnn")
def ocr_crnn():
    return OcrHead(), (frames(1, 1, 8, 16),)


class ConvNext(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.depth, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(torch.full((width,), 0.5))
        self.response = nn.Parameter(torch.randn(2, 1, 1, 1, 4 * width) * 0.1)

    def forward(self, x):
        y = F.gelu(self.up(self.norm(self.depth(x).permute(0, 2, 3, 1))))
        norm = torch.norm(y, p=2, dim=(1, 2), keepdim=True)
        y = self.response[0] * (y * norm / (norm.mean(-1, keepdim=True) + 1e-6)) + self.response[1] + y
        return x + (self.gamma * self.down(y)).permute(0, 3, 1, 2)


@architecture("convnext_v2")
def convnext_v2():
    return ConvNext(), (frames(1, 6, 7, 7),)


class MobileVit(nn.Module):
    """Patches are unfolded, so that attention runs over equal positions of all patches."""
    def __init__(self, width=8):
        super().__init__()
        self.near, self.enter = conv_norm(4, 4, activation=nn.SiLU), nn.Conv2d(4, width, 1, bias=False)
        self.norm, self.attend = nn.LayerNorm(width), nn.MultiheadAttention(width, 2, batch_first=True)
        self.leave, self.join = nn.Conv2d(width, 4, 1), conv_norm(8, 4, activation=nn.SiLU)

    def forward(self, x):
        y = self.enter(self.near(x))
        batch, channels, height, width = y.shape
        y = y.reshape(batch * channels * (height // 2), 2, width // 2, 2).transpose(1, 2)
        y = y.reshape(batch, channels, -1, 4).transpose(1, 3).reshape(batch * 4, -1, channels)
        z = self.norm(y)
        y = y + self.attend(z, z, z, need_weights=False)[0]
        y = y.view(batch, 4, -1, channels).transpose(1, 3)
        y = y.reshape(batch * channels * (height // 2), width // 2, 2, 2).transpose(1, 2)
        y = self.leave(y.reshape(batch, channels, height, width))
        return self.join(torch.cat([x, y], 1))


@architecture("mobile_vit")
def mobile_vit():
    return MobileVit(), (frames(1, 4, 6, 8),)


class SuperResolution(nn.Module):
    """ESPCN with a bicubic skip."""
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.Tanh(),
                                  nn.Conv2d(6, 4, 3, padding=1, padding_mode="replicate"),
                                  nn.PixelShuffle(2))

    def forward(self, x):
        return self.body(x) + F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False)


@architecture("espcn")
def espcn():
    return SuperResolution(), (frames(1, 1, 7, 6),)


class SpatialTransformer(nn.Module):
    """A net computes an affine map with which the image is sampled."""
    def __init__(self):
        super().__init__()
        self.locate = nn.Sequential(nn.Conv2d(1, 4, 5, 2), nn.ReLU(), nn.Flatten(),
                                    nn.Linear(64, 6))

    def forward(self, x):
        matrix = self.locate(x).view(-1, 2, 3) * 0.1 + torch.tensor([[1.0, 0, 0], [0, 1.0, 0]])
        grid = F.affine_grid(matrix, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)


@architecture("spatial_transformer")
def spatial_transformer():
    return SpatialTransformer(), (frames(1, 1, 11, 11),)


class Vae(nn.Module):
    """The noise is an input; the negative bound of the likelihood is the anomaly score."""
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.ReLU(), nn.Conv2d(4, 6, 3, 2, 1),
                                    nn.ReLU(), nn.Flatten())
        self.mean, self.spread = nn.Linear(24, 4), nn.Linear(24, 4)
        self.decode = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Unflatten(1, (6, 2, 2)),
                                    nn.ConvTranspose2d(6, 4, 3, 2, 1, 1), nn.ReLU(),
                                    nn.ConvTranspose2d(4, 1, 3, 2, 1, 1), nn.Sigmoid())

    def forward(self, x, noise):
        code = self.encode(x)
        mean, log_var = self.mean(code), self.spread(code)
        made = self.decode(mean + noise * torch.exp(0.5 * log_var))
        divergence = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp(), 1)
        return made, F.mse_loss(made, x) + divergence


@architecture("vae")
def vae():
    return Vae(), (torch.rand(1, 1, 8, 8), frames(1, 4))
