# SPDX-License-Identifier: Apache-2.0
"""tests/tidy/messages.txt lists all messages of the tool, so that their wording can be reviewed in one
file.

The list contains every string literal of more than one word in the converter and the runtime. It includes
texts that are printed through variables, tables or return values, so the rule does not need to follow
calls. A literal of one word is listed if it is a complete message. Names from the model and errors of
other libraries are not listed."""
import re

from tree import string_literals

LIST = "tests/tidy/messages.txt"
HEAD = """\
# Every text that weft prints or writes into C source, by file, in the order of the source.
# An error reads `where: who: what is; what must be`. tests/tidy/tidy.py --write-messages writes this.
"""
_ROOMS = ("converter", "runtime")
# Lists of C keywords, not messages.
_NO_TEXTS = ("converter/emit/reserved_words.cc",)
_SINK = re.compile(r"\b(?:Fault|Add|Warn|Say|ReportLine|Answer)\(\s*(?:fmt::format\(\s*)?$")
_WORD = re.compile(r"[A-Za-z]{2}")


def _is_text(before, literal):
    """Returns true if the literal is a message. `before` is the code of its statement before it."""
    if "static_assert" in before or not _WORD.search(literal):
        return False
    return " " in literal.strip() or bool(_SINK.search(before))


def _texts(tree):
    """Path -> [(line, text)], each text once per file."""
    found = {}
    for path in tree.under(*_ROOMS):
        texts = {}
        if path not in _NO_TEXTS:
            for line, before, literal in string_literals(tree.text(path)):
                if _is_text(before, literal):
                    texts.setdefault(literal, line)
        if texts:
            found[path] = texts
    return found


def written(tree):
    """The regenerated list."""
    blocks = ["\n".join([path, *(f'  "{text}"' for text in texts)]) + "\n"
              for path, texts in _texts(tree).items()]
    return "\n".join([HEAD, *blocks])


def _listed(tree):
    """Path -> texts, as stored in the list."""
    listed, path = {}, ""
    for line in tree.text(LIST).splitlines():
        if line.startswith('  "'):
            listed.setdefault(path, set()).add(line[3:-1])
        elif line and not line.startswith("#"):
            path = line
    return listed


def check(tree):
    """The list contains exactly the texts of the sources."""
    if LIST not in tree.paths:
        return [f"{LIST}: is not there; it lists every text (tests/tidy/tidy.py --write-messages)"]
    found, listed = _texts(tree), _listed(tree)
    faults = []
    for path, texts in found.items():
        faults += [f'{path}:{line}: "{text}" is not in {LIST}; must be reviewed, then listed by '
                   "tests/tidy/tidy.py --write-messages"
                   for text, line in texts.items() if text not in listed.get(path, ())]
    for path, texts in listed.items():
        faults += [f'{LIST}: "{text}" is not in {path}; must be removed by tests/tidy/tidy.py '
                   "--write-messages" for text in sorted(texts - set(found.get(path, ())))]
    if not faults and written(tree) != tree.text(LIST):
        faults.append(f"{LIST}: its order is not that of the sources; run tests/tidy/tidy.py "
                      "--write-messages")
    return faults
