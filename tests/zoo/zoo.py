#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts and runs exported architectures and writes the table.

    zoo.py WEFT FOLDER                 prints one line per error, then the counts
    zoo.py WEFT FOLDER --table FILE    also writes the table
    zoo.py WEFT FOLDER --keep TARGET   copies small models that convert and agree to TARGET
    zoo.py WEFT FOLDER --patterns TARGET
                                       adds models of architectures/patterns.py to TARGET, each form
                                       with different layers; they are not rows of the table

FOLDER is the output of export.py. Requires NumPy and the weft command.
Exit code: 0 done, 1 a model has wrong outputs.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "conformance")]

import arrays as array_files  # noqa: E402

TOLERANCE = 1e-5  # relative to the largest expected magnitude
NEAR = 1e-4  # for a reference with another order of computation
CASE_BYTES = 60_000
KEPT = ("model.xml", "model.bin", "arrays.npy", "case.json")


class Weft:
    """The command and a folder for its files."""
    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def call(self, *words):
        """Returns the parsed JSON of a call, or its error lines."""
        run = subprocess.run([self.command, *words, "--json"], capture_output=True, text=True,
                             check=False, timeout=120)
        try:
            answer = json.loads(run.stdout)
        except json.JSONDecodeError:
            answer = None
        if run.returncode:
            lines = (answer or {}).get("error") if isinstance(answer, dict) else None
            return None, lines or run.stderr.strip().splitlines() or [f"exit {run.returncode}"]
        return answer, []

    def run(self, model, inputs):
        """Outputs of a converted model."""
        words = []
        for index, array in enumerate(inputs):
            np.save(self.folder / f"in{index}.npy", array)
            words += ["--input", f"{index}={self.folder}/in{index}.npy"]
        answer, faults = self.call("run", str(model), *words, "--output-dir", str(self.folder))
        if faults:
            raise ValueError(faults[0])
        return [np.load(row["file"]) for row in answer["outputs"]] if isinstance(
            answer, dict) else [np.load(row["file"]) for row in answer]


