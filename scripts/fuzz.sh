#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Searches for inputs that break weft (tests/fuzz):
#
#   scripts/fuzz.sh MINUTES [FUZZER...]      each fuzzer for MINUTES; default: all fuzzers
#   scripts/fuzz.sh MINUTES graphs           random graphs of all operations (tests/random), which
#                                            are compared with OpenVINO and NumPy
#   scripts/fuzz.sh --inputs N FUZZER...     the stored inputs and N new ones, the same in every run
#
# Prints a line for each fuzzer. Exits with 1 if there is a finding: a crash, an access outside
# memory, undefined behaviour, a leak, an input that takes more than 60 s or 2 GB, or a broken
# promise. Inputs that reach new code are kept in build/fuzz; later searches begin with them.
# WEFT_FUZZ_PROGRAMS is the folder of the programs; without it, those of the preset asan are built.
set -uo pipefail
cd "$(dirname "$0")/.."
usage() {
  echo "usage: scripts/fuzz.sh MINUTES [FUZZER...] or scripts/fuzz.sh --inputs N FUZZER..." >&2
  exit 2
}

inputs=
if [ "${1:-}" = --inputs ]; then
  shift
  inputs=${1:-}
fi
[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || usage
amount=$1
shift
fuzzers=("$@")
[ ${#fuzzers[@]} -gt 0 ] || fuzzers=(model readers convert_ir convert_tflite texts)

# Random graphs. Failures are reduced; the seed is the time. WEFT_PYTHON is a Python with NumPy, and
# with OpenVINO if possible.
if [ -z "$inputs" ] && [ "${fuzzers[*]}" = graphs ]; then
  preset=$(scripts/preset.sh)
  weft=build/$preset/weft
  if [ ! -x "$weft" ]; then
    cmake --preset "$preset" || exit 1
    cmake --build --preset "$preset" --target weft || exit 1
  fi
  exec "${WEFT_PYTHON:-python3}" tests/random/run.py --weft "$weft" --kind graphs --shrink \
    --minutes "$amount" --models 10000000
fi

programs=${WEFT_FUZZ_PROGRAMS:-}
if [ -z "$programs" ]; then
  programs=build/asan/tests/fuzz
  { [ -e build/asan/build.ninja ] || cmake --preset asan; } &&
    cmake --build --preset asan --target "${fuzzers[@]/#/weft_fuzz_}" || exit 1
fi

# Files of inputs are in memory. An allocation is recorded with two frames of its stack; the command
# that repeats a finding records all.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
asan=${ASAN_OPTIONS:-}:malloc_context_size=2

# Prints the last value of a libFuzzer statistic: "cov: 123" or "stat::name: 123".
last() { grep -ao "$1: *[0-9]*" "$2" | tail -n 1 | grep -o '[0-9]*$'; }

# Runs one fuzzer. Returns 1 if there is a finding.
search() {
  local fuzzer=$1 folder=build/fuzz/$1 program=$programs/weft_fuzz_$1
  local corpus log status stored options=()
  mkdir -p "$folder/corpus"
  log=$folder/log.txt
  corpus=$folder/corpus
  stored=("build/fixtures/fuzz/$fuzzer")
  [ ! -d "tests/fuzz/findings/$fuzzer" ] || stored+=("tests/fuzz/findings/$fuzzer")
  if [ -n "$inputs" ]; then
    corpus=$(mktemp -d)
    options=(-seed=1 "-runs=$(($(find "${stored[@]}" -type f | wc -l) + amount))")
  else
    options=("-max_total_time=$((amount * 60))")
  fi
  # -timeout: the plan hash may need the work of 1 GB, about 30 s with the sanitizers.
  # -len_control: inputs may have any length from the start. -malloc_limit_mb: a model may require
  # 16 GB of scratch, which is allocated but not written. -print_funcs: without names of functions.
  ASAN_OPTIONS=$asan "$program" "${options[@]}" -timeout=60 -rss_limit_mb=2048 \
    -malloc_limit_mb=20000 -max_len=32768 -len_control=0 -reload=0 -close_fd_mask=3 \
    -print_funcs=0 -print_final_stats=1 "-artifact_prefix=$folder/finding-" "$corpus" \
    "${stored[@]}" >"$log" 2>&1
  status=$?
  [ -z "$inputs" ] || rm -rf "$corpus"
  printf '%s: %s inputs, %s a second, %s branches, %s features, ' "$fuzzer" \
    "$(last stat::number_of_executed_units "$log")" "$(last stat::average_exec_per_sec "$log")" \
    "$(last cov "$log")" "$(last ft "$log")"
  if [ $status -eq 0 ]; then
    echo "no finding"
    return 0
  fi
  local file
  file=$(grep -ao "Test unit written to .*" "$log" | tail -n 1 | sed 's/.*written to //')
  echo "FINDING"
  grep -aE '^FINDING|ERROR: |runtime error|SUMMARY' "$log" | head -n 5
  echo "log: $log"
  [ -z "$file" ] || echo "repeat: $program $file"
  return 1
}

findings=0
for fuzzer in "${fuzzers[@]}"; do
  search "$fuzzer" || findings=$((findings + 1))
done
[ $findings -eq 0 ]
