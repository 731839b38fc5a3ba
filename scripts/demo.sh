#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Demonstrates weft: sets up, builds, converts the keypad decoder of examples/dtmf, prints its plan,
# decodes a noisy recording with the C++ API, compares every output with OpenVINO's, and decodes the
# same recording on an emulated Cortex-M4.
set -euo pipefail
cd "$(dirname "$0")/.."
model=examples/dtmf/model
build=build/demo/host

say() { printf '\n== %s\n' "$*"; }

# quietly LOG COMMAND...: runs a command and prints its output only if it fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    tail -n 40 "$log"
    echo "demo: failed: $*; $log has all lines"
    exit 1
  }
}

scripts/setup.sh demo
mkdir -p build/demo
say "build the weft command (lines are in build/demo/build.log)"
started=$SECONDS
quietly build/demo/configure.log cmake --preset host -B "$build" -DWEFT_UNITE=ON \
  -DWEFT_PRECOMPILE=ON -DWEFT_NATIVE=ON -DWEFT_CONVERTER_OPTIONS=-O0 \
  -DWEFT_BUILD_TESTS=OFF
quietly build/demo/build.log cmake --build "$build" --target weft dtmf
echo "built in $((SECONDS - started)) s"

say "convert $model/dtmf.xml"
"$build/weft" convert "$model/dtmf.xml" -o build/demo/dtmf.weft

say "the plan"
"$build/weft" inspect build/demo/dtmf.weft

say "decode $model/test.wav (truth: $(cat "$model/test.txt")), compare with OpenVINO's answers"
host=$("$build/examples/dtmf/dtmf" build/demo/dtmf.weft "$model/test.wav" "$model/expected.npy")
echo "$host"

say "narrow weights: file size, and keys found at 10 and 0 dB SNR"
# scripts/setup.sh installs NumPy for the system's Python, which may not be the first one on the
# PATH.
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c "import numpy" 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -n "$python" ]; then
  "$python" examples/dtmf/precisions.py --weft "$build/weft" --keys 500
else
  echo "skipped: no Python with NumPy found"
fi

say "effect of i8 weights per layer"
"$build/weft" convert "$model/dtmf.xml" -o build/demo/i8.weft --precision i8 --sensitivity \
  --input "audio=$model/test.wav"

say "time one 10 ms frame"
"$build/weft" bench build/demo/dtmf.weft

say "the same on a Cortex-M4, emulated: no C library, 64 KB of RAM"
quietly build/demo/cortex-m.log cmake --no-warn-unused-cli -G Ninja -S examples/cortex-m \
  -B build/demo/cortex-m -DWEFT_COMMAND="$PWD/$build/weft" \
  -DCMAKE_TOOLCHAIN_FILE=toolchain.cmake -DBOARD=mps2-an386 -DWEFT_PRECOMPILE=ON
quietly build/demo/cortex-m-build.log cmake --build build/demo/cortex-m
board=$(timeout 300 cmake --build build/demo/cortex-m --target run 2>&1 | tail -n 1)
echo "host   $host"
echo "board  $board"
[ "$host" = "$board" ] || { echo "demo: board and host decode different keys"; exit 1; }
