# SPDX-License-Identifier: Apache-2.0
"""Reports ports, memory and steps of a model."""
from __future__ import annotations

import html
import json
import os
import pathlib
from typing import Any

from weft._model import Model, load


class Report(dict[str, Any]):
    """The JSON of ``weft inspect --json``. Sizes are bytes.

    A notebook displays ``page``: the memory plan over the steps, the budget, layers and steps.
    """

    page: str  #: the page of ``weft inspect --html``, which needs no other file and no network

    def __init__(self, facts: dict[str, Any], page: str) -> None:
        super().__init__(facts)
        self.page = page

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Writes the page for a browser."""
        pathlib.Path(path).write_text(self.page, encoding="utf-8")

    def _repr_html_(self) -> str:
        # A separate document, so that the page's styles and scripts do not affect the notebook.
        return (f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" '
                'style="width: 100%; height: 40em; border: 0"></iframe>')


def inspect(model: Model | str | os.PathLike[str] | bytes) -> Report:
    """Returns ports, memory, sections, copies and steps of a model, a model.weft file, or its bytes."""
    stream = (model if isinstance(model, Model) else load(model))._stream
    return Report(json.loads(stream.inspect()), stream.report_page())
