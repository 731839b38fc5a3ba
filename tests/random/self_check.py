#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that run.py can fail. self_check.py WEFT requires that

every model that runs fails with wrong expectations (loops and graphs), that a failure is reduced, that the command printed with a failure repeats
it, that a `weft` which accepts everything is detected, and that the same models pass with correct
expectations.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODELS, SEED = 40, 7

# A fake weft that converts nothing and reports everything as equal.
YES_MAN = "#!/bin/sh\nexit 0\n"


def run(*words):
    """(exit code, stdout) of run.py."""
    done = subprocess.run([sys.executable, HERE / "run.py", *map(str, words)], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def counts(text):
    """The counts in the last line, by name."""
    return {name: int(number) for number, name in re.findall(r"(\d+) (\w+)", text.split("\n")[-2])}


def demand(holds, what, text):
    """Ends the check if the condition is false."""
    if not holds:
        sys.exit(f"self check: {what}\n{text}")


def check_graphs(weft):
    """Graphs with wrong expectations must fail, also when they are reduced."""
    base = ["--weft", weft, "--kind", "graphs", "--models", 3, "--seed", SEED]
    code, text = run(*base)
    demand(code == 0 and counts(text)["failed"] == 0, "good graphs fail", text)
    code, text = run(*base, "--spoil-expectations", "--shrink")
    demand(code == 1 and counts(text)["failed"] == 3, "graphs with wrong expectations pass", text)
    smaller = shlex.split(re.search(r"smaller: python3 \S+ (.*)", text).group(1))
    demand("--skip" in smaller and "--outputs" in smaller, "no step of a failure is dropped", text)
    code, text = run(*smaller)
    demand(code == 1 and counts(text)["failed"] == 1, "a reduced command does not fail", text)


def main(weft):
    """Runs all checks; exits with 1 at the first failure."""
    base = ["--weft", weft, "--models", MODELS, "--seed", SEED]
    code, text = run(*base)
    good = counts(text)
    demand(code == 0 and good["failed"] == 0 and good["exact"] > 20, "good models fail", text)
    code, text = run(*base, "--spoil-expectations")
    spoiled = counts(text)
    ran = good["exact"] + good.get("rounded", 0)
    demand(code == 1 and spoiled["failed"] == ran and "exact" not in spoiled,
           f"of {ran} models with wrong expectations {spoiled['failed']} failed", text)
    again = shlex.split(re.search(r"again: python3 \S+ (.*)", text).group(1))
    code, text = run(*again)
    demand(code == 1 and counts(text)["failed"] == 1, "the command does not repeat a failure", text)
    check_graphs(weft)
    with tempfile.TemporaryDirectory() as folder:
        yes_man = pathlib.Path(folder) / "weft"
        yes_man.write_text(YES_MAN)
        yes_man.chmod(0o755)
        code, text = run("--weft", yes_man, "--models", 200, "--seed", SEED)
        demand(code == 1 and "refused" not in counts(text), "who accepts all is not found out",
               text)
    print(f"self check: {ran} wrong expectations found, a failure repeated")


if __name__ == "__main__":
    main(sys.argv[1])
