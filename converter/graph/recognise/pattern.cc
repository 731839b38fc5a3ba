// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/pattern.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

// Returns the number of rows and their width: [2, 1, 5] and [2, 5] are both two rows.
std::pair<int64_t, int64_t> RowsOf(const TensorType& type) {
  const int64_t width = type.dims.empty() ? 1 : type.dims.back();
  return {width == 0 ? 0 : ElementCount(type.dims).value_or(0) / width, width};
}

bool IsFullOf(ir::Source source, float number) {
  const ir::Constant* constant = ConstantOf(source);
  if (constant == nullptr || constant->type.type != ElementType::f32) return false;
  const std::vector<float> floats = ops::Floats(*constant);
  return !floats.empty() &&
         std::all_of(floats.begin(), floats.end(), [&](float f) { return f == number; });
}

bool IsCommutative(std::string_view operation) {
  return operation == "Add" || operation == "Multiply";
}

bool Fits(const ir::Node& node, std::string_view operation) {
  if (node.operation == nullptr || node.constant) return false;
  return operation == "Any" ? !ActivationName(node).empty() : node.operation->name == operation;
}

}  // namespace

ir::Source BeforeReshapes(ir::Source source) {
  while (ops::TraitsOf(*source.node).reshapes && !source.node->constant &&
         RowsOf(TypeOf(source)) == RowsOf(TypeOf(source.node->inputs[0]))) {
    source = source.node->inputs[0];
  }
  return source;
}

bool IsSame(ir::Source a, ir::Source b) { return BeforeReshapes(a) == BeforeReshapes(b); }

std::string_view ActivationName(const ir::Node& node) { return ops::TraitsOf(node).cell_name; }

Pattern::Pattern(std::string_view text) : root_(Parse(text)) {}

// A term ends at the end of the text, or before a comma or closing bracket of the enclosing term.
Pattern::Term Pattern::Parse(std::string_view& text) {
  Term term;
  size_t end = std::min(text.find_first_of(":(,)"), text.size());
  std::string word(text.substr(0, end));
  text.remove_prefix(end);
  if (!text.empty() && text.front() == ':') {
    term.name = std::move(word);
    text.remove_prefix(1);
    end = std::min(text.find_first_of("(,)"), text.size());
    word = text.substr(0, end);
    text.remove_prefix(end);
  }
  const bool is_value = std::islower(static_cast<unsigned char>(word.front())) != 0;
  (is_value ? term.name : term.operation) = std::move(word);
  if (text.empty() || text.front() != '(') return term;
  do {
    text.remove_prefix(1);
    term.inputs.push_back(Parse(text));
  } while (text.front() == ',');
  text.remove_prefix(1);
  return term;
}

std::vector<Pattern::Match> Pattern::AllMatches(ir::Source root) const {
  return Fit(root_, root, {});
}

std::vector<Pattern::Match> Pattern::Fit(const Term& term, ir::Source source, const Match& so_far) {
  Match match = so_far;
  if (term.operation.empty()) {
    const auto [found, fresh] = match.values.emplace(term.name, source);
    if (!fresh && !IsSame(found->second, source)) return {};
    return {std::move(match)};
  }
  if (term.inputs.empty()) {
    if (!IsFullOf(source, term.operation == "1" ? 1.0f : -1.0f)) return {};
    return {std::move(match)};
  }
  const ir::Source inner = BeforeReshapes(source);
  if (!Fits(*inner.node, term.operation)) return {};
  for (ir::Source at = source; !(at == inner); at = at.node->inputs[0]) {
    match.nodes.push_back(at.node);
  }
  match.nodes.push_back(inner.node);
  if (!term.name.empty()) match.values.emplace(term.name, inner);
  const std::vector<ir::Source>& inputs = inner.node->inputs;
  std::vector<Match> all;
  for (const bool swapped : {false, true}) {
    if (swapped && !IsCommutative(term.operation)) continue;
    std::vector<Match> partial = {match};
    for (size_t i = 0; i < term.inputs.size(); ++i) {
      std::vector<Match> longer;
      for (const Match& one : partial) {
        const ir::Source input = inputs[swapped ? term.inputs.size() - 1 - i : i];
        for (Match& fit : Fit(term.inputs[i], input, one)) longer.push_back(std::move(fit));
      }
      partial = std::move(longer);
    }
    std::ranges::move(partial, std::back_inserter(all));
  }
  return all;
}

}  // namespace weft::graph
