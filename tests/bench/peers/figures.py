# SPDX-License-Identifier: Apache-2.0
"""Evaluates the JSON of peers.py: times, ratios with their spread, and the limits of the core."""
import statistics


def limits_of(results):
    """The best of all rounds: multiply-adds and, by buffer size, bytes per microsecond."""
    rounds = results["limits"]
    rate = max(r["gigamultiply_adds_per_second"] for r in rounds) * 1000
    sizes = rounds[0]["gigabytes_per_second"]
    read = {int(kb) << 10: 1000 * max(r["gigabytes_per_second"][kb] for r in rounds)
            for kb in sizes}
    return rate, read


def bandwidth(read, size):
    """Read rate of the smallest measured buffer that holds `size` bytes, within 2 %."""
    return next((read[at] for at in sorted(read) if size <= at * 1.02), read[max(read)])


def limit(cost, rate, read):
    """Microseconds for the arithmetic and the reads of weights only, without activations, states
    and calls."""
    held = cost["once_bytes"] + cost["step_bytes"]
    once = max(cost["once_bytes"] / bandwidth(read, held), cost["once_multiply_adds"] / rate)
    again = cost["step_bytes"] if cost["steps"] > 1 else held
    step = max(cost["step_bytes"] / bandwidth(read, again), cost["step_multiply_adds"] / rate)
    return once + cost["steps"] * step


def typical(row, engine):
    """Median of the rounds' medians; the minimum would be that of a rare lucky run."""
    return statistics.median(times["median"] for times in row["rounds"][engine])


def ratios(row, engine):
    """Quartiles, over the rounds, of the engine's median divided by weft's."""
    pairs = zip(row["rounds"][engine], row["rounds"]["weft"])
    values = [theirs["median"] / ours["median"] for theirs, ours in pairs]
    if len(values) == 1:
        return values * 3
    return statistics.quantiles(values, n=4, method="inclusive")


def best_peer(row):
    peers = [engine for engine in row["rounds"] if engine != "weft"]
    return min(peers, key=lambda engine: ratios(row, engine)[1])
