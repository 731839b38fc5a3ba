# SPDX-License-Identifier: Apache-2.0
"""The front end in integers: the bits of its C library, also in streams and before a model."""
import importlib.util
import unittest

import numpy as np

import micro_values as values
import weft
from weft.frontends import Chain, MicroFrontEnd, Scale

STEPS = 14


def _chain(*more, **row):
    return Chain(MicroFrontEnd(**row), *more, input="i16")


@unittest.skipIf(importlib.util.find_spec("openvino") is None, "OpenVINO is not installed")
class Micro(unittest.TestCase):
    def test_bits_of_the_c_library(self):
        stored, x = np.load(values.FILE), values.samples()
        for name, row in values.ROWS.items():
            with self.subTest(name):
                self.assertGreater(len(np.unique(stored[name])), 100)
                np.testing.assert_array_equal(_chain(**row).numpy(x), stored[name])

    def test_streams_have_the_bits_of_the_complete_sequence(self):
        for name, row in values.ROWS.items():
            chain = _chain(**row)
            for count in (1, 2):
                with self.subTest(name, count=count):
                    step = weft.convert(chain.model(STEPS), streaming=count)
                    x = values.samples()[4000:4000 + step.inputs[0].shape[1] * STEPS // count]
                    y, latency = step.feed(x[None])[0], step.latency["features"]
                    np.testing.assert_array_equal(y[latency:], chain.numpy(x))

    def test_before_a_model(self):
        from openvino import Model, opset13
        features = opset13.parameter([1, STEPS, 40], np.float32, "features")
        model = Model(opset13.cum_sum(features, np.int64(1)), [features])
        chain = _chain(Scale(0.0390625))
        step = weft.convert(weft.compose(chain, model), streaming=True)
        x = values.samples()[4000:4000 + 160 * STEPS]
        expected = np.cumsum(chain.numpy(x), 0, dtype=np.float32)
        np.testing.assert_array_equal(step.feed(x[None])[0, 2:], expected)

    def test_each_invalid_argument_has_one_message(self):
        for message, build in (
                ("hop is 500 and frame 480", lambda: _chain(hop=500)),
                ("frame 32; must be 1 <= hop <= frame, and frame more than 32",
                 lambda: _chain(frame=32, hop=16)),
                ("0 channels from 125 to 7500 Hz", lambda: _chain(channels=0)),
                ("high is 8000 Hz; must be lower than the last bin", lambda: _chain(high=8000)),
                ("log_scale is 2048; must be from 1 to 1024", lambda: _chain(log_scale=2048)),
                ("snr_shift is -1; must be from 0 to 31",
                 lambda: _chain(gain_bits=14).numpy(np.zeros(800, np.int16))),
                (r"its input is f32\[1,960\]", lambda: Chain(MicroFrontEnd()).model(4))):
            with self.subTest(message), self.assertRaisesRegex(weft.Error, message):
                build()


if __name__ == "__main__":
    unittest.main()
