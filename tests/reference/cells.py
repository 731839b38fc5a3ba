# SPDX-License-Identifier: Apache-2.0
"""LSTM, GRU and RNN cells and sequences in float64, written from their formulas.

Gate order: LSTM f, i, c, o; GRU z, r, h. W is [gates*H, I], R is [gates*H, H], B is [gates*H] (GRU
with linear_before_reset: [4H], the fourth part inside the reset product). Clip acts on every gate's
argument. A sequence has a leading num_directions axis on W, R, B and on the states, and batch
before time in X and Y.
"""

import numpy as np


def _hard_sigmoid(x, alpha, beta):
    return np.clip(alpha * x + beta, 0, 1)


ACTIVATIONS = {
    "sigmoid": lambda x, alpha, beta: 1 / (1 + np.exp(-x)),
    "tanh": lambda x, alpha, beta: np.tanh(x),
    "relu": lambda x, alpha, beta: np.maximum(x, 0),
    "hardsigmoid": _hard_sigmoid,
}


class Gate:
    """A gate function: clips, then applies the named activation."""
    def __init__(self, names, index, clip, alphas=(), betas=()):
        self._function = ACTIVATIONS[names[index]]
        self._clip = clip
        self._alpha = alphas[index] if index < len(alphas) else None
        self._beta = betas[index] if index < len(betas) else None

    def __call__(self, x):
        return self._function(
            np.clip(x, -self._clip, self._clip) if self._clip else x, self._alpha, self._beta)


def float_product(x, w):
    """x times w transposed."""
    return x @ w.T


def _wide(*arrays):
    return [np.asarray(array, np.float64) for array in arrays]


def lstm_cell(x, hidden, cell, w, r, b, activations=("sigmoid", "tanh", "tanh"), clip=0, alphas=(),
              betas=(), peepholes=None, product=float_product):
    """Returns (hidden, cell) after one step. Peepholes [3H], in the order f, i, o, are factors of the
    cell state: f and i use the state before the step, o the state after it."""
    x, hidden, cell, w, r, b = _wide(x, hidden, cell, w, r, b)
    seen = np.zeros((3, hidden.shape[-1])) if peepholes is None else np.reshape(peepholes, (3, -1))
    first, second = (Gate(activations, index, clip, alphas, betas) for index in range(2))
    # The cell state is not clipped before the last activation.
    third = Gate(activations, 2, 0, alphas, betas)
    forget, update, candidate, output = np.split(
        product(x, w) + product(hidden, r) + b, 4, axis=-1)
    kept, added = first(forget + seen[0] * cell), first(update + seen[1] * cell)
    cell = kept * cell + added * second(candidate)
    return first(output + seen[2] * cell) * third(cell), cell


def gru_cell(x, hidden, w, r, b, linear_before_reset=False, activations=("sigmoid", "tanh"), clip=0,
             alphas=(), betas=(), product=float_product):
    """Returns hidden after one step."""
    x, hidden, w, r, b = _wide(x, hidden, w, r, b)
    first, second = (Gate(activations, index, clip, alphas, betas) for index in range(2))
    w_z, w_r, w_h = np.split(w, 3)
    r_z, r_r, r_h = np.split(r, 3)
    size = hidden.shape[-1]
    update = first(product(x, w_z) + product(hidden, r_z) + b[:size])
    reset = first(product(x, w_r) + product(hidden, r_r) + b[size:2 * size])
    if linear_before_reset:
        candidate = second(product(x, w_h) + reset * (product(hidden, r_h) + b[3 * size:]) +
                           b[2 * size:3 * size])
    else:
        candidate = second(product(x, w_h) + product(reset * hidden, r_h) + b[2 * size:])
    return (1 - update) * candidate + update * hidden


def rnn_cell(x, hidden, w, r, b, activations=("tanh",), clip=0, alphas=(), betas=(),
             product=float_product):
    """Returns hidden after one step."""
    x, hidden, w, r, b = _wide(x, hidden, w, r, b)
    return Gate(activations, 0, clip, alphas, betas)(product(x, w) + product(hidden, r) + b)


def _one_direction(cell, x, states, lengths, reverse):
    """Runs cell(x, states) -> states along time. Returns (Y, last states); both are 0 for a sequence
    without steps."""
    batch, time = x.shape[:2]
    answer = np.zeros((batch, time, states[0].shape[-1]))
    last = [np.zeros(state.shape) for state in states]
    for row in range(batch):
        carried = [np.asarray(state[row:row + 1], np.float64) for state in states]
        length = int(lengths[row])
        for step in (range(length - 1, -1, -1) if reverse else range(length)):
            carried = cell(x[row:row + 1, step], carried)
            answer[row, step] = carried[0][0]
        if length:
            for state, value in zip(last, carried):
                state[row] = value[0]
    return answer, last


def sequence(cell, x, states, lengths, weights, direction="forward"):
    """Runs cell(x, states, *weights) -> states over X [batch, time, I] in each direction.

    states: arrays [batch, directions, H]. weights: arrays [directions, ...]. Returns [Y [batch,
    directions, time, H], last states [batch, directions, H]...].
    """
    directions = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    answers, lasts = [], []
    for index, reverse in enumerate(directions):
        own = [weight[index] for weight in weights]
        answer, last = _one_direction(lambda step, carried, own=own: cell(step, carried, *own),
                                      np.asarray(x, np.float64),
                                      [state[:, index] for state in states], lengths, reverse)
        answers.append(answer)
        lasts.append(last)
    return [np.stack(answers, axis=1)] + [np.stack(parts, axis=1) for parts in zip(*lasts)]


def lstm_sequence(x, hidden, cell, lengths, w, r, b, direction="forward", **how):
    """Returns [Y, last hidden, last cell]."""
    return sequence(lambda step, carried, *own: list(lstm_cell(step, *carried, *own, **how)), x,
                    [hidden, cell], lengths, [w, r, b], direction)


def gru_sequence(x, hidden, lengths, w, r, b, direction="forward", **how):
    """Returns [Y, last hidden]."""
    return sequence(lambda step, carried, *own: [gru_cell(step, *carried, *own, **how)], x,
                    [hidden], lengths, [w, r, b], direction)


def rnn_sequence(x, hidden, lengths, w, r, b, direction="forward", **how):
    """Returns [Y, last hidden]."""
    return sequence(lambda step, carried, *own: [rnn_cell(step, *carried, *own, **how)], x,
                    [hidden], lengths, [w, r, b], direction)
