# SPDX-License-Identifier: Apache-2.0
"""RNNoise: gains of 22 bands and the probability of speech, every 10 ms of sound at 48 kHz."""
import ctypes
import re

import numpy as np
import openvino
from openvino import opset13 as ops

from common import denoise
from common.task import Task, snr
from common.wheels import quiet

REPOSITORY = "xiph/rnnoise cdf196b1e9de2f8ff1003328ebf9a4316477429d"
FILES = """
include/rnnoise.h 1c7efac4c237120a32b83ba581bd3294d968e10dd01551c1dc4118fba9589aa2
src/_kiss_fft_guts.h 0214dfe2aabb3b81d88fe814b8253fc2ec6da12bbbc98e08c1011a5bd60e3b29
src/arch.h 1686a3ca5817bb7d99049a1801c6ab3a7e91a5d0a6804b1c1cafb36e5eeb62f8
src/celt_lpc.c f4569ebcaf047f89e72d0b66a2cb279a1920299b3fa7ab7b5561c3cc0926aa87
src/celt_lpc.h 7729cea359579ad962c8b50d0e3b9ff9203a3e6a549040e2440e4f4722805c03
src/common.h fa6069db8f7fd18d79d5bea55cded6f9019570b2886908323270d07225c7c0ce
src/denoise.c 418cd35807a25aca5918999a53802e4b1fa5951246216a226fabecd351946a87
src/kiss_fft.c e7a835314fde5f0fa0ad85b82c0137982a830e98fce605b2c2dd01c64eb0477a
src/kiss_fft.h ae7f295d1eebb0d19312934de91659b1e852fc8bb433402d4b3146037cb32f0a
src/opus_types.h e2c1075e26567b8d57706d2f0042e36d5d440721fc3fd27a6fce9f0fc8a31557
src/pitch.c 74a26d1b8e2e856febf4045c57f9c409dce75040b9f29a40e5d6e6323dfa45e3
src/pitch.h f6939f0b88052506cbe7b1d6b4afd4ead41bedbab80183ec0c4672df0bfae9c2
src/rnn.c dd0ee0df0fa7aa4ee7a5a0c5a64aec270ef7e4e7001362268c365448f2ffb40d
src/rnn.h c35c380bb884478d138cbfa6ac5962b28ba2fa85ae81d9c5a86ae8798a92f4bb
src/rnn_data.c f0cdb52b30501aab489f90fedbc7a023c719d91b337db2da7f26fc3036556b95
src/rnn_data.h 1915d7a9e26198de4527022cf64ae82b68a73044f40d9c326f5cde31dcf61e4c
src/tansig_table.h 835fcdf08d5b92e249fbe9ba6cdd9758688a5fdf134efb9da0e42989e8c18b8a
"""
RATE, HOP = 48000, 480
SCALE = np.float32(1 / 256)  # of the integer weights
UNITS = {"vad_gru": 24, "noise_gru": 48, "denoise_gru": 96}
GATES = ["sigmoid", "relu"]
Values = ctypes.POINTER(ctypes.c_float)
Network = ctypes.CFUNCTYPE(None, ctypes.c_void_p, Values, Values, Values)
# The library calls `network` for a frame instead of its own function compute_rnn.
HOOK = """
#define compute_rnn called_network
#include "denoise.c"
#undef compute_rnn
void (*network)(RNNState *, float *, float *, const float *);
void called_network(RNNState *state, float *gains, float *vad, const float *features) {
  network(state, gains, vad, features);
}
"""


def library(folder, work):
    """The C library with a hook for its network."""
    (work / "hook.c").write_text(HOOK, encoding="utf-8")
    sources = [folder / f"{name}.c" for name in ("rnn", "rnn_data", "pitch", "celt_lpc", "kiss_fft")]
    quiet(["cc", "-shared", "-fPIC", "-O3", "-march=native", "-w", f"-I{folder}", "-o",
           work / "librnnoise.so", work / "hook.c", *sources, "-lm"])
    loaded = ctypes.CDLL(str(work / "librnnoise.so"))
    loaded.rnnoise_create.restype = ctypes.c_void_p
    loaded.rnnoise_destroy.argtypes = [ctypes.c_void_p]
    loaded.rnnoise_process_frame.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    loaded.compute_rnn.argtypes = [ctypes.c_void_p, Values, Values, Values]
    return loaded


