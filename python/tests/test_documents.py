# SPDX-License-Identifier: Apache-2.0
"""Executes the code blocks of the documentation."""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from cases import FOLDER, Case
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
        case = Case("exports/keras_gru")
        x, = case.inputs.values()
        expected, = case.outputs.values()
        for name, count in (("README.md", 1), ("python/README.md", 1), ("docs/python.md", 6)):
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
        from weft import frontends as fe
        blocks = _blocks("docs/frontends.md")
        self.assertEqual(len(blocks), 4)
        bands = opset13.parameter([1, 100, 40], np.float32, "bands")
        model = openvino.Model(opset13.tanh(opset13.reduce_mean(bands, np.int64(2))), [bands])
        names, said = {"samples": samples(16000)}, io.StringIO()
        with self.folder(), contextlib.redirect_stdout(said):
            openvino.save_model(model, "model.xml", compress_to_fp16=False)
            quantised = FOLDER.parent / "tflite/codes/attention/model.tflite"
            pathlib.Path("model.tflite").write_bytes(quantised.read_bytes())
            for block in blocks:
                exec(compile(block, "docs/frontends.md", "exec"), names)  # as a reader would
            self.assertTrue(pathlib.Path("keyword.c").is_file())
            linked = subprocess.run(
                [sys.executable, "-m", "weft", "link", "front.weft", "classifier.weft", "-o", "both.c"],
                check=False, capture_output=True, text=True)
            self.assertEqual(linked.returncode, 0, linked.stderr)
        expected = np.tanh(names["features"].mean(1, dtype=np.float64))
        np.testing.assert_allclose(names["y"][0], expected, rtol=1e-5)
        features = fe.Chain(*names["codes"].stages[:4]).numpy(names["samples"][:12 * 160])
        quantised = np.rint(features / np.float32(0.1)) + 83
        self.assertGreater(len(np.unique(quantised)), 50)
        np.testing.assert_array_equal(
            names["decision"], names["classifier"](np.clip(quantised, -128, 127).astype(np.int8)[None]))
        self.assertEqual(said.getvalue(), "(33, 40)\n{'features': 2}\n")


if __name__ == "__main__":
    unittest.main()
