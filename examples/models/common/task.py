# SPDX-License-Identifier: Apache-2.0
"""A model of the examples: how it is converted, run and measured."""
import dataclasses
import pathlib
import typing

import numpy as np

Arrays = dict[str, np.ndarray]


@dataclasses.dataclass
class Task:
    """model.py of each folder returns a list of them from prepare(wheels, work): the folder with its
    unpacked WHEELS, and a folder for its files. Tasks of one list have the same measures and peer.

    The first axis of the arrays is the run. `reference` has the outputs of the original runtime for
    `inputs`. `measure` compares outputs with the reference in the model's own measures, one text for
    each of `measures`. `show` returns lines that a person reads; it may write sounds to the work
    folder. `run_peer` makes one run in the original runtime."""
    model: pathlib.Path
    options: list[str]
    inputs: Arrays
    reference: Arrays
    peer: str
    run_peer: typing.Callable[[], object]
    measures: list[str]
    measure: typing.Callable[[Arrays], list[str]]
    show: typing.Callable[[Arrays], str]
    part: str = ""  # name of the task, if a model has several
    precisions: tuple[tuple[str, ...], ...] = (("f32",), ("f16",), ("i8",), ("i8", "--min-snr", "0"))
    board_runs: int = 8


def snr(reference, outputs):
    """Returns the signal-to-noise ratio in dB, as text."""
    error = np.sum(np.square(np.asarray(outputs, np.float64) - reference))
    signal = np.sum(np.square(np.asarray(reference, np.float64)))
    return "exact" if error == 0 else f"{10 * np.log10(signal / error):.1f} dB"
