# SPDX-License-Identifier: Apache-2.0
"""Only the rows in converter/ops describe operations.

A pass, counter or report uses the traits of a row instead of names of operations. The files below may
use names, because they match a formula of particular operations or create nodes. A list of similar
operations is no reason for names: their common property must be a trait."""
import re

from rules.readme import operation_names

_ROOMS = ("graph", "inspect", "emit", "plan", "program", "cli")
_LITERAL = re.compile(r'"([A-Za-z][A-Za-z0-9]*)"')
_COMMENT = re.compile(r"\s+// .*")
_MAKES = re.compile(r"make_unique<\s*(?:ir::)?Node\s*>")

# File -> the pattern that it matches, or the reason why it creates particular operations.
PATTERNS = {
    "converter/graph/rewrite.cc": "the nodes that passes create",
    "converter/graph/widen_batch.cc": "copies of a value, one for each stream",
    "converter/graph/fold_quantisation.cc": "quantisers of constants",
    "converter/graph/canonical/short_time.cc": "STFT and ISTFT, which become parts with one time axis",
    "converter/graph/promote.cc": "Convert and ConvertLike, whose output type the file requests",
    "converter/graph/recognise/forms/activation.cc": "decomposed activations",
    "converter/graph/recognise/affine.cc": "products, slices and sums that are one affine function",
    "converter/graph/recognise/forms/attention.cc": "decomposed attention",
    "converter/graph/canonical/axis_path.cc": "transpositions between operations of a pattern",
    "converter/graph/canonical/dilation.cc": "a dilated convolution by blocks",
    "converter/graph/recognise/forms/form_site.cc": "an addition that rounds separately",
    "converter/graph/recognise/nodes.cc": "convolutions, which several patterns match",
    "converter/graph/recognise/forms/form_rows.cc": "the readers of text patterns",
    "converter/graph/recognise/forms/divide.cc": "a product that is read in parts and becomes several",
    "converter/graph/recognise/forms/factor.cc": "consecutive factors and addends",
    "converter/graph/recognise/cells/gru.cc": "a decomposed GRU",
    "converter/graph/recognise/forms/forms.cc": "the names of the searches",
    "converter/graph/recognise/forms/heads.cc": "repeated factors of products",
    "converter/graph/recognise/forms/integer_tables.cc": "a table of integers, gathered and then scaled",
    "converter/graph/recognise/forms/length.cc": "decomposed vector norms",
    "converter/graph/recognise/loops/list.cc": "lists of a loop, read or written by index",
    "converter/graph/recognise/cells/lstm.cc": "a decomposed LSTM",
    "converter/graph/recognise/forms/movement.cc": "consecutive transpositions",
    "converter/graph/recognise/forms/norm.cc": "decomposed normalisations",
    "converter/graph/recognise/forms/one_hot.cc": "a one-hot vector times a table",
    "converter/graph/recognise/pattern.cc": "the names in text patterns",
    "converter/graph/recognise/forms/piecewise.cc": "decomposed bounds and slopes",
    "converter/graph/recognise/forms/polynomial.cc": "the arithmetic of polynomials",
    "converter/graph/recognise/cells/product.cc": "a product of a concatenated row, which becomes two",
    "converter/graph/recognise/cells/cells.cc": "the last operation of each cell",
    "converter/graph/recognise/forms/reduction.cc": "sums and means in formulas",
    "converter/graph/recognise/cells/rnn.cc": "a decomposed RNN",
    "converter/graph/recognise/forms/rotation.cc": "decomposed rotary embeddings",
    "converter/graph/recognise/forms/snake.cc": "decomposed Snake",
    "converter/graph/recognise/forms/softmax.cc": "decomposed softmax and its logarithm",
    "converter/graph/quantise/bounds.cc": "bounds before a quantiser",
    "converter/graph/quantise/comparisons.cc": "comparisons of codes",
    "converter/graph/quantise/computed_params.cc": "8-bit products with computed zero point and scale",
    "converter/graph/quantise/data.cc": "the rounding of data to integers in plain operations",
    "converter/graph/quantise/elementwise.cc": "functions and softmax before a quantiser",
    "converter/graph/quantise/filters.cc": "products by constants, and the sum of their data times an offset",
    "converter/graph/quantise/joined.cc": "products of concatenated values, which become sums",
    "converter/graph/quantise/quant_params.cc": "quantisers, and the zero point and scale of integers",
    "converter/graph/quantise/means.cc": "means before a quantiser",
    "converter/graph/quantise/function_table.cc": "functions of one value that TFLite computes by integers",
    "converter/graph/quantise/shorts.cc": "functions of one int16 value that TFLite computes by integers",
    "converter/graph/quantise/pairs.cc": "operations on two values before a quantiser",
    "converter/graph/quantise/products.cc": "integer products and the additions after them",
    "converter/graph/quantise/quantise.cc": "a conversion from codes with scale 1 and zero point 0",
    "converter/graph/quantise/resize.cc": "linear Interpolate of codes as sums of integers",
    "converter/graph/quantise/transposed.cc": "transposed convolutions of codes",
    "converter/graph/quantise/site.cc": "the integer operations that values become",
    "converter/graph/layout/permuted.cc": "transpositions at changes of the layout",
    "converter/graph/reroll/copies.cc": "omitted sums with zero and products with one",
    "converter/graph/streaming/attention.cc": "attention, decomposed or as an operation",
    "converter/graph/streaming/counters.cc": "a counter: the sum of a state and a constant",
    "converter/graph/streaming/delays.cc": "a running sum",
    "converter/graph/streaming/keys.cc": "indices of lanes, and the scores moved to them",
    "converter/graph/streaming/masks.cc": "masks and weights of scores",
    "converter/graph/streaming/late_edits.cc": "a shift, a Select by a mask, the rest of a movement, a kept state",
    "converter/graph/streaming/axes.cc": "a transposition, which only moves axes",
    "converter/graph/streaming/branches.cc": "a branch that returns its input",
    "converter/graph/reroll/peel.cc": "a Select by a flag",
    "converter/graph/streaming/starts.cc": "a Select by a mask",
    "converter/graph/streaming/late_masks.cc": "a comparison with the number of steps so far",
    "converter/graph/reroll/value_table.cc": "sums with negative zeros",
    "converter/graph/canonical/borders.cc": "a Pad before a data movement",
    "converter/graph/canonical/broadcasts.cc": "a Broadcast to the same shape",
    "converter/graph/canonical/gathers.cc": "a Gather of all elements, repeats, steps or frames, and a Split with one reader",
    "converter/graph/numbering.cc": "a counter that numbers steps",
    "converter/graph/canonical/pads.cc": "a Pad before a window, a Slice after one",
    "converter/graph/streaming/length_values.cc": "a Range, whose stop only determines its length",
    "converter/graph/search_to_range.cc": "a NonZero of equal numbers, which is a Range",
    "converter/graph/streaming/positions.cc": "step numbers by Range, rows of tables",
    "converter/graph/streaming/position.cc": "the number of the next step, and a table's row",
    "converter/graph/streaming/aligned_positions.cc": "a transposition that moves only time",
    "converter/graph/canonical/shifts.cc": "a prepended constant, equal to a Pad",
    "converter/graph/streaming/rounding.cc": "an addend after a product",
}


def check(tree):
    """No name of an operation as a literal outside of patterns; only the readers and ir/edit create nodes."""
    names = operation_names(tree)
    lower = {name.lower() for name in names}
    faults = [f"{path}: does not exist; rules/operations.py lists it among the patterns"
              for path in PATTERNS if tree.under("converter/graph") and path not in tree.paths]
    for path in tree.under("converter", suffixes=(".cc", ".h")):
        room = path.split("/")[1]
        if room in ("ir", "tflite"):  # the readers
            continue
        for number, line in tree.lines(path):
            if _MAKES.search(line):
                faults.append(f"{path}:{number}: creates a node; use converter/ir/edit.h")
        if path in PATTERNS or ("/" in path[len("converter/"):] and room not in _ROOMS):
            continue
        for number, line in tree.lines(path):
            if line.lstrip().startswith(("//", "#include")):
                continue
            for text in _LITERAL.findall(_COMMENT.sub("", line)):
                if text in names or (room == "graph" and text.lower() in lower):
                    faults.append(f'{path}:{number}: names operation "{text}"; a pass must use the '
                                  "traits of its row (converter/ops/traits.h), and a pattern must "
                                  "be listed in rules/operations.py")
    return faults
