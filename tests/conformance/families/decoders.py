# SPDX-License-Identifier: Apache-2.0
"""Decoders of fixed shape: CTCGreedyDecoder, CTCGreedyDecoderSeqLen and GatherTree."""

import numpy as np

from build import node
from casebook import by_numpy, exact, i64, integers, normal, source

UNWRITTEN = by_numpy("OpenVINO's CPU device leaves a sequence of length 0 unwritten; the document "
                     "fills it with end tokens.")


def _decoded(classes, length, blank, merges):
    kept, before = [], -1
    for label in classes[:length]:
        if label != blank and not (merges and label == before):
            kept.append(label)
        before = label
    return kept + [-1] * (len(classes) - len(kept)), len(kept)


def _scores(classes, count, label):
    """Scores [..., count] whose maximum is at index `classes`."""
    scores = source(label).uniform(0, 1, np.shape(classes) + (count,)).astype(np.float32)
    np.put_along_axis(scores, np.asarray(classes)[..., None], 2, -1)
    return scores


def _masked(path, x, mask, merges=True, **more):
    def reference(x, mask):
        time, batch, count = x.shape
        ends = [int(np.argmin(np.append(mask[:, b] != 0, False))) for b in range(batch)]
        rows = [_decoded(x[:, b].argmax(-1), ends[b], count - 1, merges)[0] for b in range(batch)]
        return np.array(rows, np.float32).reshape(batch, time, 1, 1)

    return exact(f"decoders/masked_{path}", [x, mask],
                 lambda x, mask: node("CTCGreedyDecoder", 1, [x, mask], ctc_merge_repeated=merges),
                 reference, **more)


def _by_lengths(path, x, lengths, blank=None, merges=True, classes="i32", counts="i32", **more):
    def graph(x, lengths):
        inputs = [x, lengths] + ([] if blank is None else [np.array(blank, lengths_type)])
        return node("CTCGreedyDecoderSeqLen", 6, inputs, merge_repeated=merges,
                    classes_index_type=classes, sequence_length_type=counts)

    def reference(x, lengths):
        last = x.shape[2] - 1 if blank is None else blank
        rows = [_decoded(row.argmax(-1), length, last, merges) for row, length in zip(x, lengths)]
        return (np.array([row for row, _ in rows], f"int{classes[1:]}"),
                np.array([count for _, count in rows], f"int{counts[1:]}"))

    lengths_type = lengths.dtype
    return exact(f"decoders/lengths_{path}", [x, lengths], graph, reference, **more)


def _tree_of(steps, parents, lengths, end):
    time, batch, beams = steps.shape
    tree = np.full(steps.shape, end, steps.dtype)
    for b in range(batch):
        for beam in range(beams):
            at = beam
            for t in range(min(time, int(lengths[b])) - 1, -1, -1):
                tree[t, b, beam] = steps[t, b, at]
                at = int(parents[t, b, at])
            ended = np.cumsum(tree[:, b, beam] == end) > 0
            tree[ended, b, beam] = end
    return tree


def _tree(path, steps, parents, lengths, end, **more):
    end = np.array(end, steps.dtype)
    return exact(f"decoders/tree_{path}", [steps, parents, lengths],
                 lambda s, p, n: node("GatherTree", 1, [s, p, n, end]),
                 lambda s, p, n: _tree_of(s, p, n, end), **more)


def _random_tree(path, time, batch, beams, dtype=np.int32, **more):
    steps = integers(f"tree_{path}", 0, 7, time, batch, beams).astype(dtype)
    parents = integers(f"tree_parents_{path}", 0, beams, time, batch, beams).astype(dtype)
    lengths = integers(f"tree_lengths_{path}", 0, time + 1, batch).astype(dtype)
    return _tree(path, steps, parents, lengths, 6, **({} if lengths.all() else UNWRITTEN), **more)


def _all_masked():
    again = _scores([[1], [1], [2], [1], [1]], 3, "again")
    for merges in (True, False):
        how = "merged" if merges else "kept"
        yield _masked(f"again_{how}", again, np.ones((5, 1), np.float32), merges)
        mask = np.ones((9, 3), np.float32)
        mask[4:, 1] = 0
        mask[3, 2] = 0  # steps after a masked one are not read
        yield _masked(f"9x3x4_{how}", _scores(integers("masked", 0, 4, 9, 3), 4, how), mask, merges)
    yield _masked("one_step", _scores([[0, 1]], 2, "one"), np.ones((1, 2), np.float32))
    yield _masked("no_step", _scores([[0], [0]], 3, "no"), np.zeros((2, 1), np.float32))
    yield _masked("ties", np.zeros((3, 2, 4), np.float32), np.ones((3, 2), np.float32))


def _all_by_lengths():
    again = _scores([[1, 1, 2, 1, 1]], 3, "again")
    x = _scores(integers("lengths", 0, 4, 3, 9), 4, "lengths")
    for merges in (True, False):
        how = "merged" if merges else "kept"
        yield _by_lengths(f"again_{how}", again, np.array([5], np.int32), merges=merges)
        yield _by_lengths(f"3x9x4_{how}", x, np.array([9, 0, 5], np.int32), merges=merges)
    yield _by_lengths("blank_0", x, np.array([9, 3, 5], np.int32), 0)
    yield _by_lengths("wide", x, i64(1, 9, 7), 2, classes="i64", counts="i64")
    yield _by_lengths("one_class", np.zeros((2, 3, 1), np.float32), np.array([3, 1], np.int32))
    yield _by_lengths("ties", np.round(normal("ties", 2, 6, 3)), np.array([6, 6], np.int32), 0)


def _trees():
    steps = np.array([[[1, 2]], [[3, 4]], [[5, 6]]], np.int32)
    parents = np.array([[[0, 0]], [[1, 0]], [[1, 0]]], np.int32)
    yield _tree("3x1x2", steps, parents, np.array([3], np.int32), 9)
    yield _tree("short", steps, parents, np.array([2], np.int32), 9)
    yield _tree("ended", steps, parents, np.array([3], np.int32), 4,
                note="End tokens stand behind the first one.")
    yield _random_tree("9x3x4", 9, 3, 4)
    yield _random_tree("f32", 7, 2, 5, np.float32)
    yield _random_tree("one_step", 1, 2, 3)
    yield _random_tree("one_beam", 5, 3, 1)


def cases():
    for part in (_all_masked, _all_by_lengths, _trees):
        yield from part()
