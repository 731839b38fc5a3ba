#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows weft at work: sets up, builds, converts the keypad decoder of examples/dtmf, prints its
# plan, decodes a noisy recording with the C++ API and compares every answer with OpenVINO's.
set -euo pipefail
cd "$(dirname "$0")/.."
model=examples/dtmf/model
build=build/x86-64

say() { printf '\n== %s\n' "$*"; }

scripts/setup.sh
mkdir -p build
say "build"
cmake --preset x86-64 >build/configure.log || { cat build/configure.log; exit 1; }
cmake --build --preset x86-64 --target weft dtmf

say "convert $model/dtmf.xml"
mkdir -p build/demo
"$build/weft" convert "$model/dtmf.xml" -o build/demo/dtmf.weft

say "the plan"
"$build/weft" inspect build/demo/dtmf.weft

say "decode $model/test.wav (truth: $(cat "$model/test.txt")), compare with OpenVINO's answers"
"$build/examples/dtmf/dtmf" build/demo/dtmf.weft "$model/test.wav" "$model/expected.npy"

say "time one 10 ms frame"
"$build/weft" bench build/demo/dtmf.weft
