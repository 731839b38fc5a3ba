# SPDX-License-Identifier: Apache-2.0
"""Operations are described by their rows in converter/ops alone.

A pass, counter or report asks a row's traits; it names no operation. The files below may, for what
they do is about particular operations: they match a formula written in them, or they make nodes. A
list of operations that are alike is no such formula: what they share is a trait."""
import re

from rules.readme import operation_names

_ROOMS = ("graph", "inspect", "emit", "plan", "program", "cli")
_LITERAL = re.compile(r'"([A-Za-z][A-Za-z0-9]*)"')
_COMMENT = re.compile(r"\s+// .*")
_MAKES = re.compile(r"make_unique<\s*(?:ir::)?Node\s*>")

# File -> the pattern that it matches, or why it makes particular operations.
PATTERNS = {
    "converter/graph/rewrite.cc": "the nodes that passes make",
    "converter/graph/promote.cc": "Convert and ConvertLike, whose output type is no result of work",
    "converter/graph/recognise/activation.cc": "activations spelled out",
    "converter/graph/recognise/affine.cc": "products, slices and sums that are one affine function",
    "converter/graph/recognise/attention.cc": "attention spelled out",
    "converter/graph/recognise/axis_way.cc": "transpositions between operations of a pattern",
    "converter/graph/recognise/border.cc": "a Pad before a convolution",
    "converter/graph/recognise/dilation.cc": "a dilated convolution by blocks",
    "converter/graph/recognise/form_site.cc": "a convolution, of which several patterns are made",
    "converter/graph/recognise/divide.cc": "a product that is read in parts, which becomes several",
    "converter/graph/recognise/factor.cc": "factors and addends behind one another",
    "converter/graph/recognise/gru.cc": "a GRU spelled out",
    "converter/graph/recognise/heads.cc": "factors of products that are repeated for them",
    "converter/graph/recognise/integer_tables.cc": "a table of integers, gathered and then scaled",
    "converter/graph/recognise/length.cc": "lengths spelled out",
    "converter/graph/recognise/list.cc": "an element read, a list written, by index",
    "converter/graph/recognise/lstm.cc": "an LSTM spelled out",
    "converter/graph/recognise/movement.cc": "transpositions behind one another",
    "converter/graph/recognise/norm.cc": "normalisations spelled out",
    "converter/graph/recognise/one_hot.cc": "a one-hot vector times a table",
    "converter/graph/recognise/pattern.cc": "what patterns of text may name",
    "converter/graph/recognise/piecewise.cc": "bounds and slopes spelled out",
    "converter/graph/recognise/polynomial.cc": "the arithmetic that polynomials are made of",
    "converter/graph/recognise/product.cc": "a product of a joined row, which becomes two",
    "converter/graph/recognise/recognise.cc": "the last operation of each cell",
    "converter/graph/recognise/reduction.cc": "sums and means of which formulas are made",
    "converter/graph/recognise/rnn.cc": "an RNN spelled out",
    "converter/graph/recognise/rotation.cc": "rotary positions spelled out",
    "converter/graph/recognise/snake.cc": "Snake spelled out",
    "converter/graph/recognise/softmax.cc": "softmax and its logarithm spelled out",
    "converter/graph/recognise/triangle.cc": "causal masks",
    "converter/graph/quantise/bounds.cc": "bounds in front of a quantiser",
    "converter/graph/quantise/computed_levels.cc": "products of bytes whose zero and scale are computed",
    "converter/graph/quantise/data.cc": "the rounding of data to integers, of plain operations",
    "converter/graph/quantise/elementwise.cc": "sums and products in front of a quantiser",
    "converter/graph/quantise/filters.cc": "products by constants, and the sum of their data times an offset",
    "converter/graph/quantise/joined.cc": "products of what was joined, which become sums",
    "converter/graph/quantise/levels.cc": "quantisers, and an offset and a scale of integers",
    "converter/graph/quantise/means.cc": "means in front of a quantiser",
    "converter/graph/quantise/products.cc": "products of integers, and the additions behind them",
    "converter/graph/quantise/quantise.cc": "a conversion from levels that are their own numbers",
    "converter/graph/quantise/site.cc": "the operations of integers that values become",
    "converter/graph/layout/turned.cc": "transpositions where the order of axes changes",
    "converter/graph/reroll/copies.cc": "sums with zeros and products with ones left out",
    "converter/graph/streaming/attention.cc": "attention, spelled out or taken apart",
    "converter/graph/streaming/counters.cc": "a counter: the state and a constant, added",
    "converter/graph/streaming/delays.cc": "a sum that goes on, added to",
    "converter/graph/streaming/keys.cc": "indices of lanes, and the scores moved to them",
    "converter/graph/streaming/masks.cc": "what masks a score, or weighs it",
    "converter/graph/streaming/late_edits.cc": "a shift, a choice by a mask, what is left of a move",
    "converter/graph/streaming/axes.cc": "a transposition, which moves axes and nothing else",
    "converter/graph/streaming/branches.cc": "a branch that is its input",
    "converter/graph/streaming/first_steps.cc": "a choice by a flag",
    "converter/graph/streaming/starts.cc": "a choice by a mask",
    "converter/graph/streaming/late_masks.cc": "a counter of the steps so far, compared",
    "converter/graph/streaming/late_walks.cc": "a state that stands still, by a choice",
    "converter/graph/reroll/value_table.cc": "sums with negative zeros",
    "converter/graph/streaming/borders.cc": "a Pad before what moves its places",
    "converter/graph/streaming/counters.cc": "a counter: the state and a constant, added",
    "converter/graph/streaming/delays.cc": "a sum that goes on, added to",
    "converter/graph/streaming/frames.cc": "a Gather of repeats or frames",
    "converter/graph/streaming/numbering.cc": "a counter that numbers steps",
    "converter/graph/streaming/pads.cc": "a Pad before a window, a slice behind one",
    "converter/graph/streaming/length_values.cc": "a Range, whose stop decides only its length",
    "converter/graph/streaming/positions.cc": "numbers of steps by Range and NonZero, rows of tables",
    "converter/graph/streaming/position.cc": "the number of the next step, and a table's row",
    "converter/graph/streaming/same_places.cc": "a transposition of time alone",
    "converter/graph/streaming/shifts.cc": "a constant joined in front, which is a Pad",
    "converter/graph/streaming/rounding.cc": "an addend behind a product",
    "converter/graph/streaming/whole_gathers.cc": "a Gather of all places in their order",
}


def check(tree):
    """No operation's name as a text outside patterns; nodes are made in converter/ir alone."""
    names = operation_names(tree)
    lower = {name.lower() for name in names}
    faults = [f"{path}: is not there; rules/operations.py lists it among the patterns"
              for path in PATTERNS if tree.under("converter/graph") and path not in tree.paths]
    for path in tree.under("converter", suffixes=(".cc", ".h")):
        room = path.split("/")[1]
        if room == "ir":
            continue
        for number, line in tree.lines(path):
            if _MAKES.search(line):
                faults.append(f"{path}:{number}: makes a node; converter/ir/edit.h does, for all")
        if path in PATTERNS or ("/" in path[len("converter/"):] and room not in _ROOMS):
            continue
        for number, line in tree.lines(path):
            if line.lstrip().startswith(("//", "#include")):
                continue
            for text in _LITERAL.findall(_COMMENT.sub("", line)):
                if text in names or (room == "graph" and text.lower() in lower):
                    faults.append(f'{path}:{number}: names operation "{text}"; a pass asks the '
                                  "traits of its row (converter/ops/traits.h), and a pattern is "
                                  "listed in rules/operations.py")
    return faults
