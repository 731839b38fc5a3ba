# SPDX-License-Identifier: Apache-2.0
"""ReadValue and Assign: what a model remembers from one call to the next."""

import numpy as np
from openvino import opset3, opset6

import either
from build import constant, finish, node, parameter
from casebook import EXACT, RECURRENT, Case, by_numpy, counting, i64, integers, normal
from families.cells import weights

FROM_PARAMETER = by_numpy("OpenVINO's CPU device goes wrong when an Assign takes a Parameter.")


class Memory:
    """Makes the variables of one model and collects their Assigns."""
    def __init__(self, opset=6):
        self._opset, self.sinks = opset, []

    def read(self, name, shape, initial=None, dtype=np.float32):
        if self._opset == 3:
            return opset3.read_value(as_node(initial), name)
        if initial is None:
            return opset6.read_value(name, dtype, list(shape))
        return opset6.read_value(as_node(initial), name, dtype, list(shape))

    def write(self, name, value):
        self.sinks.append(node("Assign", self._opset, [value], variable_id=name))


def as_node(value):
    """Nodes as they are, arrays as Constants."""
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


def cases():
    for part in (_sums, _delays, _cells):
        yield from part()
