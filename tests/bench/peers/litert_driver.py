#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LiteRT with XNNPACK, its default, on one thread: prints times as the other drivers do (timing.h).

    litert_driver.py MODEL.tflite FOLDER MILLISECONDS

The call from Python is part of a run; it costs less than a microsecond.
"""
import importlib.metadata
import json
import pathlib
import sys
import time

import numpy as np
from ai_edge_litert.interpreter import Interpreter

MIN_RUNS = 50


def durations(call, nanoseconds, runs):
    """Times of calls in nanoseconds: `runs` of them, and more until the time is over."""
    now, times = time.perf_counter_ns, []
    end = now() + nanoseconds
    while len(times) < runs or now() < end:
        begin = now()
        call()
        times.append(now() - begin)
    return times


def clock_cost():
    now = time.perf_counter_ns
    return min(-now() + now() for _ in range(1000))


def main():
    model, folder, milliseconds = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    interpreter = Interpreter(model_path=model, num_threads=1)
    interpreter.allocate_tensors()
    for i, port in enumerate(interpreter.get_input_details()):
        interpreter.set_tensor(port["index"], np.load(folder / f"input.{i}.npy"))
    interpreter.invoke()
    first = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    first.astype(np.float32).tofile(folder / "litert.f32")
    durations(interpreter.invoke, milliseconds * 250000, 10)
    times = np.maximum(np.array(durations(interpreter.invoke, milliseconds * 1000000, MIN_RUNS))
                       - clock_cost(), 0) / 1000
    low, middle, high = np.quantile(times, (0, 0.5, 0.99))
    print(json.dumps({"engine": "LiteRT", "version": importlib.metadata.version("ai-edge-litert"),
                      "iterations": len(times),
                      "microseconds": {"min": low, "median": middle, "p99": high}}))


if __name__ == "__main__":
    main()
