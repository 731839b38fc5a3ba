# SPDX-License-Identifier: Apache-2.0
"""Plain technical English: private words and persons for things stay out of code, comments, docs and
messages. weft's own words stand in docs/glossary.md."""
import re

_SUFFIXES = (".cc", ".h", ".c", ".inc", ".fbs", ".py", ".sh", ".cmake", ".ld", ".md", ".txt", ".ino",
             ".in", "Kconfig")
# The rule and its samples name the words; the other texts are not weft's, or only pinned facts.
_NOT_OURS = ("tests/tidy/rules/vocabulary.py", "tests/tidy/self_check.py",
             "LICENSE", "THIRD_PARTY_NOTICES")
# Word -> what the field says. A word also matches as a part of an identifier: PadLaw, CheckedByLaw.
_WORDS = {
    r"(?<![A-Za-z])laws?(?![a-z])|Laws?(?![a-z])|LAWS?(?![A-Z])": "rule, constraint",
    r"[Jj]udg|[Vv]erdict": "check, validator, result",
    r"[Uu]nheard": "discarded",
    r"(?<![A-Za-z])heirs?(?![a-z])|Heirs?(?![a-z])": "successor",
    r"[Ss]tranger": "other, foreign",
    r"[Rr]ubbish": "undefined, arbitrary",
    r"(?<![A-Za-z])obey|Obey": "meets the rules, is valid",
    r"(?<![A-Za-z])born(?![a-z])|Born(?![a-z])": "created, first written",
    r"(?<![A-Za-z])(?:some|no|any|every)body|(?:Some|No|Any|Every)body": "the caller, a reader, none",
    r"[Ww]hoever": "the caller, the owner",
    r"\b(?:hand(?:s|ed)?|handing) (?:on|down)\b": "pass, propagate, carried",
    r"\bthe run (?:knows|finds out)\b": "run-time, known only at run time",
    r"EACH_ALONE": "no loop dependence",
}
# A key of `weft verify --json`, which stays.
_KEPT = "plan_judged"


def check(tree):
    """No word of the list in any text of weft's own."""
    words = [(re.compile(pattern), instead) for pattern, instead in _WORDS.items()]
    faults = []
    for path in tree.paths:
        if not path.endswith(_SUFFIXES) or path.startswith(_NOT_OURS):
            continue
        for number, line in tree.lines(path):
            line = line.replace(_KEPT, "")
            for pattern, instead in words:
                match = pattern.search(line)
                if match:
                    faults.append(f"{path}:{number}: `{match.group()}`; the field says: {instead}")
    return faults
