# SPDX-License-Identifier: Apache-2.0
"""ONNX models built node by node, in forms that PyTorch and Keras do not write."""

import numpy as np

from architectures.registry import architecture

BUILT = ("built",)


def _numbers(*shape):
    return (np.random.standard_normal(shape) * 0.5).astype(np.float32)


def _model(nodes, inputs, outputs, weights, opset=17):
    """nodes: (kind, inputs, outputs, attributes); outputs: names, or (name, type)."""
    from onnx import TensorProto, helper, numpy_helper

    def port(name, array):
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        return helper.make_tensor_value_info(name, kind, list(array.shape))

    made = [helper.make_node(kind, takes, gives, **attributes)
            for kind, takes, gives, attributes in nodes]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    graph = helper.make_graph(
        made, "graph", [port(*item) for item in inputs.items()], ends,
        [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    return model, tuple(inputs.values())


@architecture("built_lstm_lengths", forms=BUILT)
def built_lstm_lengths():
    """Sequence lengths per batch row, time as the first axis, no cell clipping."""
    inputs = {"x": _numbers(6, 2, 3)}
    weights = {"w": _numbers(1, 20, 3), "r": _numbers(1, 20, 5), "b": _numbers(1, 40),
               "lengths": np.array([6, 4], np.int32)}
    nodes = [("LSTM", ["x", "w", "r", "b", "lengths"], ["y", "h", "c"], {"hidden_size": 5}),
             ("Squeeze", ["h"], ["last"], {})]
    return _model(nodes, inputs, ["y", "last"], weights)


@architecture("built_gru_both_ways", forms=BUILT)
def built_gru_both_ways():
    inputs = {"x": _numbers(5, 1, 3), "first": _numbers(2, 1, 4)}
    weights = {"w": _numbers(2, 12, 3), "r": _numbers(2, 12, 4), "b": _numbers(2, 24)}
    nodes = [("GRU", ["x", "w", "r", "b", "", "first"], ["y", "h"],
              {"hidden_size": 4, "direction": "bidirectional",
               "linear_before_reset": 1}),
             ("ReduceMean", ["y"], ["mean"], {"axes": [1], "keepdims": 0})]
    return _model(nodes, inputs, ["mean", "h"], weights)


@architecture("built_streaming_conv", forms=BUILT)
def built_streaming_conv():
    """The past of a convolution as input and output, selected by Slice from the end."""
    inputs = {"x": _numbers(1, 4, 3), "past": _numbers(1, 4, 4)}
    weights = {"w": _numbers(6, 4, 5), "b": _numbers(6), "from": np.array([-4], np.int64),
               "to": np.array([2**62], np.int64), "axis": np.array([2], np.int64)}
    nodes = [("Concat", ["past", "x"], ["all"], {"axis": 2}),
             ("Conv", ["all", "w", "b"], ["y"], {}), ("Relu", ["y"], ["z"], {}),
             ("Slice", ["all", "from", "to", "axis"], ["next"], {})]
    return _model(nodes, inputs, ["z", "next"], weights)


@architecture("built_qlinear_conv", forms=BUILT)
def built_qlinear_conv():
    """Integers from QuantizeLinear to DequantizeLinear: QLinearConv and QLinearMatMul."""
    def scale(number):
        return np.float32(number)

    inputs = {"x": _numbers(1, 2, 8)}
    weights = {"sx": scale(0.02), "zx": np.uint8(120), "sw": scale(0.01), "zw": np.int8(0),
               "sy": scale(0.05), "zy": np.uint8(100),
               "w": np.random.randint(-90, 90, (4, 2, 3)).astype(np.int8),
               "b": np.random.randint(-500, 500, 4).astype(np.int32)}
    nodes = [("QuantizeLinear", ["x", "sx", "zx"], ["q"], {}),
             ("QLinearConv", ["q", "sx", "zx", "w", "sw", "zw", "sy", "zy", "b"], ["r"],
              {"pads": [1, 1]}),
             ("DequantizeLinear", ["r", "sy", "zy"], ["y"], {})]
    return _model(nodes, inputs, ["y"], weights)


@architecture("built_classic_ml", forms=BUILT)
def built_classic_ml():
    """Features of a window and a logistic regression, like hand-deployed scikit-learn models."""
    inputs = {"x": _numbers(1, 3, 20)}
    weights = {"w": _numbers(15, 4), "b": _numbers(4), "axis": np.array([2], np.int64),
               "two": np.float32(2), "shape": np.array([1, 15], np.int64)}
    nodes = [("ReduceMean", ["x"], ["mean"], {"axes": [2]}),
             ("Sub", ["x", "mean"], ["d"], {}), ("Pow", ["d", "two"], ["dd"], {}),
             ("ReduceMean", ["dd"], ["var"], {"axes": [2]}), ("Sqrt", ["var"], ["std"], {}),
             ("ReduceMax", ["x"], ["max"], {"axes": [2]}),
             ("ReduceMin", ["x"], ["min"], {"axes": [2]}),
             ("ReduceL1", ["d"], ["l1"], {"axes": [2]}),
             ("Concat", ["mean", "std", "max", "min", "l1"], ["all"], {"axis": 2}),
             ("Reshape", ["all", "shape"], ["row"], {}),
             ("Gemm", ["row", "w", "b"], ["score"], {"alpha": 0.5}),
             ("Softmax", ["score"], ["p"], {"axis": 1})]
    return _model(nodes, inputs, ["p"], weights, 13)


@architecture("built_scan_filter", causal=True, forms=BUILT)
def built_scan_filter():
    """A Scan whose body is a leaky integrator with a dense layer."""
    from onnx import TensorProto, helper, numpy_helper

    keep, w = np.full((1, 4), 0.9, np.float32), _numbers(3, 4)

    def port(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))

    body = helper.make_graph(
        [helper.make_node("MatMul", ["row", "w"], ["drive"]),
         helper.make_node("Mul", ["state", "keep"], ["kept"]),
         helper.make_node("Add", ["kept", "drive"], ["next"]),
         helper.make_node("Tanh", ["next"], ["out"])],
        "body", [port("state", 1, 4), port("row", 1, 3)], [port("next", 1, 4), port("out", 1, 4)],
        [numpy_helper.from_array(keep, "keep"), numpy_helper.from_array(w, "w")])
    inputs = {"first": _numbers(1, 4), "x": _numbers(6, 1, 3)}
    return _model([("Scan", ["first", "x"], ["last", "y"], {"body": body, "num_scan_inputs": 1})],
                  inputs, ["y", "last"], {})


@architecture("built_sequence_ops", forms=BUILT)
def built_sequence_ops():
    """SplitToSequence and ConcatFromSequence, as old exporters write chunk and cat."""
    inputs = {"x": _numbers(1, 6, 4)}
    weights = {"two": np.array(2, np.int64), "zero": np.array(0, np.int64),
               "one": np.array(1, np.int64)}
    nodes = [("SplitToSequence", ["x", "two"], ["parts"], {"axis": 2}),
             ("SequenceAt", ["parts", "zero"], ["a"], {}),
             ("SequenceAt", ["parts", "one"], ["b"], {}),
             ("Sigmoid", ["b"], ["gate"], {}), ("Mul", ["a", "gate"], ["y"], {})]
    return _model(nodes, inputs, ["y"], weights)


@architecture("built_resize_crop", forms=BUILT)
def built_resize_crop():
    """Shapes computed from shapes, resized, cropped by a computed centre."""
    inputs = {"x": _numbers(1, 2, 6, 5)}
    weights = {"scales": np.array([1, 1, 2, 2], np.float32), "four": np.array([4, 4], np.int64),
               "from": np.array([2], np.int64), "to": np.array([4], np.int64),
               "two": np.array([2], np.int64), "axes": np.array([2, 3], np.int64)}
    nodes = [("Resize", ["x", "", "scales"], ["big"], {"mode": "linear",
              "coordinate_transformation_mode": "pytorch_half_pixel"}),
             ("Shape", ["big"], ["shape"], {}), ("Slice", ["shape", "from", "to"], ["size"], {}),
             ("Sub", ["size", "four"], ["rest"], {}), ("Div", ["rest", "two"], ["begin"], {}),
             ("Add", ["begin", "four"], ["end"], {}),
             ("Slice", ["big", "begin", "end", "axes"], ["y"], {})]
    return _model(nodes, inputs, ["y"], weights)
