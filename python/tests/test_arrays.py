# SPDX-License-Identifier: Apache-2.0
"""Arrays of all kinds in calls and views, and lifetimes of views."""
import gc
import pathlib
import tempfile
import threading
import unittest
import weakref

import numpy as np

import weft
from cases import Case


def _tuple(outputs):
    return outputs if isinstance(outputs, tuple) else (outputs,)


class Kinds(unittest.TestCase):
    def test_every_type_and_rank(self):
        for name in ("bitwise/and_i16_scalar_33",  # an input of rank 0
                     "beyond/reduceprod_16_axes_0",  # 16 axes, a result of rank 0
                     "adaptive_pooling/places_i64_0x2x4_to_2",  # nothing in, nothing out
                     "folding/range_1",  # no inputs
                     "convert/f16_to_f64", "convert/f32_to_f16", "convert/boolean_to_i64",
                     "bitwise/not_u8", "bitwise/not_i8", "bitwise/not_i64", "beyond/reducelogicaland"):
            with self.subTest(name):
                case = Case(name)
                model = weft.convert(case.model)
                for _ in range(2):  # the second run overwrites the results of the first
                    outputs = _tuple(model(*case.inputs.values()))
                    case.assert_close(outputs)
                for is_, must in zip(outputs, case.outputs.values()):
                    self.assertEqual((is_.shape, is_.dtype), (must.shape, must.dtype))

    def test_length_that_only_a_run_tells(self):
        case = Case("nonzero/5x3_uint8")
        model = weft.convert(case.model)
        self.assertEqual(model.outputs[0].run_time_axis, 1)
        must, = case.outputs.values()
        x, = case.inputs.values()
        self.assertEqual(model(x).shape, must.shape)
        self.assertEqual(model(np.zeros_like(x)).shape, (must.shape[0], 0))
        self.assertEqual(model(np.ones_like(x)).shape, model.outputs[0].shape)

    def test_any_layout_and_sequence(self):
        case = Case("exports/keras_gru")
        model = weft.convert(case.model)
        x, = case.inputs.values()
        must = model(x)
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        big_endian = x.astype(x.dtype.newbyteorder(">"))
        for form in (np.asfortranarray(x), wide[..., ::2], x[:, ::-1][:, ::-1], big_endian,
                     x.tolist(), memoryview(x)):
            np.testing.assert_array_equal(model(form), must)
        read_only = x.copy()
        read_only.flags.writeable = False
        np.testing.assert_array_equal(model(read_only), must)

    def test_wrong_ones_are_refused_and_change_nothing(self):
        case = Case("exports/keras_gru")
        model = weft.convert(case.model)
        x, = case.inputs.values()
        model.input_view(0)[...] = x
        for wrong in (x[0], x[:, :-1], x.astype(np.complex64), x.astype("U8"), x.astype(object), None,
                      np.float32(1), [[1], [1, 2]], {}):
            with self.assertRaises(weft.Error):
                model(wrong)
        with self.assertRaisesRegex(weft.Error, "is complex64; must be f32"):
            model(x.astype(np.complex64))
        model.run_in_place()
        case.assert_close([model.output_view(0)])

    def test_integers_beyond_a_type_are_refused(self):
        model = weft.convert(Case("bitwise/not_i8").model)
        shape = model.inputs[0].shape
        np.testing.assert_array_equal(model(np.full(shape, -128, np.int64)), np.full(shape, 127))
        for beyond in (128, -129):
            with self.assertRaisesRegex(weft.Error, f"holds {beyond}; must be -128 to 127"):
                model(np.full(shape, beyond, np.int64))


class Lives(unittest.TestCase):
    def test_views_keep_their_memory(self):
        case = Case("exports/keras_gru")
        x, = case.inputs.values()
        views = []
        for _ in range(20):
            stream, = weft.convert(case.model).streams(1)
            stream.input_view(0)[...] = x
            stream.run_in_place()
            views.append((stream.input_view(0), stream.output_view(0)[0]))
        del stream
        gc.collect()
        must, = case.outputs.values()
        for _, out in views:
            np.testing.assert_array_equal(out, views[0][1])
        np.testing.assert_allclose(views[0][1], must[0], rtol=case.rtol, atol=case.atol)
        for number, (into, _) in enumerate(views):  # an output may share the memory of its input
            into[...] = number
        for number, (into, _) in enumerate(views):  # would show another model's memory if one were freed
            np.testing.assert_array_equal(into, np.full_like(into, number))

    def test_models_are_freed_with_their_last_view(self):
        model = weft.convert(Case("exports/keras_gru").model)
        gone = weakref.ref(model)
        view = model.output_view(0)
        del model
        gc.collect()
        self.assertIsNone(gone())
        self.assertEqual(view.shape, tuple(Case("exports/keras_gru").outputs["output_0"].shape))

    def test_views_are_no_copies(self):
        model = weft.convert(Case("exports/keras_gru").model)
        self.assertTrue(np.shares_memory(model.input_view(0), model.input_view(0)))
        self.assertTrue(np.shares_memory(model.output_view(0), model.output_view(0)))
        with self.assertRaises(ValueError):
            model.output_view(0)[...] = 0


