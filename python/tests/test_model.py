# SPDX-License-Identifier: Apache-2.0
"""Conversion, runs, state and files."""
import copy
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree as ElementTree

import numpy as np

import weft
from cases import Case


def _tuple(outputs):
    return outputs if isinstance(outputs, tuple) else (outputs,)


class Runs(unittest.TestCase):
    def test_a_call_gives_the_numbers_of_the_oracle(self):
        for name in ("exports/keras_gru", "onnx/lstm_forward", "onnx/keyword_spotter",
                     "sequence/gru_forward_b1_t4_i17_h33"):
            with self.subTest(name):
                case = Case(name)
                case.assert_close(_tuple(weft.convert(case.model)(*case.inputs.values())))

    def test_inputs_go_by_name_and_index(self):
        case = Case("sequence/gru_forward_b1_t4_i17_h33")
        model = weft.convert(case.model)
        by_index = model.run(dict(enumerate(case.inputs.values())))
        by_name = model.run({port.names[0]: array
                             for port, array in zip(model.inputs, case.inputs.values())})
        self.assertEqual(list(by_index), [port.name for port in model.outputs])
        for name, array in by_index.items():
            np.testing.assert_array_equal(array, by_name[name])
        case.assert_close(by_index.values())

    def test_f64_is_rounded_to_f32_and_floats_are_never_made_integers(self):
        case = Case("exports/keras_gru")
        model = weft.convert(case.model)
        x = next(iter(case.inputs.values()))
        np.testing.assert_array_equal(model(x.astype(np.float64)), model(x))
        counter = weft.convert(Case("state/call_counter_i32").model)
        shape = counter.inputs[0].shape
        with self.assertRaisesRegex(weft.Error, "is float32; must be i32"):
            counter(np.zeros(shape, np.float32))

    def test_views_share_the_memory_of_ports(self):
        case = Case("exports/keras_gru")
        model = weft.convert(case.model)
        model.input_view(0)[...] = next(iter(case.inputs.values()))
        output = model.output_view(0)
        model.run_in_place()
        case.assert_close([output])
        self.assertFalse(output.flags.writeable)
        del model  # the view keeps its memory alive
        case.assert_close([output])

    def test_outputs_of_a_call_outlive_the_next(self):
        case = Case("state/running_sum_6")
        model = weft.convert(case.model)
        calls = next(iter(case.inputs.values()))
        first = model(calls[0])
        kept = first.copy()
        model(calls[1])
        np.testing.assert_array_equal(first, kept)


class State(unittest.TestCase):
    def setUp(self):
        self.case = Case("state/streaming_gru")
        self.model = weft.convert(self.case.model)
        self.calls = next(iter(self.case.inputs.values()))

    def run_all(self, model, calls):
        return np.stack([model(call) for call in calls])

    def test_stays_between_calls_until_reset(self):
        first = self.run_all(self.model, self.calls)
        self.case.assert_close([first])
        self.assertFalse(np.array_equal(self.run_all(self.model, self.calls), first))
        self.model.reset()
        np.testing.assert_array_equal(self.run_all(self.model, self.calls), first)

    def test_saved_goes_on_in_another_stream(self):
        whole = self.run_all(self.model, self.calls)
        other, = self.model.streams(1)
        self.run_all(other, self.calls[:3])
        third, = other.streams(1)
        third.state = other.state
        np.testing.assert_array_equal(self.run_all(third, self.calls[3:]), whole[3:])

    def test_first_value_that_is_not_finite_is_an_error(self):
        calls = np.array(self.calls)
        self.model.feed(calls, check_finite=True)
        calls[2].flat[1] = np.nan
        with self.assertRaisesRegex(weft.Error, 'run 2: output 0 ".*": element .* is nan; must be finite'):
            self.model.feed(calls, check_finite=True)
        self.model.reset()
        self.model.run({0: calls[1]}, check_finite=True)
        with self.assertRaisesRegex(weft.Error, r'model.xml: output 0 ".*": element .* is nan'):
            self.model.run({0: calls[2]}, check_finite=True)
        self.assertTrue(np.isnan(self.model.run({0: calls[0]})[self.model.outputs[0].name]).any())

    def test_of_another_size_is_refused(self):
        with self.assertRaisesRegex(weft.Error, "is 1 bytes; must be"):
            self.model.state = b"x"
        for wrong in (None, "x"):
            with self.assertRaises(TypeError):
                self.model.state = wrong

    def test_copies_go_on_by_themselves(self):
        whole = self.run_all(self.model, self.calls)
        self.model.reset()
        self.run_all(self.model, self.calls[:3])
        for copied in (pickle.loads(pickle.dumps(self.model)), copy.deepcopy(self.model)):
            np.testing.assert_array_equal(self.run_all(copied, self.calls[3:]), whole[3:])
        np.testing.assert_array_equal(self.run_all(self.model, self.calls[3:]), whole[3:])

    def test_streams_run_side_by_side_in_threads(self):
        must = self.run_all(self.model, self.calls)
        streams = self.model.streams(8)
        results = [None] * len(streams)

        def work(i):
            for _ in range(50):
                streams[i].reset()
                results[i] = self.run_all(streams[i], self.calls)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(streams))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_array_equal(result, must)

    def test_streaming_cuts_time(self):
        case = Case("exports/keras_gru_reset_before")
        x = next(iter(case.inputs.values()))
        whole = weft.convert(case.model)
        step = weft.convert(case.model, streaming=True)
        self.assertEqual(step.inputs[0].shape, (*x.shape[:1], 1, *x.shape[2:]))
        parts = [step(part) for part in np.split(x, x.shape[1], 1)]
        np.testing.assert_allclose(np.concatenate(parts, 1), whole(x), rtol=1e-5, atol=1e-6)


