# SPDX-License-Identifier: Apache-2.0
"""ReadValue and Assign: state that a model keeps between calls."""

import numpy as np
import openvino as ov
from openvino import opset1, opset3, opset5, opset6

import either
from build import constant, finish, node, outputs_of, parameter
from casebook import EXACT, RECURRENT, Case, by_numpy, counting, i64, integers, normal
from families.cells import weights

FROM_PARAMETER = by_numpy("OpenVINO's CPU device goes wrong when an Assign takes a Parameter.")


class Memory:
    """Creates the variables of one model and collects their Assigns."""
    def __init__(self, opset=6):
        self._opset, self.sinks = opset, []

    def read(self, name, shape, initial=None, dtype=np.float32):
        if self._opset == 3:
            return opset3.read_value(as_node(initial), name)
        if initial is None:
            return opset6.read_value(name, dtype, list(shape))
        return opset6.read_value(as_node(initial), name, dtype, list(shape))

    def write(self, name, value):
        """Creates an Assign; its output is the assigned value."""
        self.sinks.append(node("Assign", self._opset, [value], variable_id=name))
        return self.sinks[-1]


def as_node(value):
    """Returns nodes unchanged and arrays as Constants."""
    return constant(value) if isinstance(value, np.ndarray) else value


def stateful(path, inputs, build, reference, tolerance, opset=6, **more):
    """build(memory, *parameters) -> outputs; reference(*inputs of one call, state) -> (outputs,
    state), from state None.

    Every input has a leading axis of calls.
    """
    def model():
        memory = Memory(opset)
        parameters = [
            parameter(array.shape[1:], array.dtype.type, f"x{index}")
            for index, array in enumerate(inputs)
        ]
        return finish(build(memory, *parameters), parameters, path.split("/")[1], memory.sinks)

    def every_call(*arrays):
        state, answers = None, []
        for call in range(len(arrays[0])):
            outputs, state = reference(*(array[call] for array in arrays), state)
            answers.append(outputs)
        return [np.stack(parts) for parts in zip(*answers)]

    return Case(path, inputs, model=model, reference=every_call, rtol=tolerance, atol=tolerance,
                calls=len(inputs[0]), **more)


def _sums():
    def running(memory, x):
        total = node("Add", 1, [memory.read("sum", (3,), np.full(3, 10, np.float32)), x])
        memory.write("sum", total)
        return total

    def summed(x, state):
        total = x + (10 if state is None else state)
        return [total], total

    for opset in (3, 6):
        yield stateful(f"state/running_sum_{opset}", [counting(5, 3)], running, summed, EXACT,
                       opset)

    def from_zero(memory, x):
        old = memory.read("last", (2, 4))
        memory.write("last", x)
        return node("Subtract", 1, [x, old])

    yield stateful(
        "state/difference_to_last_call", [counting(4, 2, 4)], from_zero, lambda x, state:
        ([x - (0 if state is None else state)], x), EXACT,
        note="ReadValue without an input starts from zeros; the Assign takes a Parameter.",
        **FROM_PARAMETER)

    def counter(memory, x):
        count = node(
            "Add", 1,
            [memory.read("count", (1,), np.zeros(1, np.int32), np.int32),
             np.array([1], np.int32)])
        memory.write("count", count)
        return count, node("Multiply", 1, [x, count])

    def counted(x, state):
        count = np.array([1 if state is None else state[0] + 1], np.int32)
        return [count, x * count], count

    yield stateful("state/call_counter_i32", [integers("cc", -9, 9, 4, 5)], counter, counted, EXACT)

    def starts_from_input(memory, x):
        old = memory.read("hold", (3,), x)
        memory.write("hold", node("Maximum", 1, [old, x]))
        return old

    yield stateful(
        "state/initial_value_is_computed", [np.round(normal("iv", 5, 3) * 9)], starts_from_input,
        lambda x, state: ([x if state is None else state], x
                          if state is None else np.maximum(state, x)), EXACT,
        note="The initial value is read on the first call only.")


