#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures models on emulated Cortex-M boards and rewrites the tables of README.md and docs/.
#
#   scripts/footprint.sh                    # the models and layers of tests/size, on every board
#   scripts/footprint.sh --tflite FOLDER    # the .tflite files of a folder, on M4F and M55
#   scripts/footprint.sh --cmsis-nn FOLDER  # int8 layers by the sources of CMSIS-NN, on M4F and M55
#
# The first form rewrites footprint.txt, stack_bounds.txt, layers.txt and, with llvm-mca 19,
# cycles.txt in tests/size, and needs the models of the host build: cmake --build --preset host
# --target weft_models. The second form rewrites the rows of weft in tests/size/tflite.txt; the rows
# of other runtimes stay as they are. The third form rewrites cmsis_nn.txt.
set -euo pipefail
tflite=
cmsis_nn=
case "${1:-}" in
  "") ;;
  --tflite)
    tflite=$(cd "${2:?footprint: --tflite has no FOLDER; must have one with .tflite files}" && pwd)
    ;;
  --cmsis-nn)
    cmsis_nn=$(cd "${2:?footprint: --cmsis-nn has no FOLDER; must have the sources}" && pwd)
    ;;
  *)
    echo "footprint: is \"$1\"; must be --tflite FOLDER, --cmsis-nn FOLDER or nothing" >&2
    exit 2
    ;;
esac
cd "$(dirname "$0")/.."
scripts/setup.sh
host=$(scripts/preset.sh)
cmake --preset "$host"
if [ -n "$tflite" ]; then
  cmake --build --preset "$host" --target weft
  for preset in cortex-m4f cortex-m55; do
    cmake --preset "$preset" -DWEFT_SIZE_TFLITE="$tflite" -DWEFT_COMMAND="$PWD/build/$host/weft"
    cmake --build --preset "$preset" --target weft_size_tflite
    WEFT_PIN_FOOTPRINT=1 ctest --preset "$preset" -L tflite
  done
elif [ -n "$cmsis_nn" ]; then
  for preset in cortex-m4f cortex-m55; do
    cmake --preset "$preset" -DWEFT_CMSIS_NN_DIR="$cmsis_nn"
    cmake --build --preset "$preset" --target weft_size_cmsis_nn
    WEFT_PIN_FOOTPRINT=1 ctest --preset "$preset" -L cmsis_nn
  done
else
  cmake --build --preset "$host" --target weft_models
  for preset in cortex-m4f cortex-m7 cortex-m33 cortex-m55 cortex-m3 cortex-m0plus; do
    cmake --preset "$preset" -DWEFT_MODELS_DIR="$PWD/build/models"
    cmake --build --preset "$preset" --target weft_size
    WEFT_PIN_FOOTPRINT=1 ctest --preset "$preset" -L size
  done
fi
python3 tests/tidy/tidy.py --write-readme
git diff --stat -- README.md docs tests/size
