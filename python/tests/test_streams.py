# SPDX-License-Identifier: Apache-2.0
"""Streams of one engine: they join, leave, wait and move, and equal the model of one stream."""
import pickle
import unittest

import numpy as np

import weft
from cases import Case

_COUNT = 3


def _frames(case, stream):
    """The steps of a stream: those of the case, or others of the same shape."""
    x, = case.inputs.values()
    made = x if stream == 0 else np.random.default_rng(stream).standard_normal(x.shape).astype(np.float32)
    return np.split(made, made.shape[1], 1)


class Streams(unittest.TestCase):
    def setUp(self):
        self.case = Case("streams/lengths_of_gru")
        self.model = weft.convert(self.case.model, streaming=True, streams=_COUNT)
        self.single = weft.convert(self.case.model, streaming=True)

    def expected(self, stream):
        self.single.reset()
        return [self.single(frame) for frame in _frames(self.case, stream)]

    def assert_equal(self, outputs, stream):
        np.testing.assert_array_equal(np.concatenate(outputs, 1), np.concatenate(self.expected(stream), 1))

    def test_join_wait_and_leave_at_any_run(self):
        pool = weft.Streams(self.model)
        self.assertEqual((pool.count, pool.state_bytes, pool.used), (_COUNT, 16, ()))
        frames = [_frames(self.case, stream) for stream in range(6)]
        outputs, lanes = [[] for _ in frames], {}
        for run in range(60):
            for stream in range(len(frames)):  # more streams than lanes: the others wait for a free one
                if stream not in lanes and not outputs[stream] and len(pool.used) < _COUNT:
                    lanes[stream] = pool.join()
            sent = [s for s in lanes if (run + s) % 3]  # every third run without a frame
            steps = pool.step({lanes[s]: frames[s][len(outputs[s])] for s in sent})
            self.assertEqual(set(steps), {lanes[s] for s in sent})
            for s in sent:
                outputs[s].append(steps[lanes[s]])
                if len(outputs[s]) == len(frames[s]):
                    pool.leave(lanes.pop(s))
        self.assertEqual(pool.used, ())
        for stream, parts in enumerate(outputs):
            self.assert_equal(parts, stream)
        self.case.assert_close([np.concatenate(outputs[0], 1)])

    def test_move_to_other_streams_and_engines(self):
        here, there = weft.Streams(self.model), weft.Streams(weft.load(self.model.bytes))
        frames, lane = _frames(self.case, 1), here.join()
        outputs = [here.step({lane: {0: frame}})[lane] for frame in frames[:2]]
        saved = pickle.loads(pickle.dumps(here.leave(lane)))
        self.assertEqual(len(saved), here.state_bytes)
        there.join()
        moved = there.join(saved)
        self.assertEqual(moved, 1)
        outputs += [there.step({moved: (frame,)})[moved] for frame in frames[2:]]
        self.assert_equal(outputs, 1)
        there.set_state(0, saved)
        np.testing.assert_array_equal(there.step({0: frames[2]})[0], outputs[2])
        there.reset(0)
        np.testing.assert_array_equal(there.step({0: frames[0]})[0], outputs[0])

    def test_nan_in_one_stream_reaches_no_other(self):
        pool = weft.Streams(self.model)
        lanes = [pool.join(), pool.join()]
        outputs = []
        for frame in _frames(self.case, 0):
            step = pool.step({lanes[0]: frame, lanes[1]: np.full_like(frame, np.nan)})
            self.assertTrue(np.isnan(step[lanes[1]]).all())
            outputs.append(step[lanes[0]])
        self.assert_equal(outputs, 0)

    def test_errors_name_the_stream(self):
        pool = weft.Streams(self.model)
        frame = _frames(self.case, 0)[0]
        with self.assertRaisesRegex(weft.Error, "stream 0: has not joined.* there are none"):
            pool.step({0: frame})
        for stream in range(_COUNT):
            self.assertEqual(pool.join(), stream)
        with self.assertRaisesRegex(weft.Error, "all 3 streams are in use; must have a free one"):
            pool.join()
        with self.assertRaisesRegex(weft.Error, r"stream 1: input .* has shape \[1, 2, 5\]; must have \[1, 1, 5\]"):
            pool.step({0: frame, 1: np.zeros((1, 2, 5), np.float32)})
        with self.assertRaisesRegex(weft.Error, "stream 2: state is 3 bytes; must be 16"):
            pool.set_state(2, b"abc")
        with self.assertRaisesRegex(weft.Error, "stream 2: state has layout .*it was saved from another model"):
            pool.set_state(2, self.single.state)
        pool.leave(1)
        with self.assertRaisesRegex(weft.Error, "stream 1: has not joined; must be .* in use: 0, 2"):
            pool.state(1)
        with self.assertRaises(TypeError):
            pool.step([frame])
        with self.assertRaisesRegex(weft.Error, "--streams"):
            weft.Streams(self.single)
        with self.assertRaisesRegex(weft.Error, "streams: is 1; must be 2 to 1024"):
            weft.convert(self.case.model, streaming=True, streams=1)

    def test_report_has_the_streams(self):
        report = weft.inspect(self.model)
        self.assertEqual(report["streams"], {"count": _COUNT, "state_bytes": 16})
        self.assertIn('"streams":{"count":3,"state_bytes":16}', report.page.replace(" ", ""))
        self.assertIsNone(weft.inspect(self.single)["streams"])


if __name__ == "__main__":
    unittest.main()
