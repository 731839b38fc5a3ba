# SPDX-License-Identifier: Apache-2.0
"""Exported forms of layers and formulas of Keras and TensorFlow, like architectures/patterns.py for
PyTorch."""

import math

import numpy as np

from architectures.patterns import HEADS, QUERY, ROWS, SIZE, WIDTH
from architectures.registry import architecture

KERAS = ("keras", "keras_lite")
FUNCTION = ("tensorflow", "tensorflow_lite")


def _numbers(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


def _keras(name, layers, shape=(ROWS, WIDTH), forms=KERAS):
    def make():
        import keras

        x = keras.Input(shape, batch_size=1)
        return keras.Model(x, layers(keras, x)), (_numbers(1, *shape),)

    architecture(f"pattern_keras_{name}", forms=forms)(make)


def _keras_squeeze(keras, x):
    y = keras.layers.GlobalAveragePooling2D(keepdims=True)(x)
    y = keras.layers.Conv2D(2, 1, activation="relu")(y)
    return x * keras.layers.Conv2D(WIDTH, 1, activation="sigmoid")(y)


_keras("layer_norm", lambda keras, x: keras.layers.LayerNormalization()(x))
_keras("rms_norm", lambda keras, x: keras.layers.RMSNormalization()(x))
_keras("batch_norm", lambda keras, x: keras.layers.BatchNormalization()(
    keras.layers.Conv1D(4, 3)(x)))
_keras("gelu", lambda keras, x: keras.activations.gelu(x))
_keras("silu", lambda keras, x: keras.activations.silu(x))
_keras("hard_swish", lambda keras, x: keras.layers.Activation("hard_silu")(x))
_keras("leaky_relu", lambda keras, x: keras.layers.LeakyReLU(0.1)(x))
_keras("softplus", lambda keras, x: keras.activations.softplus(x))
_keras("attention", lambda keras, x: keras.layers.MultiHeadAttention(HEADS, SIZE)(x, x))
_keras("attention_causal", lambda keras, x: keras.layers.MultiHeadAttention(HEADS, SIZE)(
    x, x, use_causal_mask=True))
_keras("attention_grouped", lambda keras, x: keras.layers.GroupQueryAttention(SIZE, 4, 2)(x, x))
_keras("attention_grouped_causal", lambda keras, x: keras.layers.GroupQueryAttention(SIZE, 4, 2)(
    x, x, use_causal_mask=True))
_keras("glu", lambda keras, x: keras.activations.glu(x, axis=-1))
_keras("squeeze_excite", _keras_squeeze, (4, 3, WIDTH))
_keras("depthwise", lambda keras, x: keras.layers.DepthwiseConv1D(3, padding="same")(x))
_keras("separable", lambda keras, x: keras.layers.SeparableConv2D(
    6, 3, strides=2, padding="same", activation="relu6")(x), (6, 5, 3))
_keras("causal_conv", lambda keras, x: keras.layers.Conv1D(6, 3, padding="causal",
                                                           dilation_rate=2)(x), (12, WIDTH))
_keras("lstm", lambda keras, x: keras.layers.LSTM(6, return_sequences=True)(x))
_keras("lstm_unrolled", lambda keras, x: keras.layers.LSTM(
    6, return_sequences=True, unroll=True)(x), forms=("keras_lite",))
_keras("gru", lambda keras, x: keras.layers.GRU(6, return_sequences=True)(x))
_keras("gru_unrolled", lambda keras, x: keras.layers.GRU(
    6, return_sequences=True, unroll=True)(x), forms=("keras",))


# TensorFlow's own operations.
def _function(name, formula, *shapes, constants=()):
    """A formula in tf; its inputs and constants have the given shapes."""
    def make():
        import tensorflow as tf

        held = [np.abs(_numbers(*shape)) + np.float32(0.5) for shape in constants]

        def run(*inputs):
            return formula(tf, *inputs, *held)

        return run, tuple(_numbers(*shape) for shape in shapes or ((1, ROWS, WIDTH),))

    architecture(f"pattern_tf_{name}", forms=FUNCTION)(make)


def _layer_norm(tf, x, gain, bias):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, bias, gain, 1e-5)


def _written_norm(tf, x, gain, bias):
    centred = x - tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(tf.square(centred), -1, keepdims=True)
    return centred * tf.math.rsqrt(variance + 1e-5) * gain + bias


def _attention(tf, q, k, v):
    scores = tf.matmul(q, k, transpose_b=True) / math.sqrt(SIZE)
    return tf.matmul(tf.nn.softmax(scores, axis=-1), v)


def _causal_attention(tf, q, k, v):
    scores = tf.matmul(q, k, transpose_b=True) / math.sqrt(SIZE)
    mask = tf.linalg.band_part(tf.ones((ROWS, ROWS)), -1, 0)
    return tf.matmul(tf.nn.softmax(scores + (1 - mask) * -1e9, axis=-1), v)


def _heads(tf, x, enter, leave):
    q, k, v = (tf.transpose(tf.reshape(y, (1, ROWS, HEADS, SIZE)), (0, 2, 1, 3))
               for y in tf.split(tf.matmul(x, enter), 3, axis=-1))
    y = tf.reshape(tf.transpose(_attention(tf, q, k, v), (0, 2, 1, 3)), (1, ROWS, WIDTH))
    return tf.matmul(y, leave)


def _temporal(tf, x, first, second):
    y = tf.nn.relu(tf.nn.conv1d(tf.pad(x, ((0, 0), (2, 0), (0, 0))), first, 1, "VALID"))
    y = tf.pad(y, ((0, 0), (4, 0), (0, 0)))
    return x + tf.nn.relu(tf.nn.conv1d(y, second, 1, "VALID", dilations=2))


_function("layer_norm", _layer_norm, constants=((WIDTH,), (WIDTH,)))
_function("layer_norm_written", _written_norm, constants=((WIDTH,), (WIDTH,)))
_function("gelu", lambda tf, x: 0.5 * x * (1 + tf.math.erf(x / math.sqrt(2))))
_function("gelu_tanh", lambda tf, x: tf.nn.gelu(x, approximate=True))
_function("silu", lambda tf, x: tf.nn.silu(x))
_function("leaky_relu", lambda tf, x: tf.nn.leaky_relu(x, 0.1))
_function("l2_norm", lambda tf, x: tf.math.l2_normalize(x, -1))
_function("sdpa", _attention, QUERY, QUERY, QUERY)
_function("sdpa_causal", _causal_attention, QUERY, QUERY, QUERY)
_function("attention", _heads, constants=((WIDTH, 3 * WIDTH), (WIDTH, WIDTH)))
_function("depthwise", lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, (1, 1, 1, 1), "SAME"),
          (1, 6, 5, 3), constants=((3, 3, 3, 1),))
_function("temporal", _temporal, (1, 12, WIDTH), constants=((3, WIDTH, WIDTH), (3, WIDTH, WIDTH)))
