# SPDX-License-Identifier: Apache-2.0
"""Access to the conformance cases for the tests of this package."""
import json
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "build/fixtures/cases"


class Case:
    """A model and its arrays; with `calls`, the arrays have a leading axis of calls."""

    def __init__(self, name):
        folder = FOLDER / name
        self.model = folder / "model.xml"
        rows = json.loads((folder / "case.json").read_text())
        self.calls = rows.get("calls")
        self.rtol, self.atol = rows["rtol"], rows["atol"]
        with open(folder / "arrays.npy", "rb") as file:
            self.inputs = {key: np.load(file) for key in rows["inputs"]}
            self.outputs = {key: np.load(file) for key in rows["outputs"]}

    def assert_close(self, outputs):
        for is_, must in zip(outputs, self.outputs.values()):
            np.testing.assert_allclose(is_, must, rtol=self.rtol, atol=self.atol)
