#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the models and layers of tests/size on every emulated Cortex-M. Rewrites
# tests/size/footprint.txt and layers.txt, and the tables of README.md and docs/footprint.md from
# footprint.txt. Needs the models of the host build: cmake --build --preset x86-64 --target
# weft_models.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
cmake --preset x86-64
cmake --build --preset x86-64 --target weft_models
for preset in cortex-m4f cortex-m7 cortex-m33 cortex-m55; do
  cmake --preset "$preset" -DWEFT_MODELS_DIR="$PWD/build/models"
  cmake --build --preset "$preset" --target \
    weft_size_{{mlp,lstm,dscnn}{,_int8},lstm_f16,{lstm,dscnn}_i8,gru,dtmf,layers}
  WEFT_PIN_FOOTPRINT=1 ctest --preset "$preset" -L size
done
python3 tests/tidy/tidy.py --write-readme
git diff --stat -- README.md docs tests/size/footprint.txt tests/size/layers.txt
