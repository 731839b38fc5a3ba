#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the missing packages for building and testing weft, and nothing else. Supports Debian 12
# and related systems (apt); elsewhere it lists what is missing and exits with 1.
set -euo pipefail
cd "$(dirname "$0")/.."

# scripts/setup.sh [convert|demo|tests]: the packages for the weft command, the demo or all tests
# (the default). WEFT_SKIP_SETUP=1 skips everything.
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

# A command, a C++ header, a path, python3:MODULE or Python's header, and the package that contains
# it.
needs_convert='
g++                                  g++
cmake                                cmake
ninja                                ninja-build
flatc                                flatbuffers-compiler
flatbuffers/base.h                   libflatbuffers-dev
pugixml.hpp                          libpugixml-dev
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
doxygen                              doxygen
clang-format                         clang-format
chromium                             chromium
chromedriver                         chromium-driver
python3:selenium                     python3-selenium
aarch64-linux-gnu-g++                g++-aarch64-linux-gnu
arm-linux-gnueabihf-g++              g++-arm-linux-gnueabihf
riscv64-linux-gnu-g++                g++-riscv64-linux-gnu
riscv64-unknown-elf-gcc              gcc-riscv64-unknown-elf
/usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs   picolibc-riscv64-unknown-elf
qemu-system-riscv32                  qemu-system-misc
qemu-aarch64                         qemu-user
clang++-19                           clang-19
/usr/lib/llvm-19/lib/clang/19/lib/linux   libclang-rt-19-dev
/usr/lib/arm-none-eabi/newlib/librdimon.a   libnewlib-arm-none-eabi
valgrind                             valgrind
lv2/core/lv2.h                       lv2-dev
lv2apply                             lilv-utils
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

# Sources that Debian 12 does not have come from Debian 13's archive. Debian 12 has Highway 1.0.3,
# and weft needs 1.2. The others are the versions that CMake fetches if a system has none; a test
# builds weft with them. Package lists and cache of this call are in a temporary folder; the
# system's stay unchanged.
archive_release=trixie

# Sets archive, target (in build/deps) and sha256 of a source package.
describe_source() {
  case "$1" in
    highway)
      archive=highway_1.2.0.orig.tar.gz target=highway-1.2.0
      sha256=7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343
      ;;
    flatbuffers)
      archive=flatbuffers_23.5.26+dfsg.orig.tar.xz target=pinned/flatbuffers
      sha256=0d309fd2c47bbbebd450e68d1419c336d53d1b8f5ce47e1f1f7f28f452fc6f3b
      ;;
    fmtlib)
      archive=fmtlib_10.1.1+ds1.orig.tar.gz target=pinned/fmt
      sha256=7000f214d2628f04174822f8048c573f1608194408d7931121595a03f1c18a17
      ;;
    nlohmann-json3)
      archive=nlohmann-json3_3.11.3.orig.tar.gz target=pinned/json
      sha256=0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406
      ;;
    pugixml)
      archive=pugixml_1.14.orig.tar.gz target=pinned/pugixml
      sha256=610f98375424b5614754a6f34a491adbddaaec074e9044577d965160ec103d2e
      ;;
  esac
}

# Downloads into the current folder: download_sources PACKAGE...
download_sources() (
  set -e
  uri=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -v -e security -e ports |
    grep -m 1 debian)
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mkdir -p lists/partial cache/archives/partial
  echo "deb-src [signed-by=$keyring] $uri $archive_release main" >list
  options=(-qq -o "Dir::Etc::SourceList=$PWD/list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache=$PWD/cache"
    -o "APT::Sandbox::User=$(id -un)")
  apt-get "${options[@]}" update >&2
  apt-get "${options[@]}" source --download-only --tar-only "$@" >&2
)

# Unpacks a package's archive from a folder into build/deps, completely or not at all.
unpack_source() {
  local archive target sha256 from=$2
  describe_source "$1"
  echo "$sha256  $from/$archive" | sha256sum --check --quiet >&2 || return 1
  mkdir -p "$from/unpacked/$target" "$(dirname "build/deps/$target")"
  tar -xf "$from/$archive" -C "$from/unpacked/$target" --strip-components=1 || return 1
  mv "$from/unpacked/$target" "build/deps/$target"
}

# prepare_sources PACKAGE...
prepare_sources() {
  local folder package archive target sha256 missing=()
  for package in "$@"; do
    describe_source "$package"
    [ -e "build/deps/$target" ] || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "sources are in build/deps"
    return
  fi
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' RETURN
  say "fetching ${missing[*]} from the source archive of Debian $archive_release"
  if (cd "$folder" && download_sources "${missing[@]}"); then
    for package in "${missing[@]}"; do
      unpack_source "$package" "$folder" || say "$package: the archive is not the expected one"
    done
  else
    say "could not fetch them; CMake uses installed libraries, else downloads from upstream"
  fi
}

# The Python package is built with packages of the package index in a separate environment. Without
# the index or a network, its tests are skipped.
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
if [ "$set" = tests ]; then
  prepare_sources highway flatbuffers fmtlib nlohmann-json3 pugixml
  prepare_python
else
  prepare_sources highway
fi
