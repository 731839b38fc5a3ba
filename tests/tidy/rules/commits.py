# SPDX-License-Identifier: Apache-2.0
"""Titles of commits: `folder: Verb object`, imperative, at most 60 characters."""
import re
import subprocess

from rules.sizes import Skipped

MAX_TITLE = 60
# Commits up to this one are older than the rule.
BASE = "e77fddbf"
VERBS = frozenset("""
    Accept Add Align Allow Alternate Apply Batch Begin Bind Bound Build Cache Check Choose Clamp Clean Close
    Combine Compare Compile Compute Convert Copy Correct Count Cover Define Delete Derive Describe Disable
    Document Drop Emit Enable Exclude Expand Explain Export Expect Extend Extract Fail Fix Flatten Fold Format Fuse
    Generate Group Guard Handle Hoist Ignore Implement Improve Include Increase Infer Inline Insert Install
    Introduce Invert Join Keep Let Limit List Load Lower Make Map Mark Match Measure Merge Move Multiply Name
    Narrow Omit Open Optimise Pack Parse Pass Permute Pin Place Plan Precompile Prepare Point Print Propagate Prove
    Quantise Quote Raise Read Rebuild Recognise Record Recompute Reduce Refactor Reflow Refuse Regenerate
    Register Reject Release Remove Rename Reorder Replace Report Require Reset Restore Retry Return Reuse Revert
    Reverse Reword Rewrite Round Run Sample Scale Search Select Separate Set Share Shorten Show Simplify Skip Solve Sort
    Specify Speed Split State Stop Store Stream Strip Sum Support Swap Test Tile Time Translate Transpose Trim
    Turn Type Unify Unroll Update Upgrade Use Validate Vectorise Verify Warn Widen Wrap Write""".split())
_TITLE = re.compile(r"[a-z0-9_+.-]+(?:/[a-z0-9_+.-]+)*: (\w+) \S")


def faults_of(title):
    """Yields what is wrong with one title."""
    if len(title) > MAX_TITLE:
        yield f"has {len(title)} characters; at most {MAX_TITLE}"
    match = _TITLE.match(title)
    if not match:
        yield "must read `folder: Verb object`"
    elif match.group(1) not in VERBS:
        yield f"begins with `{match.group(1)}`; must begin with a verb of tests/tidy/rules/commits.py"


def check(tree):
    """Every commit since the base has a title that names what changes."""
    git = ["git", "-C", str(tree.root)]
    known = subprocess.run([*git, "merge-base", "--is-ancestor", BASE, "HEAD"], capture_output=True, check=False)
    if known.returncode != 0:
        raise Skipped("no history back to the first commit that the rule covers")
    log = subprocess.run([*git, "log", "--no-merges", "--format=%h %s", f"{BASE}..HEAD"], capture_output=True, text=True,
                         check=True).stdout
    return [f"commit {commit}: `{title}`: {fault}"
            for commit, _, title in (line.partition(" ") for line in log.splitlines())
            for fault in faults_of(title)]
