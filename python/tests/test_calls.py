# SPDX-License-Identifier: Apache-2.0
"""Wrong calls, complete sequences through streamed models, saved states and forked processes."""
import os
import pickle
import signal
import threading
import unittest

import numpy as np

import weft
from cases import Case

_GRU = "sequence/gru_forward_b1_t4_i17_h33"
_CONVOLUTIONS = "streaming/convolutions_then_gru"


class WrongContainers(unittest.TestCase):
    def test_arguments_that_must_be_dicts_say_so(self):
        path = Case(_CONVOLUTIONS).model
        for wrong in ((1, 12, 8), [1, 12, 8], "x=1,12,8", np.zeros(3), 7):
            kind = type(wrong).__name__
            for name in ("shapes", "values", "states", "time_axis", "layer_precisions"):
                with self.subTest(argument=name, kind=kind):
                    with self.assertRaisesRegex(TypeError,
                                                rf"^weft: {name}: is {kind}; must be a dict$"):
                        weft.convert(path, **{name: wrong})

    def test_elements_of_wrong_types_are_named(self):
        path = Case(_CONVOLUTIONS).model
        calls = (
            ({"shapes": {0: 5}}, 'shapes: "0": is 5 (int); must be a list or a tuple'),
            ({"shapes": {"x": "1,12,8"}}, "shapes: \"x\": is '1,12,8' (str); must be a list or a tuple"),
            ({"shapes": {"x": None}}, 'shapes: "x": is None (NoneType); must be a list or a tuple'),
            ({"shapes": {"x": np.array(5)}}, 'shapes: "x": is ndarray; must be a list or a tuple'),
            ({"shapes": {"x": (1, 2.5, 8)}},
             'shapes: "x": a dimension: is 2.5 (float); must be an integer'),
            ({"shapes": {None: (1, 12, 8)}},
             "shapes: is None (NoneType); must be the name or the index of an input or output"),
            ({"values": {2.5: 1}}, "values: is 2.5 (float); must be the name or the index of an input or "
                                   "output"),
            ({"states": {"x": ("y",)}},
             'states: "x": is tuple; must be the name or the index of an input or output'),
            ({"time_axis": {"x": "1"}, "streaming": 1},
             "time_axis: \"x\": is '1' (str); must be an integer"),
            ({"streaming": "8"}, "streaming: is '8' (str); must be an integer"),
            ({"streaming": None}, "streaming: is None (NoneType); must be an integer"),
            ({"streams": 2.0}, "streams: is 2.0 (float); must be an integer"),
            ({"precision": 5}, "precision: is 5 (int); must be a string"),
            ({"precision": {"fc": "f16"}}, "precision: is dict; must be a string"),
            ({"arithmetic": None}, "arithmetic: is None (NoneType); must be a string"),
            ({"layer_precisions": {"fc": 8}}, 'layer_precisions: "fc": is 8 (int); must be a string'),
            ({"layer_precisions": {0: "f16"}}, "layer_precisions: is 0 (int); must be a string"),
            ({"arena_budget": 1.5}, "arena_budget: is 1.5 (float); must be an integer"),
            ({"max_iterations": "9"}, "max_iterations: is '9' (str); must be an integer"),
            ({"self_test": "a"}, "self_test: is 'a' (str); must be an integer"))
        for options, line in calls:
            with self.subTest(options), self.assertRaises(TypeError) as raised:
                weft.convert(path, **options)
            self.assertEqual(str(raised.exception), "weft: " + line)

    def test_arrays_and_lists_are_shapes(self):
        x, = Case(_CONVOLUTIONS).inputs.values()
        for shape in (x.shape, list(x.shape), np.array(x.shape), iter(x.shape)):
            model = weft.convert(Case(_CONVOLUTIONS).model, shapes={0: shape})
            self.assertEqual(model.inputs[0].shape, x.shape)

    def test_numpy_integers_are_indices(self):
        case = Case(_GRU)
        model = weft.convert(case.model)
        arrays = list(case.inputs.values())
        must = model.run(arrays)
        for name, array in model.run({np.int64(i): array for i, array in enumerate(arrays)}).items():
            np.testing.assert_array_equal(array, must[name])
        with self.assertRaisesRegex(weft.Error, r'^weft: input "9": does not exist; must be one of '):
            model.run({np.int64(9): arrays[0]})

    def test_dimensions_below_minus_one_are_refused(self):
        for wrong in (-7, np.int64(-2), 1 << 31):
            with self.assertRaisesRegex(weft.Error, rf'^weft: shapes: "x": has dimension {wrong}; must '
                                        'be 0 to 2147483647, or -1, None or "[?]" for any length$'):
                weft.convert(Case(_CONVOLUTIONS).model, shapes={"x": (wrong, 12, 8)})

    def test_arrays_go_by_dict_or_by_order(self):
        case = Case(_GRU)
        model = weft.convert(case.model)
        arrays = list(case.inputs.values())
        must = model.run(dict(enumerate(arrays)))
        for given in (tuple(arrays), arrays):
            for name, array in model.run(given).items():
                np.testing.assert_array_equal(array, must[name])
            weft.bench(model, given, runs=1, warm_up=0)
            self.assertTrue(weft.compare(model, given, must))
        self.assertTrue(weft.compare(model, arrays, list(must.values())))
        calls = (model.run, lambda given: weft.bench(model, given, runs=1),
                 lambda given: weft.compare(model, given, must))
        for call in calls:
            for given in (arrays[0], arrays[:1], arrays + arrays[:1], ()):
                with self.assertRaisesRegex(TypeError, "^weft: inputs: has .* without a name; must"):
                    call(given)
            with self.assertRaisesRegex(TypeError, "^weft: inputs: is str; must be a dict"):
                call("x")
        with self.assertRaisesRegex(TypeError, "^weft: inputs: is NoneType; must be a dict"):
            model.run(None)

    def test_the_only_input_needs_no_name(self):
        case = Case(_CONVOLUTIONS)
        model = weft.convert(case.model)
        x, = case.inputs.values()
        name = model.outputs[0].name
        np.testing.assert_array_equal(model.run(x)[name], model.run({0: x})[name])


