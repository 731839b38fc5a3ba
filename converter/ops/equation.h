// SPDX-License-Identifier: Apache-2.0
// The equation of an Einsum: which axes of its tensors are one axis. Read again wherever it is
// asked for; what is wrong with it is a fault of the first reading.
#ifndef WEFT_CONVERTER_OPS_EQUATION_H_
#define WEFT_CONVERTER_OPS_EQUATION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// A letter, or an axis of the ellipsis, counted from its last.
using Label = int64_t;
using Labels = std::vector<Label>;
inline constexpr Label kFirstLetter = 'A';

struct Equation {
  std::vector<std::string> inputs;  // subscripts
  std::string output;
};

// nullopt after a fault. Subscripts need not fit the ranks yet.
std::optional<Equation> ReadEquation(NodeScope& scope);

bool HasEllipsis(const std::string& subscript);
std::string LettersOf(std::string subscript);

// Of the axes of input i, whose rank fits.
Labels LabelsOf(const NodeScope& scope, const Equation& equation, size_t i);

// Where operands differ along the ellipsis, 1 gives way.
using LabelExtents = std::map<Label, int64_t>;
LabelExtents ExtentsOf(const NodeScope& scope, const Equation& equation);

// Of the output's axes; its ellipsis is as long as the longest of the inputs.
Labels OutputLabels(const Equation& equation, const LabelExtents& extents);

bool HasLabel(const Labels& labels, Label label);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_EQUATION_H_
