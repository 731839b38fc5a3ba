# SPDX-License-Identifier: Apache-2.0
"""Sets of points, graphs, tables and sequences with attention between them."""

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import frames
from architectures.registry import architecture


class PointNet(nn.Module):
    """A learned matrix aligns the points; shared layers; maximum over all points."""
    def __init__(self):
        super().__init__()
        self.align = nn.Sequential(nn.Conv1d(3, 6, 1), nn.BatchNorm1d(6), nn.ReLU())
        self.matrix = nn.Linear(6, 9)
        self.body = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(),
                                  nn.Conv1d(8, 12, 1), nn.BatchNorm1d(12))
        self.out = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 4))

    def forward(self, x):
        matrix = self.matrix(torch.max(self.align(x), 2)[0]).view(-1, 3, 3)
        matrix = matrix + torch.eye(3, device=x.device).unsqueeze(0).repeat(x.shape[0], 1, 1)
        x = torch.bmm(x.transpose(2, 1), matrix).transpose(2, 1)
        return F.log_softmax(self.out(torch.max(self.body(x), 2)[0]), 1)


@architecture("point_net")
def point_net():
    return PointNet(), (frames(1, 3, 10),)


class EdgeConv(nn.Module):
    """DGCNN: nearest points in feature space, their differences, maximum response."""
    def __init__(self, neighbours=3):
        super().__init__()
        self.neighbours = neighbours
        self.conv = nn.Sequential(nn.Conv2d(6, 8, 1, bias=False), nn.BatchNorm2d(8),
                                  nn.LeakyReLU(0.2))

    def forward(self, x):
        inner = -2 * torch.matmul(x.transpose(2, 1), x)
        square = torch.sum(x**2, 1, keepdim=True)
        near = (-square - inner - square.transpose(2, 1)).topk(self.neighbours, -1)[1]
        rows = x.transpose(2, 1)[0]
        found = rows[near.view(-1)].view(1, x.shape[2], self.neighbours, 3)
        own = rows.view(1, x.shape[2], 1, 3).expand(-1, -1, self.neighbours, -1)
        return self.conv(torch.cat([found - own, own], 3).permute(0, 3, 1, 2)).max(-1)[0]


@architecture("edge_conv")
def edge_conv():
    return EdgeConv(), (frames(1, 3, 7),)


class GraphConv(nn.Module):
    """Degrees normalise a dense adjacency matrix that is an input."""
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 3)

    def forward(self, x, adjacency):
        adjacency = adjacency + torch.eye(adjacency.shape[0])
        scale = adjacency.sum(1).pow(-0.5)
        adjacency = scale[:, None] * adjacency * scale
        return adjacency @ self.second(torch.relu(adjacency @ self.first(x)))


@architecture("gcn")
def gcn():
    return GraphConv(), (frames(6, 4), (torch.rand(6, 6) > 0.5).float())


class MessagePassing(nn.Module):
    """Edges as pairs of node numbers: messages gathered, summed by scatter, GRU update."""
    def __init__(self, width=6):
        super().__init__()
        self.message = nn.Sequential(nn.Linear(2 * width + 2, 8), nn.ReLU(), nn.Linear(8, width))
        self.update = nn.GRUCell(width, width)

    def forward(self, x, edges, features):
        source, target = edges[0], edges[1]
        for _ in range(2):
            message = self.message(torch.cat([x[source], x[target], features], 1))
            total = torch.zeros_like(x).index_add(0, target, message)
            x = self.update(total, x)
        return x, x.mean(0)


@architecture("message_passing")
def message_passing():
    edges = torch.tensor([[0, 1, 2, 3, 4, 0, 2], [1, 2, 3, 4, 0, 2, 0]])
    return MessagePassing(), (frames(5, 6), edges, frames(7, 2))


class GraphAttention(nn.Module):
    def __init__(self, width=4, heads=2):
        super().__init__()
        self.heads, self.width = heads, width
        self.dense = nn.Linear(5, heads * width, bias=False)
        self.source, self.target = (nn.Parameter(torch.randn(heads, width)) for _ in range(2))

    def forward(self, x, adjacency):
        h = self.dense(x).view(-1, self.heads, self.width)
        scores = ((h * self.source).sum(-1).unsqueeze(1) + (h * self.target).sum(-1).unsqueeze(0))
        scores = F.leaky_relu(scores, 0.2).permute(2, 0, 1).masked_fill(adjacency == 0, -9e15)
        return F.elu(torch.softmax(scores, -1) @ h.transpose(0, 1)).transpose(0, 1).flatten(1)


@architecture("graph_attention")
def graph_attention():
    adjacency = (torch.rand(5, 5) > 0.4).float() + torch.eye(5)
    return GraphAttention(), (frames(5, 5), adjacency)


