#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures and reports times of weft; asserts nothing.
#   scripts/bench.sh      recurrent models with fixed-seed weights: example 2 of the TensorIterator
#                         specification (LSTM 512 -> 256, 25 steps), one step of an LSTM 64 -> 64,
#                         and a million steps of the smallest LSTM
#   scripts/bench.sh --peers [--rtneural FOLDER] [--tflite FOLDER]
#                    [OPTION of tests/bench/peers/peers.py...]
#                         weft, ONNX Runtime, OpenVINO, oneDNN and, if its sources are given,
#                         RTNeural, in f32 and in int8; LiteRT with .tflite files of Keras and
#                         those of a folder; writes docs/bench-peers.{json,md,svg},
#                         docs/bench-peers-int8.json and docs/bench-peers-tflite.json
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$(scripts/preset.sh)
build=build/$preset
folder=build/bench

say() { echo "bench: $*" >&2; }

build_weft() {
  scripts/setup.sh
  mkdir -p build
  cmake --preset "$preset" >build/configure.log || { cat build/configure.log; exit 1; }
  cmake --build --preset "$preset" --target weft
}

# bench NAME INPUT HIDDEN STEPS [OPTION of weft bench...]
bench() {
  printf '\n== %s\n' "$1"
  python3 tests/conformance/document_lstm.py "$folder/$1" --form today \
    --input "$2" --hidden "$3" --steps "$4"
  "$build/weft" convert "$folder/$1/model.xml" -o "$folder/$1.weft"
  "$build/weft" bench "$folder/$1.weft" "${@:5}"
}

bench_alone() {
  build_weft
  mkdir -p "$folder"
  bench lstm_512_256_25 512 256 25
  bench lstm_64_64_1 64 64 1
  bench lstm_1_1_1000000 1 1 1000000 --iterations 5
}

peers=build/peers
sources=tests/bench/peers

prepare_python() {
  [ -x "$peers/venv/bin/python" ] || python3 -m venv "$peers/venv"
  "$peers/venv/bin/pip" install -q -r "$sources/requirements.txt"
  "$peers/venv/bin/pip" install -q --no-deps -r "$sources/onednn.txt" ||
    say "oneDNN: is not available from the package index; the table omits it"
}

# Wheels of ONNX Runtime contain its library without its header, which Debian 13 has. Package lists
# and cache of this call are in a temporary folder; the system's stay unchanged.
onnxruntime_header=$peers/onnxruntime/usr/include/onnxruntime
prepare_onnxruntime_header() (
  [ ! -e "$onnxruntime_header/onnxruntime_c_api.h" ] || return 0
  target=$PWD/$peers/onnxruntime
  temporary=$(mktemp -d)
  trap 'rm -rf "$temporary"' EXIT
  cd "$temporary"
  mkdir -p lists/partial cache/archives/partial
  uri=$(apt-get indextargets --format '$(REPO_URI)' | grep -v -e security -e ports |
    grep -m 1 debian)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri trixie main" >list
  options=(-qq -o "Dir::Etc::SourceList=$PWD/list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache=$PWD/cache"
    -o "APT::Sandbox::User=$(id -un)")
  apt-get "${options[@]}" update
  apt-get "${options[@]}" download libonnxruntime-dev
  dpkg -x libonnxruntime-dev_*.deb "$target"
)

build_drivers() {
  local options=(-DWEFT_PEERS_RTNEURAL="$1") packages
  packages=$("$peers/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  options+=(-DWEFT_PEERS_PYTHON="$packages")
  if prepare_onnxruntime_header; then
    options+=(-DWEFT_PEERS_ONNXRUNTIME_INCLUDE="$PWD/$onnxruntime_header")
  else
    say "ONNX Runtime: its header is not available; the table omits it"
  fi
  [ ! -e "$peers/venv/include/oneapi" ] || options+=(-DWEFT_PEERS_ONEDNN="$PWD/$peers/venv")
  [ -n "$1" ] || say "RTNeural: no --rtneural FOLDER of its sources; the table is without it"
  cmake -S "$sources" -B "$peers/drivers" -G Ninja "${options[@]}" >"$peers/configure.log" ||
    { cat "$peers/configure.log"; exit 1; }
  cmake --build "$peers/drivers"
}

bench_peers() {
  local rtneural="" tflite=""
  while [ "${1:-}" = --rtneural ] || [ "${1:-}" = --tflite ]; do
    declare "${1#--}=$(realpath "$2")"
    shift 2
  done
  mkdir -p "$peers"
  build_weft
  prepare_python
  build_drivers "$rtneural"
  compare() {
    "$peers/venv/bin/python" "$sources/peers.py" --weft "$build/weft" --drivers "$peers/drivers" \
      --work "$peers/work" --json "$@"
  }
  compare docs/bench-peers.json "$@"
  compare docs/bench-peers-int8.json --int8 "$@"
  compare docs/bench-peers-tflite.json --tflite "$tflite" "$@"
  "$peers/venv/bin/python" "$sources/report.py" docs/bench-peers{,-int8,-tflite}.json \
    docs/bench-peers.md docs/bench-peers.svg
}

case "${1:-}" in
  --peers) bench_peers "${@:2}" ;;
  --help) sed -n '3,13s/^# \{0,1\}//p' "$0" ;;
  '') bench_alone ;;
  *)
    say "$1: is no option; must be --peers or --help"
    exit 2
    ;;
esac
