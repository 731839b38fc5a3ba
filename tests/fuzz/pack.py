#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stored inputs tests/fuzz/<fuzzer>.zip.

    pack.py PROGRAM WEFT [FUZZER...]

Creates seeds from build/fixtures (seeds.py), adds the inputs that scripts/fuzz.sh kept in build/fuzz, lets
libFuzzer select the smallest set that reaches the same branches, and packs the first of it. PROGRAM is
weft_fuzz of the preset asan, WEFT the command."""
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The maximum number of inputs of each fuzzer. An input of a conversion takes 20 ms with the sanitizers.
FUZZERS = {"model": 60, "readers": 40, "convert_ir": 100, "convert_tflite": 100, "texts": 40}
_TIME = (1980, 1, 1, 0, 0, 0)  # equal inputs give equal archives


def _select(program, fuzzer, folders, target):
    """Copies the smallest set of inputs with the same branches to `target`."""
    call = [program, fuzzer, "-set_cover_merge=1", "-timeout=10", "-rss_limit_mb=2048", "-max_len=32768",
            "-close_fd_mask=3", target, *folders]
    run = subprocess.run(call, capture_output=True, text=True, errors="replace", check=False)
    if run.returncode != 0:
        sys.exit(f"{fuzzer}: the selection failed:\n{run.stderr[-2000:]}")


def _pack(fuzzer, inputs):
    """Packs the inputs; of too many, those that libFuzzer selected first reach the most branches."""
    archive = ROOT / "tests" / "fuzz" / f"{fuzzer}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for data in inputs:
            name = f"{fuzzer}/{hashlib.sha256(data).hexdigest()[:16]}"
            info = zipfile.ZipInfo(name, _TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, data)
    print(f"{fuzzer}: {len(inputs)} inputs, {archive.stat().st_size} bytes")


def main():
    program, weft, *fuzzers = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        seeds = pathlib.Path(folder) / "seeds"
        subprocess.run([sys.executable, ROOT / "tests/fuzz/seeds.py", ROOT / "build/fixtures", weft, seeds], check=True)
        for fuzzer in fuzzers or FUZZERS:
            target = pathlib.Path(folder) / fuzzer
            target.mkdir()
            kept = ROOT / "build" / "fuzz" / fuzzer / "corpus"
            _select(program, fuzzer, [seeds / fuzzer, *([kept] if kept.is_dir() else [])], target)
            files = sorted(target.iterdir(), key=lambda file: (file.stat().st_mtime_ns, file.name))
            _pack(fuzzer, sorted(file.read_bytes() for file in files[:FUZZERS[fuzzer]]))


if __name__ == "__main__":
    main()
