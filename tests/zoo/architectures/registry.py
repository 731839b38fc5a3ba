# SPDX-License-Identifier: Apache-2.0
"""How a module of this folder names its architectures."""

import dataclasses
from typing import Callable, Sequence

FORMS = ("onnx", "dynamo", "openvino")


@dataclasses.dataclass
class Architecture:
    """One net and the inputs that it is traced with.

    make: returns (torch module, tuple of example inputs).
    forms: exporters that are asked: "onnx" (TorchScript), "dynamo" (torch.export), "openvino"
        (convert_model of the traced module).
    causal: whether no output depends on later steps of the inputs, so that it could stream.
    tolerance: of the exported model against PyTorch, relative to the greatest output.
    """

    name: str
    make: Callable
    group: str
    causal: bool = False
    forms: Sequence[str] = FORMS
    tolerance: float = 1e-4


ARCHITECTURES = {}


def architecture(name, **more):
    """Enters a function that returns (module, inputs)."""
    def enter(make):
        if name in ARCHITECTURES:
            raise ValueError(f"two architectures are called {name}")
        group = make.__module__.split(".")[-1]
        ARCHITECTURES[name] = Architecture(name, make, group, **more)
        return make

    return enter
