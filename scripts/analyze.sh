#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Analyses the code that ships in firmware with clang-tidy:
#
#   scripts/analyze.sh [FILE...]      default: all of runtime/ and kernels/, 10 minutes on two cores
#
# Prints each finding and exits with 1 if there is one. Needs clang-tidy-19 and a configured build
# for this machine, whose generated headers it reads. Kernels are analysed as boards compile them.
set -uo pipefail
cd "$(dirname "$0")/.."
command -v clang-tidy-19 >/dev/null || {
  echo "analyze: clang-tidy-19 is missing; must be installed" >&2
  exit 1
}
preset=$(scripts/preset.sh)
[ -e "build/$preset/generated" ] || cmake --preset "$preset" || exit 1
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files 'runtime/*.cc' 'kernels/*.cc')

# All checks of these groups, except for:
checks='-*,bugprone-*,cert-*,clang-analyzer-*'
# Shapes are passed as several numbers of one type.
checks+=',-bugprone-easily-swappable-parameters'
# The compilers' -Wconversion is the same check.
checks+=',-bugprone-narrowing-conversions'
# Rows of a table expand to equal branches, and to lists that parentheses would break.
checks+=',-bugprone-branch-clone,-bugprone-macro-parentheses'
# Integers of 8 bits are numbers, not characters.
checks+=',-bugprone-signed-char-misuse,-cert-str34-c'
# The order of members is chosen for readers; objects of kernels exist once, on the stack.
checks+=',-clang-analyzer-optin.performance.Padding'
# Numbers of a file become values of an enum before they are checked. Each enum has a type, so every
# number of this type is a valid value.
checks+=',-clang-analyzer-optin.core.EnumCastOutOfRange'

analyze() {
  clang-tidy-19 --quiet "--checks=$checks" '--warnings-as-errors=*' '--header-filter=.*' "$@" -- \
    -std=c++17 -x c++ -I. -isystem "build/$preset/generated" -isystem "build/$preset/include" \
    -DHWY_BROKEN_EMU128=1 -DHWY_COMPILE_ONLY_STATIC -DWEFT_TEXT=1 2>/dev/null
}
export -f analyze
export checks preset
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 bash -c 'analyze "$@"' analyze || exit 1
echo "analyze: ${#files[@]} files, no finding"