def difference(actual, expected):
    """The largest difference relative to the largest expected magnitude."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return float("inf")
    if not expected.size:
        return 0.0
    if expected.dtype.kind != "f":
        return float((actual != expected).any())
    one, other = actual.astype(np.float64), expected.astype(np.float64)
    scale = max(np.abs(other[np.isfinite(other)]).max(initial=0), 1e-6)
    with np.errstate(invalid="ignore"):
        delta = np.abs(one - other) / scale
    delta[(one == other) | (np.isnan(one) & np.isnan(other))] = 0
    return float(np.nan_to_num(delta, nan=np.inf).max())


def cut(array, port):
    """Splits an array into parts of one step each, along a new leading axis."""
    return np.stack(np.split(array, port["of"] // port["positions"], port["axis"]))


def whole(array, port):
    """Concatenates parts of one step each."""
    return np.concatenate(list(array), port["axis"])


def come(joined, wanted, port, steps):
    """The elements of a delayed output, and of its expected value, that have arrived."""
    axis, late = port["axis"], port["latency"] * port["of"] // steps
    count = min(joined.shape[axis] - late, wanted.shape[axis])
    return (np.take(joined, range(late, late + count), axis), np.take(wanted, range(count), axis))


def streamed(weft, xml, inputs, expected):
    """Returns (largest difference of runs of one step, state bytes), or the reason of the rejection."""
    model = weft.folder / "step.weft"
    facts, faults = weft.call("convert", str(xml), "-o", str(model), "--streaming")
    if faults:
        return None, faults[0]
    ports = facts["streamed"]
    inspected, _ = weft.call("inspect", str(model))
    by_name = {port["name"]: port for port in ports["inputs"] if "axis" in port}
    fed = [cut(array, by_name[port["name"]]) if port["name"] in by_name else array
           for port, array in zip(inspected["inputs"], inputs)]
    worst = 0.0
    outputs = weft.run(model, fed)
    given = {port["name"]: port for port in ports["outputs"] if "axis" in port}
    for port, actual, wanted in zip(inspected["outputs"], outputs, expected):
        if port["name"] not in given:
            worst = max(worst, difference(actual[-1], wanted))
            continue
        joined, wanted = come(whole(actual, given[port["name"]]), wanted, given[port["name"]],
                              ports["of"])
        worst = max(worst, difference(joined, wanted))
    return worst, facts["state_bytes"]


def checked(weft, folder):
    """Returns all facts of the table for one exported model."""
    facts = json.loads((folder / "export.json").read_text())
    row = dict(facts, folder=folder.name, layers=0)
    if "error" in facts:
        return row
    inputs, expected = array_files.read(folder)
    xml = folder / "model.xml"
    row["layers"] = xml.read_text().count("<layer ")
    row["bytes"] = sum((folder / name).stat().st_size for name in KEPT)
    row["reference"] = max(facts.get("framework", 0), facts.get("onnxruntime", 0))
    model = weft.folder / "model.weft"
    converted, faults = weft.call("convert", str(xml), "-o", str(model))
    if faults:
        return dict(row, faults=faults)
    row.update({key: converted[key] for key in ("weights_bytes", "state_bytes", "scratch_bytes")})
    inspected, _ = weft.call("inspect", str(model))
    row["copied"] = int(sum(copy["bytes"] for copy in inspected["copies"]))
    row["steps"] = sum(inspected["steps"].values())
    try:
        outputs = weft.run(model, inputs)
        row["difference"] = max((difference(a, b) for a, b in zip(outputs, expected)), default=0.0)
    except ValueError as error:
        row["run_fault"] = str(error)
        return row
    row["stream_difference"], row["stream"] = streamed(weft, xml, inputs, expected)
    return row


def number(value):
    return "" if value is None else f"{value:.0e}" if value else "0"


def line(row):
    """One row of the table."""
    if "error" in row:
        said = row["error"].replace("|", "/")[:90]
        return f"| {row['name']} | {row['form']} | exporter | | | | | | {said} |"
    if "faults" in row:
        more = f" (+{len(row['faults']) - 1})" if len(row["faults"]) > 1 else ""
        said = row["faults"][0].split(".xml:", 1)[-1].replace("|", "/")[:150] + more
        return (f"| {row['name']} | {row['form']} | **no** | {row['layers']} | | | "
                f"{number(row['reference'])} | | {said} |")
    stream = row.get("stream_difference")
    said = "" if stream is not None else str(row.get("stream", row.get("run_fault"))).split(
        ".xml:", 1)[-1].replace("|", "/")[:120]
    if not row["causal"] and stream is None and "run_fault" not in row:
        said = ""
    equal = "yes" if row.get("difference", 1) <= TOLERANCE else f"{number(row.get('difference'))}"
    return (f"| {row['name']} | {row['form']} | {equal} | {row['layers']} | {row.get('steps')} | "
            f"{row.get('copied')} | {number(row['reference'])} | "
            f"{'yes' if stream is not None and stream <= TOLERANCE else number(stream) or '-'} | "
            f"{said} |")


def table(rows):
    done = [row for row in rows if "difference" in row]
    right = [row for row in done if row["difference"] <= TOLERANCE]
    causal = [row for row in done if row["causal"]]
    flowing = [row for row in causal if row["stream_difference"] is not None]
    architectures = {row["name"] for row in rows}
    head = [
        "# Architectures", "",
        f"{len(architectures)} architectures in {len(rows)} exported forms; "
        f"{len([r for r in rows if 'error' in r])} forms no exporter makes; {len(done)} convert, "
        f"{len(right)} of them equal OpenVINO within {TOLERANCE:g} of the greatest number; of "
        f"{len(causal)} causal forms {len(flowing)} stream.", "",
        "`steps`, `copied`: of the converted model, bytes per run. `reference`: how far OpenVINO is "
        "from the framework and ONNX Runtime.", ""
    ]
    for group in sorted({row["group"] for row in rows}):
        head += [f"## {group}", "",
                 "| architecture | form | converts | layers | steps | copied | reference | streams "
                 "| why not |", "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
        head += [line(row) for row in rows if row["group"] == group] + [""]
    return "\n".join(head)


def keep(rows, folder, target, limit):
    """Copies the smallest correct form of each architecture, up to the limit of bytes."""
    best = {}
    for row in rows:
        if row.get("difference", 1) <= TOLERANCE and row["bytes"] <= CASE_BYTES:
            held = best.get(row["name"])
            if held is None or row["bytes"] < held["bytes"]:
                best[row["name"]] = row
    total = 0
    for name, row in sorted(best.items(), key=lambda item: item[1]["bytes"]):
        if total + row["bytes"] > limit:
            break
        total += row["bytes"]
        place = target / row["folder"]
        place.mkdir(parents=True, exist_ok=True)
        for file in KEPT:
            shutil.copy(folder / row["folder"] / file, place / file)
        if row["stream_difference"] is not None and row["stream_difference"] <= TOLERANCE:
            case = json.loads((place / "case.json").read_text())
            (place / "case.json").write_text(json.dumps(dict(case, streams=True), indent=1) + "\n")
    return total


def layers_of(folder):
    """The layers of a model, independent of names and order."""
    layers = []
    for layer in ElementTree.parse(folder / "model.xml").iter("layer"):
        data = layer.find("data")
        facts = {} if data is None else dict(data.attrib)
        facts.pop("offset", None)
        dims = [dim.text for dim in layer.findall("output/port/dim")]
        layers.append((layer.get("type"), layer.get("version"), sorted(facts.items()), dims))
    return sorted(layers)


def keep_patterns(rows, folder, target):
    """Copies the correct forms of each pattern, equal graphs of several exporters once. Existing models
    in TARGET remain."""
    kept = [(f"pattern_{path.parent.name.split('.')[0]}", layers_of(path.parent))
            for path in sorted(target.glob("*/model.xml"))]
    total = 0
    for row in rows:
        if row.get("difference", 1) > TOLERANCE:
            continue
        graph = (row["name"], layers_of(folder / row["folder"]))
        if graph in kept:
            continue
        kept.append(graph)
        total += row["bytes"]
        place = target / row["folder"].removeprefix("pattern_")
        place.mkdir(parents=True, exist_ok=True)
        for file in KEPT:
            shutil.copy(folder / row["folder"] / file, place / file)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--rows", type=pathlib.Path, help="all figures as JSON")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--patterns", type=pathlib.Path, metavar="TARGET")
    parser.add_argument("--limit", type=int, default=2_900_000, help="bytes of --keep")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as between:
        weft = Weft(options.weft, pathlib.Path(between))
        rows = [checked(weft, path.parent) for path in sorted(options.folder.glob("*/export.json"))
                if path.parent.name.startswith(options.only)
                and path.parent.name.startswith("pattern_") == bool(options.patterns)]
    wrong = 0
    for row in rows:
        if "error" in row:
            print(f"{row['folder']}: exporter: {row['error']}")
        for fault in row.get("faults", []):
            print(f"{row['folder']}: {fault.split('.xml:', 1)[-1]}")
        if "run_fault" in row:
            print(f"{row['folder']}: run: {row['run_fault']}")
        for key in ("difference", "stream_difference"):
            if (row.get(key) or 0) > TOLERANCE:
                wrong += 1
                print(f"{row['folder']}: {key} {row[key]:.1e}")
        if row.get("reference", 0) > NEAR:
            print(f"{row['folder']}: OpenVINO differs from the others by {row['reference']:.1e}")
    print(table(rows).splitlines()[2] if rows else "nothing")
    if options.table:
        options.table.write_text(table(rows))
    if options.rows:
        options.rows.write_text(json.dumps(rows, indent=1))
    if options.keep:
        print(f"kept {keep(rows, options.folder, options.keep, options.limit)} bytes")
    if options.patterns:
        print(f"kept {keep_patterns(rows, options.folder, options.patterns)} bytes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
