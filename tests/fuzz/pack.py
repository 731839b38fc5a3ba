#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stored inputs tests/fuzz/<fuzzer>.zip.

    pack.py PROGRAMS WEFT [FUZZER...]

Creates seeds from build/fixtures (seeds.py), adds the inputs that scripts/fuzz.sh kept in build/fuzz, lets
libFuzzer select the smallest set that reaches the same branches, and packs the first fast ones of it. PROGRAMS is
the folder of weft_fuzz_<fuzzer> of the preset asan, WEFT the command."""
import hashlib
import itertools
import pathlib
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The maximum number of inputs of each fuzzer. An input of a conversion takes 20 ms with the sanitizers.
FUZZERS = {"model": 60, "readers": 40, "convert_ir": 100, "convert_tflite": 100, "texts": 40}
MAX_SECONDS = 2
_TIME = (1980, 1, 1, 0, 0, 0)  # equal inputs give equal archives


def _select(program, fuzzer, folders, target):
    """Copies the smallest set of inputs with the same branches to `target`."""
    call = [program, "-set_cover_merge=1", "-timeout=60", "-rss_limit_mb=2048", "-max_len=32768",
            "-close_fd_mask=3", target, *folders]
    run = subprocess.run(call, capture_output=True, text=True, errors="replace", check=False)
    if run.returncode != 0:
        sys.exit(f"{fuzzer}: the selection failed:\n{run.stderr[-2000:]}")


def _is_fast(program, file):
    """Returns true if the input takes less than MAX_SECONDS."""
    try:
        return subprocess.run([program, file], capture_output=True, check=False,
                              timeout=MAX_SECONDS).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def _pack(fuzzer, inputs):
    archive = ROOT / "tests" / "fuzz" / f"{fuzzer}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for data in inputs:
            name = f"{fuzzer}/{hashlib.sha256(data).hexdigest()[:16]}"
            info = zipfile.ZipInfo(name, _TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, data)
    print(f"{fuzzer}: {len(inputs)} inputs, {archive.stat().st_size} bytes")


def main():
    programs, weft, *fuzzers = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        seeds = pathlib.Path(folder) / "seeds"
        subprocess.run([sys.executable, ROOT / "tests/fuzz/seeds.py", ROOT / "build/fixtures", weft, seeds], check=True)
        for fuzzer in fuzzers or FUZZERS:
            program = pathlib.Path(programs) / f"weft_fuzz_{fuzzer}"
            target = pathlib.Path(folder) / fuzzer
            target.mkdir()
            kept = ROOT / "build" / "fuzz" / fuzzer / "corpus"
            _select(program, fuzzer, [seeds / fuzzer, *([kept] if kept.is_dir() else [])], target)
            files = sorted(target.iterdir(), key=lambda file: (file.stat().st_mtime_ns, file.name))
            # libFuzzer writes the inputs that reach the most branches first.
            fast = itertools.islice((file for file in files if _is_fast(program, file)), FUZZERS[fuzzer])
            _pack(fuzzer, sorted(file.read_bytes() for file in fast))


if __name__ == "__main__":
    main()
