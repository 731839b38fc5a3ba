# SPDX-License-Identifier: Apache-2.0
"""The measured table of a model's page, between <!-- results --> and <!-- end -->."""
import re

_TABLE = re.compile(r"(<!-- results -->\n).*?(<!-- end -->)", re.DOTALL)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def write(path, text):
    """Replaces the results of a page."""
    page = path.read_text(encoding="utf-8")
    path.write_text(_TABLE.sub(lambda match: match.group(1) + text + match.group(2), page),
                    encoding="utf-8")


def count(number):
    return f"{number / 1e6:.2f} M" if number >= 1e6 else f"{number / 1e3:.1f} k"


def kilobytes(number):
    return f"{number / 1024:,.1f} KB"
