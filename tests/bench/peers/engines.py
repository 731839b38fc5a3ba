# SPDX-License-Identifier: Apache-2.0
"""How each engine is called for a case: once for its output, then for its times."""
import functools
import json
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
NOT_A_CASE = 77  # exit code of a driver that does not know the case


class Failed(Exception):
    pass


@functools.cache
def undisturbed():
    """Command prefix for real-time priority, or [] if this user lacks permission."""
    ask = ["chrt", "--fifo", "1"]
    allowed = subprocess.run([*ask, "true"], capture_output=True, check=False).returncode == 0
    return ask if allowed else []


def output_of(command, cpu, first=()):
    pinned = [*first, "taskset", "--cpu-list", str(cpu), *(str(part) for part in command)]
    run = subprocess.run(pinned, capture_output=True, text=True, check=False,
                         env={"OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"})
    if run.returncode == NOT_A_CASE:
        return None
    if run.returncode != 0:
        raise Failed(f"{pathlib.Path(command[0]).name}: exit {run.returncode}: {run.stderr.strip()}")
    return run.stdout


class Weft:
    """The weft command; the model keeps its states."""
    name = "weft"

    def __init__(self, command):
        self.command = command
        self.iterations = {}
        text = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
        self.version = text.stdout.split()[1].rstrip(",")

    def prepare(self, case, folder, cpu):
        output_of([self.command, "convert", folder / case.source, "-o", folder / "model.weft",
                   "--arena-budget", "fastest", *case.convert], cpu)

    def _inputs(self, case, folder):
        # --state turns inputs of the graph into states, which begin at zero like the inputs.
        count = sum(1 for _ in case.input_arrays()) - len(case.zero_inputs)
        return ["--input", *(f"{i}={folder}/input.{i}.npy" for i in range(count))]

    def answer(self, case, folder, cpu):
        text = output_of([self.command, "run", folder / "model.weft", *self._inputs(case, folder),
                          "--output-dir", folder / "weft", "--json"], cpu)
        return np.load(json.loads(text)["outputs"][0]["file"]).ravel().astype(np.float32)

    def times(self, case, folder, cpu, milliseconds):
        """Measures as many runs as take about the same time as those of the other engines."""
        runs = self.iterations.get(folder, 50)
        text = output_of([self.command, "bench", folder / "model.weft", "--json", "--iterations",
                          runs, *self._inputs(case, folder)], cpu, undisturbed())
        found = json.loads(text)
        median = max(found["microseconds"]["median"], 0.05)
        self.iterations[folder] = max(50, int(1000 * milliseconds / median))
        if runs == 50 and self.iterations[folder] > 100:
            return self.times(case, folder, cpu, milliseconds)
        return found


class Driver:
    """A program of this folder. `arguments` returns its arguments before the folder and the time,
    or None if it does not support the case; `last` are its arguments after them."""
    def __init__(self, name, program, arguments, output, last=()):
        self.name, self.program, self.arguments, self.output = name, program, arguments, output
        self.last = last
        self.version = ""

    def prepare(self, case, folder, cpu):
        pass

    def _call(self, case, folder, cpu, milliseconds):
        first = self.arguments(case, folder)
        if first is None:
            return None
        run = [sys.executable] if self.program.suffix == ".py" else []
        text = output_of([*run, self.program, *first, folder, milliseconds, *self.last], cpu, undisturbed())
        return json.loads(text) if text else None

    def answer(self, case, folder, cpu):
        found = self._call(case, folder, cpu, 1)
        if found is None:
            return None
        self.version = found["version"]
        return np.fromfile(folder / self.output, np.float32)

    def times(self, case, folder, cpu, milliseconds):
        return self._call(case, folder, cpu, milliseconds)


def _file(name):
    """The arguments of a driver that reads this file, if the case has it."""
    return lambda _, folder: [folder / name] if (folder / name).exists() else None


def _cell(case, _):
    is_cell = case.cell and case.cell[0] in ("lstm", "gru")
    return case.cell if is_cell else None


def _lstm_in_int8(case, folder):
    return _cell(case, folder) if case.cell[:1] == ("lstm",) and case.has_int8_weights else None


def engines_of(weft, drivers):
    """weft, and the peers whose drivers were built."""
    peers = [
        Driver("LiteRT", HERE / "litert_driver.py", _file("model.tflite"), "litert.f32"),
        Driver("ONNX Runtime", drivers / "onnxruntime_driver", _file("model.onnx"),
               "onnxruntime.f32"),
        Driver("OpenVINO", drivers / "openvino_driver", _file("model.xml"), "openvino.f32"),
        Driver("RTNeural", drivers / "rtneural_driver", lambda case, _:
               None if case.is_calibrated else [case.graph.name], "rtneural.f32"),
        Driver("oneDNN", drivers / "onednn_driver", _cell, "onednn.f32"),
        Driver("oneDNN int8", drivers / "onednn_driver", _lstm_in_int8, "onednn.f32", ["int8"]),
    ]
    built = [peer for peer in peers if peer.program.exists()]
    absent = [peer.name for peer in peers if peer not in built]
    return [Weft(weft), *built], absent
