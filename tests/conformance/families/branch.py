# SPDX-License-Identifier: Apache-2.0
"""If-8: computed and constant conditions, branches of different cost, nested in each other and in
loops."""

import numpy as np
import openvino as ov
from openvino import opset1, opset8

import either
from build import constant, node, outputs_of, parameter
from casebook import SINGLE, Case, counting, exact, i64, normal
from families.cells import weights
from families.loop_run import BOUND, TRUE, Loop
from loops import tensor_iterator
from reference.iterate import forward, iterate


def branch(condition, inputs, then, other):
    """The outputs of an If. `then` and `other` return lists and get one Parameter per input. An
    input that a branch does not read is not passed to it. For arrays: the branch's results."""
    if isinstance(condition, (np.ndarray, np.bool_, bool)) and all(
            isinstance(value, np.ndarray) for value in inputs):
        return [np.asarray(value) for value in (then if np.all(condition) else other)(*inputs)]
    made = opset8.if_op(_port(condition))
    bodies, ends = [], []
    for body in (then, other):
        ports = [
            parameter(_port(value).get_shape(),
                      _port(value).get_element_type().to_dtype()) for value in inputs
        ]
        results = [opset1.result(value) for value in outputs_of([_node(v) for v in body(*ports)])]
        read = [port for port in ports if port.output(0).get_target_inputs()]
        bodies.append((ports, read))
        ends.append(results)
        model = ov.Model(results, read, "branch")
        made.set_then_body(model) if body is then else made.set_else_body(model)
    for place, value in enumerate(inputs):
        chosen = [ports[place] if ports[place] in read else None for ports, read in bodies]
        if any(port is not None for port in chosen):
            made.set_input(_port(value), *chosen)
    return [made.set_output(*pair) for pair in zip(*ends)]


def _node(value):
    return value if hasattr(value, "get_type_info") or hasattr(value, "get_node") else constant(
        np.asarray(value))


def _port(value):
    return _node(value).output(0) if hasattr(_node(value), "get_type_info") else value


def either_way(path, inputs, make, tolerance=0.0, **more):
    """The case twice, once per branch; the condition is the first input."""
    for taken in (True, False):
        yield Case(f"{path}_{'then' if taken else 'else'}", [np.array(taken), *inputs], make,
                   reference=make, rtol=tolerance, atol=tolerance, **more)


def _plain():
    x, y = counting(2, 3), 10 + counting(2, 3)
    yield from either_way(
        "if/sum_or_difference", [x, y], lambda c, a, b: branch(
            c, [a, b], lambda p, q: [either.add(p, q)], lambda p, q: [either.sub(p, q)]))
    yield from either_way(
        "if/two_outputs_crossed", [x, y], lambda c, a, b: branch(
            c, [a, b], lambda p, q: [either.add(p, q), either.mul(p, q)], lambda p, q:
            [either.mul(q, q), either.sub(q, p)]))
    yield from either_way(
        "if/each_reads_one", [x, y], lambda c, a, b: branch(
            c, [a, b], lambda p, q: [either.add(p, p)], lambda p, q: [either.mul(q, q)]))
    yield from either_way(
        "if/handed_through", [x, y],
        lambda c, a, b: branch(c, [a, b], lambda p, q: [p, q], lambda p, q: [either.add(q, p), p]))
    yield from either_way(
        "if/constants", [x], lambda c, a: branch(c, [a], lambda p: [either.add(p, np.float32(1))],
                                                 lambda p: [either.mul(p, np.float32(0))]))
    for known in (True, False):
        yield exact(
            f"if/condition_is_{str(known).lower()}", [x, y],
            lambda a, b, known=known: branch(np.array(known), [a, b], lambda p, q:
                                             [either.add(p, q)], lambda p, q: [either.sub(p, q)]),
            lambda a, b, known=known: [a + b if known else a - b])
    for high in (3, 300):

        def chosen(a, b, limit=np.float32(20)):
            condition = either.less(either.total(a), limit)
            return branch(condition, [a, b], lambda p, q: [either.add(p, q)],
                          lambda p, q: [either.maximum(either.sub(p, q), np.float32(0))])

        yield exact(f"if/condition_is_computed_{high}", [np.full((2, 3), high, np.float32), y],
                    chosen, chosen)
    w, r, b = weights("ifl", 4, 9, 17)

    def step(c, a, h, cell):
        return branch(c, [a, h, cell], lambda p, q, s: list(either.lstm(p, q, s, w, r, b)),
                      lambda p, q, s: [q, s])

    yield from either_way(
        "if/lstm_or_hold",
        [normal("ifx", 2, 9), normal("ifh", 2, 17),
         normal("ifc", 2, 17)], step, SINGLE,
        note="One branch computes, the other hands its states through.")