class Files(unittest.TestCase):
    def test_saved_model_is_the_same(self):
        case = Case("exports/keras_gru")
        model = weft.convert(case.model)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.weft"
            model.save(path)
            loaded = weft.load(path)
        self.assertEqual(loaded.bytes, model.bytes)
        self.assertEqual(loaded.inputs, model.inputs)
        x = next(iter(case.inputs.values()))
        np.testing.assert_array_equal(weft.load(model.bytes)(x), loaded(x))

    def test_damaged_model_is_refused(self):
        whole = weft.convert(Case("exports/keras_gru").model).bytes
        for damaged in (b"", b"WEFT", whole[:-1], whole[:200] + b"\x55" + whole[201:]):
            with self.assertRaises(weft.Error):
                weft.load(damaged)

    def test_other_files_are_refused_by_name(self):
        with self.assertRaisesRegex(weft.Error, "is an OpenVINO IR; .*, as made by: weft convert"):
            weft.load(Case("exports/keras_gru").model)
        with self.assertRaisesRegex(weft.Error, "model.weft: is a NumPy array; must be"):
            weft.load(b"\x93NUMPY and so on")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.tflite"
            path.write_bytes(b"\x1c\0\0\0TFL3")
            with self.assertRaisesRegex(weft.Error, "net.tflite: "):
                weft.convert(path)

    def test_weights_elsewhere(self):
        case = Case("exports/keras_gru")
        must = weft.convert(case.model).bytes
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.xml"
            path.write_bytes(case.model.read_bytes())
            with self.assertRaisesRegex(weft.Error, "net.bin: cannot be read"):
                weft.convert(path)
            self.assertEqual(weft.convert(path, weights=case.model.with_suffix(".bin")).bytes, must)


class Options(unittest.TestCase):
    model = Case("onnx/keyword_spotter").model

    def scratch(self, **options):
        return weft.inspect(weft.convert(self.model, **options))["needs"]["scratch_bytes"]

    def test_arena_budget(self):
        least, most = self.scratch(arena_budget="min"), self.scratch(arena_budget="fastest")
        self.assertLessEqual(least, most)
        self.assertLessEqual(self.scratch(arena_budget=least), least)
        with self.assertRaises(weft.Error):
            self.scratch(arena_budget=1)

    def test_precision(self):
        plain = weft.convert(self.model, precision="f32")
        narrow = weft.convert(self.model, precision="f16")
        self.assertLess(len(narrow.bytes), len(plain.bytes))

    def test_self_test_lies_in_the_file(self):
        self.assertEqual(weft.inspect(weft.convert(self.model, self_test=2))["self_test"]["runs"], 2)

    def test_wrong_options_are_refused_together(self):
        with self.assertRaises(weft.Error) as raised:
            weft.convert(self.model, precision="f31", streaming=0, max_iterations=-1)
        self.assertEqual(len(raised.exception.faults), 3)
        for options in ({"arena_budget": "64Q"}, {"arena_budget": "9999999999999G"}, {"arena_budget": ""}, {"shapes": {"nothing": [1]}},
                        {"values": {"nothing": np.zeros(1, np.complex64)}}, {"self_test": -1}):
            with self.subTest(options), self.assertRaises(weft.Error):
                weft.convert(self.model, **options)


