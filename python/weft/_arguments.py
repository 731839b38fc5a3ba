# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, with one message for each kind of invalid call."""
from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any


def mapping(name: str, given: Any) -> Mapping[Any, Any]:
    """Returns ``given``, which must be a mapping; None becomes an empty mapping."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"weft: {name}: is {type(given).__name__}; must be a dict")
    return given


def integer(name: str, given: Any) -> int:
    """Returns ``given``, which must be an integer of Python or NumPy."""
    try:
        return operator.index(given)
    except TypeError:
        raise TypeError(f"weft: {name}: is {_shown(given)}; must be an integer") from None


def text(name: str, given: Any) -> str:
    """Returns ``given``, which must be a string."""
    if not isinstance(given, str):
        raise TypeError(f"weft: {name}: is {_shown(given)}; must be a string")
    return given


def port(name: str, given: Any) -> str:
    """Returns the name or the index of a port as a string."""
    try:
        return given if isinstance(given, str) else str(operator.index(given))
    except TypeError:
        raise TypeError(f"weft: {name}: is {_shown(given)}; must be the name or the index of an input or "
                        "output") from None


def items(name: str, given: Any) -> list[Any]:
    """Returns the elements of ``given``, which must be a sequence and no string."""
    no_order = isinstance(given, (str, bytes, Mapping, Set))
    try:
        if not no_order and isinstance(given, Iterable):
            return list(given)
    except TypeError:  # a NumPy array without axes
        pass
    raise TypeError(f"weft: {name}: is {_shown(given)}; must be a list or a tuple")


def _shown(given: Any) -> str:
    plain = isinstance(given, (str, int, float)) or given is None
    return f"{given!r} ({type(given).__name__})" if plain else type(given).__name__


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
