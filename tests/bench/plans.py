#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares measured times with the planner's cost: checks whether the order in which `weft convert`
puts the plans of a model is the order of their speed on this machine. Prints a row for each plan
and the rank correlation (Spearman) of each model, and writes --json FILE. Asserts nothing.

    build/conformance-venv/bin/python tests/bench/plans.py build/x86-64/weft --cpu 0

With --board, counts instructions on the emulated board of --target instead; its weft_size_run is
built by `cmake --build --preset cortex-m4f --target weft_size_run`:

    build/conformance-venv/bin/python tests/bench/plans.py build/x86-64/weft --target cortex-m4f \\
        --board build/cortex-m4f/tests/size/weft_size_run

Given OpenVINO IR files, measures these models instead, such as models not used to fit the cost:

    M=build/fixtures/zoo/models; build/conformance-venv/bin/python tests/bench/plans.py build/x86-64/weft \\
        $M/{sub_bands,lpcnet,deep_ar,kws_crnn,nsnet2}.dynamo/model.xml --cpu 0
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "bench/peers"), str(TESTS / "size")]
import measure  # noqa: E402
import nets  # noqa: E402
import openvino as ov  # noqa: E402
from cases import Case, net, recurrent  # noqa: E402
from graphs import Graph, port  # noqa: E402


def stacked(name, kind, inputs, hidden, steps, layers=3):
    """Stacked recurrent layers; the output is the last value."""
    graph, x = Graph(name), "x"
    for layer in range(layers):
        whole = f"{name}_y{layer}"
        graph.cell(kind, x, hidden if layer else inputs, hidden, steps, outputs=[whole, f"h{layer}"])
        x = graph.add("Squeeze", [whole, graph.constant(np.array([1]))])
    return Case(f"{layers} {kind} of {hidden} upon {inputs}, {steps} steps", graph,
                [port("x", [steps, 1, inputs])], [port(f"h{layers - 1}", [1, 1, hidden])])


def models():
    """Models for which several plans are useful: recurrent nets, and nets of feature maps."""
    return [
        recurrent("lstm_40_64", "LSTM of 64 upon 40, 100 steps", "LSTM", 40, 64, 100),
        recurrent("lstm_512_256", "LSTM of 256 upon 512, 25 steps", "LSTM", 512, 256, 25),
        recurrent("gru_40_128", "GRU of 128 upon 40, 100 steps", "GRU", 40, 128, 100),
        recurrent("bilstm_40_128", "LSTM of 128 upon 40, both ways, 100 steps", "LSTM", 40, 128, 100,
                  2),
        stacked("lstm3_16", "LSTM", 16, 16, 100), stacked("lstm3_128", "LSTM", 40, 128, 100),
        stacked("gru3_64", "GRU", 40, 64, 100),
        *(net(build) for build in (nets.conv_gru, nets.nsnet2, nets.ds_cnn, nets.mobilenet_v1,
                                   nets.resnet8)),
    ]


def told(*command):
    """Returns the JSON output of a command."""
    return json.loads(subprocess.run([str(part) for part in command], check=True,
                                     capture_output=True).stdout)


def written(case, folder):
    """Saves a model of models() as IR."""
    case.graph.save(folder / "model.onnx", case.inputs, case.outputs)
    ov.save_model(ov.convert_model(folder / "model.onnx"), folder / "model.xml",
                  compress_to_fp16=False)
    return folder / "model.xml"


def microseconds(call, files):
    """The fastest run of each file; files are measured alternately."""
    pin = [] if call.cpu is None else ["--cpu", call.cpu]
    measured = told(call.weft, "bench", *files, "--json", *pin)
    return [times["microseconds"]["min"]
            for times in (measured["models"] if len(files) > 1 else [measured])]


def instructions(call, files):
    """The instructions of a run of each file on the board of the target."""
    toolchain = (TESTS.parent / f"toolchains/{call.target}.cmake").read_text(encoding="utf-8")
    board = re.search(r"set\(WEFT_BOARD (\S+)\)", toolchain)[1]
    run = [TESTS.parent / "toolchains/boards/run.sh", board, call.board]
    ticks = [measure.output_of([*run, file], file).split()[-1] for file in files]
    return [int(each) * measure.TICK[board] for each in ticks]


def plans(call, model, folder):
    """The model's curve, each point with its time."""
    target = ["--target", call.target] if call.target else []
    make = [call.weft, "convert", model, "--json", *target, "-o"]
    points, files = told(*make, folder / "model.weft")["curve"], []
    for point in points:
        files.append(folder / f"{point['scratch_bytes']}.weft")
        told(*make, files[-1], "--arena-budget", point["scratch_bytes"])
    times = (instructions if call.board else microseconds)(call, files)
    for point, time in zip(points, times):
        point["time"] = time
    return points


def ranks(values):
    """Ranks from 0; equal values have the mean of their ranks."""
    values = np.asarray(values, float)
    return np.array([(values < v).sum() + ((values == v).sum() - 1) / 2 for v in values])


def correlation(points):
    """Correlation of the ranks by cost and by time; 1 if there is nothing to order."""
    costs, times = (ranks([point[key] for point in points]) for key in ("cost", "time"))
    if len(points) < 2 or costs.std() == 0:
        return 1.0
    return float(np.corrcoef(costs, times)[0, 1]) if times.std() else 0.0


def ordered(points):
    """Of the pairs of plans whose times differ by more than 5 %: the number of pairs that cost and
    time order equally, and the number of all pairs."""
    pairs = [(a, b) for i, a in enumerate(points) for b in points[i + 1:]
             if abs(a["time"] - b["time"]) > 0.05 * min(a["time"], b["time"])]
    right = sum((a["cost"] < b["cost"]) == (a["time"] < b["time"]) for a, b in pairs)
    return right, len(pairs)


def main():
    """Prints a table, and the mean of the correlations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weft", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path, nargs="*")
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--target", help="as of weft convert")
    parser.add_argument("--board", type=pathlib.Path, help="weft_size_run of the target")
    parser.add_argument("--json", type=pathlib.Path)
    call = parser.parse_args()
    if call.board and not call.target:
        parser.error("--board is given without --target; must be given with it")
    report = {}
    unit = "count" if call.board else "us"
    print(f"{'scratch':>9} {'cost':>10} {unit:>10}   {'time':>5} {'cost':>5}")
    for case in call.models or models():
        with tempfile.TemporaryDirectory() as folder:
            is_file = isinstance(case, pathlib.Path)
            model = case if is_file else written(case, pathlib.Path(folder))
            points = plans(call, model, pathlib.Path(folder))
        name, title = (str(case), str(case)) if is_file else (case.graph.name, case.title)
        report[name] = {"points": points, "rank_correlation": correlation(points)}
        print(f"{title}: rank correlation {correlation(points):.2f}")
        for point in points:
            print(f"{point['scratch_bytes']:>9} {point['cost']:>10.0f} {point['time']:>10.1f}"
                  f"   {point['time'] / points[0]['time']:>5.2f}"
                  f" {point['cost'] / points[0]['cost']:>5.2f}{' *' if point['chosen'] else ''}")
    several = [row["rank_correlation"] for row in report.values() if len(row["points"]) > 1]
    right, all_pairs = np.sum([ordered(row["points"]) for row in report.values()], axis=0)
    print(f"{len(several)} models with several plans: mean rank correlation "
          f"{np.mean(several):.2f}; {right} of {all_pairs} pairs whose times differ "
          f"by more than 5 % are ordered by cost")
    if call.json:
        call.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