def denoised(c_library, samples, network):
    """Runs the library on sound in [-1, 1]; its output is a frame late."""
    hook = Network(network)
    ctypes.c_void_p.in_dll(c_library, "network").value = ctypes.cast(hook, ctypes.c_void_p).value
    state = c_library.rnnoise_create()
    frames = samples[:len(samples) // HOP * HOP].reshape(-1, HOP) * np.float32(32768)
    result = np.empty_like(frames)
    for frame, output in zip(frames, result):
        c_library.rnnoise_process_frame(state, output.ctypes.data, frame.ctypes.data)
    c_library.rnnoise_destroy(state)
    return result.reshape(-1)[HOP:] / np.float32(32768)


def original(c_library, samples):
    """Returns features, gains and probabilities of each frame that is not silent, and the sound."""
    rows = []

    def network(state, gains, vad, features):
        c_library.compute_rnn(state, gains, vad, features)
        rows.append(np.concatenate([np.ctypeslib.as_array(array, (size,)) for array, size in (
            (features, 42), (gains, 22), (vad, 1))]))

    sound = denoised(c_library, samples, network)
    features, gains, vad = np.split(np.stack(rows)[:, None], [42, 64], 2)
    return features, {"gains": gains, "vad": vad}, sound


def timer(c_library, features):
    """Returns a function that makes one run of the library's network."""
    state = np.zeros(sum(UNITS.values()), np.float32)
    arrays = [np.zeros(22, np.float32), np.zeros(1, np.float32), features.copy()]
    words = [array.ctypes.data_as(Values) for array in arrays]
    return lambda: c_library.compute_rnn(state.ctypes.data, *words)


def tables(text):
    """The integer arrays of rnn_data.c by name."""
    found = re.findall(r"rnn_weight (\w+)\[\d+\] = \{([^}]*)\}", text)
    return {name: np.array(values.split(","), np.int8) for name, values in found}


def build(data):
    """Returns the network; weights stay integers that are multiplied by SCALE."""
    def weights(name, inputs):
        codes = ops.constant(np.ascontiguousarray(data[name].reshape(inputs, -1).T))
        return ops.multiply(ops.convert(codes, "f32"), ops.constant(SCALE))

    def bias(name):
        return data[f"{name}_bias"].astype(np.float32) * SCALE

    def dense(x, name, inputs):
        product = ops.matmul(x, weights(f"{name}_weights", inputs), False, True)
        return ops.add(product, ops.constant(bias(name)[None]))

    states = {name: ops.parameter([1, units], np.float32, name=name) for name, units in UNITS.items()}

    def gru(parts, name):
        x = ops.concat(parts, 1) if len(parts) > 1 else parts[0]
        inputs, units = x.get_output_shape(0)[1], UNITS[name]
        return ops.gru_cell(x, states[name], weights(f"{name}_weights", inputs),
                            weights(f"{name}_recurrent_weights", units), ops.constant(bias(name)),
                            units, GATES)

    features = ops.parameter([1, 42], np.float32, name="features")
    first = ops.tanh(dense(features, "input_dense", 42))
    vad = gru([first], "vad_gru")
    noise = gru([first, vad, features], "noise_gru")
    denoise_gru = gru([vad, noise, features], "denoise_gru")
    results = [ops.result(ops.sigmoid(dense(denoise_gru, "denoise_output", 96)), name="gains"),
               ops.result(ops.sigmoid(dense(vad, "vad_output", 24)), name="vad")]
    results += [ops.result(value, name=f"{name}_next") for name, value in zip(
        UNITS, (vad, noise, denoise_gru))]
    return openvino.Model(results, [features, *states.values()], "rnnoise")


def prepare(folder, work):
    model = work / "rnnoise.xml"
    data = tables((folder / "rnn_data.c").read_text(encoding="utf-8"))
    openvino.save_model(build(data), model, compress_to_fp16=False)
    clean, noisy = denoise.recordings(work, rate=RATE)
    c_library = library(folder, work)
    features, reference, expected = original(c_library, noisy)
    before = denoise.quality(clean, noisy)

    def sound_of(outputs):
        runs = iter(outputs["gains"])

        def network(_, gains, vad, features):  # pylint: disable=unused-argument
            np.ctypeslib.as_array(gains, (22,))[:] = next(runs)[0]

        return denoised(c_library, noisy, network)

    def measure(outputs):
        samples = sound_of(outputs)
        return [f"{denoise.quality(clean, samples) - before:.1f} dB", snr(expected, samples),
                snr(reference["vad"], outputs["vad"])]

    return [Task(model=model, options=["--state", *(f"{name}={name}_next" for name in UNITS)],
                 inputs={"features": features}, reference=reference, peer="C library",
                 run_peer=timer(c_library, features[40]),
                 measures=["SI-SDR gain", "SNR to the original", "SNR of the speech probability"],
                 measure=measure, board_runs=4, precisions=(("auto",), ("f32",), ("f16",), ("i8",)),
                 show=lambda outputs: denoise.show(work, clean, noisy, sound_of(outputs), RATE))]