class Steps(unittest.TestCase):
    def test_feed_gives_what_the_whole_model_gives(self):
        case = Case(_CONVOLUTIONS)
        x, = case.inputs.values()
        must = weft.convert(case.model)(x)
        for steps in (1, 2, 3, 12):
            step = weft.convert(case.model, streaming=steps)
            with self.subTest(steps=steps):
                np.testing.assert_array_equal(step.feed(x), must)
                step.reset()
                half = [step.feed(x[:, :6]), step.feed(x[:, 6:])] if steps < 12 else [must]
                np.testing.assert_array_equal(np.concatenate(half, 1), must)
                step.reset()
                np.testing.assert_array_equal(step.feed({0: x}), must)

    def test_feed_names_what_does_not_fit(self):
        case = Case(_CONVOLUTIONS)
        x, = case.inputs.values()
        step = weft.convert(case.model, streaming=4)
        with self.assertRaisesRegex(weft.Error, "has 11 steps on axis 1; must have a multiple of 4"):
            step.feed(x[:, :11])
        with self.assertRaisesRegex(weft.Error, "has 0 steps on axis 1"):
            step.feed(x[:, :0])
        with self.assertRaisesRegex(weft.Error, "has rank 1; must have time axis 1"):
            step.feed(x[0, :, 0])

    def test_feed_of_a_model_with_declared_states(self):
        case = Case(_GRU)
        model = weft.convert(case.model, states={1: 1})
        x = list(case.inputs.values())[0]
        runs = [model(x) for _ in range(3)]
        model.reset()
        np.testing.assert_array_equal(model.feed(np.stack([x, x, x])), np.stack(runs))

    def test_latency_is_told(self):
        step = weft.convert(Case(_CONVOLUTIONS).model, streaming=True)
        self.assertEqual(set(step.latency.values()), {0})
        self.assertIn("streams 1 step(s)>", repr(step))
        late = weft.convert(Case("latency/ahead").model, streaming=True)
        self.assertGreater(max(late.latency.values()), 0)
        self.assertRegex(repr(late), r"streams 1 step\(s\), \S+ delayed by [1-9]\d*>")
        whole = weft.convert(Case(_GRU).model)
        self.assertEqual(whole.latency, {})
        self.assertNotIn("streams", repr(whole))


class States(unittest.TestCase):
    def test_a_state_of_another_layout_is_refused(self):
        one = weft.convert(Case(_CONVOLUTIONS).model, streaming=True)
        other = weft.convert(Case(_CONVOLUTIONS).model, streaming=4)
        self.assertEqual(one.state_layout, other.state_layout)
        other.state = one.state
        other.state = bytes(one.state)  # plain bytes have no layout
        other_net = weft.convert(Case("streaming/residual_blocks").model, streaming=True)
        self.assertNotEqual(other_net.state_layout, one.state_layout)
        with self.assertRaisesRegex(weft.Error, "^weft: state: has layout .*; must have "):
            other_net.state = pickle.loads(pickle.dumps(one.state))
        self.assertEqual(weft.convert(Case(_GRU).model).state_layout, 0)


@unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
class Forks(unittest.TestCase):
    def test_a_child_runs_a_model_that_a_thread_of_its_parent_runs(self):
        case = Case(_GRU)
        model = weft.convert(case.model)
        arrays = list(case.inputs.values())
        done = threading.Event()

        def spin():
            while not done.is_set():
                model(*arrays)

        thread = threading.Thread(target=spin)
        thread.start()
        try:
            for _ in range(40):
                child = os.fork()
                if child == 0:
                    signal.alarm(20)  # ends a child process that hangs
                    model(*arrays)
                    os._exit(0)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            done.set()
            thread.join()
