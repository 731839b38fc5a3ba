#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Derives the conformance goldens again with the pinned OpenVINO, when the package index is
# reachable, and says plainly when it is not. Exit code: 0 equal or not available, 1 a difference.
set -u

here=$(cd "$(dirname "$0")" && pwd)
venv=${WEFT_CONFORMANCE_VENV:-$here/../../build/conformance-venv}
wanted=$here/requirements.txt

unavailable() {
  echo "OpenVINO is not available: goldens not re-derived ($1)"
  exit 0
}

if ! cmp -s "$wanted" "$venv/installed.txt"; then
  mkdir -p "$(dirname "$venv")"
  python3 -m venv "$venv" > "$venv.log" 2>&1 || unavailable "python3 -m venv fails, see $venv.log"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
    --requirement "$wanted" > "$venv.log" 2>&1 || unavailable "$(tail -n 1 "$venv.log")"
  cp "$wanted" "$venv/installed.txt"
fi
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$here/generate.py" --check
