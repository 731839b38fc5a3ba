# SPDX-License-Identifier: Apache-2.0
"""A front end and a model as one model."""
import pathlib
import tempfile
import unittest
from unittest import mock

import numpy as np

import weft
import weft.frontends as fe
from cases import Case
from frontend_values import FRAME, HOP, RATE, samples

try:
    import openvino
    from openvino import opset13 as op
except ImportError:
    openvino = None


def _front_end(bands=5, *more):
    return fe.Chain(fe.Spectrum(FRAME, HOP), fe.Power(), fe.MelBank(RATE, bands), fe.Log(1e-6),
                    *more)


def _parameter(name, *shape):
    x = op.parameter(list(shape), np.float32, name)
    x.output(0).get_tensor().set_names({name})
    return x


def _result(value, name):
    value.output(0).get_tensor().set_names({name})
    return op.result(value)


@unittest.skipIf(openvino is None, "OpenVINO is not installed")
class Composed(unittest.TestCase):
    def setUp(self):
        self.case = Case("exports/keras_gru")  # [1, 6, 5] to [1, 6, 12]
        self.x = samples()[None, :6 * HOP]

    def test_results_are_those_of_one_after_the_other(self):
        front_end = _front_end()
        expected = weft.convert(self.case.model)(front_end.numpy(self.x))
        for first in (front_end, front_end.model(6)):
            for second in (self.case.model, openvino.Core().read_model(self.case.model)):
                both = weft.compose(first, second)
                np.testing.assert_array_equal(weft.convert(both)(self.x), expected)
                for steps in (1, 2, 3):
                    model = weft.convert(both, streaming=steps)
                    self.assertEqual(model.inputs[0].shape, (1, steps * HOP))
                    np.testing.assert_array_equal(model.feed(self.x), expected)

    def test_a_model_of_any_length(self):
        x = _parameter("x", 1, -1, 5)
        model = openvino.Model(op.cum_sum(x, np.int64(1)), [x])
        step = weft.convert(weft.compose(_front_end(), model), streaming=True)
        expected = np.cumsum(_front_end().numpy(self.x), 1, dtype=np.float32)
        np.testing.assert_allclose(step.feed(self.x), expected, rtol=1e-5)

    def test_the_layout_of_the_model(self):
        for stage, shape in ((fe.Transpose(0, 2, 1), (1, 5, 6)), (fe.Unsqueeze(1), (1, 1, 6, 5)),
                             (fe.Unsqueeze(3), (1, 6, 5, 1))):
            x = _parameter("x", *shape)
            both = weft.compose(_front_end(5, stage), openvino.Model(op.tanh(x), [x]))
            expected = np.tanh(_front_end(5, stage).numpy(self.x))
            np.testing.assert_allclose(weft.convert(both)(self.x), expected, rtol=1e-6)

    def test_ports_by_name_and_by_index(self):
        x = _parameter("x", 2)
        first = openvino.Model([_result(op.tanh(x), "a"), _result(op.negative(x), "b")], [x])
        p, q = _parameter("a", 2), _parameter("q", 2)
        second = openvino.Model([_result(op.subtract(p, q), "y")], [p, q])
        data, other = np.float32([0.5, 2]), np.float32([3, 4])
        for ports, inputs, expected in (
                (None, ["x", "q"], [-data, np.tanh(data) - other]),
                ({"a": "a", 1: 1}, ["x"], [np.tanh(data) + data]),
                ({"b": "a"}, ["x", "q"], [np.tanh(data), -data - other])):
            both = weft.convert(weft.compose(first, second, ports))
            self.assertEqual([port.name for port in both.inputs], inputs)
            given = {"x": data, "q": other}
            y = list(both.run({name: given[name] for name in inputs}).values())
            for is_, must in zip(y, expected, strict=True):
                np.testing.assert_allclose(is_, must, rtol=1e-6)

    def test_each_invalid_pair_has_one_message(self):
        x = _parameter("x", 2)
        two = openvino.Model([_result(op.tanh(x), "a"), _result(op.negative(x), "b")], [x])
        q = _parameter("q", 2)
        one = openvino.Model([_result(op.abs(q), "y")], [q])
        for message, first, second, ports in (
                (r'output "features" is f32\[1,6,7\], input "x" is f32\[1,6,5\]', _front_end(7),
                 self.case.model, None),
                ('outputs are "a", "b", inputs "q"; ports must', two, one, None),
                ("output 'c': does not exist; must be one of \"a\", \"b\"", two, one, {"c": 0}),
                ("input 1: does not exist; must be one of \"q\"", two, one, {"a": 1}),
                ("each input once", two, one, {"a": 0, "b": "q"}),
                ("model: is int; must be a path or an openvino.Model", two, 3, None)):
            with self.subTest(message), self.assertRaisesRegex(weft.Error, message):
                weft.compose(first, second, ports)

    def test_a_file_that_is_no_model(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.onnx"
            path.write_bytes(b"no model")
            with self.assertRaisesRegex(weft.Error, "net.onnx: OpenVINO cannot read it"):
                weft.compose(_front_end(), path)


class WithoutOpenVino(unittest.TestCase):
    def test_one_message(self):
        with mock.patch("weft.frontends._graph._openvino", lambda: None):
            for call in (_front_end().model, lambda: weft.compose(_front_end(), "model.xml"),
                         lambda: _front_end().numpy(samples())):
                with self.assertRaisesRegex(weft.Error, "OpenVINO is not installed; it must be"):
                    call()


if __name__ == "__main__":
    unittest.main()
