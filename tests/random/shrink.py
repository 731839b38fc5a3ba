# SPDX-License-Identifier: Apache-2.0
"""Reduces a failing model to few steps, outputs, elements and attributes."""

import copy

MAX_TRIALS = 300


class Shrinker:
    """words: the options of run.py. fails: returns the steps that a model takes if it fails with these
    options, else None."""
    def __init__(self, words, fails):
        self.words, self._fails = words, fails
        self.trials = 0

    def _try(self, **options):
        """Keeps the options if the model still fails."""
        if self.trials == MAX_TRIALS:
            return None
        self.trials += 1
        words = copy.copy(self.words)
        for name, value in options.items():
            setattr(words, name, value)
        steps = self._fails(words)
        if steps is not None:
            self.words = words
        return steps

    def run(self):
        """Returns the options with which a smaller model fails."""
        steps = self._fails(self.words)
        steps = self._drop_steps(steps or [])
        if not self.words.outputs:
            next((True for output in range(40) if self._try(outputs=[output]) is not None), None)
        for limit in (1, 2, 3):
            if self._try(max_dim=limit) is not None:
                break
        steps = self._try(plain=True) or steps
        self._drop_steps(steps)
        return self.words

    def _drop_steps(self, steps):
        """Skips as many steps as possible, first in large groups."""
        size = max(len(steps) // 2, 1)
        while True:
            for begin in reversed(range(0, len(steps), size)):
                group = steps[begin:begin + size]
                left = self._try(skip=[*self.words.skip, *group])
                if left is not None:
                    steps = left
            if size == 1:
                return steps
            size //= 2
