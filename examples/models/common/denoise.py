# SPDX-License-Identifier: Apache-2.0
"""Parts of the noise suppressors: a noisy recording, short-time spectra and the quality of the result."""
import numpy as np

from . import sound

SENTENCES = [0.5, "The birch canoe slid on the smooth planks.", 0.5,
             "Glue the sheet to the dark blue background.", 0.5]


def recordings(work, snr_db=5, seed=3, rate=sound.RATE):
    """Returns clean and noisy speech; the noisy one is also written as noisy.wav."""
    clean, _ = sound.scene(SENTENCES, level=1e-5, rate=rate)
    clean *= 0.5
    noise = sound.noise(len(clean) / rate, 1, seed, rate)[:len(clean)]
    noise *= np.sqrt(np.mean(clean**2) / np.mean(noise**2)) * 10**(-snr_db / 20)
    noisy = (clean + noise).astype(np.float32)
    sound.write_wav(work / "noisy.wav", noisy, rate)
    return clean, noisy


def frames(samples, length, hop):
    """Overlapping frames; the first one ends with the first `hop` samples."""
    padded = np.concatenate([np.zeros(length - hop, np.float32), samples])
    count = (len(padded) - length) // hop + 1
    return np.stack([padded[i * hop:i * hop + length] for i in range(count)])


def overlap_add(blocks, hop):
    """The inverse of frames() for blocks whose windows add up to 1."""
    length = blocks.shape[1]
    sums = np.zeros((len(blocks) - 1) * hop + length)
    for i, block in enumerate(blocks):
        sums[i * hop:i * hop + length] += block
    return sums[length - hop:].astype(np.float32)


def quality(clean, samples):
    """Returns the scale-invariant signal-to-distortion ratio in dB."""
    count = min(len(clean), len(samples))
    clean, samples = clean[:count].astype(np.float64), samples[:count].astype(np.float64)
    target = clean * np.dot(samples, clean) / np.dot(clean, clean)
    return 10 * np.log10(np.sum(target**2) / np.sum((samples - target)**2))


def show(work, clean, noisy, samples, rate=sound.RATE):
    """Writes denoised.wav, and returns levels over time before and after."""
    sound.write_wav(work / "denoised.wav", samples, rate)
    lines = ["  time  noisy                 denoised"]
    step = rate // 4
    for at in range(0, min(len(noisy), len(samples)) - step + 1, step):
        lines.append(f"{at / rate:5.2f}s  {sound.envelope(noisy[at:at + step])}  "
                     f"{sound.envelope(samples[at:at + step])}".rstrip())
    lines.append(f"SI-SDR: noisy {quality(clean, noisy):.1f} dB, denoised "
                 f"{quality(clean, samples):.1f} dB; {work / 'denoised.wav'}")
    return "\n".join(lines)
