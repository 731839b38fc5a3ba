# SPDX-License-Identifier: Apache-2.0
"""python -m weft: the command, and files that it converts through OpenVINO."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import weft
from cases import Case
from onnx_file import onnx, save_tanh

try:
    import openvino
except ImportError:
    openvino = None


def _weft(*words, cwd=None):
    return subprocess.run([sys.executable, "-m", "weft", *map(str, words)], cwd=cwd, text=True,
                          capture_output=True, check=False)


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_is_that_of_the_package(self):
        self.assertIn(f"weft {weft.__version__},", _weft("--version").stdout)
        script = pathlib.Path(weft.__file__).parents[1] / "bin/weft"
        is_bare = os.name == "nt" and not script.with_suffix(".exe").exists()  # pip ran elsewhere
        run = [sys.executable, script] if is_bare else [script]
        said = subprocess.run([*run, "--version"], text=True, capture_output=True, check=True)
        self.assertEqual(said.stdout, _weft("--version").stdout)

    def test_converts_as_the_package_does(self):
        case = Case("exports/keras_gru")
        path = self.folder / "gru.weft"
        said = _weft("convert", case.model, "-o", path)
        self.assertEqual(said.returncode, 0, said.stderr)
        model = weft.convert(case.model)
        self.assertEqual(path.read_bytes(), model.bytes)
        self.assertEqual(json.loads(_weft("inspect", path, "--json").stdout),
                         {**weft.inspect(model), "file": str(path)})
        model.save_c(self.folder / "gru.c")
        mine = [(self.folder / name).read_bytes() for name in ("gru.c", "gru.h")]
        _weft("convert", case.model, "-o", path, "--c-source", self.folder / "gru.c")
        for name, text in zip(("gru.c", "gru.h"), mine):
            line = b"Written by"  # names what it was made from
            without = [one for one in (self.folder / name).read_bytes().splitlines()
                       if line not in one]
            self.assertEqual([one for one in text.splitlines() if line not in one], without)

    def test_exit_codes(self):
        self.assertEqual(_weft("comvert").returncode, 2)
        self.assertIn('did you mean "convert"', _weft("comvert").stderr)
        self.assertEqual(_weft("inspect", self.folder / "nothing.weft").returncode, 1)

    @unittest.skipIf(openvino is None or onnx is None, "onnx or OpenVINO is not installed")
    def test_onnx_file(self):
        save_tanh(self.folder / "net.onnx")
        for words, output in (([], "net.weft"), (["-o", "other"], "other"), (["-othird"], "third"),
                              (["--output=fourth"], "fourth")):
            said = _weft("convert", "net.onnx", *words, cwd=self.folder)
            self.assertEqual(said.returncode, 0, said.stderr)
            x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
            np.testing.assert_allclose(weft.load(self.folder / output)(x), np.tanh(x), rtol=1e-6)
        (self.folder / "net.onnx").write_bytes(b"no model")
        said = _weft("convert", "net.onnx", cwd=self.folder)
        self.assertEqual(said.returncode, 1)
        self.assertIn("net.onnx: OpenVINO cannot read it", said.stderr)

    def test_output_that_is_gone_fails(self):
        reader = subprocess.Popen([sys.executable, "-m", "weft", "ops"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        reader.stdout.close()
        self.assertEqual(reader.wait(), 1)


if __name__ == "__main__":
    unittest.main()
