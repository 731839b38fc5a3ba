# SPDX-License-Identifier: Apache-2.0
"""The exception of the package."""
from __future__ import annotations

from collections.abc import Iterable


class Error(ValueError):
    """Invalid input or an unsupported model.

    ``faults`` contains all errors that one call found. Each line has the form
    ``where: who: what is; what must be``.
    """

    faults: tuple[str, ...]

    def __init__(self, faults: Iterable[str] | str) -> None:
        self.faults = (faults,) if isinstance(faults, str) else tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        return "\n".join(self.faults)
