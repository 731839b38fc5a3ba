#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and tests weft: scripts/test.sh [--all | PRESET...]. Without arguments the presets
# below run, and OpenVINO derives the conformance goldens again if it is available. --all adds
# Windows, WebAssembly and the ARM converter (docs/targets.md). Continues after a failure; the last
# line is the sum over all presets.
set -uo pipefail
cd "$(dirname "$0")/.."
presets=("$@")
host=$(scripts/preset.sh)
check_goldens=
if [ ${#presets[@]} -eq 0 ] || [ "${presets[*]}" = --all ]; then
  more=()
  [ ${#presets[@]} -eq 0 ] || more=(mingw-w64 wasm32 wasm32-relaxed aarch64-converter)
  presets=("$host" asan aarch64-linux armv7-linux riscv64-linux
    cortex-m4f cortex-m7 cortex-m33 cortex-m55 cortex-m3 cortex-m0plus riscv32 "${more[@]}")
  check_goldens=yes
fi
jobs=$(getconf _NPROCESSORS_ONLN)
passed=0
failed=0
summary=""
testing=  # the preset whose tests run
log=      # what they print, in the background

say() { printf '\n== %s\n' "$*"; }

fail() {
  failed=$((failed + 1))
  summary+="$1"$'\n'
  echo "$1"
}

# Prints a line for each failed test of reports by ctest and GoogleTest, with what failed first.
names_of_failed() {
  awk '/<testcase / { match($0, / name="[^"]*"/); name = substr($0, RSTART + 7, RLENGTH - 8)
                      match($0, /classname="[^"]*"/)
                      suite = substr($0, RSTART + 11, RLENGTH - 12); told = 0 }
       /<failure |status="fail"/ && !told {
         told = 1; why = ""
         if (match($0, /message="[^"]*/)) why = ": " substr($0, RSTART + 9, RLENGTH - 9)
         gsub(/&#x0A;/, " ", why)
         print "  failed: " (suite == name ? "" : suite ".") name substr(why, 1, 300) }' "$@"
}

# Adds the results of one preset to the sums: ctest's results; for programs with a GoogleTest
# report, the tests in that report.
count() {
  local preset=$1 results=$2 broken=0 tests failures skipped
  shift 2
  by_ctest() { sed -n "s/.*\b$1=\"\([0-9]*\)\".*/\1/p" "$results" | head -n 1; }
  reported() {  # ELEMENT ATTRIBUTE REPORT...
    sed -n "s/.*<$1 .*\b$2=\"\([0-9]*\)\".*/\1/p" "${@:3}" /dev/null |
      awk '{n += $1} END {print n + 0}'
  }
  [ $# -eq 0 ] || broken=$(grep -L '<testsuites .*\bfailures="0"' "$@" | wc -l)
  tests=$(($(by_ctest tests) - $# + $(reported testsuites tests "$@")))
  failures=$(($(by_ctest failures) - broken + $(reported testsuites failures "$@")))
  skipped=$(($(by_ctest skipped) + $(by_ctest disabled) + $(reported testsuite skipped "$@")))
  passed=$((passed + tests - failures - skipped))
  failed=$((failed + failures))
  summary+="$preset: $((tests - failures - skipped)) passed, $failures failed"
  summary+=", $skipped skipped; $took"$'\n'
  [ "$failures" -eq 0 ] || summary+=$(names_of_failed "$results" "$@")$'\n'
}

# Sets `dependencies` to the options of a preset. The sanitizers' build uses the versions that CMake
# fetches if a system has none, so that the tests run with both (setup.sh fetches their sources).
# The converters for other systems link the same versions, and the host's FlatBuffers has their
# headers.
choose_dependencies() {
  local name names=(fmt json pugixml)
  dependencies=()
  case "$1" in
    asan) names+=(flatbuffers) ;;
    mingw-w64 | wasm32 | aarch64-converter) ;;
    *) return 0 ;;
  esac
  for name in "${names[@]}"; do
    if [ ! -e "build/deps/pinned/$name/CMakeLists.txt" ]; then
      echo "$1: CMake finds or fetches the libraries, since build/deps/pinned/$name is missing"
      dependencies=()
      return
    fi
    dependencies+=("-DWEFT_${name^^}_DIR=$PWD/build/deps/pinned/$name")
  done
}

build() {
  local preset=$1 dependencies
  choose_dependencies "$preset"
  say "$preset: configure"
  cmake --preset "$preset" -DWEFT_UNITE=ON -DWEFT_PRECOMPILE=ON -DWEFT_BUILD_TESTS=ON \
    -DWEFT_MODELS_DIR="$PWD/build/models" "${dependencies[@]}" || return 1
  say "$preset: build"
  nice cmake --build --preset "$preset" -j "$jobs"
}

run_tests() {
  local preset=$1 begin=$SECONDS
  say "$preset: test"
  ctest --preset "$preset" -j "$jobs" --no-tests=error --output-junit "$results"
  echo $((SECONDS - begin)) >"build/$preset/test_seconds"
}

# Runs the tests of a preset. Tests of other machines are one program after another under emulation,
# so they run in the background, during the next build; those of this machine use all processors.
start_tests() {
  testing=$1
  results=$PWD/build/$1/results.xml
  rm -rf "$results" "$PWD/build/$1/reports"
  build_seconds=$((SECONDS - preset_started))
  case "$1" in
    x86-64 | host | asan)
      run_tests "$1"
      finish_tests
      ;;
    *)
      log=build/$1/tests.log
      run_tests "$1" >"$log" 2>&1 &
      ;;
  esac
}

# Waits for tests in the background and prints what they printed. Counts the results.
finish_tests() {
  [ -n "$testing" ] || return 0
  if [ -n "$log" ]; then
    wait
    cat "$log"
    log=
  fi
  took="built in $build_seconds s, tested in $(cat "build/$testing/test_seconds") s"
  echo "$testing: $took"
  if [ -s "$results" ]; then
    shopt -s nullglob
    count "$testing" "$results" "build/$testing/reports"/*.xml
  else
    fail "$testing: the test runner did not run"
  fi
  testing=
}

needs=tests
for preset in "${presets[@]}"; do
  case "$preset" in
    mingw-w64 | wasm32*) needs=all ;;
  esac
done
scripts/setup.sh $needs || exit 1
started=$SECONDS
for preset in "${presets[@]}"; do
  preset_started=$SECONDS
  if ! build "$preset"; then
    fail "$preset: the build failed"
    continue
  fi
  # Devices cannot convert: the host's weft converts the models for the other presets.
  if [ "$preset" = x86-64 ] || [ "$preset" = host ]; then
    say "$preset: convert the models that device tests run"
    cmake --build --preset "$preset" --target weft_models || fail "$preset: conversion failed"
  fi
  finish_tests
  start_tests "$preset"
done
finish_tests

if [ -n "$check_goldens" ]; then
  say "derive the goldens again"
  if ! tests/conformance/check.sh >build/goldens.log 2>&1; then
    fail "goldens: a difference, see build/goldens.log"
  elif ! grep -q "not re-derived" build/goldens.log; then
    passed=$((passed + 1))
  fi
  tail -n 3 build/goldens.log
  summary+="$(tail -n 1 build/goldens.log)"$'\n'
fi

say "summary after $((SECONDS - started)) s"
printf '%s' "$summary"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
