#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times weft on recurrent models with fixed-seed weights: the TensorIterator document's example 2
# (LSTM 512 -> 256 over 25 steps), one step of an LSTM 64 -> 64, and a million steps of the smallest
# LSTM. Reports, asserts nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/x86-64
folder=build/bench

# bench NAME INPUT HIDDEN STEPS [OPTION of weft bench...]
bench() {
  printf '\n== %s\n' "$1"
  python3 tests/conformance/document_lstm.py "$folder/$1" --form today \
    --input "$2" --hidden "$3" --steps "$4"
  "$build/weft" convert "$folder/$1/model.xml" -o "$folder/$1.weft"
  "$build/weft" bench "$folder/$1.weft" "${@:5}"
}

scripts/setup.sh
mkdir -p build
cmake --preset x86-64 >build/configure.log || { cat build/configure.log; exit 1; }
cmake --build --preset x86-64 --target weft
mkdir -p "$folder"
bench lstm_512_256_25 512 256 25
bench lstm_64_64_1 64 64 1
bench lstm_1_1_1000000 1 1 1000000 --iterations 5
