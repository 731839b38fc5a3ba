# SPDX-License-Identifier: Apache-2.0
"""Sources of an IR: its files, an openvino.Model, or a file that OpenVINO reads."""
from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import tempfile
from collections.abc import Iterator
from typing import Any

from weft._errors import Error

# Files that OpenVINO reads directly.
_FOREIGN = (".onnx", ".pb", ".pdmodel")


@dataclasses.dataclass(frozen=True)
class Files:
    """The path of an IR, and of its weights if they are not next to it."""

    model: pathlib.Path
    weights: pathlib.Path | None


@dataclasses.dataclass(frozen=True)
class InMemory:
    """The contents of the two files of an IR; ``name`` is for messages."""

    name: str
    xml: bytes
    weights: bytes


def ir_of(model: Any, weights: str | os.PathLike[str] | None) -> Files | InMemory:
    """Returns the IR of a path or an openvino.Model. If OpenVINO would be needed and is not installed, the
    path is returned unchanged: the converter's error then states the command that creates an IR."""
    if not isinstance(model, (str, os.PathLike)):
        return _in_memory(model, getattr(model, "friendly_name", ""))
    path = pathlib.Path(model)
    foreign = read_foreign(path)
    if foreign is not None:
        return _in_memory(foreign, os.fspath(path))
    return Files(path, None if weights is None else pathlib.Path(weights))


def read_foreign(path: pathlib.Path) -> Any:
    """Returns the openvino.Model of another framework's file; None if the file has another kind or does
    not exist, or if OpenVINO is not installed."""
    openvino = _openvino()
    if openvino is None or path.suffix.lower() not in _FOREIGN or not path.exists():
        return None
    try:
        return openvino.Core().read_model(path)
    except RuntimeError as error:
        raise Error(f"{path}: OpenVINO cannot read it: {error}") from error


@contextlib.contextmanager
def serialized(model: Any, stem: str) -> Iterator[pathlib.Path]:
    """Yields the path of a temporary IR of an openvino.Model. OpenVINO writes only to paths, so the IR is
    in a folder in memory, if the system has one."""
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
                    "which openvino.convert_model creates from a framework's model")
    with serialized(model, "model") as xml:
        return InMemory(name or "model", xml.read_bytes(), xml.with_suffix(".bin").read_bytes())


def _openvino() -> Any:
    try:
        import openvino
    except ImportError:
        return None
    return openvino