class Threads(unittest.TestCase):
    def test_one_model_answers_many(self):
        case = Case("exports/keras_gru")
        model = weft.convert(case.model)
        x, = case.inputs.values()
        inputs = [x * scale for scale in (0.0, 0.5, 1.0, -1.0)]
        musts = [model(one) for one in inputs]
        wrong = []

        def work(i):
            for _ in range(200):
                if not np.array_equal(model(inputs[i]), musts[i]):
                    wrong.append(i)
        _in_threads(work, len(inputs))
        self.assertEqual(wrong, [])

    def test_conversions_side_by_side(self):
        names = ("exports/keras_gru", "onnx/lstm_forward", "state/streaming_gru",
                 "sequence/gru_forward_b1_t4_i17_h33")
        musts = [weft.convert(Case(name).model).bytes for name in names]
        found = {}

        def work(i):
            found[i] = [weft.convert(Case(names[i]).model).bytes for _ in range(3)]
        _in_threads(work, len(names))
        for i, must in enumerate(musts):
            self.assertEqual(found[i], [must] * 3)

    def test_others_run_while_a_model_does(self):
        model = weft.convert(Case("exports/keras_gru").model)
        end, ticks = threading.Event(), [0]

        def tick():
            while not end.wait(0.001):
                ticks[0] += 1
        thread = threading.Thread(target=tick)
        thread.start()
        before = ticks[0]
        model._stream.time(max(1, int(4e8 / weft.bench(model, runs=20).median / 1e3)), 0)
        during = ticks[0] - before
        end.set()
        thread.join()
        # One call takes 0.4 s. If it held the lock, only a few would run at its start and end.
        self.assertGreater(during, 20)


_IDENTITY = """<net name="identity" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,4" element_type="{kind}"/>
<output><port id="0" precision="{upper}" names="x"><dim>2</dim><dim>4</dim></port></output></layer>
<layer id="1" name="y" type="Result" version="opset1">
<input><port id="0"><dim>2</dim><dim>4</dim></port></input></layer>
</layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>
</net>
"""


class TypesWithoutName(unittest.TestCase):
    """NumPy has no bf16, i4 and u4: arrays contain bits or packed bytes."""

    def test_calls_and_values(self):
        bits = np.arange(0x3F80, 0x3F88, dtype=np.uint16).reshape(2, 4)
        packed = np.array([0x10, 0x32, 0x54, 0xF6], np.uint8)
        for kind, array in (("bf16", bits), ("i4", packed), ("u4", packed)):
            with self.subTest(kind), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "model.xml"
                path.write_text(_IDENTITY.format(kind=kind, upper=kind.upper()))
                outputs = (weft.convert(path)(array), weft.convert(path, values={"x": array})())
                for output in outputs:
                    self.assertEqual(output.dtype, array.dtype)
                    np.testing.assert_array_equal(output, array)


class ValuesOfOtherTypes(unittest.TestCase):
    """A value takes the type of its input, as the array of a call does."""

    def test_numbers_and_wider_arrays_are_converted(self):
        wide = np.arange(8).reshape(2, 4)
        for kind, name, value in (("i32", "int32", 5), ("i32", "int32", wide), ("f32", "float32", 0.1),
                                  ("f32", "float32", wide), ("i64", "int64", np.int8(-3))):
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "model.xml"
                path.write_text(_IDENTITY.format(kind=kind, upper=kind.upper()))
                output = weft.convert(path, values={"x": value})()
                self.assertEqual(output.dtype, name)
                np.testing.assert_array_equal(output, np.broadcast_to(np.asarray(value, name), (2, 4)))

    def test_numbers_that_the_type_lacks_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.xml"
            path.write_text(_IDENTITY.format(kind="i32", upper="I32"))
            for value, words in ((1 << 40, "is 1099511627776; must be a number that i32 holds"),
                                 (0.5, r"is f64\[\]; must be i32\[2,4\]")):
                with self.assertRaisesRegex(weft.Error, words):
                    weft.convert(path, values={"x": value})


def _in_threads(work, count):
    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    unittest.main()
