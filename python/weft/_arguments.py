# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, with one message for each kind of invalid call."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def mapping(name: str, given: Any) -> Mapping[Any, Any]:
    """Returns ``given``, which must be a mapping; None becomes an empty mapping."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"weft: {name}: is {type(given).__name__}; must be a dict")
    return given


def arrays_by_port(name: str, given: Any, ports: Sequence[Any]) -> Mapping[Any, Any]:
    """Returns arrays by name or index of their port. A tuple or list has one array for each port, in
    order; anything else except a mapping is the array of the only port."""
    if isinstance(given, Mapping):
        return given
    arrays = list(given) if isinstance(given, (tuple, list)) else [given]
    if given is None or isinstance(given, (str, bytes)):
        raise TypeError(f"weft: {name}: is {type(given).__name__}; must be a dict of arrays, an "
                        "array, or a tuple of arrays")
    if len(arrays) != len(ports):
        names = ", ".join(f'"{port.name}"' for port in ports)
        raise TypeError(f"weft: {name}: has {len(arrays)} arrays without a name; must have one for "
                        f"each of the {len(ports)} ports {names}, or be a dict")
    return dict(enumerate(arrays))
