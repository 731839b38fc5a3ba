# SPDX-License-Identifier: Apache-2.0
"""Runs commands of the tests of this folder."""
import subprocess
import sys


def run(command, must_fail=None, binary=False, **options):
    """Returns a command's stdout, as bytes if `binary`. With `must_fail`, the command must fail and
    print that text; lines may be broken anywhere."""
    result = subprocess.run([str(word) for word in command], capture_output=True, check=False,
                            **options)
    talk = (result.stdout + result.stderr).decode(errors="replace")
    is_right = result.returncode == 0
    if must_fail:
        is_right = result.returncode != 0 and must_fail in " ".join(talk.split())
    if not is_right:
        must = f"fail and print {must_fail}" if must_fail else "succeed"
        sys.exit(f"{' '.join(map(str, command))}: exit {result.returncode}; must {must}\n{talk}")
    return result.stdout if binary else result.stdout.decode()
