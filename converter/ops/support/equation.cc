// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/equation.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "converter/base/split.h"

namespace weft::ops {
namespace {

constexpr std::string_view kEllipsis = "...";

// The labels of `rank` axes; the ellipsis covers the axes that have no letter.
Labels LabelsOfAxes(const std::string& subscript, size_t rank) {
  const size_t letters = LettersOf(subscript).size();
  Labels labels;
  for (size_t i = 0; i < subscript.size(); ++i) {
    if (subscript[i] != '.') {
      labels.push_back(subscript[i]);
      continue;
    }
    for (size_t left = rank - letters; left > 0; --left) {
      labels.push_back(static_cast<Label>(left - 1));
    }
    i += kEllipsis.size() - 1;
  }
  return labels;
}

// The implicit output: the ellipsis, then the letters that occur in one operand only, in
// alphabetical order with capitals first.
std::string ImplicitOutput(const std::vector<std::string>& inputs) {
  std::map<char, int> operands;
  std::string output;
  for (const std::string& input : inputs) {
    const std::string letters = LettersOf(input);
    for (const char letter : std::set<char>(letters.begin(), letters.end())) ++operands[letter];
    if (HasEllipsis(input)) output = kEllipsis;
  }
  for (const auto& [letter, count] : operands) {
    if (count == 1) output += letter;
  }
  return output;
}

// Checks that subscripts have letters and at most one ellipsis.
bool CheckSubscripts(NodeScope& scope, const std::string& text, const Equation& equation) {
  std::vector<std::string> all = equation.inputs;
  all.push_back(equation.output);
  for (const std::string& subscript : all) {
    const bool fits = std::ranges::all_of(
        LettersOf(subscript), [](unsigned char letter) { return std::isalpha(letter) != 0; });
    if (fits) continue;
    scope.Fault("equation \"{}\" has the subscript \"{}\"; must be letters and at most one \"...\"",
                text, subscript);
    return false;
  }
  if (equation.inputs.size() == scope.input_count()) return true;
  scope.Fault("equation \"{}\" has {} input subscripts and the layer {} inputs; both must be equal",
              text, equation.inputs.size(), scope.input_count());
  return false;
}

bool CheckOutput(NodeScope& scope, const std::string& text, const Equation& equation) {
  std::string inputs;
  for (const std::string& input : equation.inputs) inputs += LettersOf(input);
  const std::string output = LettersOf(equation.output);
  const bool is_implicit = text.find("->") == std::string::npos;
  for (const char letter : std::set<char>(output.begin(), output.end())) {
    const auto among_inputs = std::ranges::count(inputs, letter);
    if (among_inputs == 0) {
      scope.Fault("equation \"{}\" has {} only in the output; must also be in an input", text,
                  letter);
    } else if (is_implicit && among_inputs > 1) {
      scope.Fault(
          "equation \"{}\" repeats {} without an explicit output; must have one after \"->\"", text,
          letter);
    } else if (std::ranges::count(output, letter) > 1) {
      scope.Fault("equation \"{}\" has {} twice in the output; must occur once", text, letter);
    }
  }
  if (std::ranges::any_of(equation.inputs, HasEllipsis) != HasEllipsis(equation.output)) {
    scope.Fault("equation \"{}\" has \"...\" on one side of \"->\"; must be on both or none", text);
  }
  return !scope.failed();
}

}  // namespace

std::optional<Equation> ReadEquation(NodeScope& scope) {
  scope.RequireAttributes({"equation"});
  if (!scope.attributes.Has("equation")) return std::nullopt;
  const std::string text = scope.attributes.Text("equation", "");
  const size_t arrow = text.find("->");
  const std::vector<std::string_view> inputs = Split(std::string_view(text).substr(0, arrow), ",");
  Equation equation = {{inputs.begin(), inputs.end()}, ""};
  equation.output =
      arrow == std::string::npos ? ImplicitOutput(equation.inputs) : text.substr(arrow + 2);
  if (!CheckSubscripts(scope, text, equation) || !CheckOutput(scope, text, equation)) {
    return std::nullopt;
  }
  return equation;
}

bool HasEllipsis(const std::string& subscript) {
  return subscript.find(kEllipsis) != std::string::npos;
}

std::string LettersOf(std::string subscript) {
  const size_t dots = subscript.find(kEllipsis);
  if (dots != std::string::npos) subscript.erase(dots, kEllipsis.size());
  return subscript;
}

Labels LabelsOf(const NodeScope& scope, const Equation& equation, size_t i) {
  return LabelsOfAxes(equation.inputs[i], scope.input_dims(i).size());
}

LabelExtents ExtentsOf(const NodeScope& scope, const Equation& equation) {
  LabelExtents extents;
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    const Labels labels = LabelsOf(scope, equation, i);
    for (size_t axis = 0; axis < labels.size(); ++axis) {
      const int64_t dim = scope.input_dims(i)[axis];
      int64_t& extent = extents.try_emplace(labels[axis], dim).first->second;
      if (extent == 1) extent = dim;
    }
  }
  return extents;
}

Labels OutputLabels(const Equation& equation, const LabelExtents& extents) {
  size_t rank = LettersOf(equation.output).size();
  for (const auto& [label, extent] : extents) rank += label < kFirstLetter;
  return LabelsOfAxes(equation.output, rank);
}

bool HasLabel(const Labels& labels, Label label) {
  return std::ranges::find(labels, label) != labels.end();
}

}  // namespace weft::ops
