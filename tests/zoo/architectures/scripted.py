# SPDX-License-Identifier: Apache-2.0
"""Loops over time that torch.jit.script keeps as loops."""

import torch
from torch import Tensor, nn

from architectures.parts import frames
from architectures.registry import architecture

SCRIPTED = ("script", "script_onnx")


class LoopOfCells(nn.Module):
    """Rows of the output are concatenated one by one."""
    def __init__(self):
        super().__init__()
        self.enter, self.keep, self.out = nn.Linear(4, 8), nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        state = torch.zeros(x.shape[0], 8)
        made = torch.zeros(x.shape[0], 0, 3)
        for step in range(x.shape[1]):
            state = torch.tanh(self.enter(x[:, step]) + self.keep(state))
            made = torch.cat([made, self.out(state).unsqueeze(1)], 1)
        return made


@architecture("scripted_loop", causal=True, forms=SCRIPTED)
def scripted_loop():
    return LoopOfCells(), (frames(1, 5, 4),)


class LastState(nn.Module):
    """Only the state after the last step is used."""
    def __init__(self):
        super().__init__()
        self.gate, self.new = nn.Linear(4, 6), nn.Linear(4, 6)

    def forward(self, x: Tensor) -> Tensor:
        state = torch.zeros(x.shape[0], 6)
        for step in range(x.shape[1]):
            gate = torch.sigmoid(self.gate(x[:, step]))
            state = (1 - gate) * state + gate * torch.tanh(self.new(x[:, step]))
        return state


@architecture("scripted_last_state", causal=True, forms=SCRIPTED)
def scripted_last_state():
    return LastState(), (frames(2, 5, 4),)


class Greedy(nn.Module):
    """A decoder that stops at the end token: the number of steps is known only at run time."""
    def __init__(self):
        super().__init__()
        self.embed, self.keep, self.out = nn.Embedding(6, 8), nn.Linear(8, 8), nn.Linear(8, 6)

    def forward(self, state: Tensor) -> Tensor:
        scores = torch.zeros(1, 6)
        total = torch.zeros(1, 6)
        count = 0
        while count < 6 and bool(scores.max() < 0.9):
            state = torch.tanh(self.embed(scores.argmax(1)) + self.keep(state))
            scores = self.out(state)
            total = total + torch.softmax(scores, 1)
            count += 1
        return total


@architecture("scripted_greedy", forms=SCRIPTED)
def scripted_greedy():
    return Greedy(), (frames(1, 8),)


class Fallback(nn.Module):
    """A branch on a value: loud frames are processed differently."""
    def __init__(self):
        super().__init__()
        self.quiet, self.loud = nn.Linear(6, 4), nn.Sequential(nn.Linear(6, 8), nn.ReLU(),
                                                               nn.Linear(8, 4))

    def forward(self, x: Tensor) -> Tensor:
        if bool(x.abs().mean() > 0.7):
            y = self.loud(x)
        else:
            y = self.quiet(x)
        return torch.softmax(y, 1)


@architecture("scripted_branch", forms=SCRIPTED)
def scripted_branch():
    return Fallback(), (frames(1, 6),)
