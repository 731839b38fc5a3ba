# SPDX-License-Identifier: Apache-2.0
"""Constructs that firmware code must not use, and type names without meaning."""
import re

from tree import code_only

# Pattern -> the forbidden feature. Applied to code without comments and literals.
_BANNED = {
    r"\bnew\b": "heap",
    r"(?<!= )\bdelete\b": "heap",
    r"\b(?:malloc|calloc|realloc|free|aligned_alloc|alloca)\s*\(": "heap",
    r"\bstd::(?:vector|string|map|set|unordered_\w+|list|deque|function|any|optional|variant)\b":
        "standard containers and holders",
    r"\bstd::(?:unique_ptr|shared_ptr|weak_ptr|allocator)\b": "heap",
    r"\b(?:throw|try|catch)\b": "exceptions",
    r"\b(?:dynamic_cast|typeid)\b": "RTTI",
    r"\bvirtual\b": "virtual calls",
    r"\b(?:f|s|sn|v|vs|vsn)?printf\s*\(": "stdio",
    r"\bstd::(?:cout|cerr|cin|locale)\b": "stdio",
    r"\b(?:thread_local|std::(?:mutex|thread))\b": "an operating system",
    r"\bgoto\b": "readability",
}
_BANNED_HEADERS = re.compile(
    r"^\s*#\s*include\s+<(vector|string|map|set|list|deque|memory|functional|iostream|sstream|"
    r"fstream|cstdio|stdio\.h|cstdlib|stdlib\.h|exception|stdexcept|locale|thread|mutex|new|"
    r"unordered_map|unordered_set)>")


def check_firmware(tree):
    """No heap, exceptions, RTTI, virtual calls, containers or stdio in runtime and kernels."""
    patterns = [(re.compile(pattern), reason) for pattern, reason in _BANNED.items()]
    faults = []
    for path in tree.under("runtime", "kernels"):
        if path.startswith("kernels/reference/"):  # reference kernels are only for tests
            continue
        for number, line in tree.lines(path):
            match = _BANNED_HEADERS.match(line)
            if match:
                faults.append(f"{path}:{number}: includes <{match.group(1)}>; firmware code does not")
        for number, line in enumerate(code_only(tree.text(path)).splitlines(), 1):
            for pattern, reason in patterns:
                match = pattern.search(line)
                if match:
                    faults.append(f"{path}:{number}: `{match.group().strip()}`; firmware code has "
                                  f"no {reason}")
    return faults


_NAMES = re.compile(
    r"\b(?:class|struct|enum(?:\s+class)?)\s+(\w*(?:Manager|Helper|Util|Utils|Context|Impl|Info))\b")


def check_names(tree):
    """Type names describe the type."""
    faults = []
    for path in tree.under("runtime", "kernels", "converter", "tests", "examples"):
        for number, line in enumerate(code_only(tree.text(path)).splitlines(), 1):
            match = _NAMES.search(line)
            if match:
                faults.append(f"{path}:{number}: type {match.group(1)}; must describe the type "
                              "(no Manager, Helper, Util, Context, Impl, Info)")
    return faults
