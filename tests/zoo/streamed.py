#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of state and work of streamed models.

    streamed.py WEFT [--exports FOLDER] > tests/zoo/streamed.md

Converts the models of tests/zoo/models.zip and of the conformance families streaming* to one step per
run. With --exports, also one form of each other architecture that export.py wrote. Rejected models have
no row; table.md has the reason. Requires only the weft command.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "build/fixtures"
HEAD = """# Streamed models

Written by `streamed.py` from {count} models that stream one step at a time; in {lean} of them the
states have no byte more than the bound.

`looks back`: steps that an output depends on, its own among them; `all`: every step so far. `late`: steps that
outputs come late. `state`, `bound`: bytes of all states, and the least that must be kept
(converter/graph/streaming/bound.h). `a step`, `whole`: multiply-adds of a step, and those of the whole
model for each of its steps. docs/streaming.md explains them.
"""


def answer(weft, *words):
    """Returns the parsed JSON of a call; None if it fails."""
    run = subprocess.run([weft, *map(str, words), "--json"], capture_output=True, text=True,
                         check=False, timeout=300)
    return json.loads(run.stdout) if run.returncode == 0 else None


def number(value):
    if value is None:
        return "?"
    return str(int(value)) if value == int(value) else f"{value:.1f}"


def row(weft, folder, name):
    """Returns a line of the table and whether its state is minimal; None if the model does not stream."""
    case = folder / "case.json"
    extra = json.loads(case.read_text()).get("convert", []) if case.exists() else []
    with tempfile.TemporaryDirectory() as between:
        model = pathlib.Path(between) / "step.weft"
        if not answer(weft, "convert", folder / "model.xml", "-o", model, "--streaming", *extra):
            return None
        facts = answer(weft, "inspect", model)["streamed"]
    late = max((port["latency"] for port in facts["outputs"]), default=0)
    back = facts["receptive_steps"] or "all"
    state, bound = facts["state_bytes"], facts["min_state_bytes"]
    text = (f"| {name} | {facts.get('of', 'any')} | {back} | {late} | {state} | {bound} | "
            f"{number(facts['multiply_adds'])} | {number(facts['full_multiply_adds'])} |")
    return text, state <= bound


def section(title, rows):
    return [f"\n## {title}\n",
            "| model | steps | looks back | late | state | bound | a step | whole |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |", *rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weft")
    parser.add_argument("--exports", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    rooms = {"Architectures": sorted((FIXTURES / "zoo/models").iterdir()),
             "Cases of the suite": sorted((FIXTURES / "cases").glob("streaming*/*"))}
    if options.exports:
        rooms["Architectures"] += sorted(
            path.parent for path in options.exports.glob("*/model.xml")
            if not path.parent.name.startswith("pattern_"))
    lines, count, lean = [], 0, 0
    for title, folders in rooms.items():
        found = {}
        for folder in folders:
            name = (folder.name.split(".")[0] if title == "Architectures" else
                    f"{folder.parent.name}/{folder.name}")
            if name not in found and (made := row(options.weft, folder, name)):
                found[name] = made
        lines += section(title, [text for _, (text, _) in sorted(found.items())])
        count += len(found)
        lean += sum(is_lean for _, is_lean in found.values())
    print(HEAD.format(count=count, lean=lean) + "\n".join(lines))


if __name__ == "__main__":
    main()