OPEN = by_numpy("The variable's extent is open, and OpenVINO's CPU device starts it empty; weft "
                "takes the batch of the first input.")


UNSET = by_numpy("OpenVINO's CPU device leaves a variable of open extent unset where its initial "
                 "value is a constant.")


def _open_extents():
    """Variables whose shape has a dynamic batch axis in the file."""
    def summed(x, state):
        total = x + (0 if state is None else state)
        return [total], total

    def running(memory, x):
        total = node("Add", 1, [memory.read("sum", (-1, 3)), x])
        memory.write("sum", total)
        return total

    yield stateful("state/sum_open", [counting(4, 2, 3)], running, summed, EXACT, **OPEN)

    def started(memory, x):
        total = node("Add", 1, [memory.read("sum", (-1, 3), np.full((2, 3), 5, np.float32)), x])
        memory.write("sum", total)
        return total

    yield stateful("state/sum_open_from_constant", [counting(4, 2, 3)], started,
                   lambda x, state: summed(x, np.full((2, 3), 5) if state is None else state),
                   EXACT, **UNSET)


def _delays():
    def delay(memory, x):
        first, second = memory.read("z1", (1, 2), np.zeros(
            (1, 2), np.float32)), memory.read("z2", (1, 2), np.ones((1, 2), np.float32))
        memory.write("z1", x)
        memory.write("z2", first)
        return second

    yield stateful(
        "state/delay_of_two_calls", [counting(6, 1, 2)], delay, lambda x, state:
        ([np.ones((1, 2)) if state is None else state[1]], (x, np.zeros(
            (1, 2)) if state is None else state[0])), EXACT, **FROM_PARAMETER)

    kernel = normal("frk", 4, 3, 5, scale=0.3)
    geometry = {
        "strides": [1], "pads_begin": [0], "pads_end": [0], "dilations": [1], "auto_pad": "explicit"
    }

    def streaming(memory, x):
        joined = node("Concat", 1, [memory.read("past", (1, 3, 4)), x], axis=2)
        memory.write("past",
                     node("Slice", 8,
                          [joined, i64(-4), np.array([2**31 - 1]),
                           i64(1), i64(2)]))
        return node("Tanh", 1, [node("Convolution", 1, [joined, kernel], **geometry)])

    def streamed(x, state):
        joined = np.concatenate([np.zeros((1, 3, 4)) if state is None else state, x], 2)
        frames = np.stack([joined[:, :, at:at + 5] for at in range(x.shape[2])], 2)
        return [np.tanh(np.einsum("nclk,ock->nol", frames, kernel))], joined[:, :, -4:]

    yield stateful("state/streaming_convolution", [normal("fx", 5, 1, 3, 2)], streaming, streamed,
                   RECURRENT)


def _cells():
    w, r, b = weights("sg", 3, 9, 17)

    def gru(memory, x):
        hidden = either.gru(x, memory.read("hidden", (1, 17), np.zeros((1, 17), np.float32)), w, r,
                            b)
        memory.write("hidden", hidden)
        return hidden

    def gru_reference(x, state):
        hidden = either.gru(x, np.zeros((1, 17)) if state is None else state, w, r, b)
        return [hidden], hidden

    yield stateful("state/streaming_gru", [normal("sgx", 7, 1, 9)], gru, gru_reference, RECURRENT)
    wl, rl, bl = weights("sl", 4, 5, 16)

    def lstm(memory, x):
        zero = np.zeros((2, 16), np.float32)
        hidden, cell = either.lstm(x, memory.read("h", (2, 16), zero),
                                   memory.read("c", (2, 16), zero), wl, rl, bl)
        memory.write("h", hidden)
        memory.write("c", cell)
        return hidden

    def lstm_reference(x, state):
        hidden, cell = either.lstm(x, *(state or (np.zeros((2, 16)), np.zeros((2, 16)))), wl, rl,
                                   bl)
        return [hidden], (hidden, cell)

    yield stateful("state/streaming_lstm_batch_2", [normal("slx", 6, 2, 5)], lstm, lstm_reference,
                   RECURRENT)


