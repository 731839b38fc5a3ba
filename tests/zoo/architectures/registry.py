# SPDX-License-Identifier: Apache-2.0
"""The registry in which modules of this folder enter their architectures."""

import dataclasses
from typing import Callable, Sequence

FORMS = ("onnx", "dynamo", "openvino")


@dataclasses.dataclass
class Architecture:
    """One net and its example inputs for tracing.

    make: returns (torch module, tuple of example inputs).
    forms: the exporters to run: "onnx" (TorchScript), "dynamo" (torch.export), "openvino"
        (convert_model of the traced module).
    causal: true if no output depends on later steps of the inputs, so that the net can stream.
    tolerance: of the exported model compared with PyTorch, relative to the largest output.
    """

    name: str
    make: Callable
    group: str
    causal: bool = False
    forms: Sequence[str] = FORMS
    tolerance: float = 1e-4


ARCHITECTURES = {}


def architecture(name, **more):
    """Registers a function that returns (module, inputs)."""
    def enter(make):
        if name in ARCHITECTURES:
            raise ValueError(f"two architectures are called {name}")
        group = make.__module__.split(".")[-1]
        ARCHITECTURES[name] = Architecture(name, make, group, **more)
        return make

    return enter
