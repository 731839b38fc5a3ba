// SPDX-License-Identifier: Apache-2.0
// The equation of an Einsum: which axes of its tensors are the same axis. It is parsed at each use;
// the first use, shape inference, reports its errors.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_EQUATION_H_
#define WEFT_CONVERTER_OPS_SUPPORT_EQUATION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// A letter, or an axis of the ellipsis counted from the ellipsis' last axis.
using Label = int64_t;
using Labels = std::vector<Label>;
inline constexpr Label kFirstLetter = 'A';

// The parsed attribute `equation`.
struct Equation {
  std::vector<std::string> inputs;  // subscripts
  std::string output;
};

// Returns nullopt after an error. Subscripts are not checked against the ranks.
std::optional<Equation> ReadEquation(NodeScope& scope);

// Returns true if `subscript` has an ellipsis.
bool HasEllipsis(const std::string& subscript);
// `subscript` without its ellipsis.
std::string LettersOf(std::string subscript);

// The labels of the axes of input i, whose rank must fit its subscript.
Labels LabelsOf(const NodeScope& scope, const Equation& equation, size_t i);

// Extents by label. Where operands differ along an ellipsis axis, extent 1 is broadcast.
using LabelExtents = std::map<Label, int64_t>;
LabelExtents ExtentsOf(const NodeScope& scope, const Equation& equation);

// The labels of the output's axes; its ellipsis is as long as the longest ellipsis of the inputs.
Labels OutputLabels(const Equation& equation, const LabelExtents& extents);

bool HasLabel(const Labels& labels, Label label);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_EQUATION_H_
