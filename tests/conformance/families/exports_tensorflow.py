# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers of Keras and while-loops of TensorFlow, saved as SavedModel and converted by
OpenVINO.

Without TensorFlow, the stored IR replaces the export; the outputs are derived from it as usual.
Keras orders the gates of an LSTM i, f, c, o and of a GRU z, r, h.
"""

import os
import tempfile

import numpy as np
import openvino as ov

import store
from casebook import RECURRENT, Case, by_numpy, normal
from generate import CASES
from reference import cells

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
try:
    import tensorflow as tf
except ImportError:
    tf = None


def exported(make, shape):
    """The ov.Model of make(), which returns a function of one f32 tensor and objects to keep alive."""
    import keras
    keras.utils.clear_session()
    module = tf.Module(name="model")
    function, module.kept = make()
    signature = [tf.TensorSpec(shape, tf.float32, name="x")]
    module.run = tf.function(lambda x: function(x), input_signature=signature)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures=module.run)
        return ov.convert_model(folder)


def _case(name, x, make, reference, shape=None, **more):
    """shape: extents that the export leaves open are None; the user then specifies them."""
    path = f"exports/{name}"
    arguments = {"reference": reference, "rtol": RECURRENT, "atol": RECURRENT, **more}
    if shape:
        arguments["convert"] = ["--shape", "x=" + ",".join(map(str, x.shape))]
    if tf is not None:
        return Case(path, [x], model=lambda: exported(make, shape or x.shape), **arguments)
    folder = CASES / path
    files = ((folder / "model.xml").read_text(), (folder / "model.bin").read_bytes())
    return Case(path, [x], files=files, **arguments)


class Layer:
    """One layer of Keras with fixed-seed weights."""
    GATES = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}

    def __init__(self, label, kind, inputs, hidden, **options):
        self.kind, self.hidden, self.options = kind, hidden, options
        size = self.GATES[kind] * hidden
        self.two_biases = kind == "GRU" and options.get("reset_after", True)
        self.weights = [
            normal(label + "w", inputs, size, scale=0.4),
            normal(label + "r", hidden, size, scale=0.4),
            normal(label + "b", *((2, size) if self.two_biases else (size, )), scale=0.3)
        ]

    def keras(self):
        import keras
        made = getattr(keras.layers, self.kind)(self.hidden, return_sequences=True,
                                                **self.options)
        made.build((None, None, self.weights[0].shape[0]))
        made.set_weights(self.weights)
        return made

    def run(self, x):
        """[batch, time, hidden]"""
        w, r, b = self.weights
        order = {"LSTM": [1, 0, 2, 3], "GRU": [0, 1, 2], "SimpleRNN": [0]}[self.kind]

        def gates(array):
            parts = np.split(array, len(order), axis=-1)
            return np.concatenate([parts[place] for place in order], -1)

        if self.two_biases:
            keep = 2 * self.hidden
            b = np.concatenate([b[0, :keep] + b[1, :keep], b[0, keep:], b[1, keep:]])
        else:
            b = gates(b)
        arguments = (gates(w).T[None], gates(r).T[None], b[None], "forward")
        zeros = np.zeros((x.shape[0], 1, self.hidden))
        lengths = [x.shape[1]] * x.shape[0]
        if self.kind == "LSTM":
            hard = self.options.get("recurrent_activation") == "hard_sigmoid"
            names = ("hardsigmoid" if hard else "sigmoid", "tanh", "tanh")
            return cells.lstm_sequence(x, zeros, zeros, lengths, *arguments, activations=names,
                                       alphas=(1 / 6, ), betas=(0.5, ))[0][:, 0]
        if self.kind == "GRU":
            return cells.gru_sequence(x, zeros, lengths, *arguments,
                                      linear_before_reset=self.two_biases)[0][:, 0]
        return cells.rnn_sequence(x, zeros, lengths, *arguments)[0][:, 0]


def _keras():
    rows = [  # name, kind, batch, time, inputs, hidden, options
        ("keras_lstm", "LSTM", 1, 7, 5, 12, {}),
        ("keras_lstm_batch", "LSTM", 3, 4, 5, 6, {}),
        ("keras_gru", "GRU", 1, 6, 5, 12, {}),
        ("keras_gru_reset_before", "GRU", 2, 5, 4, 8, {"reset_after": False}),
        ("keras_simple_rnn", "SimpleRNN", 1, 8, 5, 9, {}),
        ("keras_lstm_hard_sigmoid", "LSTM", 1, 6, 5, 7, {"recurrent_activation": "hard_sigmoid"}),
    ]
    for name, kind, batch, time, inputs, hidden, options in rows:
        layer = Layer(name, kind, inputs, hidden, **options)

        def make(layer=layer):
            made = layer.keras()
            return made, [made]

        yield _case(name, normal(name, batch, time, inputs), make, layer.run)


def _keras_networks():
    there, back = Layer("kbf", "LSTM", 5, 8), Layer("kbb", "LSTM", 5, 8)

    def bidirectional():
        import keras
        ways = [there.keras(), back.keras()]
        both = keras.layers.Bidirectional(ways[0], backward_layer=keras.layers.LSTM(
            8, return_sequences=True, go_backwards=True))
        both.build((None, None, 5))
        both.set_weights(there.weights + back.weights)
        return both, [both]

    yield _case("keras_bidirectional_lstm", normal("kb", 1, 6, 5), bidirectional,
                lambda x: np.concatenate([there.run(x), back.run(x[:, ::-1])[:, ::-1]], -1))
    first, second = Layer("ks1", "GRU", 6, 10), Layer("ks2", "LSTM", 10, 7)
    dense, offset = normal("ksd", 7, 4, scale=0.4), normal("kso", 4)

    def stacked():
        layers = [first.keras(), second.keras()]
        return lambda x: tf.nn.softmax(layers[1](layers[0](x))[:, -1] @ dense + offset), layers

    def of_stacked(x):
        raised = np.exp(second.run(first.run(x))[:, -1] @ dense + offset)
        return raised / raised.sum(-1, keepdims=True)

    yield _case("keras_stacked_gru_lstm", normal("ks", 1, 6, 6), stacked, of_stacked,
                note="GRU, LSTM, last frame, dense, softmax.")


def _any_length():
    """Batch and time are dynamic: the trip count follows from the user's --shape."""
    layer = Layer("kal", "LSTM", 5, 8)

    def make(layer=layer):
        made = layer.keras()
        return made, [made]

    yield _case("keras_lstm_any_length", normal("kal", 1, 6, 5), make, layer.run,
                shape=(None, None, 5))
    first, second = Layer("kar1", "GRU", 4, 7), Layer("kar2", "SimpleRNN", 7, 6)

    def stacked():
        layers = [first.keras(), second.keras()]
        return lambda x: layers[1](layers[0](x)), layers

    yield _case("keras_stacked_any_length", normal("kar", 2, 5, 4), stacked,
                lambda x: second.run(first.run(x)), shape=(None, None, 4))


