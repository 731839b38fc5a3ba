#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports the architectures, runs them in OpenVINO, ONNX Runtime and the framework, and writes each as
a case: OUT_DIR/<name>.<form>/ with model.xml, model.bin, arrays.npy and case.json as in the
conformance cases, and export.json with the differences of the references.

    export.py OUT_DIR [--only PREFIX ...] [--form FORM ...] [--missing]

README.md lists the required packages. Exit code: 0 done, 1 an exporter failed.
"""

import argparse
import importlib
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "conformance")]

import numpy as np  # noqa: E402

from architectures.registry import ARCHITECTURES  # noqa: E402


def collect():
    for path in sorted((HERE / "architectures").glob("*.py")):
        importlib.import_module(f"architectures.{path.stem}")
    return ARCHITECTURES


def seed(name):
    """Seeds all generators, so that weights do not depend on earlier exports."""
    number = zlib.crc32(name.encode())
    random.seed(number)
    np.random.seed(number)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(number)
    if "keras" in sys.modules:
        sys.modules["keras"].utils.set_random_seed(number)


def prepared(thing):
    """Returns a torch module for inference with random running statistics."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(thing, torch.nn.Module):
        return thing
    for layer in thing.modules():
        if getattr(layer, "running_mean", None) is not None:
            layer.running_mean.normal_(std=0.2)
            layer.running_var.uniform_(0.5, 1.5)
    return thing.eval()


def difference(actual, expected):
    """The largest difference relative to the largest expected magnitude; infinite if not
    comparable."""
    worst = 0.0
    if len(actual) != len(expected):
        return float("inf")
    for one, other in zip(actual, expected):
        one, other = np.asarray(one, np.float64), np.asarray(other, np.float64)
        if one.size != other.size:
            return float("inf")
        other = other.reshape(one.shape)
        if one.size:
            scale = max(np.abs(other[np.isfinite(other)]).max(initial=0), 1e-6)
            delta = np.abs(one - other)
            delta[(one == other) | (np.isnan(one) & np.isnan(other))] = 0
            worst = max(worst, float(np.nan_to_num(delta, nan=np.inf).max() / scale))
    return worst


def by_runtime(path, arrays):
    """Returns ONNX Runtime's outputs; omits inputs that the graph does not use."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    return session.run(None, dict(zip([port.name for port in session.get_inputs()], arrays)))


def facts_of(arrays, answers, path, expected):
    facts = {}
    if answers is not None:
        facts["framework"] = difference(expected, answers)
    if path is not None:
        try:
            facts["onnxruntime"] = difference(expected, by_runtime(path, arrays))
        except Exception as error:  # the text describes the missing feature
            facts["onnxruntime_error"] = str(error).strip().splitlines()[0][:200]
    return facts


def export(entry, form, out, oracle):
    """Writes one case."""
    import arrays as array_files
    import casebook
    import exporters
    import oracle as openvino_oracle
    import store

    folder = out / f"{entry.name}.{form}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    facts = {"name": entry.name, "form": form, "group": entry.group, "causal": entry.causal}
    began = time.process_time()
    # Remains if the exporter ends the process.
    (folder / "export.json").write_text(json.dumps(dict(facts, error="the process ended")))
    try:
        seed(entry.name)
        thing, inputs = entry.make()
        with tempfile.TemporaryDirectory() as between:
            model, path, answers = getattr(exporters, form)(
                prepared(thing), inputs, pathlib.Path(between))
            values = exporters.flat(inputs)
            values = values[:len(model.inputs)]
            xml = store.write_model(folder, model, False)
            expected = oracle.run(xml, values)
            facts.update(facts_of(values, answers, path, expected))
        array_files.write(folder, values, expected)
        store.write_facts(folder, casebook.Case(
            f"zoo/{entry.name}", values, rtol=1e-4, atol=1e-5), openvino_oracle.release())
    except Exception as error:  # exporter errors are rows of the table
        lines = [line for line in str(error).strip().splitlines() if line.strip()] or [""]
        facts["error"] = f"{type(error).__name__}: {lines[0][:200]} ... {lines[-1][:200]}"
    facts["seconds"] = round(time.process_time() - began, 1)
    (folder / "export.json").write_text(json.dumps(facts, indent=1) + "\n")
    return facts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[""], metavar="PREFIX")
    parser.add_argument("--form", nargs="*", default=None)
    parser.add_argument("--missing", action="store_true", help="only what OUT_DIR lacks")
    options = parser.parse_args()
    import oracle

    reference, failed = oracle.Oracle(), 0
    for name, entry in collect().items():
        if not name.startswith(tuple(options.only)):
            continue
        for form in entry.forms:
            if options.form and form not in options.form:
                continue
            if options.missing and (options.out / f"{name}.{form}/export.json").exists():
                continue
            facts = export(entry, form, options.out, reference)
            failed += "error" in facts
            print(json.dumps(facts), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
