#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests archives.py in a small tree, then compares each archive of this tree with its list."""

import json
import pathlib
import shutil
import tempfile
import unittest

import archives
import pack

HEADER = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }".ljust(69) + b"\n"
ARRAY = b"\x93NUMPY\x01\x00\x46\x00" + HEADER + bytes(8)
LAYER = '<net><layer id="1" name="a" type="{}" version="opset1"/></net>'


def sample(kind="Abs", inputs=("x",)):
    """Files of a case of one layer; each port is f32[2,1]."""
    facts = {"inputs": inputs, "outputs": ["y"], "rtol": 0.0, "convert": []}
    return {"model.xml": LAYER.format(kind).encode(), "model.bin": b"",
            "arrays.npy": ARRAY * (len(inputs) + 1), "case.json": json.dumps(facts).encode()}


def lite(operator="ABS"):
    """Files of a case of TFLite."""
    files = sample() | {"model.tflite": operator.encode()}
    return {name: files[name] for name in ("arrays.npy", "case.json", "model.tflite")}


class Archives(unittest.TestCase):
    """A tree with the cases one/a, one/b and two/a, one of the zoo and one of TFLite."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "cmake").mkdir()
        shutil.copy(archives.ROOT / "cmake/UnpackFixtures.cmake", self.root / "cmake")
        self.packed, self.unpacked = next(iter(archives.folders(self.root).items()))
        for folder in archives.folders(self.root):
            folder.mkdir(parents=True)
        for case in ("one/a", "one/b", "two/a"):
            self.store(self.packed / case, sample())
        self.store(self.root / "tests/zoo/models/net", sample())
        self.store(self.root / "tests/tflite/state/counter", lite())
        self.assertEqual(pack.take_loose(self.root), 5)
        self.assertEqual(archives.pack(self.root), ["one", "two", "models", "state"])

    @staticmethod
    def store(folder, files):
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)

    def files(self):
        """All packed files: {name: bytes}."""
        return {path.name: path.read_bytes() for path in self.packed.iterdir()}

    def test_loose_cases_become_archives_with_lists(self):
        self.assertEqual(sorted(self.files()), ["one.jsonl", "one.zip", "two.jsonl", "two.zip"])
        self.assertEqual(archives.stored_in(self.packed / "one.zip"),
                         {"a": sample(), "b": sample()})
        line = json.loads(self.files()["two.jsonl"])
        self.assertEqual(line["inputs"], ["x f32[2,1]"])
        self.assertEqual(line["layers"], ["Abs/opset1"])
        self.assertEqual(line["rtol"], 0.0)
        self.assertNotIn("convert", line)
        self.assertEqual(line["sha256"]["model.bin"], "e3b0c44298fc1c14")
        self.assertEqual(archives.faults(self.root), [])

    def test_a_case_of_tflite_has_one_model_file(self):
        line = json.loads((self.root / "tests/tflite/state.jsonl").read_text())
        self.assertEqual(sorted(line["sha256"]), ["arrays.npy", "case.json", "model.tflite"])
        self.assertNotIn("layers", line)
        self.assertEqual(archives.stored_in(self.root / "tests/tflite/state.zip"),
                         {"counter": lite()})

    def test_the_same_cases_give_the_same_bytes(self):
        before = self.files()
        self.assertEqual(archives.pack(self.root), [])
        for path in self.packed.iterdir():
            path.unlink()
        self.assertEqual(archives.pack(self.root), ["one", "two"])
        self.assertEqual(self.files(), before)

    def test_a_changed_case_is_a_changed_line_and_archive(self):
        before = self.files()
        self.store(self.unpacked / "one/b", sample("Exp"))
        self.assertEqual(archives.pack(self.root), ["one"])
        after = self.files()
        self.assertEqual([name for name in after if after[name] != before[name]],
                         [name for name in after if name.startswith("one")])
        lines = [files["one.jsonl"].splitlines() for files in (before, after)]
        self.assertEqual([old == new for old, new in zip(*lines)], [True, False])

    def test_loose_files_replace_those_of_their_case(self):
        changed = sample("Exp")
        self.store(self.packed / "one/b", {"model.xml": changed["model.xml"]})
        self.store(self.packed / "three/c", sample())
        self.assertEqual(pack.take_loose(self.root), 2)
        self.assertEqual(archives.pack(self.root), ["one", "three"])
        self.assertEqual(archives.stored_in(self.packed / "one.zip"), {"a": sample(), "b": changed})
        self.assertFalse((self.packed / "one").exists())
        self.assertFalse((self.packed / "three").exists())

    def test_a_removed_family_loses_its_archive(self):
        shutil.rmtree(self.unpacked / "two")
        self.assertEqual(archives.pack(self.root), ["two"])
        self.assertEqual(sorted(self.files()), ["one.jsonl", "one.zip"])

    def test_only_changed_archives_are_unpacked(self):
        (self.unpacked / "one/marker").touch()
        (self.unpacked / "two/marker").touch()
        archives.write(self.packed / "two.zip", {"a": sample("Exp"), "c": sample()})
        archives.unpack(self.root)
        self.assertTrue((self.unpacked / "one/marker").exists())
        self.assertFalse((self.unpacked / "two/marker").exists())
        self.assertEqual(archives.unpacked_in(self.unpacked / "two"),
                         {"a": sample("Exp"), "c": sample()})
        (self.packed / "two.zip").unlink()
        archives.unpack(self.root)
        self.assertFalse((self.unpacked / "two").exists())
        self.assertTrue((self.unpacked / "one/a/model.xml").exists())

    def test_an_archive_that_is_not_its_list_is_a_fault(self):
        name = "tests/conformance/cases/one.zip"
        archives.write(self.root / name, {"a": sample("Exp"), "c": sample()})
        self.assertEqual(archives.faults(self.root), [
            f"{name}: b is in the list, not in the archive",
            f"{name}: c is in the archive, not in the list",
            f"{name}: a differs from its line in one.jsonl; pack.py writes both"
        ])
        (self.packed / "one.jsonl").unlink()
        self.assertEqual(archives.faults(self.root),
                         [f"{name}: archive and .jsonl must both exist"])

    def test_an_incomplete_case_is_refused(self):
        for files, reason in ((dict(list(sample().items())[:3]), "files are"),
                              (sample() | {"arrays.npy": ARRAY}, "arrays are 1"),
                              (sample() | {"arrays.npy": b"none"}, "byte 0 begins no array")):
            with self.assertRaisesRegex(ValueError, f"one/a: .*{reason}"):
                archives.description("one", {"a": files})


class Stored(unittest.TestCase):
    """The archives of this tree."""

    def test_each_archive_agrees_with_its_list(self):
        self.assertEqual(archives.faults(), [])


if __name__ == "__main__":
    unittest.main()
