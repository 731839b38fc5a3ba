# SPDX-License-Identifier: Apache-2.0
"""An ONNX file for tests. `onnx` is None if the package is not installed."""
try:
    import onnx
except ImportError:
    onnx = None


def save_tanh(path):
    """y = tanh(x) of f32[2,3]."""
    value = onnx.helper.make_tensor_value_info
    ports = [value(name, onnx.TensorProto.FLOAT, [2, 3]) for name in ("x", "y")]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Tanh", ["x"], ["y"])], "net", ports[:1],
                                   ports[1:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)
