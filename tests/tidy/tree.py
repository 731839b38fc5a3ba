# SPDX-License-Identifier: Apache-2.0
"""The source tree as the rules see it: paths relative to the root, and their text."""
import pathlib
import re
import subprocess

SOURCE_SUFFIXES = (".cc", ".h", ".inc", ".fbs", ".py", ".sh", ".cmake", ".ld")


class Tree:
    """The files of one checkout: tracked and untracked files of git, else all outside of build folders."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.paths = sorted(path for path in self._list() if (self.root / path).is_file())
        self._texts = {}

    def _list(self):
        if (self.root / ".git").exists():
            run = subprocess.run(
                ["git", "-C", self.root, "ls-files", "--cached", "--others", "--exclude-standard"],
                capture_output=True, text=True, check=False)
            if run.returncode == 0:
                return run.stdout.splitlines()
        paths = (path.relative_to(self.root) for path in self.root.rglob("*"))
        return [str(path) for path in paths if path.parts[0] not in ("build", ".git")]

    def text(self, path):
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(errors="replace")
        return self._texts[path]

    def lines(self, path):
        """Yields (number, line), counting from 1."""
        return enumerate(self.text(path).splitlines(), 1)

    def under(self, *rooms, suffixes=(".cc", ".h", ".inc")):
        """Paths in one of these folders (at any depth) with one of these suffixes."""
        return [path for path in self.paths
                if path.endswith(suffixes) and path.startswith(tuple(r + "/" for r in rooms))]

    def sources(self):
        """All source files."""
        return [path for path in self.paths
                if path.endswith(SOURCE_SUFFIXES) or path.endswith("CMakeLists.txt")]


_NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def code_only(text):
    """Returns C++ text with comments and literals replaced by blanks; line numbers stay the same."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return _NOT_CODE.sub(blank, text)


_TOKENS = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|^\s*\#\s*include[^\n]*|\b\d[\w'.]*|'(?:\\.|[^'\\\n])+')
    |R"(?P<mark>[^()\s"]*)\((?P<raw>.*?)\)(?P=mark)"
    |"(?P<text>(?:\\.|[^"\\\n])*)"
    |(?P<end>[;{}])""", re.DOTALL | re.MULTILINE | re.VERBOSE)


def string_literals(text):
    """Yields (line, code before it in its statement, content) of each string literal of C++ text.

    Adjacent literals are joined. The content includes escapes as in the source; line ends of a raw
    literal become `\\n`."""
    begin = end = statement = 0
    parts = []

    def joined():
        return text.count("\n", 0, begin) + 1, text[statement:begin], "".join(parts)

    for token in _TOKENS.finditer(text):
        part = token["text"] if token["raw"] is None else token["raw"].replace("\n", "\\n")
        between = text[end:token.start()].replace("\\\n", "").strip()
        if parts and (part is None and not token["skip"] or between):
            yield joined()
            parts = []
        if token["end"]:
            statement = token.end()
        elif part is not None:
            if not parts:
                begin = token.start()
            parts.append(part)
        if part is not None or token["skip"]:
            end = token.end()
    if parts:
        yield joined()


_MARKS = " -*#|>\""  # of a list, a heading, a table or a quoted text
_C_PROSE = re.compile(r'//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|(?P<text>"(?:\\.|[^"\\\n])*")|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def _c_prose(text):
    for match in _C_PROSE.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        if match["line"] is not None:
            yield number, match["line"].strip(), True
        elif match["block"] is not None:
            for i, line in enumerate(match["block"].split("\n")):
                yield number + i, line.strip(" *"), True
        elif match["text"] and match["text"].count(" ") > 1:
            yield number, match["text"][1:-1], False


def prose(path, text):
    """Yields (line, text, is_comment) of the prose in a file: comments, texts of several words, documents."""
    if path.endswith((".cc", ".h", ".inc", ".c", ".fbs", ".ino")):
        yield from _c_prose(text)
        return
    is_document = path.endswith((".md", ".txt", "Kconfig", ".in"))
    for number, line in enumerate(text.splitlines(), 1):
        at = 0 if is_document else line.find("#") + 1
        if is_document or at:
            yield number, line[at:].strip(_MARKS if is_document else None), not is_document
