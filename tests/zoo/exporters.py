# SPDX-License-Identifier: Apache-2.0
"""One function per exporter: from an architecture to an ov.Model with fixed shapes.

Each function takes (module, inputs, folder for intermediate files) and returns (model, path of an ONNX
file or None, outputs of the framework)."""

import warnings

import numpy as np
import openvino as ov

warnings.filterwarnings("ignore")


def flat(values):
    """The tensors of nested tuples and lists, as NumPy arrays."""
    if isinstance(values, (tuple, list)):
        return [array for value in values for array in flat(value)]
    if isinstance(values, dict):
        return flat(list(values.values()))
    return [values.detach().numpy() if hasattr(values, "detach") else np.asarray(values)]


def _answers(module, inputs):
    import torch

    with torch.no_grad():
        return flat(module(*inputs))


def _fixed(model, inputs):
    """Sets the shapes of the example, because tracing may leave them dynamic."""
    arrays = flat(inputs)
    shapes = {port: ov.PartialShape(list(array.shape)) for port, array in zip(model.inputs, arrays)}
    if len(model.inputs) == len(arrays):
        model.reshape(shapes)
    return model


def _by_onnx(module, inputs, folder, **options):
    import torch

    path = folder / "model.onnx"
    torch.onnx.export(module, inputs, str(path), **options)
    return _fixed(ov.convert_model(path), inputs), path, _answers(module, inputs)


def onnx(module, inputs, folder):
    """TorchScript: Python loops are unrolled, recurrent layers become ONNX operations."""
    return _by_onnx(module, inputs, folder, dynamo=False)


def dynamo(module, inputs, folder):
    """torch.export, then ONNX by onnxscript."""
    return _by_onnx(module, inputs, folder, dynamo=True, external_data=False, verbose=False)


def _of_opset(version, **options):
    """An exporter to ONNX with another opset than its default, 18 or 20, in which layers become other
    operations. (Between opsets 13 and 23 they do not.)"""
    def export(module, inputs, folder):
        return _by_onnx(module, inputs, folder, opset_version=version, **options)

    return export


onnx13 = _of_opset(13, dynamo=False)
dynamo23 = _of_opset(23, dynamo=True, external_data=False, verbose=False)


def openvino(module, inputs, folder):
    """OpenVINO traces the module itself."""
    del folder
    return _fixed(ov.convert_model(module, example_input=inputs), inputs), None, _answers(
        module, inputs)


def exported(module, inputs, folder):
    """OpenVINO reads the result of torch.export."""
    import torch

    del folder
    program = torch.export.export(module, inputs)
    return _fixed(ov.convert_model(program), inputs), None, _answers(module, inputs)


def script(module, inputs, folder):
    """OpenVINO reads the scripted module, which keeps loops and branches."""
    import torch

    del folder
    return _fixed(ov.convert_model(torch.jit.script(module), example_input=inputs),
                  inputs), None, _answers(module, inputs)


def script_onnx(module, inputs, folder):
    """The scripted module through ONNX."""
    import torch

    return _by_onnx(torch.jit.script(module), inputs, folder, dynamo=False)


def built(model, inputs, folder):
    """An ONNX model built node by node."""
    import onnx as onnx_package

    path = folder / "model.onnx"
    onnx_package.save(model, str(path))
    return _fixed(ov.convert_model(path), inputs), path, None


def _quantised(module, inputs, folder, quantise):
    import torch

    source, path = folder / "float.onnx", folder / "model.onnx"
    torch.onnx.export(module, inputs, str(source), dynamo=False)
    quantise(source, path)
    return _fixed(ov.convert_model(path), inputs), path, None


def dynamic(module, inputs, folder):
    """ONNX Runtime quantises weights now and activations at run time."""
    from onnxruntime import quantization

    def quantise(source, path):
        quantization.quantize_dynamic(str(source), str(path))

    return _quantised(module, inputs, folder, quantise)


def static(module, inputs, folder):
    """ONNX Runtime inserts QuantizeLinear and DequantizeLinear, calibrated with the example."""
    from onnxruntime import quantization

    class Reader(quantization.CalibrationDataReader):
        def __init__(self, names):
            self.rows = iter([dict(zip(names, flat(inputs)))])

        def get_next(self):
            return next(self.rows, None)

    def quantise(source, path):
        import onnx as onnx_package

        names = [port.name for port in onnx_package.load(str(source)).graph.input]
        quantization.quantize_static(str(source), str(path), Reader(names), per_channel=True)

    return _quantised(module, inputs, folder, quantise)


def _saved_keras(model, folder):
    path = folder / "saved"
    model.export(str(path), format="tf_saved_model", verbose=False)
    return path


def _saved_function(function, inputs, folder):
    import tensorflow as tf

    path = folder / "saved"
    module = tf.Module()
    module.run = tf.function(function, input_signature=[
        tf.TensorSpec(array.shape, array.dtype) for array in inputs])
    tf.saved_model.save(module, str(path))
    return path


def _lite(saved, inputs, folder):
    """A SavedModel through TensorFlow Lite, whose converter rewrites many operations."""
    import tensorflow as tf

    path = folder / "model.tflite"
    path.write_bytes(tf.lite.TFLiteConverter.from_saved_model(str(saved)).convert())
    return _fixed(ov.convert_model(str(path)), inputs)


def _answers_of_keras(model, inputs):
    return flat(model(*inputs) if len(inputs) == 1 else model(list(inputs)))


def keras(model, inputs, folder):
    """A Keras model through a TensorFlow SavedModel."""
    path = _saved_keras(model, folder)
    return _fixed(ov.convert_model(str(path)), inputs), None, _answers_of_keras(model, inputs)


def keras_lite(model, inputs, folder):
    """A Keras model through TensorFlow Lite."""
    path = _saved_keras(model, folder)
    return _lite(path, inputs, folder), None, _answers_of_keras(model, inputs)


def tensorflow(function, inputs, folder):
    """A tf.function as a SavedModel."""
    path = _saved_function(function, inputs, folder)
    return _fixed(ov.convert_model(str(path)), inputs), None, flat(function(*inputs))


def tensorflow_lite(function, inputs, folder):
    """A tf.function through TensorFlow Lite."""
    path = _saved_function(function, inputs, folder)
    return _lite(path, inputs, folder), None, flat(function(*inputs))
