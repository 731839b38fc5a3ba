# SPDX-License-Identifier: Apache-2.0
"""Where an IR comes from: its files, an openvino.Model, or a file that OpenVINO reads."""
from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import tempfile
from collections.abc import Iterator
from typing import Any

from weft._errors import Error

# Files that OpenVINO reads by itself.
_FOREIGN = (".onnx", ".tflite", ".pb", ".pdmodel")


@dataclasses.dataclass(frozen=True)
class Files:
    """An IR's path; that of its weights, if they do not lie beside it."""

    model: pathlib.Path
    weights: pathlib.Path | None


@dataclasses.dataclass(frozen=True)
class InMemory:
    """What the two files of an IR hold; ``name`` is for messages."""

    name: str
    xml: bytes
    weights: bytes


def ir_of(model: Any, weights: str | os.PathLike[str] | None) -> Files | InMemory:
    """The IR of a path or an openvino.Model. A path that OpenVINO reads and that comes without it
    stays as it is: the converter's refusal names the command that makes an IR of it."""
    if not isinstance(model, (str, os.PathLike)):
        return _in_memory(model, getattr(model, "friendly_name", ""))
    path = pathlib.Path(model)
    foreign = read_foreign(path)
    if foreign is not None:
        return _in_memory(foreign, os.fspath(path))
    return Files(path, None if weights is None else pathlib.Path(weights))


def read_foreign(path: pathlib.Path) -> Any:
    """The openvino.Model of a file that is none of OpenVINO's own; None where the file is not of
    that kind, is not there, or OpenVINO is not installed."""
    openvino = _openvino()
    if openvino is None or path.suffix.lower() not in _FOREIGN or not path.exists():
        return None
    try:
        return openvino.Core().read_model(path)
    except RuntimeError as error:
        raise Error(f"{path}: OpenVINO cannot read it: {error}") from error


@contextlib.contextmanager
def serialized(model: Any, stem: str) -> Iterator[pathlib.Path]:
    """The path of an IR of an openvino.Model, for a moment. OpenVINO writes to paths only, so it
    lies in a folder of memory, where the system has one."""
    memory = pathlib.Path("/dev/shm")
    place = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="weft-", dir=place) as folder:
        xml = pathlib.Path(folder) / f"{stem}.xml"
        _openvino().serialize(model, xml, xml.with_suffix(".bin"))
        yield xml


def _in_memory(model: Any, name: str) -> InMemory:
    openvino = _openvino()
    if openvino is None or not isinstance(model, openvino.Model):
        raise Error(f"weft: model: is {type(model).__name__}; must be a path or an openvino.Model, "
                    "which openvino.convert_model makes of a framework's")
    with serialized(model, "model") as xml:
        return InMemory(name or "model", xml.read_bytes(), xml.with_suffix(".bin").read_bytes())


def _openvino() -> Any:
    try:
        import openvino
    except ImportError:
        return None
    return openvino