def _while(step, states, time, hidden, backward=False, subscript=False):
    """make() of a tf.while_loop over axis 0: step(row, *states) -> next states. A TensorArray stores
    the first state of each step. subscript: rows are x[i] instead of elements of a TensorArray."""
    def run(x):
        kept = tf.TensorArray(tf.float32, size=time, element_shape=(1, hidden))
        rows = tf.TensorArray(tf.float32, size=time, element_shape=x.shape[1:]).unstack(x)

        def body(i, kept, *states):
            at = time - 1 - i if backward else i
            following = step(x[at] if subscript else rows.read(at), *states)
            return (i + 1, kept.write(at, following[0]), *following)

        zeros = [tf.zeros((1, hidden)) for _ in range(states)]
        _, kept, *last = tf.while_loop(lambda i, *_: i < time, body, (0, kept, *zeros))
        return {"all": kept.stack(), "last": last[0]}

    return lambda: (run, [])


def _in_numpy(step, states, hidden, backward=False):
    def reference(x):
        rows = x[::-1] if backward else x
        values, kept = [np.zeros((1, hidden))] * states, []
        for row in rows.astype(np.float64):
            values = step(row, *values)
            kept.append(values[0])
        return [np.stack(kept[::-1] if backward else kept), values[0]]

    return reference


