# SPDX-License-Identifier: Apache-2.0
"""Policies, models of the world, filters and planners."""

import torch
from torch import nn
from torch.nn import functional as F

from architectures.parts import frames
from architectures.registry import architecture


class LstmPolicy(nn.Module):
    """Squashed Gaussian: action and log probability from noise as an input, and the new state."""
    def __init__(self, observed=6, actions=2, hidden=10):
        super().__init__()
        self.enter, self.cell = nn.Linear(observed, hidden), nn.LSTMCell(hidden, hidden)
        self.mean, self.spread = nn.Linear(hidden, actions), nn.Linear(hidden, actions)

    def forward(self, x, noise, hidden, cell):
        hidden, cell = self.cell(torch.tanh(self.enter(x)), (hidden, cell))
        mean, log_std = self.mean(hidden), torch.clamp(self.spread(hidden), -5, 2)
        raw = mean + torch.exp(log_std) * noise
        action = torch.tanh(raw)
        density = -0.5 * noise**2 - log_std - 0.9189385
        density = density - torch.log(1 - action**2 + 1e-6)
        return action, density.sum(1, keepdim=True), hidden, cell


@architecture("lstm_policy")
def lstm_policy():
    return LstmPolicy(), (frames(1, 6), frames(1, 2), frames(1, 10), frames(1, 10))


class GaitPolicy(nn.Module):
    """Legged robots: normalised and clipped observations, and an estimator over their history."""
    def __init__(self, observed=8, history=5, actions=4):
        super().__init__()
        self.register_buffer("mean", torch.randn(observed))
        self.register_buffer("scale", torch.rand(observed) + 0.5)
        self.estimate = nn.Sequential(nn.Conv1d(observed, 6, 3), nn.ELU(), nn.Flatten(),
                                      nn.Linear(18, 4))
        self.act = nn.Sequential(nn.Linear(observed + 4, 16), nn.ELU(), nn.Linear(16, 12), nn.ELU(),
                                 nn.Linear(12, actions))

    def forward(self, x, history):
        x = torch.clamp((x - self.mean) / self.scale, -5, 5)
        history = torch.cat([history[:, 1:], x.unsqueeze(1)], 1)
        code = self.estimate(history.transpose(1, 2))
        return torch.clamp(self.act(torch.cat([x, code], 1)), -3, 3) * 0.25, history


@architecture("gait_policy")
def gait_policy():
    return GaitPolicy(), (frames(1, 8), frames(1, 5, 8))


class Dueling(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(2, 4, 4, 2), nn.ReLU(), nn.Conv2d(4, 6, 3), nn.ReLU(),
                                  nn.Flatten())
        self.value, self.advantage = nn.Linear(24, 1), nn.Linear(24, 5)

    def forward(self, x):
        x = self.body(x / 255.0)
        advantage = self.advantage(x)
        q = self.value(x) + advantage - advantage.mean(1, keepdim=True)
        return q, q.argmax(1)


@architecture("dueling_q")
def dueling_q():
    return Dueling(), (torch.randint(0, 255, (1, 2, 10, 10)).float(),)


class Rssm(nn.Module):
    """Dreamer: deterministic GRU state, categorical latents as one-hot vectors of the argmax."""
    def __init__(self, actions=2, deter=10, groups=3, classes=4, observed=6):
        super().__init__()
        self.groups, self.classes = groups, classes
        self.enter = nn.Linear(groups * classes + actions, 8)
        self.gates, self.norm = nn.Linear(8 + deter, 3 * deter, bias=False), nn.LayerNorm(3 * deter)
        self.prior, self.post = (nn.Linear(deter, groups * classes),
                                 nn.Linear(deter + observed, groups * classes))
        self.reward = nn.Linear(deter + groups * classes, 1)

    def latent(self, logits):
        probabilities = torch.softmax(logits.unflatten(-1, (self.groups, self.classes)), -1)
        mixed = 0.99 * probabilities + 0.01 / self.classes
        chosen = F.one_hot(mixed.argmax(-1), self.classes).float()
        return chosen.flatten(1), torch.log(mixed)

    def forward(self, observed, action, deter, latent):
        x = F.elu(self.enter(torch.cat([latent, action], 1)))
        reset, new, update = self.norm(self.gates(torch.cat([x, deter], 1))).chunk(3, 1)
        update = torch.sigmoid(update - 1)
        deter = update * torch.tanh(torch.sigmoid(reset) * new) + (1 - update) * deter
        prior = self.latent(self.prior(deter))[1]
        latent, post = self.latent(self.post(torch.cat([deter, observed], 1)))
        divergence = (torch.exp(post) * (post - prior)).sum((1, 2))
        return deter, latent, self.reward(torch.cat([deter, latent], 1)), divergence


