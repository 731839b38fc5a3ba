# SPDX-License-Identifier: Apache-2.0
"""Calibrated int8 models of a case: by NNCF for OpenVINO, whose IR weft reads, and by the tool of
ONNX Runtime for ONNX Runtime. Both choose their ranges from the same samples."""
import logging

import nncf
import numpy as np
import onnx
import openvino as ov
from onnxruntime import quantization
from onnxruntime.quantization import shape_inference

ITEMS = 32  # calibration samples


def _items(case):
    """Samples for all input ports."""
    random = np.random.default_rng(2)
    for _ in range(ITEMS):
        yield {port.name: random.uniform(-1, 1, [dim.dim_value for dim in
                                                port.type.tensor_type.shape.dim])
               .astype(np.float32) for port in case.inputs}


class _Reader(quantization.CalibrationDataReader):
    def __init__(self, case):
        self.items = _items(case)

    def get_next(self):
        return next(self.items, None)


def quantise(case, folder):
    """Quantises folder/f32.onnx to int8 as model.xml and model.onnx."""
    nncf.set_log_level(logging.ERROR)
    names = [port.name for port in case.inputs]
    data = nncf.Dataset([[item[name] for name in names] for item in _items(case)])
    # Weights of the first layer use all 256 levels: no engine here needs the reduction to 7 bits,
    # which is for processors without VNNI.
    fix = nncf.AdvancedQuantizationParameters(overflow_fix=nncf.OverflowFix.DISABLE)
    model = nncf.quantize(ov.convert_model(folder / "f32.onnx"), data, subset_size=ITEMS,
                          advanced_parameters=fix)
    ov.save_model(model, folder / "model.xml", compress_to_fp16=False)
    shape_inference.quant_pre_process(folder / "f32.onnx", folder / "prepared.onnx",
                                      skip_symbolic_shape=True)
    quantization.quantize_static(folder / "prepared.onnx", folder / "model.onnx", _Reader(case),
                                 quant_format=quantization.QuantFormat.QDQ, per_channel=True,
                                 activation_type=quantization.QuantType.QUInt8,
                                 weight_type=quantization.QuantType.QInt8)
    onnx.checker.check_model(onnx.load(folder / "model.onnx"))
