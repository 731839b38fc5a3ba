#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the preset for this machine with which the scripts build weft: x86-64 on 64-bit x86 Linux,
# where warnings are errors, else host.
set -euo pipefail
case "$(uname -s) $(uname -m)" in
  "Linux x86_64") echo x86-64 ;;
  *) echo host ;;
esac