@architecture("rssm_step")
def rssm_step():
    latent = F.one_hot(torch.tensor([[0, 2, 1]]), 4).float().flatten(1)
    return Rssm(), (frames(1, 6), frames(1, 2), frames(1, 10), latent)


class ShootingMpc(nn.Module):
    """Rolls out learned dynamics for several plans; returns the first action of the best plan."""
    def __init__(self, states=4, actions=2):
        super().__init__()
        self.dynamics = nn.Sequential(nn.Linear(states + actions, 12), nn.Tanh(),
                                      nn.Linear(12, states))
        self.register_buffer("cost", torch.eye(states) + 0.1)

    def forward(self, state, plans):
        x, total = state.expand(plans.shape[0], -1), 0
        for step in range(plans.shape[1]):
            u = plans[:, step]
            x = x + 0.1 * self.dynamics(torch.cat([x, u], 1))
            total = total + ((x @ self.cost) * x).sum(1) + 0.01 * (u**2).sum(1)
        best = total.argmin()
        weights = torch.softmax(-total, 0)
        return plans[best, 0], total, (weights[:, None, None] * plans).sum(0)


@architecture("shooting_mpc")
def shooting_mpc():
    return ShootingMpc(), (frames(1, 4), frames(6, 3, 2))


class KalmanNet(nn.Module):
    """A GRU computes the filter gain from innovations and differences."""
    def __init__(self, states=3, observed=2, hidden=8):
        super().__init__()
        self.register_buffer("f", torch.eye(states) + torch.randn(states, states) * 0.05)
        self.register_buffer("h", torch.randn(observed, states))
        self.enter = nn.Linear(observed + states, hidden)
        self.gru = nn.GRU(hidden, hidden)
        self.gain = nn.Linear(hidden, states * observed)

    def forward(self, y, x, hidden):
        prior = x @ self.f.t()
        error = y - prior @ self.h.t()
        features = F.normalize(torch.cat([error, prior - x], 1), p=2.0, dim=1, eps=1e-12)
        out, hidden = self.gru(torch.relu(self.enter(features)).unsqueeze(0), hidden)
        gain = self.gain(out[0]).reshape(-1, 3, 2)
        return prior + torch.bmm(gain, error.unsqueeze(-1)).squeeze(-1), hidden


@architecture("kalman_net")
def kalman_net():
    return KalmanNet(), (frames(1, 2), frames(1, 3), frames(1, 1, 8))


class QuaternionFilter(nn.Module):
    """Attitude from gyroscope and accelerometer over a window: an integral per step, a learnt
    correction."""
    def __init__(self):
        super().__init__()
        self.correct = nn.GRU(6, 6, batch_first=True)
        self.out = nn.Linear(6, 3)

    def forward(self, gyro, accel):
        rates = gyro + 0.1 * self.out(self.correct(torch.cat([gyro, accel], 2))[0])
        q, made = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).expand(gyro.shape[0], -1), []
        for step in range(gyro.shape[1]):
            w, x, y, z = q.unbind(1)
            a, b, c = rates[:, step].unbind(1)
            change = torch.stack([-x * a - y * b - z * c, w * a + y * c - z * b,
                                  w * b - x * c + z * a, w * c + x * b - y * a], 1)
            q = q + 0.005 * change
            q = q / q.norm(dim=1, keepdim=True)
            made.append(q)
        quaternion = torch.stack(made, 1)
        w, x, y, z = quaternion.unbind(2)
        roll = torch.atan2(2 * (w * x + y * z), 1 - 2 * (x**2 + y**2))
        pitch = torch.asin(torch.clamp(2 * (w * y - z * x), -1, 1))
        return quaternion, torch.stack([roll, pitch], 2)


@architecture("attitude", causal=True)
def attitude():
    return QuaternionFilter(), (frames(1, 4, 3), frames(1, 4, 3))


