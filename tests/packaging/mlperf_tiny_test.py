#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a cross build, and builds and runs examples/mlperf-tiny with it, in copies.

    mlperf_tiny_test.py SOURCE BUILD FOLDER BOARD WEFT_COMMAND

The models are stored cases of tests/tflite, small ones, whose outputs LiteRT computed: a softmax for
the tasks with classes, ABS for anomaly detection. For each kind of input the results on the serial
port must be these outputs, dequantised here; run.py must accept all answers, measure the throughput
and compute the accuracy; and run.py and CMake must reject wrong input with one clear line.
"""
import importlib.util
import pathlib
import shutil
import statistics
import struct
import sys
import types
import zipfile

from command import run

HEADER_BYTES = 128  # of an array in arrays.npy
ABS = (0.0107, 3, 0.0065, -11)  # scale and zero point of the input and output of codes/abs
SOFTMAX = (0.03, 5, 1 / 256, -128)
# task, model, case, number of elements, quantisation
TASKS = [
    ("kws", "kws01", "codes/softmax_beta_1.7", 7 * 33, SOFTMAX),
    ("ic", "ic01", "codes/softmax_beta_0.5", 7 * 33, SOFTMAX),
    ("ad", "ad01", "codes/abs", 256, ABS),
]


def codes_of(source, case, count):
    """Returns the model, the input codes and the output codes of a stored case."""
    family = case.split("/", maxsplit=1)[0]
    with zipfile.ZipFile(source / "tests/tflite" / f"{family}.zip") as archive:
        arrays = archive.read(f"{case}/arrays.npy")
        model = archive.read(f"{case}/model.tflite")
    format_of = f"{count}b"
    return (model, struct.unpack_from(format_of, arrays, HEADER_BYTES),
            struct.unpack_from(format_of, arrays, HEADER_BYTES + count + HEADER_BYTES))


def input_of(task, codes, quantisation):
    """Returns the bytes that the runner sends for these codes."""
    scale, zero = quantisation[:2]
    if task == "ad":
        return struct.pack(f"<{len(codes)}f", *(scale * (code - zero) for code in codes))
    return bytes(code + 128 if task == "ic" else code & 255 for code in codes)


def results_of(task, codes, outputs, quantisation):
    """Returns the results of the protocol, in double precision."""
    scale, zero, output_scale, output_zero = quantisation
    values = [output_scale * (code - output_zero) for code in outputs]
    if task != "ad":
        return values
    return [statistics.fmean((value - scale * (code - zero))**2 for value, code in zip(values, codes))]


def check_accuracy(runner, target, folder, inputs, must):
    """Writes a data set of the layout of MLCommons' runner, and compares the printed accuracy."""
    folder.mkdir()
    lines = []
    for name, classes, data in inputs:
        (folder / name).write_bytes(data)
        lines.append(f"{name}, 2, {classes}" + (f", {runner.stride}, {runner.stride}" if runner.stride else ""))
    (folder / "y_labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = run([*runner.command, "accuracy", *target, "--inputs", folder])
    if must not in out:
        sys.exit(f"accuracy: is {out}; must be {must}")


def check_task(source, folder, build, board, row):
    """Builds the firmware of one task, and compares its results with those of LiteRT."""
    task, model, case, count, quantisation = row
    data, codes, outputs = codes_of(source, case, count)
    (folder / f"{task}.tflite").write_bytes(data)
    firmware = folder / task / "firmware.elf"
    build(task, f"-DQUANTISATION={','.join(map(str, quantisation))}" if task == "ad" else "")
    path = folder / "project/mlperf-tiny/run.py"
    spec = importlib.util.spec_from_file_location("run", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sent = input_of(task, codes, quantisation)
    port = module.Emulator(firmware, board)
    try:
        device = module.Device(port, 60)
        device.answer("start")
        if device.model() != model:
            sys.exit(f"{task}: is {device.model()}; must be {model}")
        device.load(sent)
        results, _ = device.infer(2, 1)
    finally:
        port.close()
    must = results_of(task, codes, outputs, quantisation)
    if len(results) != len(must) or any(abs(a - b) > 0.00051 for a, b in zip(results, must)):
        sys.exit(f"{task}: results are {results}; must be {must}")
    target = ["--firmware", firmware, "--board", board, "--input-bytes", len(sent)]
    command = [sys.executable, path]
    run([*command, "check", *target])
    out = run([*command, "performance", *target, "--runs", "2"])
    if f"{model}: median throughput" not in out or "instructions per inference" not in out:
        sys.exit(f"performance: {out}")
    runner = types.SimpleNamespace(command=command, stride=len(sent) if task == "ad" else 0)
    if task == "ad":  # the second file is louder, so its difference is larger
        quiet_input = struct.pack(f"<{count}f", *[0.1] * count)
        inputs = [("normal.bin", 0, quiet_input * 2), ("anomaly.bin", 1, sent)]
        check_accuracy(runner, target, folder / f"{task}-inputs", inputs, "AUC 1.000 of 2 files")
    else:
        best = outputs.index(max(outputs))
        inputs = [("right.bin", best, sent), ("wrong.bin", (best + 1) % count, sent)]
        check_accuracy(runner, target, folder / f"{task}-inputs", inputs, "accuracy 50.0 % of 2 files")
    print(f"{task}: {len(results)} results as LiteRT's; {out.splitlines()[-1]}")


def main():
    source, binary, folder = map(pathlib.Path, sys.argv[1:4])
    board, weft = sys.argv[4:6]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(["cmake", "--install", binary, "--prefix", folder / "prefix"])
    project = folder / "project"
    for name in ("mlperf-tiny", "cortex-m"):
        shutil.copytree(source / "examples" / name, project / name)

    def build(task, *options, model=None, must_fail=None):
        run(["cmake", "-G", "Ninja", "-S", project / "mlperf-tiny", "-B", folder / task,
               f"-DCMAKE_TOOLCHAIN_FILE={project / 'cortex-m/toolchain.cmake'}", f"-DBOARD={board}",
               f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}", f"-DWEFT_COMMAND={weft}", f"-DTASK={task}",
               f"-DMODEL={model or folder / (task + '.tflite')}", *filter(None, options)], must_fail)
        if not must_fail:
            run(["cmake", "--build", folder / task])

    for row in TASKS:
        check_task(source, folder, build, board, row)
    build("tts", must_fail='TASK is "tts"; must be kws, vww, ic, ad or sww')
    build("vww", must_fail="must be a .tflite file")
    build("ad", "-DQUANTISATION=1,2", must_fail='QUANTISATION is "1,2"; must be scale and zero point')
    runner = [sys.executable, project / "mlperf-tiny/run.py"]
    firmware = ["--firmware", folder / "kws/firmware.elf", "--board", board]
    run([*runner, "accuracy", *firmware], "accuracy needs --inputs FOLDER")
    run([*runner, "accuracy", *firmware, "--inputs", folder / "absent"], "run.py: [Errno 2]")
    run([*runner, "check", *firmware], "Input has 490 bytes; must have 231")


if __name__ == "__main__":
    main()
