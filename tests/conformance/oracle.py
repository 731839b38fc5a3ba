# SPDX-License-Identifier: Apache-2.0
"""Runs a stored model in OpenVINO's CPU device: f32 arithmetic, one thread."""

import pathlib
import platform

import numpy as np
import openvino as ov


def byte_products_saturate():
    """Without VNNI, OpenVINO adds pairs of products of bytes in 16 bits on x86-64."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return False
    flags = pathlib.Path("/proc/cpuinfo")
    return not flags.exists() or "vnni" not in flags.read_text()


CONFIGURATION = {
    "INFERENCE_PRECISION_HINT": "f32",
    "EXECUTION_MODE_HINT": "ACCURACY",
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 1,
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
    # Quantised layers compute in f32 where their integers would be wrong.
    **({"LP_TRANSFORMS_MODE": "NO"} if byte_products_saturate() else {}),
}


def release():
    """The release as "2026.4", without the build number."""
    return "openvino " + ".".join(ov.__version__.split("-")[0].split(".")[:2])


class Oracle:
    """Runs models with one ov.Core, which all cases share."""
    def __init__(self):
        self._core = ov.Core()

    def run(self, xml_path, inputs, calls=0, settings=None, prepare=None):
        """Reads the model from disk, as weft does, and returns one array per Result. If the inputs
        have another shape than the model's, the model is reshaped, as by `weft convert --shape`.
        `settings` are added to the configuration. prepare: changes the ov.Model; returns the arrays
        of the inputs that it adds."""
        model = self._core.read_model(xml_path)
        inputs = [*inputs, *(prepare(model) if prepare else [])]
        shapes = [
            ov.PartialShape(list(array.shape[1:] if calls else array.shape)) for array in inputs
        ]
        if [port.get_partial_shape() for port in model.inputs] != shapes:
            model.reshape(dict(zip(model.inputs, shapes)))
        configuration = {**CONFIGURATION, **(settings or {})}
        request = self._core.compile_model(model, "CPU", configuration).create_infer_request()
        if not calls:
            return self._once(request, inputs)
        answers = [self._once(request, [array[call] for array in inputs]) for call in range(calls)]
        return [np.stack(parts) for parts in zip(*answers)]

    @staticmethod
    def _once(request, inputs):
        for index, array in enumerate(inputs):
            request.get_input_tensor(index).data[...] = array
        request.infer()
        return [
            np.array(request.get_output_tensor(index).data)
            for index in range(len(request.model_outputs))
        ]
