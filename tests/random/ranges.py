# SPDX-License-Identifier: Apache-2.0
"""The many ways a port_map entry can write one range of an axis."""


def _bound(rng, index, extent, upper, loose):
    """`index` of [0, extent] as written: negative, or as it is; an upper bound that is not
    negative may include its element, which only a loose entry may leave to the others."""
    if upper and not loose:
        return index - extent - 1
    options = [index, index - extent - 1] + ([index - 1] if upper and index > 0 else [])
    return options[int(rng.integers(len(options)))]


def entry(rng, cut, extent, rank, loose):
    """Slicing attributes for (axis, begin, count, part, backward) of an input. loose: other
    entries tell the count, so the upper bound may be written either way."""
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
    """Slicing attributes for an output, which is always filled whole."""
    start, end = (-1, 0) if backward else (0, -1)
    return _with_defaults(rng, {
        "axis": axis, "start": start, "end": end, "stride": -part if backward else part,
        "part_size": part
    })  # yapf: disable


def _with_defaults(rng, attributes):
    """Leaves out some of the attributes that have their default or say what others say."""
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
