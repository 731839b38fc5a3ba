#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building and testing weft needs and this machine lacks, and nothing else. Knows
# Debian 12 and its relatives (apt); elsewhere it names what is missing and exits 1.
set -euo pipefail
cd "$(dirname "$0")/.."

# scripts/setup.sh [convert|demo|tests]: the needs of the weft command, of the demo or of all tests
# (the default). WEFT_SKIP_SETUP=1 leaves out all of it.
set=${1:-tests}
case "$set" in
  convert | demo | tests) ;;
  *)
    echo "setup: is \"$set\"; must be convert, demo or tests" >&2
    exit 2
    ;;
esac
if [ "${WEFT_SKIP_SETUP:-0}" = 1 ]; then
  echo "setup: left out, since WEFT_SKIP_SETUP is 1" >&2
  exit 0
fi

# A command, a C++ header, a path, python3:MODULE or Python's header, and the package that has it.
needs_convert='
g++                                  g++
cmake                                cmake
ninja                                ninja-build
flatc                                flatbuffers-compiler
flatbuffers/base.h                   libflatbuffers-dev
pugixml.hpp                          libpugixml-dev
CLI/CLI.hpp                          libcli11-dev
nlohmann/json.hpp                    nlohmann-json3-dev
fmt/format.h                         libfmt-dev
'
needs_demo='
python3                              python3
python3:numpy                        python3-numpy
arm-none-eabi-g++                    gcc-arm-none-eabi
/usr/lib/arm-none-eabi/newlib/libstdc++.a   libstdc++-arm-none-eabi-newlib
qemu-system-arm                      qemu-system-arm
'
needs_tests='
ccache                               ccache
python3:ensurepip                    python3-venv
Python.h                             python3-dev
gtest/gtest.h                        libgtest-dev
/usr/src/googletest/CMakeLists.txt   googletest
ctags                                universal-ctags
clang-format                         clang-format
chromium                             chromium
chromedriver                         chromium-driver
python3:selenium                     python3-selenium
aarch64-linux-gnu-g++                g++-aarch64-linux-gnu
arm-linux-gnueabihf-g++              g++-arm-linux-gnueabihf
riscv64-linux-gnu-g++                g++-riscv64-linux-gnu
qemu-aarch64                         qemu-user
clang++-19                           clang-19
/usr/lib/llvm-19/lib/clang/19/lib/linux   libclang-rt-19-dev
/usr/lib/arm-none-eabi/newlib/librdimon.a   libnewlib-arm-none-eabi
valgrind                             valgrind
'
needs=$needs_convert
[ "$set" = convert ] || needs+=$needs_demo
[ "$set" != tests ] || needs+=$needs_tests
log=build/setup.log
mkdir -p build

say() { echo "setup: $*" >&2; }

present() {
  case "$1" in
    /*) [ -e "$1" ] ;;
    python3:*)
      python3 -c "import ${1#*:}" 2>/dev/null || /usr/bin/python3 -c "import ${1#*:}" 2>/dev/null
      ;;
    Python.h) [ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/$1" ] ;;
    *.h | *.hpp) echo "#include <$1>" | g++ -x c++ -E - >/dev/null 2>&1 ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "not root and no sudo here; run as root: $*"
    exit 1
  fi
}

install_packages() {
  local missing=() lacks=() what package
  while read -r what package; do
    [ -n "$what" ] || continue
    present "$what" || { missing+=("$package"); lacks+=("$what"); }
  done <<<"$needs"
  if [ ${#missing[@]} -eq 0 ]; then
    say "every package needed is installed"
    return
  fi
  if ! command -v apt-get >/dev/null; then
    say "this system has no apt-get; install what provides: ${lacks[*]}"
    say "(Debian's names: ${missing[*]})"
    exit 1
  fi
  say "installing ${missing[*]}"
  {
    as_root apt-get -qq update &&
      as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}"
  } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    say "the packages could not be installed; $log has all lines"
    exit 1
  }
  hash -r
}

# Debian 12's own Highway is 1.0.3 and weft needs 1.2, so the source comes from Debian 13's archive:
# lists and cache of this one call live in a temporary folder, the system's stay as they are.
highway_release=trixie
highway_archive=highway_1.2.0.orig.tar.gz
highway_folder=build/deps/highway-1.2.0
highway_sha256=7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343

download_highway() (
  set -e
  cd "$1"
  uri=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -v -e security -e ports |
    grep -m 1 debian)
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mkdir -p lists/partial cache/archives/partial
  echo "deb-src [signed-by=$keyring] $uri $highway_release main" >list
  options=(-qq -o "Dir::Etc::SourceList=$PWD/list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache=$PWD/cache"
    -o "APT::Sandbox::User=$(id -un)")
  apt-get "${options[@]}" update >&2
  apt-get "${options[@]}" source --download-only --tar-only highway >&2
  echo "$highway_sha256  $highway_archive" | sha256sum --check --quiet >&2
)

prepare_highway() {
  local folder
  if [ -e "$highway_folder/hwy/highway.h" ]; then
    say "Highway is in $highway_folder"
    return
  fi
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' RETURN
  say "fetching Highway 1.2.0 from the source archive of Debian $highway_release"
  if download_highway "$folder"; then
    mkdir -p build/deps "$folder/unpacked"
    tar -xzf "$folder/$highway_archive" -C "$folder/unpacked"
    mv "$folder/unpacked/highway-1.2.0" "$highway_folder"
  else
    say "could not fetch it there; CMake will look for an installed one, then ask upstream"
  fi
}

# The Python package is built with what the package index has, in an environment of its own. Without
# it, or without a network, its tests are skipped.
prepare_python() {
  local venv=build/python-venv wanted=python/requirements.txt
  if cmp -s "$wanted" "$venv/installed.txt"; then
    say "the Python environment is in $venv"
    return
  fi
  mkdir -p build
  if python3 -m venv "$venv" >&2 &&
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 \
      --timeout 20 --requirement "$wanted" >&2; then
    cp "$wanted" "$venv/installed.txt"
  else
    say "could not install $wanted; the tests of the Python package will be skipped"
  fi
}

install_packages
prepare_highway
[ "$set" != tests ] || prepare_python