class Errors(unittest.TestCase):
    def test_carry_every_fault(self):
        model = weft.convert(Case("sequence/gru_forward_b1_t4_i17_h33").model)
        with self.assertRaises(weft.Error) as raised:
            model(*[np.zeros((1, 2, 3), np.float32)] * len(model.inputs))
        self.assertEqual(len(raised.exception.faults), len(model.inputs))
        self.assertEqual(str(raised.exception), "\n".join(raised.exception.faults))
        copy = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual(copy.faults, raised.exception.faults)

    def test_of_a_model_list_all_layers(self):
        case = Case("onnx/keyword_spotter")
        xml = case.model.read_text().replace('type="ReLU"', 'type="Fancy"')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.xml"
            path.write_text(xml.replace('type="MatMul"', 'type="Strange"'))
            path.with_suffix(".bin").write_bytes(case.model.with_suffix(".bin").read_bytes())
            with self.assertRaises(weft.Error) as raised:
                weft.convert(path)
        faults = raised.exception.faults
        self.assertEqual(len(faults), 2, faults)
        for fault, operation in zip(sorted(faults, key=lambda line: "Strange" in line),
                                    ("Fancy", "Strange")):
            self.assertRegex(fault, rf'net.xml:\d+: {operation}.*layer ".*": has no lowering; must be')

    def test_of_wrong_types(self):
        model = Case("exports/keras_gru").model
        for options in ({"precision": 5}, {"arena_budget": 1.5}, {"streaming": 2.5}, {"shapes": [1]},
                        {"self_test": "a"}):
            with self.subTest(options), self.assertRaises(TypeError):
                weft.convert(model, **options)
        with self.assertRaisesRegex(weft.Error, "^weft: max_iterations: is 1180591620717411303424; must "):
            weft.convert(model, max_iterations=1 << 70)

    def test_of_wrong_calls(self):
        model = weft.convert(Case("exports/keras_gru").model)
        for call in (lambda: model(), lambda: model.run({}), lambda: model.run({"y": 1}),
                     lambda: model.run({7: 1}), lambda: weft.load("nothing.weft"),
                     lambda: weft.convert("nothing.xml"), lambda: weft.convert("nothing.onnx"),
                     lambda: weft.convert(7), lambda: model.streams(-1)):
            with self.assertRaises(weft.Error):
                call()


class Reports(unittest.TestCase):
    def test_inspect(self):
        model = weft.convert(Case("exports/keras_gru").model)
        report = weft.inspect(model)
        self.assertEqual(report["file_bytes"], len(model.bytes))
        self.assertEqual(report["inputs"][0]["shape"], list(model.inputs[0].shape))
        self.assertEqual(weft.inspect(model.bytes)["needs"], report["needs"])

    def test_inspect_shows_the_page_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            file, page = (pathlib.Path(folder) / name for name in ("model.weft", "page.html"))
            weft.convert(Case("exports/keras_gru").model).save(file)
            subprocess.run([sys.executable, "-m", "weft", "inspect", file, "--html", page], check=True)
            report = weft.inspect(file)
            self.assertEqual(report.page, page.read_text(encoding="utf-8"))
            report.save_page(page)
            self.assertEqual(report.page, page.read_text(encoding="utf-8"))
        frame = ElementTree.fromstring(report._repr_html_())
        self.assertEqual(frame.tag, "iframe")
        self.assertEqual(frame.get("srcdoc").split(), report.page.split())

    def test_bench_counts_runs_and_leaves_the_state(self):
        case = Case("state/streaming_gru")
        model = weft.convert(case.model)
        before = model.state
        times = weft.bench(model, runs=25)
        self.assertEqual(len(times.nanoseconds), 25)
        self.assertLessEqual(times.median, times.quantile(1))
        self.assertEqual(times.misses(1e12), 0)
        self.assertEqual(model.state, before)
        with self.assertRaises(weft.Error):
            weft.bench(model, runs=0)

    def test_compare_with_given_outputs(self):
        case = Case("exports/keras_gru")
        model = weft.convert(case.model)
        inputs = dict(enumerate(case.inputs.values()))
        must = next(iter(case.outputs.values()))
        self.assertTrue(weft.compare(model, inputs, {0: must}, rtol=1e-4, atol=1e-4))
        wrong = must.copy()
        wrong.flat[1] += 1
        found = weft.compare(model, inputs, {0: wrong}, rtol=1e-4, atol=1e-4)
        self.assertFalse(found)
        self.assertAlmostEqual(found.first.largest, 1, places=3)
        self.assertIn("1 of ", found.first.text)


if __name__ == "__main__":
    unittest.main()
