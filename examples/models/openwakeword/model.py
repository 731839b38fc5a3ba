# SPDX-License-Identifier: Apache-2.0
"""openWakeWord's "Okay Nabu": mel features, speech embedding and the wake word, for every 80 ms."""
import numpy as np

from common import sound
from common.task import Task, snr
from common.tflite import LiteRT

WHEELS = """
pyopen-wakeword==1.1.0 --hash=sha256:754347a59de2b3d378a0cbc404a8b41164036e74fa1c185f88056974e4bfb6b4
"""
CUTOFF = 0.5
CHUNK, SAMPLES = 1280, 1760  # new samples of a run, and all samples of its input
MELS, MEL_STEP, WORDS = 76, 8, 16  # rows of an embedding, its step, embeddings of a decision
SCENE = [2.0, "Okay Nabu.", 1.2, "Turn on the kitchen light.", 1.2, "Okay Nabu.", 1.0,
         "What time is it?", 1.0, "Hey Jarvis.", 1.5]


def windows(rows, length, step):
    """Overlapping windows along the first axis."""
    return np.stack([rows[i:i + length] for i in range(0, len(rows) - length + 1, step)])


def show(samples, probability):
    lines = ["  time  level                 probability"]
    first = len(samples) // CHUNK - len(probability)  # the first decision has this many chunks
    for i in range(0, len(probability) - 2, 3):
        at = (first + i) * CHUNK
        highest = float(probability[i:i + 3].max())
        lines.append(f"{at / sound.RATE:5.2f}s  {sound.envelope(samples[at:at + 3 * CHUNK])}  "
                     f"{sound.bar(highest)} {'detected' if highest > CUTOFF else ''}".rstrip())
    return "\n".join(lines)


def task_of(part, path, inputs, peer, options=(), display=None):
    reference = np.stack([peer(values) for values in inputs])

    def measure(outputs):
        ours = next(iter(outputs.values()))
        flips = "" if part != "wake word" else (
            f"{np.sum((ours > CUTOFF) != (reference > CUTOFF))} of {len(reference)}")
        return [flips, snr(reference, ours)]

    return Task(model=path, options=list(options), inputs={peer.input["name"]: inputs},
                reference={"output": reference}, peer="LiteRT", run_peer=lambda: peer(inputs[20]),
                part=part, measures=["decisions that differ", "SNR"], measure=measure,
                show=display, board_runs=1 if part == "embedding" else 4)


def prepare(wheels, work):
    folder = wheels / "pyopen_wakeword-1.1.0/pyopen_wakeword/models"
    samples, _ = sound.scene(SCENE)
    sound.write_wav(work / "speech.wav", samples)
    names = ("melspectrogram", "embedding_model", "okay_nabu")
    mel, embedding, word = (folder / f"{name}.tflite" for name in names)
    peers = [LiteRT(mel, (1, SAMPLES)), LiteRT(embedding), LiteRT(word)]
    chunks = windows(np.round(samples * 32767), SAMPLES, CHUNK)[:, None].astype(np.float32)
    rows = np.concatenate([peers[0](chunk).reshape(-1, 32) for chunk in chunks]) / 10 + 2
    images = windows(rows, MELS, MEL_STEP)[:, None, ..., None]
    vectors = np.concatenate([peers[1](image).reshape(1, -1) for image in images])
    groups = windows(vectors, WORDS, 1)[:, None]
    return [task_of("features", mel, chunks, peers[0], ("--shape", f"0=1,{SAMPLES}")),
            task_of("embedding", embedding, images, peers[1]),
            task_of("wake word", word, groups, peers[2],
                    display=lambda outputs: show(samples, next(iter(outputs.values())).reshape(-1)))]
