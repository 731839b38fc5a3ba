#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the structural coverage of the code that ships in firmware:
#
#   scripts/coverage.sh [FOLDER]      lines that are not covered, as HTML in FOLDER as well
#
# Builds runtime/ and kernels/ with Clang's source-based coverage in build/coverage, runs the tests
# that also run on devices, and prints lines, branches and MC/DC by folder. Kernels are compiled for
# AVX-512, AVX2 and as scalar code; code for NEON, Helium and the DSP extension is not measured.
# Needs clang-19, llvm-19 and the models of the host build (target weft_models).
set -euo pipefail
cd "$(dirname "$0")/.."
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

build=$PWD/build/coverage
programs=(weft_runtime_tests weft_hostile_tests weft_device_tests weft_kernels_tests)
flags="-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc"
cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE=toolchains/x86-64-clang.cmake \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1" \
  "-DCMAKE_CXX_FLAGS=$flags" -DWEFT_UNITE=ON \
  -DWEFT_BUILD_TESTS=ON -DWEFT_MODELS_DIR="$PWD/build/models" >"$build.log"
cmake --build "$build" --target "${programs[@]}"

objects=()
# Clang removes the allocations that this test makes on purpose.
export GTEST_FILTER=-Trap.SeesTheHeap GTEST_BRIEF=1
for program in "${programs[@]}"; do
  echo "coverage: runs $program" >&2
  LLVM_PROFILE_FILE="$build/$program.profraw" "$build/tests/$program" >&2
  objects+=(-object "$build/tests/$program")
done
llvm-profdata-19 merge -sparse "$build"/*.profraw -o "$build/all.profdata"
common=(-instr-profile "$build/all.profdata" "${objects[@]}" -sources runtime kernels)
[ $# -eq 0 ] || llvm-cov-19 show -format html -show-mcdc-summary -output-dir "$1" "${common[@]}"

llvm-cov-19 export -summary-only "${common[@]}" | python3 scripts/coverage_table.py
