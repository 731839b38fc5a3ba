# SPDX-License-Identifier: Apache-2.0
"""The many ways a port_map entry can write one range of an axis."""


def _bound(rng, index, extent, upper, loose):
    """The written form of `index` in [0, extent]: negative or unchanged. A nonnegative upper bound
    is ambiguous (exclusive or inclusive); only a loose entry, resolved by others, may use it."""
    if upper and not loose:
        return index - extent - 1
    options = [index, index - extent - 1] + ([index - 1] if upper and index > 0 else [])
    return options[int(rng.integers(len(options)))]


def entry(rng, cut, extent, rank, loose):
    """Slicing attributes for (axis, begin, count, part, backward) of an input. loose: other
    entries determine the trip count, so the upper bound may have either form."""
    axis, begin, count, part, backward = cut
    low = _bound(rng, begin, extent, False, loose)
    high = _bound(rng, begin + count * part, extent, True, loose)
    start, end = (high, low) if backward else (low, high)
    written = axis - rank if rng.random() < 0.15 else axis
    return _with_defaults(rng, {
        "axis": written, "start": start, "end": end, "stride": -part if backward else part,
        "part_size": part
    })  # yapf: disable


def whole(rng, axis, part, backward):
    """Slicing attributes for an output, which is always filled completely."""
    start, end = (-1, 0) if backward else (0, -1)
    return _with_defaults(rng, {
        "axis": axis, "start": start, "end": end, "stride": -part if backward else part,
        "part_size": part
    })  # yapf: disable


def _with_defaults(rng, attributes):
    """Omits some of the attributes that have their default value or repeat others."""
    part = attributes["part_size"]
    if rng.random() < 0.5:
        attributes["part_size"] = None
    if attributes["stride"] == 1 and rng.random() < 0.5:
        attributes["stride"] = None
    elif abs(attributes["stride"]) == part and attributes["part_size"] and rng.random() < 0.2:
        attributes["stride"] //= part
    for key, default in (("start", 0), ("end", -1)):
        if attributes[key] == default and rng.random() < 0.5:
            attributes[key] = None
    return attributes
