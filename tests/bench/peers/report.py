#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables and the chart of the results of peers.py.

    report.py RESULTS.json INT8_RESULTS.json TFLITE_RESULTS.json REPORT.md PICTURE.svg

The tables replace the text between markers in REPORT.md. Board results come from
tests/size/footprint.txt and boards.txt.
"""
import json
import pathlib
import re
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # after the choice of the back end

from figures import best_peer, limit, limits_of, ratios, typical

HERE = pathlib.Path(__file__).resolve().parent
FOOTPRINT = HERE.parents[1] / "size" / "footprint.txt"
# Readable on white and on black.
INK = "#7d8590"
COLOURS = {"ONNX Runtime": "#2f81f7", "OpenVINO": "#d29922", "RTNeural": "#a371f7",
           "oneDNN": "#3fb950"}
BOARD_NAMES = {"mlp": "MLP 64-64-64-10", "lstm": "LSTM-64, 100 steps", "gru": "GRU-64, 100 steps",
               "dscnn": "DS-CNN-S, 49 x 10"}


def digits(value):
    """Formats three significant digits, without decimals that noise would change."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def peers_table(results):
    rate, read = limits_of(results)
    engines = peers_of(results)
    rows = []
    for row in results["cases"].values():
        rival = best_peer(row)
        low, middle, high = ratios(row, rival)
        # A difference within one per cent counts as equal.
        first = [e for e, share in (("weft", middle), (rival, 1 / middle)) if share > 0.99]
        times = {e: digits(typical(row, e)) for e in row["rounds"]}
        times.update({e: f"**{times[e]}**" for e in first})
        cells = [times.get(e, "") for e in ("weft", *engines)]
        rows.append([row["title"], digits(limit(row["cost"], rate, read)), *cells,
                     f"{middle:.2f} ({low:.2f} to {high:.2f}), {rival}",
                     f"{max(row['errors'].values()):.0e}"])
    return table(["case", "limit", "weft", *engines, "best peer / weft", "differ by"], rows)


def peers_of(results):
    """The peers that support a case."""
    known = {engine for row in results["cases"].values() for engine in row["rounds"]}
    return [engine for engine in results["versions"] if engine != "weft" and engine in known]


def timed_rows(results):
    """For each case: its row, the cells of its title and times, the best peer, and the ratios."""
    engines = ("weft", *peers_of(results))
    for row in results["cases"].values():
        rival = best_peer(row)
        times = {e: digits(typical(row, e)) for e in row["rounds"]}
        yield row, [row["title"], *(times.get(e, "") for e in engines)], rival, ratios(row, rival)


def int8_table(results):
    rows = []
    for row, cells, rival, (low, middle, high) in timed_rows(results):
        other = next(name for name in ("oneDNN int8", "ONNX Runtime") if name in row["errors"])
        errors = ", ".join(f"{digits(127 * e)}" for e in
                           (row["errors"].get(name) for name in ("weft", other))
                           if e is not None)
        rows.append([*cells, f"{1 / middle:.2f} ({1 / high:.2f} to {1 / low:.2f}), {rival}",
                     errors])
    return table(["case", "weft", *peers_of(results), "weft / best peer",
                  "quanta apart: weft, ONNX Runtime or oneDNN int8"], rows)


def tflite_table(results):
    rows = [[*cells, f"{middle:.2f} ({low:.2f} to {high:.2f}), {rival}",
             f"{row['errors']['weft']:.0e}"]
            for row, cells, rival, (low, middle, high) in timed_rows(results)]
    return table(["model", "weft", *peers_of(results), "best peer / weft",
                  "weft and LiteRT differ by"], rows)


def limits_text(results):
    rate, read = limits_of(results)
    loads = [r["load"] for r in results["limits"]]
    speeds = ", ".join(f"{at >> 10} KB {digits(read[at] / 1000)}" for at in sorted(read))
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items()
                         if name in peers_of(results))
    return (f"{results['processor']}, one core; {versions}. {len(loads)} rounds of "
            f"{results['milliseconds']} ms for each case and engine; load of the machine "
            f"{min(loads):.1f} to {max(loads):.1f}. The core: {rate / 1000:.0f} G multiply-adds/s; "
            f"reads in GB/s from buffers of {speeds}.")


def counted(text):
    if text == "-":
        return ""
    value = int(text)
    return f"{value / 1e6:.2f} M" if value >= 1e6 else f"{value / 1e3:.1f} k"


def boards_table():
    footprint = [line.split() for line in FOOTPRINT.read_text().splitlines() if line[0] != "#"]
    ours = {(model, core): row[-1] for core, model, *row in footprint}
    rows = []
    for line in (HERE / "boards.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        model, core, *theirs = line.split()
        integers = ours.get((f"{model}_int8", core), "-")
        rows.append([BOARD_NAMES[model], core, counted(ours[model, core]), counted(integers),
                     *map(counted, theirs)])
    head = ["model", "core", "weft, f32", "weft, int8", "TFLM, f32", "TFLM, int8, CMSIS-NN",
            "onnx2c, f32", "RTNeural, f32"]
    return table(head, rows)


def filled(text, name, content):
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(text):
        sys.exit(f"report: marker {name}: is missing")
    return pattern.sub(lambda match: match[1] + content + "\n" + match[2], text)


def draw(results, path):
    """One row per case: the time of each peer as a multiple of weft's time."""
    plt.rcParams.update({"svg.hashsalt": "weft", "svg.fonttype": "none",
                         "text.color": INK, "axes.labelcolor": INK,
                         "xtick.color": INK, "ytick.color": INK, "axes.edgecolor": INK,
                         "font.size": 9})
    rows = list(results["cases"].values())
    rate, read = limits_of(results)
    figure, axes = plt.subplots(figsize=(8, 0.26 * len(rows) + 1.2), layout="constrained")
    for engine, colour in COLOURS.items():
        places = [i for i, row in enumerate(rows) if engine in row["rounds"]]
        if not places:
            continue
        low, middle, high = zip(*(ratios(rows[i], engine) for i in places))
        spread = [[m - l for m, l in zip(middle, low)], [h - m for h, m in zip(high, middle)]]
        axes.errorbar(middle, places, xerr=spread, fmt="o", color=colour, markersize=5,
                      label=engine)
    shares = [limit(row["cost"], rate, read) / typical(row, "weft") for row in rows]
    axes.plot([max(share, 0.04) for share in shares], range(len(rows)), "|", color=INK,
              markersize=9, label="limit of the core")
    axes.axvline(1, color="#e5534b", linewidth=1.5, label="weft")
    axes.set_xscale("log")
    ticks = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(rows)), [row["title"] for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="x", color=INK, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("time as a multiple of weft's; quartiles of rounds")
    axes.legend(loc="lower center", bbox_to_anchor=(0.2, 1), ncols=6, frameon=False, fontsize=8,
                columnspacing=1.2, handletextpad=0.4)
    figure.savefig(path, transparent=True, metadata={"Date": None})


def main():
    *results_paths, report, picture = map(pathlib.Path, sys.argv[1:])
    results, int8, tflite = (json.loads(path.read_text()) for path in results_paths)
    text = report.read_text()
    text = filled(text, "machine", limits_text(results))
    text = filled(text, "peers", peers_table(results))
    text = filled(text, "int8-machine", limits_text(int8))
    text = filled(text, "int8", int8_table(int8))
    text = filled(text, "tflite-machine", limits_text(tflite))
    text = filled(text, "tflite", tflite_table(tflite))
    text = filled(text, "boards", boards_table())
    report.write_text(text)
    draw(results, picture)
    print(peers_table(results))


if __name__ == "__main__":
    main()
