#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the firmware of a task of MLPerf Tiny over its serial protocol.

    run.py check       TARGET                      # compares the answers with the protocol
    run.py performance TARGET [--inputs FOLDER]    # median throughput of 5 windows
    run.py accuracy    TARGET --inputs FOLDER      # top-1 accuracy, or AUC of anomaly detection

TARGET is --firmware firmware.elf --board BOARD, which QEMU runs, or --port /dev/ttyACM0, which needs
the package pyserial. FOLDER has the files of the task in the layout of MLCommons' runner: lines
`file, number of classes, class` in y_labels.csv, for anomaly detection with `bytes to send, stride`.
Without FOLDER the inputs are random, so their results have no meaning.

QEMU counts one instruction as one nanosecond. Throughput of a board needs the board.
"""
import argparse
import contextlib
import csv
import os
import pathlib
import random
import re
import selectors
import statistics
import struct
import subprocess
import sys
import time

INPUT_BYTES = {"kws01": 490, "vww01": 96 * 96 * 3, "ic01": 32 * 32 * 3, "ad01": 640 * 4,
               "sww01": 1200}
# Inferences and warm-up inferences of a window, as in MLCommons' runner.
WINDOWS = {"kws01": (70, 10), "vww01": (20, 5), "ic01": (20, 5), "ad01": (1500, 10),
           "sww01": (70, 10)}
BYTES_PER_COMMAND = 31  # of MLCommons' runner
RESULT = r"\d+\.\d{3}"


class Failure(Exception):
    """The text is one line for the user."""


class Emulator:
    """The serial port of a firmware that QEMU runs."""

    def __init__(self, firmware, board):
        self.process = subprocess.Popen(
            ["qemu-system-arm", "-M", board, "-display", "none", "-monitor", "none", "-semihosting-config",
             "enable=on,target=native", "-icount", "shift=0", "-serial", "stdio", "-kernel",
             str(firmware)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, timeout):
        """Returns the received bytes, none after `timeout` seconds."""
        if not self.selector.select(timeout):
            return b""
        data = os.read(self.process.stdout.fileno(), 65536)
        if not data:
            raise Failure(f"the emulator ended with code {self.process.wait()}")
        return data

    def close(self):
        self.selector.close()
        self.process.kill()
        self.process.communicate()


class SerialPort:
    """The serial port of a board."""

    def __init__(self, device, baud):
        try:
            import serial  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise Failure("--port needs the Python package pyserial") from None
        self.port = serial.Serial(device, baud)

    def write(self, data):
        self.port.write(data)

    def read(self, timeout):
        self.port.timeout = timeout
        return self.port.read(max(1, self.port.in_waiting))

    def close(self):
        self.port.close()


class Device:
    """Sends commands and returns the lines of their answers."""

    def __init__(self, port, timeout):
        self.port, self.timeout, self.received = port, timeout, b""

    def answer(self, what):
        """Returns the lines up to m-ready, without it."""
        end, lines = time.monotonic() + self.timeout, []
        while True:
            line, found, rest = self.received.partition(b"\n")
            if found:
                self.received = rest
                text = line.decode(errors="replace").strip("\r\0")
                if text == "m-ready":
                    return lines
                if text:
                    lines.append(text)
            elif time.monotonic() > end:
                raise Failure(f"{what}: no m-ready within {self.timeout} s; the answer is {lines}")
            else:
                self.received += self.port.read(0.1)

    def send(self, command):
        self.port.write(command.encode() + b"%")
        return self.answer(command)

    def load(self, data):
        self.send(f"db load {len(data)}")
        lines = []
        for start in range(0, len(data), BYTES_PER_COMMAND):
            lines = self.send(f"db {data[start:start + BYTES_PER_COMMAND].hex()}")
        if lines != ["m-load-done"]:
            raise Failure(f"db: the answer to the last bytes is {lines}; must be m-load-done")

    def model(self):
        return value(self.send("profile"), r"m-model-\[(.+)\]")

    def infer(self, runs, warmups):
        """Returns the results and the microseconds of all runs."""
        lines = self.send(f"infer {runs} {warmups}")
        laps = [int(line[9:]) for line in lines if re.fullmatch(r"m-lap-us-\d+", line)]
        if len(laps) != 2:
            raise Failure(f"infer: the answer has {len(laps)} lines m-lap-us; must have 2: {lines}")
        return results(lines), laps[1] - laps[0]


def value(lines, pattern):
    """Returns the group of the only line that matches the pattern."""
    found = [match.group(1) for match in (re.fullmatch(pattern, line) for line in lines) if match]
    if len(found) != 1:
        raise Failure(f"the answer is {lines}; must have one line {pattern}")
    return found[0]


def results(lines):
    texts = value(lines, rf"m-results-\[({RESULT}(?:,{RESULT})*)\]").split(",")
    return [float(text) for text in texts]


def check(device, data):
    """Compares the answers with those of the protocol."""
    lap = r"m-lap-us-\d+"
    rows = [
        ("name", [r"m-name-dut-\[[^]]+\]"]),
        ("timestamp", [lap]),
        ("profile", [r"m-profile-\[[^]]+\]", r"m-model-\[[a-z]+01\]"]),
        ("db", [r"e-\[Command 'db' requires a subcommand\]"]),
        ("db load", [r"e-\[Command 'db load' requires the # of bytes\]"]),
        ("db load 0", [r"e-\[Command 'db load' must be >0 bytes\]"]),
        ("db load 12", [r"m-\[Expecting 12 bytes\]"]),
        ("db 0", [r"e-\[Insufficent number of hex digits\]"]),
        ("db 0x", [r"e-\[Invalid hex digit '0x'\]"]),
        ("db 0001027f80ff", []),
        ("db 0A0b0C0d0e0fFFFF", ["m-load-done"]),
        ("db print", ["m-buffer-00-01-02-7f-80-ff-0a-0b", "m-buffer-0c-0d-0e-0f"]),
        ("infer 0", [r"e-\[Inference iterations must be >0\]"]),
        ("infer 1 -1", [r"e-\[Inference warmup must be >=0\]"]),
        ("no_command", [r"e-\[Unknown command: no_command\]"]),
    ]
    for command, must in rows:
        expect(command, device.send(command), must)
    if not any("infer N" in line for line in device.send("help")):
        raise Failure("help: does not list infer N")
    device.load(data)
    runs = ["m-warmup-start-{1}", "m-warmup-done", "m-infer-start-{0}", lap, lap, "m-infer-done"]
    first = None
    for counts in ((1, 0), (3, 2)):  # a run must not change the input of the next one
        lines = device.send("infer {} {}".format(*counts))
        expect("infer", lines[:-1], [row.format(*counts) for row in runs])
        first = first or results(lines)
        for name, other in (("infer 3 2", lines), ("results", device.send("results"))):
            if results(other) != first:
                raise Failure(f"{name}: is {results(other)}; must be {first}, as after infer 1 0")
    print(f"check: {len(rows) + 6} answers as specified; results {first[:12]}")


def expect(command, lines, must):
    if len(lines) != len(must) or not all(map(re.fullmatch, must, lines)):
        raise Failure(f"{command}: is {lines}; must be {must}")


def samples(folder):
    """Yields name, class and bytes of each input of a folder."""
    with open(folder / "y_labels.csv", newline="", encoding="utf-8") as file:
        for row in csv.reader(file, skipinitialspace=True):
            data = (folder / row[0]).read_bytes()
            size, stride = map(int, row[3:5]) if len(row) > 4 else (len(data), len(data))
            for start in range(0, len(data) - size + 1, stride):
                yield row[0], int(row[2]), data[start:start + size]


def random_input(model, size):
    source = random.Random(1)
    if model == "ad01":
        return struct.pack(f"<{size // 4}f", *(source.uniform(-60, 20) for _ in range(size // 4)))
    return source.randbytes(size)


def performance(device, model, inputs, runs, warmups, emulated):
    """Prints the throughput of 5 windows, each with the next input, and their median."""
    throughputs = []
    for window in range(5):
        device.load(inputs[window % len(inputs)])
        _, microseconds = device.infer(runs, warmups)
        throughputs.append(runs / max(microseconds, 1) * 1e6)
        print(f"window {window + 1}: {runs} inferences in {microseconds / 1e6:.3f} s: "
              f"{throughputs[-1]:.3f} inferences/s")
    median = statistics.median(throughputs)
    print(f"{model}: median throughput {median:.3f} inferences/s" + (
        f"; {1e9 / median:.0f} instructions per inference" if emulated else ""))


def area_under_curve(scores):
    """Probability that a sample of class 1 has a larger score than one of class 0."""
    normal = [score for label, score in scores if label == 0]
    other = [score for label, score in scores if label == 1]
    if not normal or not other:
        raise Failure("y_labels.csv has samples of one class; AUC needs classes 0 and 1")
    wins = sum((a > b) + 0.5 * (a == b) for a in other for b in normal)
    return wins / (len(normal) * len(other))


def accuracy(device, model, folder):
    """Prints the accuracy over all inputs. A file with several windows has their mean."""
    outputs = {}
    for name, label, data in samples(folder):
        device.load(data)
        outputs.setdefault((name, label), []).append(device.infer(1, 0)[0])
    if not outputs:
        raise Failure(f"{folder}/y_labels.csv has no samples; must have at least one")
    means = [(label, [statistics.fmean(column) for column in zip(*rows)])
             for (_, label), rows in outputs.items()]
    if model == "ad01":
        auc = area_under_curve([(label, row[0]) for label, row in means])
        print(f"{model}: AUC {auc:.3f} of {len(means)} files")
    else:
        right = sum(row.index(max(row)) == label for label, row in means)
        print(f"{model}: top-1 accuracy {100 * right / len(means):.1f} % of {len(means)} files")


@contextlib.contextmanager
def connected(args):
    """Yields the device of the arguments."""
    port = Emulator(args.firmware, args.board) if args.firmware else SerialPort(args.port, args.baud)
    try:
        device = Device(port, args.timeout)
        if args.firmware:
            expect("start", device.answer("start"), ["m-timestamp-mode-performance", "m-init-done"])
        yield device
    finally:
        port.close()


def run(args):
    with connected(args) as device:
        model = device.model()
        if args.mode == "accuracy":
            accuracy(device, model, args.inputs)
            return
        size = args.input_bytes or INPUT_BYTES.get(model)
        if size is None:
            raise Failure(f"model is {model}; must be {', '.join(INPUT_BYTES)}")
        inputs = [data for _, _, data in samples(args.inputs)] if args.inputs else [
            random_input(model, size)]
        if args.mode == "check":
            check(device, inputs[0])
            return
        runs, warmups = WINDOWS[model]
        performance(device, model, inputs, args.runs or runs, warmups, args.firmware)


def main():
    parser = argparse.ArgumentParser(description="Run the firmware of a task of MLPerf Tiny.")
    parser.add_argument("mode", choices=("check", "performance", "accuracy"))
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--firmware", type=pathlib.Path, help="program that QEMU runs")
    target.add_argument("--port", help="serial port of a board")
    parser.add_argument("--board", default="mps2-an386", help="of --firmware; default: mps2-an386")
    parser.add_argument("--baud", type=int, default=115200, help="of --port; default: 115200")
    parser.add_argument("--inputs", type=pathlib.Path, help="folder with y_labels.csv")
    parser.add_argument("--input-bytes", type=int, help="size of the input, if not the task's")
    parser.add_argument("--runs", type=int, help="inferences of a window; default: the task's")
    parser.add_argument("--timeout", type=float, default=120, help="seconds; default: 120")
    args = parser.parse_args()
    if args.mode == "accuracy" and not args.inputs:
        parser.error("accuracy needs --inputs FOLDER")
    try:
        run(args)
    except (Failure, OSError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