class DecisionTransformer(nn.Module):
    """Returns, states and actions interleaved as tokens, causal attention, actions from states."""
    def __init__(self, steps=3, width=6):
        super().__init__()
        self.ret, self.state, self.action = nn.Linear(1, width), nn.Linear(4, width), nn.Linear(2, width)
        self.time, self.norm = nn.Embedding(10, width), nn.LayerNorm(width)
        self.parts, self.out = nn.Linear(width, 3 * width), nn.Linear(width, 2)

    def forward(self, returns, states, actions, times):
        time = self.time(times)
        tokens = torch.stack([self.ret(returns) + time, self.state(states) + time,
                              self.action(actions) + time], 1)
        x = self.norm(tokens.permute(0, 2, 1, 3).reshape(tokens.shape[0], -1, tokens.shape[3]))
        query, key, value = self.parts(x).unsqueeze(1).chunk(3, -1)
        x = x + F.scaled_dot_product_attention(query, key, value, is_causal=True).squeeze(1)
        x = x.reshape(tokens.shape[0], -1, 3, tokens.shape[3]).permute(0, 2, 1, 3)
        return torch.tanh(self.out(x[:, 1]))


@architecture("decision_transformer", causal=True)
def decision_transformer():
    return DecisionTransformer(), (frames(1, 3, 1), frames(1, 3, 4), frames(1, 3, 2),
                                   torch.tensor([[2, 3, 4]]))


class DiffusionPolicy(nn.Module):
    """One denoising step: sinusoidal time, conditional one-dimensional U-Net, the DDIM update."""
    def __init__(self, actions=2, width=4):
        super().__init__()
        self.register_buffer("rates", torch.exp(-torch.arange(2) * 3.0))
        self.condition = nn.Sequential(nn.Linear(4 + 5, 8), nn.Mish(), nn.Linear(8, 2 * width))
        self.down = nn.Sequential(nn.Conv1d(actions, width, 3, padding=1), nn.GroupNorm(2, width),
                                  nn.Mish())
        self.shrink = nn.Conv1d(width, width, 3, 2, 1)
        self.middle = nn.Sequential(nn.Conv1d(width, width, 3, padding=1), nn.GroupNorm(2, width),
                                    nn.Mish())
        self.up = nn.ConvTranspose1d(width, width, 4, 2, 1)
        self.out = nn.Conv1d(2 * width, actions, 1)
        self.register_buffer("alphas", torch.linspace(0.99, 0.1, 10))

    def forward(self, x, observed, step):
        angle = step.float().unsqueeze(1) * self.rates
        time = torch.cat([angle.sin(), angle.cos()], 1)
        scale, shift = self.condition(torch.cat([time, observed], 1)).unsqueeze(-1).chunk(2, 1)
        skip = self.down(x.transpose(1, 2)) * (1 + scale) + shift
        y = self.up(self.middle(self.shrink(skip)))
        noise = self.out(torch.cat([y, skip], 1)).transpose(1, 2)
        now, then = self.alphas[step], self.alphas[torch.clamp(step - 1, min=0)]
        clean = torch.clamp((x - torch.sqrt(1 - now) * noise) / torch.sqrt(now), -1, 1)
        return torch.sqrt(then) * clean + torch.sqrt(1 - then) * noise


@architecture("diffusion_policy")
def diffusion_policy():
    return DiffusionPolicy(), (frames(1, 8, 2), frames(1, 5), torch.tensor([4]))


class Categorical(nn.Module):
    """Masked logits, sampled by the Gumbel trick from given noise, with entropy."""
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh())
        self.logits, self.value = nn.Linear(16, 5), nn.Linear(16, 1)

    def forward(self, x, allowed, noise):
        x = self.body(x)
        logits = torch.where(allowed, self.logits(x), torch.tensor(-1e8))
        logits = logits - logits.logsumexp(-1, keepdim=True)
        action = (logits - torch.log(-torch.log(noise))).argmax(-1, keepdim=True)
        entropy = -(logits * logits.exp()).sum(-1)
        return action, logits.gather(-1, action), entropy, self.value(x)


@architecture("categorical_policy")
def categorical_policy():
    return Categorical(), (frames(1, 6), torch.tensor([[True, False, True, True, False]]),
                           torch.rand(1, 5) * 0.9 + 0.05)


class Hysteresis(nn.Module):
    """Battery charge from current and voltage: a counter with limits and learnt corrections."""
    def __init__(self):
        super().__init__()
        self.gru, self.out = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 1)

    def forward(self, current, voltage, temperature):
        x = torch.stack([current, (voltage - 3.6) / 0.6, (temperature - 25) / 40], -1)
        charge = 0.5 - torch.cumsum(current, 1) / 3600
        y = charge + 0.1 * torch.tanh(self.out(self.gru(x)[0]).squeeze(-1))
        return torch.clamp(y, 0, 1), torch.round(y * 100).to(torch.int32)


@architecture("battery_charge", causal=True)
def battery_charge():
    return Hysteresis(), (frames(1, 6), frames(1, 6) * 0.1 + 3.6, frames(1, 6) + 25)
