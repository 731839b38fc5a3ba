# SPDX-License-Identifier: Apache-2.0
"""What a model takes, gives and needs."""
from __future__ import annotations

import html
import json
import os
from typing import Any

from weft._model import Model, load


class Report(dict[str, Any]):
    """The JSON of ``weft inspect --json``; a notebook shows it as tables. Sizes are bytes."""

    def _repr_html_(self) -> str:
        needs = self["needs"]
        memory = [["file", self["file_bytes"]], ["state", needs["state_bytes"]],
                  ["scratch", needs["scratch_bytes"] + sum(needs["more_scratch_bytes"])]]
        ports = [[f"{side[:-1]} {i}", ", ".join(port["names"]), port["type"], port["shape"]]
                 for side in ("inputs", "outputs") for i, port in enumerate(self[side])]
        ports += [["variable", row["name"], row["type"], ""] for row in self["variables"]]
        return "".join([_table(["memory", "bytes"], [[name, f"{size:,}"] for name, size in memory]),
                        _table(["port", "names", "type", "shape"], ports),
                        _table(["step", "count"], [list(row) for row in self["steps"].items()])])


def inspect(model: Model | str | os.PathLike[str] | bytes) -> Report:
    """Ports, memory, sections, copies and steps of a model, of a model.weft, or of its bytes."""
    opened = model if isinstance(model, Model) else load(model)
    return Report(json.loads(opened._stream.inspect()))


def _table(head: list[str], rows: list[list[Any]]) -> str:
    def row(cells: list[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>"
                                for cell in cells) + "</tr>"
    return "<table>" + row(head, "th") + "".join(row(cells, "td") for cells in rows) + "</table>"
