#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calibrates an OpenVINO IR with NNCF for weft: 8-bit activations and weights.

    quantise.py MODEL.xml -o INT8.xml --input NAME=FILE.npy [--stream RUNS] [--float TYPE]

The first axis of each array is the run, as in `weft compare --input`. README.md explains the
settings.
"""

import argparse
import pathlib

import nncf
import numpy as np
import openvino as ov
from nncf.definitions import NNCF_DATASET_RESET_STATE_KEY
from nncf.quantization.advanced_parameters import AdvancedQuantizationParameters, OverflowFix
from nncf.quantization.range_estimator import RangeEstimatorParametersSet

# weft's sums are exact, so weights can use all 8 bits. Ranges include the extremes of all calibration
# runs, not their mean.
FOR_WEFT = AdvancedQuantizationParameters(
    overflow_fix=OverflowFix.DISABLE,
    activations_range_estimator_params=RangeEstimatorParametersSet.MINMAX,
)


def runs_of(arrays, stream):
    """Yields one dictionary per run. `stream`: number of runs after which the state is reset."""
    count = min(len(array) for array in arrays.values())
    for run in range(count):
        item = {name: np.asarray(array[run], np.float32) for name, array in arrays.items()}
        if stream:
            item[NNCF_DATASET_RESET_STATE_KEY] = run % stream == 0
        yield item


def quantise(path, arrays, stream=0, floats=(), settings=FOR_WEFT):
    """Returns the model in `path`, calibrated with all runs of `arrays`. Layers of the types `floats`
    remain float."""
    items = list(runs_of(arrays, stream))
    return nncf.quantize(ov.Core().read_model(path), nncf.Dataset(items), subset_size=len(items),
                         ignored_scope=nncf.IgnoredScope(types=list(floats)),
                         advanced_parameters=settings)


def save(model, path):
    """Saves without f16 compression: f16 constants would no longer be integers times a scale."""
    ov.save_model(model, path, compress_to_fp16=False)


def main():
    parser = argparse.ArgumentParser(description="Calibrate OpenVINO IR with NNCF for weft.")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--input", action="append", required=True, metavar="NAME=FILE.npy")
    parser.add_argument("--stream", type=int, default=0, metavar="RUNS",
                        help="runs per stream, for a model with state")
    parser.add_argument("--float", action="append", default=[], dest="floats", metavar="TYPE",
                        help="layer type that remains float")
    arguments = parser.parse_args()
    arrays = {}
    for text in arguments.input:
        name, _, file = text.partition("=")
        arrays[name] = np.load(file)
    save(quantise(arguments.model, arrays, arguments.stream, arguments.floats),
         arguments.output)


if __name__ == "__main__":
    main()
