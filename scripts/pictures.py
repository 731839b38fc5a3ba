#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Redraws the pictures of the documentation: scripts/pictures.py [WEFT] (default: that of build/x86-64).
Writes docs/pictures/*.svg, which change only if a plan changes."""
import pathlib
import subprocess
import sys
import tempfile

_ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(_ROOT / "tests" / "report"))

import models  # noqa: E402


def main():
    """Draws one picture per plan."""
    weft = sys.argv[1] if len(sys.argv) > 1 else str(_ROOT / "build" / "x86-64" / "weft")
    pictures = _ROOT / "docs" / "pictures"
    pictures.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        decoder = _ROOT / "examples" / "dtmf" / "model" / "dtmf.xml"
        lstms = models.write_lstms(3, folder, inputs=4, last=True)
        for picture, model, plan in (("keypad", decoder, []),
                                     ("three_lstms", lstms, ["--arena-budget", "fastest"]),
                                     ("three_lstms_fused", lstms, ["--arena-budget", "min"])):
            made = folder / f"{picture}.weft"
            subprocess.run([weft, "convert", str(model), "-o", str(made), *plan], check=True,
                           stdout=subprocess.DEVNULL)
            subprocess.run([weft, "inspect", str(made), "--svg", str(pictures / f"{picture}.svg")],
                           check=True)


if __name__ == "__main__":
    main()
