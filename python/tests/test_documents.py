# SPDX-License-Identifier: Apache-2.0
"""Executes the code blocks of the documentation."""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import tempfile
import unittest

import numpy as np

from cases import Case
from frontend_values import samples

_TREE = pathlib.Path(__file__).resolve().parents[2]


def _blocks(name):
    return re.findall(r"```python\n(.*?)```", (_TREE / name).read_text(), re.DOTALL)


@unittest.skipIf(importlib.util.find_spec("openvino") is None, "OpenVINO is not installed")
class Documents(unittest.TestCase):
    @contextlib.contextmanager
    def folder(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                yield
            finally:
                os.chdir(before)

    def test_blocks_run_in_their_order(self):
        case = Case("exports/keras_gru_reset_before")
        x, = case.inputs.values()
        expected, = case.outputs.values()
        for name, count in (("README.md", 1), ("python/README.md", 1), ("docs/python.md", 5)):
            blocks = _blocks(name)
            self.assertEqual(len(blocks), count, name)
            names = {"x": x, "frames": np.split(x, x.shape[1], 1), "expected": expected}
            said = io.StringIO()
            with self.subTest(name), self.folder(), contextlib.redirect_stdout(said):
                for suffix in (".xml", ".bin"):
                    source = case.model.with_suffix(suffix)
                    pathlib.Path(f"model{suffix}").write_bytes(source.read_bytes())
                for block in blocks:
                    exec(compile(block, name, "exec"), names)  # as a reader would
                np.testing.assert_allclose(names["model"](x), expected, rtol=1e-4, atol=1e-4)
            self.assertNotIn("differ", said.getvalue())

    def test_blocks_about_front_ends(self):
        import openvino
        from openvino import opset13
        blocks = _blocks("docs/frontends.md")
        self.assertEqual(len(blocks), 3)
        bands = opset13.parameter([1, 100, 40], np.float32, "bands")
        model = openvino.Model(opset13.tanh(opset13.reduce_mean(bands, np.int64(2))), [bands])
        names, said = {"samples": samples(16000)}, io.StringIO()
        with self.folder(), contextlib.redirect_stdout(said):
            openvino.save_model(model, "model.xml", compress_to_fp16=False)
            for block in blocks:
                exec(compile(block, "docs/frontends.md", "exec"), names)  # as a reader would
            self.assertTrue(pathlib.Path("keyword.c").is_file())
        expected = np.tanh(names["features"].mean(1, dtype=np.float64))
        np.testing.assert_allclose(names["y"][0], expected, rtol=1e-5)
        self.assertEqual(said.getvalue(), "(33, 40)\n{'features': 2}\n")


if __name__ == "__main__":
    unittest.main()
