#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts every conformance case with the host's weft, for tests on targets that cannot convert.

    models.py WEFT FIXTURES_DIR OUTPUT_DIR

writes OUTPUT_DIR/<family>/<case>.weft for the cases of FIXTURES_DIR/cases, and
OUTPUT_DIR/tflite/<family>/<case>.weft for the families of .tflite models of integers. A rejected model
is reported and has no file (the host's conformance tests check rejections); a crash makes this script
fail. Every case is also converted with --streaming=N; accepted models are written to
OUTPUT_DIR-streamed/<family>/<case>.<N>.weft.

Both folders get an index.txt, because boards cannot list the host's folders. In OUTPUT_DIR each model
has a line "<name> <calls> <rtol> <atol>" (calls 0: its arrays have no axis of calls). In
OUTPUT_DIR-streamed a line has the name, the number of complete runs and the latency of each output in
steps, "<name> 4 0,2".
OUTPUT_DIR-c gets C sources: the model of tests/c_api, and the models whose footprint is measured.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

STREAMED = (1, 2, 3)  # steps per run
BLOCK = 64  # also, for the family whose models have so many steps
INTEGERS = ("codes", "quantised_recurrent", "shorts")  # .tflite models whose results are exact


def described(case):
    return json.loads((case / "case.json").read_text())


def model_of(case):
    xml = case / "model.xml"
    return xml if xml.exists() else case / "model.tflite"


def cases_of(fixtures):
    """Returns the folders by name, "<family>/<case>" or "tflite/<family>/<case>"."""
    cases = {path.parent.relative_to(fixtures / "cases").as_posix(): path.parent
             for path in (fixtures / "cases").glob("*/*/model.xml")}
    for family in INTEGERS:
        folders = (fixtures / "tflite" / family).glob("*/model.tflite")
        cases |= {f"tflite/{family}/{path.parent.name}": path.parent for path in folders}
    return dict(sorted(cases.items()))


def write_index(output_dir, lines):
    (output_dir / "index.txt").write_text("".join(line + "\n" for line in sorted(lines)))


def convert(weft, case, target, *options):
    """Runs one conversion; returns (exit code, last line of its output; with --json all of it)."""
    extra = described(case).get("convert", [])
    target.parent.mkdir(parents=True, exist_ok=True)
    run = subprocess.run([weft, "convert", model_of(case), "-o", target, *extra, *options],
                         capture_output=True, text=True, errors="replace", check=False)
    if "--json" in options:
        return run.returncode, run.stdout
    lines = (run.stderr or run.stdout).strip().splitlines()
    return run.returncode, lines[-1] if lines else ""


def runs_and_latencies(talk):
    """Returns two columns of the index from the output of a conversion with --json."""
    streamed = json.loads(talk)["streamed"]
    latencies = ",".join(str(port["latency"]) for port in streamed["outputs"])
    return f"{streamed['of'] // streamed['steps']} {latencies}"


def convert_whole(pool, weft, cases, output_dir):
    """Converts each case with a self test of two runs. Returns the number of crashes."""
    lines, refused, crashed = [], 0, 0
    targets = [output_dir / f"{name}.weft" for name in cases]
    results = pool.map(lambda case, target: convert(weft, case, target, "--self-test", "2"),
                       cases.values(), targets)
    for (name, case), (code, talk) in zip(cases.items(), results):
        refused += code in (1, 2)
        crashed += code not in (0, 1, 2)
        if code != 0:
            print(f"{name}: exit {code}: {talk}")
            continue
        about = described(case)
        lines.append(f"{name} {about.get('calls', 0)} {about['rtol']} {about['atol']}")
    write_index(output_dir, lines)
    print(f"models: {len(lines)} converted, {refused} refused, {crashed} crashed")
    return crashed


def convert_streamed(pool, weft, cases, output_dir):
    """Converts each case to streaming. Returns the number of crashes."""
    jobs = [(case, f"{name}.{steps}", steps) for name, case in cases.items()
            for steps in (*STREAMED, *[BLOCK] * (case.parent.name == "long"))]
    results = list(
        pool.map(
            lambda job: convert(weft, job[0], output_dir / f"{job[1]}.weft", f"--streaming={job[2]}",
                                "--json"), jobs))
    codes = [code for code, _ in results]
    write_index(output_dir, [f"{name} {runs_and_latencies(talk)}"
                             for (_, name, _), (code, talk) in zip(jobs, results) if code == 0])
    crashed = sum(code not in (0, 1, 2) for code in codes)
    print(f"streamed models: {codes.count(0)} converted, {len(codes) - codes.count(0) - crashed} "
          f"refused, {crashed} crashed")
    return crashed


def convert_measured(weft, c_dir):
    """Writes the models of tests/size as C sources, some also with narrow weights. Returns the number
    of failures."""
    root = pathlib.Path(__file__).parents[1]
    models = [*(root / "tests/size/models").glob("*.xml"), root / "examples/dtmf/model/dtmf.xml"]
    budgets = {"dscnn": "64K"}  # two of its feature maps
    weights = {"lstm": ["f16", "i8"], "dscnn": ["i8"]}
    jobs = [(model, model.stem, []) for model in models]
    jobs += [(model, f"{model.stem}_{type}", ["--precision", type, "--min-snr", "0"])
             for model in models for type in weights.get(model.stem, [])]
    return sum(
        subprocess.run([
            weft, "convert", model, "-o", c_dir / f"{name}.weft", "--c-source", c_dir /
            f"{name}.c", "--arena-budget", budgets.get(model.stem, "16K"), *options
        ], check=False).returncode != 0 for model, name, options in jobs)


def main():
    weft, fixtures, output_dir = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    streamed_dir = output_dir.with_name(output_dir.name + "-streamed")
    cases_dir, cases = fixtures / "cases", cases_of(fixtures)
    c_dir = output_dir.with_name(output_dir.name + "-c")
    for folder in (output_dir, streamed_dir, c_dir):
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        crashed = convert_whole(pool, weft, cases, output_dir)
        crashed += convert_streamed(pool, weft, cases, streamed_dir)
    code, _ = convert(weft, cases_dir / "state/streaming_gru", c_dir / "model.weft", "--region",
                      "fast=12K:weights", "--self-test", "2", "--c-source", str(c_dir / "model.c"))
    absent = c_dir / "activation"
    absent.mkdir()
    code |= convert(weft, cases_dir / "cell/gru_sigmoid", absent / "model.weft", "--region",
                    "fast=64", "--c-source", str(absent / "model.c"))[0]
    return 1 if crashed or code or convert_measured(weft, c_dir) else 0


if __name__ == "__main__":
    sys.exit(main())