class DeepSets(nn.Module):
    """A mask selects the valid rows of the set."""
    def __init__(self):
        super().__init__()
        self.each = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8))
        self.out = nn.Linear(16, 3)

    def forward(self, x, mask):
        y = self.each(x) * mask.unsqueeze(-1)
        mean = y.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        top = y.masked_fill(mask.unsqueeze(-1) < 0.5, float("-inf")).max(1).values
        return self.out(torch.cat([mean, top], 1))


@architecture("deep_sets")
def deep_sets():
    return DeepSets(), (frames(2, 5, 4), torch.tensor([[1.0, 1, 1, 0, 0], [1, 1, 1, 1, 1]]))


class Tabular(nn.Module):
    """Embeddings of categories and scaled numbers, then a gated layer by quantile bins."""
    def __init__(self):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(5, 3), nn.Embedding(7, 4)])
        self.register_buffer("edges", torch.tensor([-1.0, -0.3, 0.4, 1.1]))
        self.levels = nn.Embedding(5, 2)
        self.norm = nn.BatchNorm1d(4)
        self.out = nn.Sequential(nn.Linear(3 + 4 + 4 + 8, 12), nn.SELU(), nn.Linear(12, 2))

    def forward(self, categories, numbers):
        parts = [embed(categories[:, i]) for i, embed in enumerate(self.embeds)]
        bins = torch.bucketize(numbers, self.edges)
        return self.out(torch.cat([*parts, self.norm(numbers), self.levels(bins).flatten(1)], 1))


@architecture("tabular")
def tabular():
    return Tabular(), (torch.tensor([[1, 6], [4, 0]]), frames(2, 4))


class Seq2Seq(nn.Module):
    """Bahdanau attention; the decoder feeds back its argmax for a fixed number of steps."""
    def __init__(self, letters=7, width=8, steps=4):
        super().__init__()
        self.steps, self.encode = steps, nn.GRU(5, width, batch_first=True)
        self.embed, self.cell = nn.Embedding(letters, 4), nn.GRUCell(4 + width, width)
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.score, self.out = nn.Linear(width, 1, bias=False), nn.Linear(2 * width, letters)

    def forward(self, x):
        memory, last = self.encode(x)
        keys, state = self.key(memory), last[0]
        letter = torch.zeros(x.shape[0], dtype=torch.long)
        made = []
        for _ in range(self.steps):
            scores = self.score(torch.tanh(self.query(state).unsqueeze(1) + keys)).squeeze(-1)
            context = (torch.softmax(scores, 1).unsqueeze(-1) * memory).sum(1)
            state = self.cell(torch.cat([self.embed(letter), context], 1), state)
            logits = self.out(torch.cat([state, context], 1))
            letter = logits.argmax(1)
            made.append(logits)
        return torch.stack(made, 1)


@architecture("seq2seq")
def seq2seq():
    return Seq2Seq(), (frames(1, 5, 5),)


class Mixture(nn.Module):
    """Sparse experts: all are computed, the gates of all but the two best are zero."""
    def __init__(self, experts=4, width=5):
        super().__init__()
        self.gate = nn.Linear(width, experts)
        self.first = nn.Parameter(torch.randn(experts, width, 8) * 0.4)
        self.second = nn.Parameter(torch.randn(experts, 8, width) * 0.4)

    def forward(self, x):
        scores, index = self.gate(x).topk(2, -1)
        gates = torch.zeros(x.shape[0], 4).scatter(1, index, torch.softmax(scores, -1))
        y = F.gelu(torch.einsum("bi,eij->bej", x, self.first))
        return torch.einsum("bej,ejk,be->bk", y, self.second, gates)


@architecture("mixture_of_experts")
def mixture_of_experts():
    return Mixture(), (frames(3, 5),)


class Kan(nn.Module):
    """Splines on each edge, by the recursion of their basis."""
    def __init__(self, inputs=3, outputs=4, grid=4, order=2):
        super().__init__()
        self.order = order
        self.register_buffer("grid", torch.linspace(-2, 2, grid + 2 * order + 1))
        self.base = nn.Linear(inputs, outputs, bias=False)
        self.spline = nn.Parameter(torch.randn(outputs, inputs, grid + order) * 0.3)

    def forward(self, x):
        y, grid = x.unsqueeze(-1), self.grid
        basis = ((y >= grid[:-1]) & (y < grid[1:])).to(x.dtype)
        for k in range(1, self.order + 1):
            basis = ((y - grid[:-(k + 1)]) / (grid[k:-1] - grid[:-(k + 1)]) * basis[..., :-1] +
                     (grid[k + 1:] - y) / (grid[k + 1:] - grid[1:-k]) * basis[..., 1:])
        return self.base(F.silu(x)) + torch.einsum("big,oig->bo", basis, self.spline)


@architecture("kan")
def kan():
    return nn.Sequential(Kan(), Kan(4, 2)), (frames(2, 3),)
