#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts stored models and compares the file sizes with those that README.md and other pages state.

    sizes_test.py WEFT SOURCE_DIR WORK_DIR

Exit code 1: a page states another size, or has no such figure. Rows of examples/quantise/README.md whose models are
not stored need NNCF; `keypad.py --keep` writes them.
"""
import pathlib
import re
import subprocess
import sys

KEYPAD = "examples/dtmf/model/dtmf.xml"
CALIBRATED = "examples/quantise/model/keypad_int8.xml"
LSTM = "tests/size/models/lstm.xml"
GRU = "tests/size/models/gru.xml"
SIZE = r"([\d,]+)"

# Page, pattern whose groups are sizes, and the model and --precision of each group.
FIGURES = [
    ("README.md", rf"keypad decoder shrinks from {SIZE} to {SIZE} bytes", [(KEYPAD, "f32"), (KEYPAD, "i8")]),
    ("examples/quantise/README.md", rf"\| f32 \| {SIZE} \|", [(KEYPAD, "f32")]),
    ("examples/quantise/README.md", rf"\| all of these \| {SIZE} \|", [(CALIBRATED, "auto")]),
    ("examples/quantise/README.md", rf"\| all of these, `--precision i8` \| {SIZE} \|", [(CALIBRATED, "i8")]),
    ("examples/quantise/README.md", rf"without calibration is better\s+\({SIZE} bytes", [(KEYPAD, "i8")]),
    ("examples/dtmf/README.md", rf"\| NNCF's integers \| {SIZE} \|", [(CALIBRATED, "auto")]),
    ("examples/dtmf/README.md", rf"\| NNCF's integers, else i8 \| {SIZE} \|", [(CALIBRATED, "i8")]),
    *(("examples/dtmf/README.md", rf"\| {precision} \| {SIZE} \|", [(KEYPAD, precision)])
      for precision in ("f32", "f16", "i8", "i8x8")),
    *(("docs/quantisation.md", rf"\| {precision} \| {SIZE} \|[^|]*\|[^|]*\| {SIZE} \|[^|]*\|[^|]*\| {SIZE} \|",
       [(LSTM, precision), (GRU, precision), (KEYPAD, precision)])
      for precision in ("f32", "i8", "i8x8", "i4:32", "i4:64")),
]


def main():
    weft, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    work.mkdir(parents=True, exist_ok=True)
    sizes = {}

    def size_of(model, precision):
        if (model, precision) not in sizes:
            file = work / "model.weft"
            subprocess.run([weft, "convert", source / model, "-o", file, "--precision", precision, "--quiet"], check=True)
            sizes[model, precision] = f"{file.stat().st_size:,}"
        return sizes[model, precision]

    faults = []
    for page, pattern, models in FIGURES:
        found = re.findall(pattern, (source / page).read_text())
        if len(found) != 1:
            faults.append(f"{page}: {len(found)} texts match `{pattern}`; must be 1")
            continue
        stated = found[0] if isinstance(found[0], tuple) else (found[0],)
        for text, (model, precision) in zip(stated, models, strict=True):
            if text != size_of(model, precision):
                faults.append(f"{page}: states {text} bytes for {model} with --precision {precision}; "
                              f"must be {size_of(model, precision)}")
    print(*faults, sep="\n")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