def _nested():
    def inside(c, d, a):
        return branch(
            c, [d, a],
            lambda e, p: branch(e, [p], lambda q: [either.add(q, q)], lambda q: [either.mul(q, q)]),
            lambda e, p: [either.sub(p, np.float32(7))])

    for second in (True, False):
        yield from either_way(f"if/in_if_{str(second).lower()}",
                              [np.array(second), counting(2, 3)], inside)

    def walk(step, flags, rows, start):
        def body(slices, states, invariants):
            flag = either.reshape(slices[0]) if isinstance(
                slices[0], np.ndarray) else either.reshape(slices[0], 1)
            following = branch(flag, [slices[1], states[0]], lambda p, q: [either.add(p, q)],
                               lambda p, q: [q])[0]
            return [following], []

        return step(body, [(flags, forward(0)), (rows, forward(0))], [start], [], [(0, forward(0)),
                                                                                   (0, None)])

    yield exact(
        "if/in_tensor_iterator",
        [np.array([True, False, True, True, False]),
         counting(5, 3), counting(1, 3)], lambda f, x, s: walk(tensor_iterator, f, x, s),
        lambda f, x, s: walk(iterate, f, x, s),
        note="A step that is skipped where its flag is false.")

    def loops(run):
        def body(number, slices, states, invariants):
            following = branch(either.less(either.total(states[0]), np.float32(20)),
                               [states[0], invariants[0]], lambda p, q: [either.add(p, q)],
                               lambda p, q: [either.mul(p, np.float32(2))])[0]
            return [following], [], either.less(either.total(following), np.float32(200))

        return run(Loop(body, [(0, None), (0, 0)]))

    yield exact("if/in_loop", [counting(1, 3), 1 + counting(1, 3)],
                lambda s, i: loops(lambda loop: loop.node(np.array([-1]), TRUE, [], [s], [i])),
                lambda s, i: loops(lambda loop: loop.run(-1, True, [], [s], [i])), **BOUND)

    def count(loop, c, n, s, i):
        return branch(c, [n, s, i], lambda m, p, q: loop(m, TRUE, [], [p], [q])[:1],
                      lambda m, p, q: [either.sub(p, q)])

    def doubling(number, slices, states, invariants):
        return [either.add(states[0], invariants[0])], [], TRUE

    inner = Loop(doubling, [(0, None)])
    for taken in (True, False):
        yield exact(
            f"if/loop_in_{'then' if taken else 'else'}",
            [np.array(taken), np.array([3]),
             counting(1, 3), counting(1, 3)], lambda c, n, s, i: count(inner.node, c, n, s, i),
            lambda c, n, s, i: count(inner.run, c, n, s, i), **BOUND)


def _part(x, begin, end, axis=0):
    if isinstance(x, np.ndarray):
        return x[(slice(None),) * axis + (slice(begin, end),)]
    return node("Slice", 8, [x, *(i64(n) for n in (begin, end, 1, axis))])


def _summed(x, axis):
    if isinstance(x, np.ndarray):
        return x.sum(axis)
    return node("ReduceSum", 1, [x, i64(axis)], keep_dims=False)


def _places(x):
    if isinstance(x, np.ndarray):
        return np.array(np.nonzero(x))
    return node("NonZero", 3, [x], output_type="i64")


def _uneven():
    """Branches whose outputs differ in one extent."""
    x, y = counting(5, 3), 20 + counting(5, 3)

    def plain(axis, then, other):
        return lambda c, a: branch(c, [a], lambda p: [_part(p, *then, axis)],
                                   lambda p: [_part(p, *other, axis)])

    yield from either_way("if/uneven_rows", [x], plain(0, (0, 2), (1, 5)))
    yield from either_way("if/uneven_columns", [x], plain(1, (1, 3), (0, 1)))
    yield from either_way("if/uneven_or_none", [x], plain(0, (0, 0), (0, 5)))
    yield from either_way("if/uneven_columns_or_none", [x], plain(1, (0, 2), (0, 0)))
    yield from either_way("if/uneven_middle", [counting(2, 4, 3).astype(np.int64)],
                          plain(1, (0, 4), (2, 3)))
    yield from either_way("if/uneven_vector", [counting(17, dtype=np.int32)],
                          plain(0, (3, 4), (0, 17)))

    def read(c, a):
        rows = branch(c, [a], lambda p: [_part(p, 0, 2)], lambda p: [_part(p, 1, 5)])[0]
        return [either.mul(rows, np.float32(2)), _summed(rows, 0)]

    yield from either_way("if/uneven_read", [x], read)

    def together(c, a, b):
        made = branch(c, [a, b], lambda p, q: [_part(p, 0, 2), _part(q, 3, 5), p],
                      lambda p, q: [p, q, _part(q, 0, 1)])
        return [either.add(made[0], made[1]), made[2]]

    yield from either_way("if/uneven_of_one_length", [x, y], together,
                          note="Two of three outputs have the same length, whichever branch runs.")

    def found(c, a):
        return branch(c, [a], lambda p: [_places(p)], lambda p: [np.zeros((2, 1), np.int64)])

    def found_or_found(c, a, b):
        return branch(c, [a, b], lambda p, q: [_places(p)], lambda p, q: [_places(q)])

    seen = np.array([[0, 3, 0], [1, 0, 2]], np.float32)
    yield from either_way("if/found_or_known", [seen], found)
    yield from either_way("if/found_or_other_found", [seen, np.zeros((3, 3), np.float32)],
                          found_or_found)
    for known in (True, False):
        yield exact(f"if/found_known_{str(known).lower()}", [seen],
                    lambda a, known=known: found(np.array(known), a),
                    lambda a, known=known: found(np.array(known), a))

    def inside(c, d, a):
        return branch(
            c, [d, a], lambda e, p: branch(e, [p], lambda q: [_part(q, 0, 2)],
                                           lambda q: [_part(q, 2, 5)]),
            lambda e, p: [_part(p, 0, 4)])

    for second in (True, False):
        yield from either_way(f"if/uneven_in_if_{str(second).lower()}", [np.array(second), x],
                              inside)


def cases():
    for part in (_plain, _nested, _uneven):
        yield from part()