def _iterator(memory, x, step, carried=(), as_loop=False):
    """A TensorIterator or Loop over axis 0 of x with the body step(chunk, *states) -> (new states,
    results). Returns the results, concatenated along axis 0, then the last states."""
    whole = outputs_of(x)[0]
    chunk = parameter([1] + list(whole.get_shape())[1:], whole.get_element_type().to_dtype())
    states = [parameter(value.shape, value.dtype.type) for value in carried]
    new, results = step(chunk, *states)
    ends = [opset1.result(as_node(value).output(0)) for value in list(new) + list(results)]
    sinks, memory.sinks = memory.sinks, []
    loop = opset1.tensor_iterator()
    if as_loop:
        loop = opset5.loop(constant(whole.get_shape()[0]), constant(np.array(True)))
        ends.append(opset1.result(constant(np.array(True))))
    body = ov.Model(results=ends, sinks=sinks, parameters=[chunk] + states, name="body")
    if as_loop:
        loop.set_function(body)
        loop.set_special_body_ports([-1, len(ends) - 1])
        ends.pop()
    else:
        loop.set_body(body)
    loop.set_sliced_input(chunk, whole, 0, 1, 1, -1, 0)
    for port, value, end in zip(states, carried, ends):
        loop.set_merged_input(port, constant(value).output(0), end.output(0))
    made = [
        loop.get_concatenated_slices(end.output(0), 0, 1, 1, -1, 0) for end in ends[len(new):]
    ]
    return made + [loop.get_iter_value(end.output(0), -1) for end in ends[:len(new)]]


def _by_steps(step):
    """The reference of _iterator for the body step(row, state) -> (results of one iteration, state)."""
    def call(x, state):
        rows = []
        for row in x:
            results, state = step(row[None], state)
            rows.append(results)
        return [np.concatenate(parts) for parts in zip(*rows)], state

    return call


def _bodies():
    zero = np.zeros((1, 3), np.float32)

    for opset in (3, 6):

        def running(memory, x):
            def step(chunk):
                total = node("Add", 1, [memory.read("sum", (1, 3), zero + 10), chunk])
                memory.write("sum", total)
                return [], [total]

            return _iterator(memory, x, step)

        def summed(row, state):
            total = row + (10 if state is None else state)
            return [total], total

        yield stateful(f"state/sum_in_body_{opset}", [counting(3, 4, 3)], running,
                       _by_steps(summed), EXACT, opset,
                       note="A variable of a body lives on through iterations and calls.")

    def last(memory, x):
        def step(chunk):
            old = memory.read("last", (1, 3))
            memory.write("last", node("Negative", 1, [chunk]))
            return [], [old, node("Subtract", 1, [chunk, old])]

        return _iterator(memory, x, step)

    yield stateful(
        "state/old_value_leaves_body", [counting(2, 5, 3)], last,
        _by_steps(lambda row, state: ([zero if state is None else state,
                                       row - (zero if state is None else state)], -row)), EXACT,
        note="The old value itself is a result; it is gathered before the Assign overwrites it.")

    def first(memory, x):
        def step(chunk):
            held = memory.read("hold", (1, 3), node("Multiply", 1, [chunk, np.float32(2)]))
            highest = node("Maximum", 1, [held, chunk])
            memory.write("hold", highest)
            return [], [highest]

        return _iterator(memory, x, step)

    def held(row, state):
        highest = np.maximum(row * 2 if state is None else state, row)
        return [highest], highest

    yield stateful("state/initial_value_computed_in_body", [np.round(normal("hb", 3, 4, 3) * 9)],
                   first, _by_steps(held), EXACT,
                   note="The initial value is that of the first iteration of the first call.")
    yield from _bodies_with_states()


