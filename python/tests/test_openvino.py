# SPDX-License-Identifier: Apache-2.0
"""Tests that require OpenVINO: its models, ONNX files, and the comparison by layers."""
import pathlib
import tempfile
import unittest
import warnings

import numpy as np

import weft
from cases import Case
from onnx_file import onnx, save_tanh

try:
    import openvino
except ImportError:
    openvino = None


@unittest.skipIf(openvino is None, "OpenVINO is not installed")
class FromOpenVino(unittest.TestCase):
    def test_model_in_memory_is_the_model_of_its_file(self):
        case = Case("onnx/keyword_spotter")
        read = openvino.Core().read_model(case.model)
        model = weft.convert(read)
        case.assert_close([model(*case.inputs.values())])

    def test_faults_of_a_model_in_memory(self):
        x = openvino.opset13.parameter([-1, -1], np.float32, "x")
        x.set_friendly_name("x")
        with self.assertRaisesRegex(weft.Error, '"x"'):
            weft.convert(openvino.Model(openvino.opset13.relu(x), [x]))

    def test_a_dynamic_batch_is_one(self):
        x = openvino.opset13.parameter([-1, 3], np.float32, "x")
        x.set_friendly_name("x")
        model = openvino.Model(openvino.opset13.relu(x), [x])
        with self.assertWarnsRegex(UserWarning, "its batch is dynamic; assumed to be 1"):
            self.assertEqual(weft.convert(model).inputs[0].shape, (1, 3))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(weft.convert(model, shapes={"x": (2, 3)}).inputs[0].shape, (2, 3))

    def test_positions_along_a_dynamic_time_axis(self):
        op = openvino.opset13
        x = op.parameter([1, -1, 4], np.float32, "x")
        x.set_friendly_name("x")
        length = op.squeeze(op.gather(op.shape_of(x), [1], 0), [0])
        numbers = op.convert(op.range(0, length, 1, "i64"), "f32")
        angles = op.multiply(op.unsqueeze(numbers, [1]), np.float32([[1, 0.1, 0.01, 0.001]]))
        y = op.cum_sum(op.add(x, op.sin(angles)), 1)
        model = openvino.Model(y, [x])
        data = np.random.default_rng(1).standard_normal((1, 100, 4)).astype(np.float32)
        whole = weft.convert(model, shapes={"x": data.shape})(data)
        step = weft.convert(model, streaming=True)
        steps = [step(data[:, at:at + 1]) for at in range(100)]
        np.testing.assert_array_equal(np.concatenate(steps, axis=1), whole)

    @unittest.skipIf(onnx is None, "onnx is not installed")
    def test_onnx_file(self):
        x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.onnx"
            save_tanh(path)
            np.testing.assert_allclose(weft.convert(path)(x), np.tanh(x), rtol=1e-6)
            with self.assertRaisesRegex(weft.Error, f"{path}.*layer"):
                weft.convert(path, shapes={"x": (-1, -1)})
            path.write_bytes(b"no model")
            with self.assertRaisesRegex(weft.Error, "net.onnx: OpenVINO cannot read it"):
                weft.convert(path)


@unittest.skipIf(openvino is None, "OpenVINO is not installed")
class ByLayers(unittest.TestCase):
    def test_every_layer_agrees(self):
        case = Case("onnx/keyword_spotter")
        for model in (weft.convert(case.model),
                      weft.convert(openvino.Core().read_model(case.model))):
            found = weft.compare(model, dict(enumerate(case.inputs.values())), rtol=1e-4, atol=1e-4)
            self.assertTrue(found, found)
            self.assertGreater(len(found.compared), 3)

    def test_the_first_that_differs_is_named(self):
        case = Case("onnx/keyword_spotter")
        inputs = dict(enumerate(case.inputs.values()))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.xml"
            path.write_bytes(case.model.read_bytes())
            path.with_suffix(".bin").write_bytes(case.model.with_suffix(".bin").read_bytes())
            model = weft.convert(path, precision="bf16")  # the IR has f32 weights
            found = weft.compare(model, inputs, rtol=0, atol=1e-6)
        self.assertFalse(found)
        self.assertEqual(found.first.type, "Convolution")  # the first layer with weights
        self.assertIn(f'"{found.first.name}"', repr(found))
        at = found.compared.index(found.first)
        self.assertTrue(all(one.equal for one in found.compared[:at]))

    def test_a_streamed_model_needs_a_reference(self):
        case = Case("exports/keras_gru")
        model = weft.convert(case.model, streaming=True)
        with self.assertRaisesRegex(weft.Error, "or have a reference"):
            weft.compare(model, {})


if __name__ == "__main__":
    unittest.main()
