# SPDX-License-Identifier: Apache-2.0
"""Builds the firmware of a model for Cortex-M boards, and runs it in QEMU."""
import os
import re
import shutil
import subprocess
import sys

import numpy as np

from .wheels import Failure, quiet

# preset -> board, core, flash and RAM of the firmware. QEMU's boards have this much memory there.
BOARDS = {
    "cortex-m4f": ("mps2-an386", "M4F", "4M", "1M"),
    "cortex-m7": ("mps2-an500", "M7", "4M", "1M"),
    "cortex-m55": ("mps3-an547", "M55", "512K", "512K"),
}


def hash_of(outputs):
    """FNV-1a of the bytes of all outputs, run by run, as the firmware computes it."""
    value = 2166136261
    for run in range(len(outputs[0])):
        for output in outputs:
            for byte in np.ascontiguousarray(output[run]).tobytes():
                value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


def tools_are_missing():
    """Returns the names of missing programs, joined; empty if firmware can be built and run."""
    needed = ("arm-none-eabi-g++", "qemu-system-arm", "cmake", "ninja")
    return ", ".join(name for name in needed if not shutil.which(name))


def install(root, preset, prefix):
    """Installs weft's libraries for a preset; builds them if they are missing."""
    if not prefix.exists():
        print(f"building weft's libraries for {preset}", file=sys.stderr)
        if not (root / "build" / preset / "build.ninja").exists():
            quiet(["cmake", "--preset", preset], cwd=root)
        quiet(["cmake", "--build", root / "build" / preset, "--target", "weft_runtime", "weft_kernels"])
        quiet(["cmake", "--install", root / "build" / preset, "--prefix", prefix])


class Firmware:
    """The firmwares of one model. `prefixes`: folder of weft's installed libraries; `samples`: inputs
    of a few runs; `expected`: outputs of the desktop for them, in the order of the ports."""

    def __init__(self, root, prefixes, folder, samples):
        self.root, self.prefixes, self.folder = root, prefixes, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.samples = folder / "samples.bin"
        self.runs = len(samples[0])
        self.samples.write_bytes(b"".join(
            np.ascontiguousarray(array[run]).tobytes() for run in range(self.runs) for array in samples))

    def measure(self, preset, model, expected):
        """Builds and runs the firmware with the model of a folder. Returns flash and RAM in bytes, and
        instructions of a run; None if the firmware does not fit. The flash excludes the stored
        inputs. The outputs must have the bits of the desktop's."""
        board, _, flash, ram = BOARDS[preset]
        prefix = self.prefixes / preset
        install(self.root, preset, prefix)
        build = self.folder / preset
        shutil.rmtree(build, ignore_errors=True)
        toolchain = self.root / "examples/cortex-m/toolchain.cmake"
        quiet(["cmake", "-G", "Ninja", "-S", self.root / "examples/models/firmware", "-B", build,
               f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", f"-DBOARD={board}",
               f"-DCMAKE_PREFIX_PATH={prefix}", f"-DMODEL={model}",
               f"-DSAMPLES={self.samples}", f"-DFLASH_BYTES={flash}", f"-DRAM_BYTES={ram}"])
        run = subprocess.run(["cmake", "--build", build], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            if re.search(r"region `(FLASH|RAM)' overflowed", run.stdout + run.stderr):
                return None
            raise Failure(f"firmware of {preset}: {(run.stdout + run.stderr).strip()[-500:]}")
        used = {name: int(size) * (1024 if unit == "K" else 1) for name, size, unit in re.findall(
            r"(FLASH|RAM):\s+(\d+) (K?)B", run.stdout)}
        text = quiet(["qemu-system-arm", "-M", board, "-display", "none", "-serial", "none", "-monitor",
                      "none", "-chardev", "stdio,id=host", "-semihosting-config",
                      "enable=on,target=native,chardev=host", "-icount", "shift=0", "-kernel",
                      build / "firmware.elf"], stdin=subprocess.DEVNULL, timeout=300)
        values = {name: int(value) for name, value in re.findall(r"(\w+) (\d+)\n", text)}
        if values.get("runs") != self.runs or values.get("hash") != hash_of(expected):
            raise Failure(f"firmware of {preset}: outputs differ from those of weft run: {text.strip()}")
        return (used["FLASH"] - os.path.getsize(self.samples), used["RAM"], values["instructions"])
