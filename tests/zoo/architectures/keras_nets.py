# SPDX-License-Identifier: Apache-2.0
"""Keras models, exported as TensorFlow SavedModels."""

import numpy as np

from architectures.registry import architecture

KERAS = ("keras",)


def _numbers(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


def _sequential(shape, make, batch=1):
    import keras

    layers = [keras.Input(shape, batch_size=batch), *make(keras.layers)]
    return keras.Sequential(layers), (_numbers(batch, *shape),)


@architecture("keras_lstm_steps", causal=True, forms=KERAS)
def keras_lstm_steps():
    return _sequential((6, 4), lambda k: [k.LSTM(8, return_sequences=True), k.Dense(3)])


@architecture("keras_lstm_last", forms=KERAS)
def keras_lstm_last():
    return _sequential((6, 4), lambda k: [k.LSTM(8, return_sequences=True), k.LSTM(6),
                                          k.Dense(3, activation="softmax")])


@architecture("keras_gru_steps", causal=True, forms=KERAS)
def keras_gru_steps():
    return _sequential((6, 4), lambda k: [k.GRU(8, return_sequences=True), k.Dense(3)])


@architecture("keras_gru_last", forms=KERAS)
def keras_gru_last():
    return _sequential((6, 4), lambda k: [k.GRU(8, reset_after=False), k.Dense(3)])


@architecture("keras_bidirectional", forms=KERAS)
def keras_bidirectional():
    return _sequential((5, 3), lambda k: [
        k.Bidirectional(k.GRU(4, return_sequences=True)),
        k.Bidirectional(k.LSTM(4), merge_mode="sum"), k.Dense(2)])


@architecture("keras_conv_lstm_steps", causal=True, forms=KERAS)
def keras_conv_lstm_steps():
    return _sequential((3, 5, 5, 2), lambda k: [
        k.ConvLSTM2D(3, 3, padding="same", return_sequences=True), k.BatchNormalization()])


@architecture("keras_conv_lstm_last", forms=KERAS)
def keras_conv_lstm_last():
    return _sequential((3, 5, 5, 2), lambda k: [
        k.ConvLSTM2D(3, 3, padding="same"), k.GlobalAveragePooling2D(), k.Dense(2)])


@architecture("keras_rnn_masked", forms=KERAS)
def keras_rnn_masked():
    return _sequential((6, 3), lambda k: [k.Masking(0.0), k.SimpleRNN(6), k.Dense(2)])


@architecture("keras_stacked_cells", causal=True, forms=KERAS)
def keras_stacked_cells():
    return _sequential((5, 3), lambda k: [
        k.RNN([k.LSTMCell(5), k.GRUCell(4)], return_sequences=True),
        k.TimeDistributed(k.Dense(2, activation="tanh"))])


@architecture("keras_causal_conv", causal=True, forms=KERAS)
def keras_causal_conv():
    return _sequential((12, 3), lambda k: [
        k.Conv1D(6, 3, padding="causal", dilation_rate=2, activation="relu"),
        k.SeparableConv1D(6, 3, padding="causal"), k.LayerNormalization(), k.GRU(5,
                                                                         return_sequences=True)])


@architecture("keras_kws_dscnn", forms=KERAS)
def keras_kws_dscnn():
    return _sequential((20, 8, 1), lambda k: [
        k.Conv2D(6, (5, 3), (2, 2), padding="same", use_bias=False), k.BatchNormalization(),
        k.ReLU(6.0), k.DepthwiseConv2D(3, padding="same"), k.BatchNormalization(), k.ReLU(),
        k.Conv2D(8, 1), k.GlobalAveragePooling2D(), k.Dropout(0.2), k.Dense(4), k.Softmax()])


@architecture("keras_autoencoder", forms=KERAS)
def keras_autoencoder():
    return _sequential((16, 2), lambda k: [
        k.Conv1D(4, 5, 2, padding="same", activation="relu"),
        k.Conv1D(6, 5, 2, padding="same", activation="relu"),
        k.Conv1DTranspose(4, 5, 2, padding="same", activation="elu"),
        k.UpSampling1D(2), k.Conv1D(2, 3, padding="same")])


@architecture("keras_attention", forms=KERAS)
def keras_attention():
    import keras

    x = keras.Input((6, 8), batch_size=1)
    y = keras.layers.MultiHeadAttention(2, 4)(x, x)
    y = keras.layers.LayerNormalization()(keras.layers.Add()([x, y]))
    y = keras.layers.Dense(8, activation="gelu")(y)
    y = keras.layers.Dense(3)(keras.layers.GlobalMaxPooling1D()(y))
    return keras.Model(x, y), (_numbers(1, 6, 8),)


@architecture("keras_states", forms=KERAS)
def keras_states():
    """States are inputs and outputs, for step-by-step inference of a sequence model."""
    import keras

    x, h, c = (keras.Input(shape, batch_size=1) for shape in ((1, 3), (6,), (6,)))
    y, *states = keras.layers.LSTM(6, return_state=True)(x, initial_state=[h, c])
    return keras.Model([x, h, c], [keras.layers.Dense(2)(y), *states]), (
        _numbers(1, 1, 3), _numbers(1, 6), _numbers(1, 6))
