#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures structural coverage with Clang:
#
#   scripts/coverage.sh [--write] [FOLDER]    runtime/ and kernels/, which ship in firmware
#   scripts/coverage.sh --converter [FOLDER]  converter/
#
# Prints lines, branches and MC/DC by folder. With FOLDER, lines that are not covered as HTML in it.
# The first form runs the tests that also run on devices, compares the missed branches of runtime/
# with tests/coverage/missed.txt, and exits with 1 if they differ; --write updates tests/coverage.
# Kernels are compiled for AVX-512, AVX2 and as scalar code; code for NEON, Helium and the DSP
# extension is not measured. The second form runs the tests of the converter and of the command.
# Builds in build/coverage. Needs clang-19, llvm-19 and the models of the host build (target
# weft_models).
set -euo pipefail
cd "$(dirname "$0")/.."
part=firmware
write=()
while [ $# -gt 0 ]; do
  case "$1" in
    --converter) part=converter ;;
    --write) write=(--write) ;;
    -*)
      echo "usage: scripts/coverage.sh [--converter] [--write] [FOLDER]" >&2
      exit 2
      ;;
    *) break ;;
  esac
  shift
done
for tool in clang++-19 llvm-cov-19 llvm-profdata-19; do
  command -v "$tool" >/dev/null || {
    echo "coverage: $tool is missing; must be installed" >&2
    exit 1
  }
done

if [ ! -e build/models/index.txt ]; then
  echo "coverage: build/models is missing; must be made by the target weft_models" >&2
  exit 1
fi
if [ $part = firmware ]; then
  programs=(weft_runtime_tests weft_hostile_tests weft_device_tests weft_kernels_tests)
  targets=("${programs[@]}")
  sources=(runtime kernels)
else
  programs=(weft_converter_tests weft_models_tests weft_conformance_tests weft_tflite_tests
    weft_cli_tests)
  targets=("${programs[@]}" weft)
  sources=(converter)
fi
build=$PWD/build/coverage
# Every process of the tests adds to one profile for each program.
export LLVM_PROFILE_FILE=$build/%m.profraw
# Clang measures no code in system headers or in files that these include. foreach_target.h
# includes each kernel once more for each vector target.
flags="-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc"
flags+=" --no-system-header-prefix=hwy/foreach_target.h"
cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE=toolchains/x86-64-clang.cmake \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1" \
  "-DCMAKE_CXX_FLAGS=$flags" -DWEFT_UNITE=ON -DWEFT_BUILD_TESTS=ON \
  "-DWEFT_MODELS_DIR=$PWD/build/models" >"$build.log"
rm -f "$build"/*.profraw
cmake --build "$build" --target "${targets[@]}"

objects=()
# Clang removes the allocations that the first test makes on purpose; the other one limits the size
# of files, also of profiles.
export GTEST_FILTER=-Trap.SeesTheHeap:Files.LeavesNothingBeyondTheLimitOfFileSizes GTEST_BRIEF=1
for program in "${programs[@]}"; do
  echo "coverage: runs $program" >&2
  "$build/tests/$program" >&2
  objects+=(-object "$build/tests/$program")
done
[ $part = firmware ] || objects+=(-object "$build/weft")
llvm-profdata-19 merge -sparse "$build"/*.profraw -o "$build/all.profdata"
common=(-instr-profile "$build/all.profdata" "${objects[@]}" -sources "${sources[@]}")
[ $# -eq 0 ] || llvm-cov-19 show -format html -show-mcdc-summary -output-dir "$1" "${common[@]}"

if [ $part = firmware ]; then
  llvm-cov-19 export "${common[@]}" >"$build/export.json"
  python3 scripts/coverage_table.py "$build/export.json" "${write[@]}"
else
  llvm-cov-19 export -summary-only "${common[@]}" >"$build/export.json"
  python3 scripts/coverage_table.py "$build/export.json" --only-folders
fi