def _while_loops():
    w, b = normal("twl", 5 + 8, 32, scale=0.4), normal("twlb", 32, scale=0.3)

    def lstm(row, h, c):
        i, j, f, o = tf.split(tf.matmul(tf.concat([row, h], 1), w) + b, 4, 1)
        c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(j)
        return tf.sigmoid(o) * tf.tanh(c), c

    def lstm_in_numpy(row, h, c):
        i, j, f, o = np.split(b, 4)
        merged = w.astype(np.float64)
        w_i, w_j, w_f, w_o = np.split(merged, 4, 1)
        order = np.concatenate([w_f, w_i, w_j, w_o], 1).T
        return cells.lstm_cell(row, h, c, order[:, :5], order[:, 5:],
                               np.concatenate([f + 1.0, i, j, o]))

    for backward in (False, True):
        yield _case(f"tf_while_lstm{'_backward' if backward else ''}", normal("tw", 6, 1, 5),
                    _while(lstm, 2, 6, 8, backward), _in_numpy(lstm_in_numpy, 2, 8, backward))
    yield _case(
        "tf_while_lstm_subscript", normal("tws", 5, 1, 5), _while(lstm, 2, 5, 8, subscript=True),
        _in_numpy(lstm_in_numpy, 2, 8),
        **by_numpy("OpenVINO's CPU device has no executor for StridedSlice with computed bounds in "
                   "a Loop."))
    g, m = normal("twg", 4 + 9, 18, scale=0.4), normal("twm", 4 + 9, 9, scale=0.4)
    gb, mb = normal("twgb", 18, scale=0.3), normal("twmb", 9, scale=0.3)

    def gru(row, h):
        r, z = tf.split(tf.sigmoid(tf.matmul(tf.concat([row, h], 1), g) + gb), 2, 1)
        n = tf.tanh(tf.matmul(tf.concat([row, r * h], 1), m) + mb)
        return (z * h + (1 - z) * n, )

    def gru_in_numpy(row, h):
        r, z = np.split(g, 2, 1)
        all_of_x = np.concatenate([z[:4], r[:4], m[:4]], 1).T
        all_of_h = np.concatenate([z[4:], r[4:], m[4:]], 1).T
        bias = np.concatenate([gb[9:], gb[:9], mb])
        return (cells.gru_cell(row, h, all_of_x, all_of_h, bias), )

    yield _case("tf_while_gru", normal("twx", 7, 1, 4), _while(gru, 1, 7, 9),
                _in_numpy(gru_in_numpy, 1, 9))


def _early_exit():
    """Ends when the state exceeds a threshold, or at the end of the input."""
    w = normal("tee", 4, 4, scale=0.3)

    def run(x):
        def body(i, h):
            return i + 1, tf.tanh(tf.matmul(h, w) + tf.gather(x, i))

        def goes_on(i, h):
            return tf.logical_and(i < 9, tf.reduce_sum(h * h) < 1.5)

        i, h = tf.while_loop(goes_on, body, (0, tf.zeros((1, 4))))
        return {"h": h, "steps": i}

    def reference(x):
        h, i = np.zeros((1, 4)), 0
        while i < 9 and (h * h).sum() < 1.5:
            h, i = np.tanh(h @ w + x[i]), i + 1
        return [h, np.array(i, np.int32)]

    for name, scale in (("early", 0.5), ("at_the_end", 0.1)):
        yield _case(f"tf_while_ends_{name}", normal("tew", 9, 1, 4, scale=scale),
                    lambda: (run, []), reference)


def cases():
    for part in (_keras, _keras_networks, _any_length, _while_loops, _early_exit):
        yield from part()
