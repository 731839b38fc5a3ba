# SPDX-License-Identifier: Apache-2.0
"""Calls the weft command, and measures its speed together with another runtime's."""
import json
import statistics
import time

import numpy as np

from .wheels import quiet


class Weft:
    """A weft command and a folder for its files."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def inputs(self, arrays):
        """Writes the inputs; returns the options of weft that name them."""
        words = ["--input"]
        for i, (name, array) in enumerate(arrays.items()):
            path = self.folder / f"input_{i}.npy"
            np.save(path, array)
            words.append(f"{name}={path}")
        return words

    def convert(self, task, precision):
        """Converts the task's model to model.weft, model.c and model.h in a folder of the precision.
        Returns the path and the summary of weft convert --json. With i8, the task's inputs decide
        which layers stay f16."""
        path = self.folder / "_".join(precision).replace("--", "") / "model.weft"
        path.parent.mkdir(exist_ok=True)
        words = [*task.options, "--precision", *precision]
        words += self.inputs(task.inputs) if precision == ("i8",) else []
        out = quiet([self.command, "convert", task.model, "-o", path, "--c-source",
                     path.with_suffix(".c"), "--incbin", "--json", *words])
        return path, json.loads(out)

    def run(self, model, arrays):
        """Returns the outputs of all runs by name."""
        out = model.parent / "outputs"
        if out.exists():
            for path in out.iterdir():
                path.unlink()
        quiet([self.command, "run", model, *self.inputs(arrays), "--output-dir", out])
        return {path.stem: np.load(path) for path in out.glob("*.npy")}

    def in_order(self, model, outputs):
        """Returns the arrays of the outputs in the order of the ports."""
        ports = json.loads(quiet([self.command, "inspect", model, "--json"]))["outputs"]
        return [outputs[port["name"]] for port in ports]

    def median(self, model, arrays, iterations):
        """Returns the median microseconds of a run."""
        out = quiet([self.command, "bench", model, *self.inputs(arrays), "--json", "--iterations",
                     iterations])
        return json.loads(out)["microseconds"]["median"]

    def against(self, model, arrays, run_peer, rounds, seconds=0.15):
        """Measures weft and the peer in turns, each on one thread. Returns the microseconds of both:
        the lowest median of the rounds."""
        first = self.median(model, arrays, 20)
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(self.median(model, arrays, max(20, int(seconds * 1e6 / first))))
            theirs.append(_median_of(run_peer, seconds))
        return min(ours), min(theirs)


def _median_of(run, seconds):
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 20:
        started = time.perf_counter()
        run()
        times.append((time.perf_counter() - started) * 1e6)
    return statistics.median(times)
