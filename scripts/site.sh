#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation site into build/site/html:
#
#   scripts/site.sh
#
# The pages need no server: open build/site/html/index.html. A broken link is an error. Needs
# doxygen and Python 3.11 or later; Sphinx is installed into build/site/venv. Exits with 77 if
# Sphinx is missing and cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v doxygen >/dev/null || {
  echo "site: doxygen is missing; must be installed" >&2
  exit 77
}
site=build/site
mkdir -p "$site"
if ! cmp -s docs/site/requirements.txt "$site/installed.txt"; then
  rm -rf "$site/venv"
  python3 -m venv "$site/venv"
  "$site/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes \
    -r docs/site/requirements.txt || {
    echo "site: Sphinx is missing, and pip cannot install it" >&2
    exit 77
  }
  cp docs/site/requirements.txt "$site/installed.txt"
fi
doxygen docs/site/Doxyfile
rm -rf "$site/html"
"$site/venv/bin/sphinx-build" -E -W --keep-going -q -j auto -c docs/site -d "$site/doctrees" \
  -b html . "$site/html"
cat >"$site/html/index.html" <<'HTML'
<!doctype html>
<meta charset="utf-8">
<title>weft</title>
<meta http-equiv="refresh" content="0; url=docs/site/index.html">
<a href="docs/site/index.html">weft</a>
HTML
echo "site: $(find "$site/html" -name '*.html' | wc -l) pages in $site/html"
