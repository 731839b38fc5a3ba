#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes Keras models as .tflite files by TensorFlow's converter, into build/fixtures/tflite/keras.

keras_models.py [NAME ...]          then: write_models.py --only keras

The files are stored, because every version of TensorFlow writes others. Needs tensorflow-cpu 2.21.0
and keras 3.15.1; the tests need neither.
"""
import pathlib
import sys

import keras
import numpy as np
import tensorflow as tf
from keras import layers
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "build/fixtures/tflite/keras"
EXAMPLES = 32  # for the ranges of quantised models


def ds_cnn():
    """Keyword spotting: a convolution and two separable ones."""
    x = inputs = keras.Input(batch_shape=(1, 25, 10, 1))
    x = layers.ReLU()(layers.BatchNormalization()(
        layers.Conv2D(16, (10, 4), 2, "same", use_bias=False)(x)))
    for _ in range(2):
        x = layers.ReLU(6.0)(layers.BatchNormalization()(layers.DepthwiseConv2D(3, 1, "same")(x)))
        x = layers.ReLU(6.0)(layers.BatchNormalization()(layers.Conv2D(16, 1)(x)))
    x = layers.Dropout(0.2)(layers.GlobalAveragePooling2D()(x))
    return keras.Model(inputs, layers.Dense(12, "softmax")(x))


def autoencoder():
    """Anomaly detection."""
    x = inputs = keras.Input(batch_shape=(1, 64))
    for units in (32, 32, 8, 32, 32):
        x = layers.ReLU()(layers.BatchNormalization()(layers.Dense(units)(x)))
    return keras.Model(inputs, layers.Dense(64)(x))


def tcn():
    """Causal convolutions with dilations."""
    x = inputs = keras.Input(batch_shape=(1, 40, 6))
    for dilation in (1, 2, 4):
        y = layers.Conv1D(6, 3, padding="causal", dilation_rate=dilation, activation="relu")(x)
        x = layers.Add()([x, y])
    return keras.Model(inputs, layers.Dense(3, "sigmoid")(x))


def residual():
    """Images: additions, concatenation, pools, an upsampling and a transposed convolution. With
    "nearest" Keras 3 writes TILE, which tflite-micro does not have."""
    x = inputs = keras.Input(batch_shape=(1, 16, 16, 3))
    x = layers.Conv2D(8, 3, 1, "same", activation="relu")(x)
    y = layers.Conv2D(8, 3, 1, "same")(layers.LeakyReLU(0.1)(layers.Conv2D(8, 3, 1, "same")(x)))
    x = layers.MaxPooling2D()(layers.ReLU()(layers.Add()([x, y])))
    y = layers.UpSampling2D(interpolation="bilinear")(layers.AveragePooling2D(2)(x))
    x = layers.Concatenate()([x, y])
    return keras.Model(inputs, layers.Conv2DTranspose(2, 3, 2, "same", activation="tanh")(x))


def lstm():
    """A sequence to a sequence."""
    inputs = keras.Input(batch_shape=(1, 12, 5))
    x = layers.LSTM(8, return_sequences=True)(inputs)
    return keras.Model(inputs, layers.Dense(3)(layers.LSTM(6, return_sequences=True)(x)))


def gru():
    """A sequence to a class."""
    inputs = keras.Input(batch_shape=(1, 12, 5))
    return keras.Model(inputs, layers.Dense(4, "softmax")(layers.GRU(8)(inputs)))


def unrolled_gru():
    """A sequence to a sequence without a loop, which TensorFlow's converter cannot quantise."""
    inputs = keras.Input(batch_shape=(1, 6, 5))
    x = layers.GRU(8, return_sequences=True, unroll=True)(inputs)
    return keras.Model(inputs, layers.Dense(3)(x))


def bidirectional():
    """Both directions of a sequence."""
    inputs = keras.Input(batch_shape=(1, 12, 5))
    x = layers.Bidirectional(layers.LSTM(6, return_sequences=True))(inputs)
    return keras.Model(inputs, layers.Dense(2)(x))


def simple_rnn():
    """The cell without gates."""
    inputs = keras.Input(batch_shape=(1, 12, 5))
    return keras.Model(inputs, layers.SimpleRNN(8, return_sequences=True)(inputs))


def crnn():
    """Convolutions before a GRU."""
    x = inputs = keras.Input(batch_shape=(1, 24, 8, 1))
    x = layers.Conv2D(4, 3, (1, 2), "same", activation="relu")(x)
    x = layers.GRU(8, return_sequences=True)(layers.Reshape((24, 16))(x))
    return keras.Model(inputs, layers.Dense(5, "softmax")(x))


def attention():
    """A block of a transformer."""
    inputs = keras.Input(batch_shape=(1, 10, 8))
    x = layers.LayerNormalization()(layers.Add()(
        [inputs, layers.MultiHeadAttention(2, 4)(inputs, inputs)]))
    y = layers.Dense(8)(layers.Dense(16, "gelu")(x))
    return keras.Model(inputs, layers.LayerNormalization()(layers.Add()([x, y])))


def convert(model, form):
    """The .tflite file: f32, f16 weights, int8 or int16 activations with int8 weights."""
    function = tf.function(model).get_concrete_function(
        tf.TensorSpec(model.inputs[0].shape, tf.float32))  # all dimensions are known
    frozen = convert_variables_to_constants_v2(function)
    converter = tf.lite.TFLiteConverter.from_concrete_functions([frozen])
    if form != "f32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if form == "f16":
        converter.target_spec.supported_types = [tf.float16]
    if form in ("int8", "int16"):
        random = np.random.default_rng(1)
        shape = model.inputs[0].shape
        converter.representative_dataset = lambda: (
            [random.standard_normal(shape).astype(np.float32)] for _ in range(EXAMPLES))
        ops = tf.lite.OpsSet
        converter.target_spec.supported_ops = [
            ops.TFLITE_BUILTINS_INT8 if form == "int8" else
            ops.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8]
        kind = tf.int8 if form == "int8" else tf.int16
        converter.inference_input_type = converter.inference_output_type = kind
    return converter.convert()


MODELS = {
    ds_cnn: ("f32", "f16", "int8", "int16"), autoencoder: ("int8",), tcn: ("f32", "int8"),
    residual: ("f32", "int8"), lstm: ("f32",), gru: ("f32",), unrolled_gru: ("int8", "int16"),
    bidirectional: ("f32",),
    simple_rnn: ("f32",), crnn: ("f32",), attention: ("f32",)
}


def main():
    """Writes the named models, or all."""
    for make, forms in MODELS.items():
        for form in forms:
            name = f"{make.__name__}_{form}"
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            keras.utils.set_random_seed(1)
            model = make()
            for weight in model.weights:  # those of a new model are 0 or 1 in part
                noise = np.random.standard_normal(weight.shape) * 0.1
                weight.assign(weight + (np.abs(noise) if "variance" in weight.path else noise))
            (FOLDER / name).mkdir(parents=True, exist_ok=True)
            (FOLDER / name / "model.tflite").write_bytes(convert(model, form))
            print(name, flush=True)


if __name__ == "__main__":
    main()
