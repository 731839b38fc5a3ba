# SPDX-License-Identifier: Apache-2.0
"""Runs examples/python with the installed frameworks."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

_TREE = pathlib.Path(__file__).resolve().parents[2]


def _lacks(*modules):
    return [name for name in modules if importlib.util.find_spec(name) is None]


class Example(unittest.TestCase):
    def run_example(self, framework):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, _TREE / "examples/python/gru_to_c.py", folder,
                            "--framework", framework], check=True)
            source = pathlib.Path(folder) / "gru_step.c"
            self.assertIn("gru_step_open(", source.with_suffix(".h").read_text())
            if shutil.which("cc"):
                subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{_TREE}", "-c",
                                source, "-o", source.with_suffix(".o")], check=True)

    @unittest.skipIf(_lacks("openvino", "keras", "scipy"), "Keras or OpenVINO is not installed")
    def test_from_keras(self):
        self.run_example("keras")

    @unittest.skipIf(_lacks("openvino", "torch"), "PyTorch is not installed")
    def test_from_torch(self):
        self.run_example("torch")


if __name__ == "__main__":
    unittest.main()
