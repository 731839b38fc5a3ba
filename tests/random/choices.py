# SPDX-License-Identifier: Apache-2.0
"""The random choices of one model, in steps that can be skipped.

Each step has choices of its own, which depend only on the seed, the index of the model and the place
of the step. A model without some of its steps therefore keeps the other steps.
"""

import contextlib
import zlib

import numpy as np


class Choices:
    """A numpy.random.Generator that changes with the current step. max_dim: maximum extent of a new
    axis. plain: choose the first option of each attribute."""
    def __init__(self, seed, index, skip=(), max_dim=4, plain=False):
        self._start = [seed, index]
        self._place, self._steps, self._keys = (), 0, 0
        self._skip = set(skip)
        self._generator = self._new()
        self.max_dim, self.plain = max_dim, plain
        self.taken = []  # places of the steps that were not skipped

    def __getattr__(self, name):
        return getattr(self._generator, name)

    def _new(self):
        words = [place + 1 for place in self._place]
        return np.random.Generator(np.random.PCG64([*self._start, *words]))

    @contextlib.contextmanager
    def step(self):
        """Begins a step; yields False if it must be skipped."""
        outer = self._place, self._steps, self._keys, self._generator
        self._place, self._steps, self._keys = (*self._place, self._steps), 0, 0
        self._generator = self._new()
        name = ".".join(map(str, self._place))
        if name not in self._skip:
            self.taken.append(name)
        try:
            yield name not in self._skip
        finally:
            self._place, self._steps, self._keys, self._generator = outer
            self._steps += 1

    def key(self):
        """A key for a new value, which does not depend on skipped steps."""
        self._keys += 1
        return f"{self._place}{self._keys}"

    def pick_value(self, values):
        """One of the values; removing another value does not change the choice."""
        salt = int(self._generator.integers(1 << 30))
        return max(values, key=lambda value: zlib.crc32(f"{salt} {value.key}".encode()))