def _bodies_with_states():
    start = (np.full((1, 2), 3, np.int32), np.full((1, 2), 5, np.int32))

    def swap(memory, x):
        def step(chunk, a, b):
            count = node("Add", 1, [memory.read("count", (1, 2), None, np.int32), np.int32(1)])
            memory.write("count", count)
            return [b, node("Add", 1, [a, chunk])], [node("Multiply", 1, [a, count])]

        return _iterator(memory, x, step, carried=start)

    def swapped(x, state):
        count, rows = np.zeros((1, 2), np.int32) if state is None else state, []
        a, b = start
        for row in x:
            count = count + 1
            rows.append(a * count)
            a, b = b, a + row
        return [np.concatenate(rows), a, b], count

    for steps in (4, 5):
        yield stateful(f"state/counter_beside_swapped_states_{steps}",
                       [integers("cs", -9, 9, 3, steps, 2)], swap, swapped, EXACT,
                       note="The body is laid down twice; its variable stays one.")

    def nested(memory, x):
        def step(chunk):
            row = node("Reshape", 1, [chunk, i64(3, 2)])

            def inside(part):
                old = memory.read("deep", (1, 2))
                new = node("Add", 1, [node("Multiply", 1, [old, np.float32(0.5)]), part])
                memory.write("deep", new)
                return [], [new]

            inner, = _iterator(memory, row, inside, as_loop=True)
            return [], [node("Reshape", 1, [inner, i64(1, 3, 2)])]

        return _iterator(memory, x, step)

    def deep(x, state):
        value, out = np.zeros(2) if state is None else state, np.zeros(x.shape)
        for i, j in np.ndindex(*x.shape[:2]):
            value = value * 0.5 + x[i, j]
            out[i, j] = value
        return [out], value

    yield stateful("state/variable_two_loops_deep",
                   [np.round(normal("vd", 2, 2, 3, 2) * 8)], nested, deep, EXACT)


# OpenVINO's CPU device crashes on most of these and rejects the rest.
ASSIGN_IS_READ = by_numpy("OpenVINO's CPU device cannot run a model that reads an Assign.")

READERS = {
    "result": lambda value: [value],
    "abs": lambda value: [node("Abs", 1, [value])],
    "both": lambda value: [value, node("Abs", 1, [value])],
}


def _assigned():
    """A reader of an Assign's output gets the assigned value."""
    for opset in (3, 6):
        for dtype in (np.float32, np.float16, np.int32):
            for who, read_by in READERS.items():
                if dtype != np.float32 and who != "both":
                    continue

                def summed(memory, x, read_by=read_by, dtype=dtype):
                    old = memory.read("sum", (3,), np.full(3, -4, dtype), dtype)
                    return read_by(memory.write("sum", node("Add", 1, [old, x])))

                def answer(x, state, who=who, dtype=dtype):
                    total = x + (np.full(3, -4, dtype) if state is None else state)
                    both = {"result": [total], "abs": [np.abs(total)]}
                    return both.get(who, [total, np.abs(total)]), total

                steps = (counting(5, 3) - 7).astype(dtype)
                yield stateful(f"state/assign_read_by_{who}_{dtype.__name__}_{opset}", [steps],
                               summed, answer, EXACT, opset, **ASSIGN_IS_READ)

        yield stateful(
            f"state/assign_of_its_own_variable_{opset}", [counting(3, 2)], lambda memory, x:
            memory.write("held", memory.read("held", (2,), x)), lambda x, state:
            ([x if state is None else state], x
             if state is None else state), EXACT, opset, **ASSIGN_IS_READ)

        def in_body(memory, x):
            def step(chunk):
                old = memory.read("sum", (1, 3), np.full((1, 3), 10, np.float32))
                total = memory.write("sum", node("Subtract", 1, [chunk, old]))
                return [], [total, node("Relu", 1, [total]), old]

            return _iterator(memory, x, step)

        def summed_in_body(row, state):
            old = np.full((1, 3), 10, np.float32) if state is None else state
            return [row - old, np.maximum(row - old, 0), old], row - old

        yield stateful(f"state/assign_read_in_body_{opset}", [counting(3, 4, 3)], in_body,
                       _by_steps(summed_in_body), EXACT, opset, **ASSIGN_IS_READ)


def cases():
    for part in (_sums, _open_extents, _delays, _cells, _bodies, _assigned):
        yield from part()
