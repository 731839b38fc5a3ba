# SPDX-License-Identifier: Apache-2.0
"""Plain technical English: words and openings that the field does not use stay out of identifiers, comments,
documents and messages. docs/glossary.md lists the words that weft defines itself."""
import re

from tree import code_only, prose

_SUFFIXES = (".cc", ".h", ".c", ".inc", ".fbs", ".py", ".sh", ".cmake", ".ld", ".md", ".txt", ".ino",
             ".in", "Kconfig")
# The rule and its samples name the words; the other texts are licences or pinned facts.
_EXEMPT = ("tests/tidy/rules/vocabulary.py", "tests/tidy/self_check.py", "tests/coverage/", "LICENSE", "THIRD_PARTY_NOTICES",
           "NOTICE", "tests/conformance/cases/", "tests/device/", "tests/zoo/")
# Anywhere, identifiers included: word -> the field's word.
_ANYWHERE = {
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
# In prose: comments, documents, and texts that users read.
_PROSE = {
    r"\b(?:behind|besides?|in front of)\b": "after, before, next to, in addition to",
    r"\b(?:greatest|hungriest|dear|dearer|dearest)\b": "maximum, largest; expensive, slow",
    r"(?<!\bat )(?<!\bAt )(?<!^)\bleast\b(?! squares| significant| common)": "minimum, smallest",
    r"\b(?:anew|any more|alike)\b|(?<![.\w])whole\b(?![.(])": "again, no longer, identical, complete",
    r"\b(?:stood|stands?)\b(?! for\b)": "is, is stored",
    r"\b(?:asks?|tells?|minds|hears?)\b": "checks, requires, reports",
    r"\b(?:shuttles?|settle runs?|twins?|homes|stretch(?:es)?)\b":
        "ping-pong buffer, loop epilogue, reference kernel, buffers, layout group",
    r"\b(?:walks?|walked|walking)\b": "iterates over, traverses",
    r"\b(?:spelled|spelling)\b": "decomposed, form",
    r"\bbut (?:for|that)\b": "except, except that",
    r"\b(?:mend(?:s|ed)?|at fault|be had)\b": "fix, invalid, available",
    r"(?:^|[.;:] )(?:Those|Whoever|Not so)\b(?![^.]*\?)": "the subject, named",
    r"^(?:What|Who|Of [a-z]+ [a-z]+)\b(?![^.]*\?)(?! is new)": "the subject, named",
}
# In identifiers: a part of a name -> the field's word. AtMost and AtLeast stay.
_NAMES = {
    r"(?<!At)Most(?=[A-Z]|$)|(?<![a-z])(?<!at_)most_": "Max",
    r"(?<!At)Least(?=[A-Z]|$)|(?<![a-z])(?<!at_)least_": "Min",
    r"Greatest(?=[A-Z]|$)": "Max, Largest",
    r"Twin(?=s?[A-Z]|s?$)": "Reference",
    r"Shuttle|Settle(?=[A-Z]|s?$)": "PingPong, Epilogue",
    r"Spelled|Spelling": "Decomposed, Form",
    r"Walk(?=[A-Z]|s?$|ed)": "Iterator, Recurrence, Visit",
}
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
# Names in a text, and text with operands of assembly (%[), are code.
_CODE = re.compile(r"`[^`]*`")
_QUESTION = re.compile(r"\?\s*$")
# Test names are sentences about behaviour, and have a vocabulary of their own.
_TEST_NAME = re.compile(r"TEST(?:_F|_P)?\(\s*\w+,\s*(\w+)")


def _compiled(table):
    return [(re.compile(pattern), instead) for pattern, instead in table.items()]


def _check_lines(path, lines, words):
    for number, line in lines:
        for pattern, instead in words:
            match = pattern.search(line)
            if match:
                yield f"{path}:{number}: `{match.group().strip()}`; use: {instead}"


def _check_names(path, text, names):
    tests = set(_TEST_NAME.findall(text))
    for number, line in enumerate(code_only(text).splitlines(), 1):
        for name in _IDENTIFIER.findall(line):
            for pattern, instead in names:
                if name not in tests and pattern.search(name):
                    yield f"{path}:{number}: the name `{name}`; use: {instead}"


def check(tree):
    """No word of the tables in weft's own texts, and no comment that is a question."""
    anywhere, words, names = _compiled(_ANYWHERE), _compiled(_PROSE), _compiled(_NAMES)
    faults = []
    for path in tree.paths:
        if not path.endswith(_SUFFIXES) or path.startswith(_EXEMPT):
            continue
        faults += _check_lines(path, tree.lines(path), anywhere)
        texts = [(number, _CODE.sub("", text), is_comment)
                 for number, text, is_comment in prose(path, tree.text(path)) if "%[" not in text]
        faults += _check_lines(path, [(number, text) for number, text, _ in texts], words)
        faults += [f"{path}:{number}: a question; a comment states what is true: Returns true if ..."
                   for number, text, is_comment in texts if is_comment and _QUESTION.search(text)]
        if path.endswith((".cc", ".h", ".inc", ".c", ".fbs")):
            faults += _check_names(path, tree.text(path), names)
    return faults
