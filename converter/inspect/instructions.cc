// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/instructions.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "converter/inspect/bound_tables.h"
#include "converter/inspect/terms.h"
#include "converter/inspect/traverse.h"

namespace weft::inspect {
namespace {

struct Variant {
  bool is_constant = false;
  double excess = 0;
  std::map<std::string, double, std::less<>> terms;
};
using Variants = std::map<std::string, Variant, std::less<>>;

// Removes the text up to `end` from the start of `rest` and returns it.
std::string_view Cut(std::string_view& rest, char end) {
  const size_t at = rest.find(end);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return part;
}

// Reads lines "VARIANT|constant|EXCESS|TERM NUMBER|..." after "# COMPILER".
Variants Read(std::string_view text, std::string& compiler) {
  Variants variants;
  compiler = Cut(text, '\n').substr(2);
  while (!text.empty()) {
    std::string_view line = Cut(text, '\n');
    if (line.starts_with("#")) continue;
    Variant& variant = variants[std::string(Cut(line, '|'))];
    variant.is_constant = Cut(line, '|') == "constant";
    variant.excess = std::strtod(std::string(Cut(line, '|')).c_str(), nullptr);
    while (!line.empty()) {
      const std::string_view term = Cut(line, '|');
      const size_t space = term.rfind(' ');
      const std::string number(term.substr(space + 1));
      variant.terms.emplace(term.substr(0, space), std::strtod(number.c_str(), nullptr));
    }
  }
  return variants;
}

// The name of all variants that differ only in absent operands, as in tests/size/instructions.py.
std::string FamilyOf(std::string_view variant) {
  std::string family;
  for (bool is_number = false; !variant.empty();) {
    const std::string_view word = Cut(variant, ' ');
    if (word == "without") {
      is_number = true;
    } else if (!std::exchange(is_number, false)) {
      family += std::string(word) + " ";
    }
  }
  return family + "any";
}

// The bound from the terms of a variant. Terms "FUNCTION: NAME" are in "activation FUNCTION".
StepBound SumOfTerms(const Variants& variants, const Variant& own, const Terms& terms) {
  StepBound bound = {0, 0.0, own.excess, own.is_constant};
  for (const auto& [name, amount] : terms.amounts) {
    const size_t colon = name.find(": ");
    const Variant* variant = &own;
    if (colon != std::string::npos) {
      const auto activation = variants.find("activation " + name.substr(0, colon));
      if (activation == variants.end()) return {};
      variant = &activation->second;
      bound.is_constant = bound.is_constant && variant->is_constant;
    }
    const auto term = variant->terms.find(name);
    if (term == variant->terms.end()) return {};
    *bound.max += term->second * amount;
  }
  bound.max = std::ceil(*bound.max);
  return bound;
}

// The bound of the variant, else of its family.
StepBound BoundOf(const Variants& variants, const Terms& terms) {
  if (terms.variant.empty()) return {};
  for (const std::string& name : {terms.variant, FamilyOf(terms.variant)}) {
    const auto found = variants.find(name);
    if (found == variants.end()) continue;
    const StepBound bound = SumOfTerms(variants, found->second, terms);
    if (bound.max) return bound;
  }
  return {};
}

}  // namespace

std::vector<std::string> CoresWithBounds() {
  std::vector<std::string> cores;
  for (const BoundTable& table : kBoundTables) cores.emplace_back(table.core);
  return cores;
}

RunBound InstructionsOf(const format::Model& model, std::string_view core) {
  RunBound bound;
  Variants variants;
  for (const BoundTable& table : kBoundTables) {
    if (table.core == core) variants = Read(table.text, bound.compiler);
  }
  const Sum sum = SumOf(model, [](uint32_t) { return 1; });
  const auto steps = format::RowsOf(model.steps());
  bound.engine = BoundOf(variants, EngineTermsOf(model)).max;
  bound.max = bound.engine;
  bound.steps.resize(steps.count);
  for (uint32_t i = 0; i < steps.count; ++i) {
    if (steps[i].kind() == 0) continue;
    StepBound& step = bound.steps[i];
    step = BoundOf(variants, TermsOf(model, steps[i], KernelsOf(core)));
    step.executions = sum.times[i];
    if (step.executions == 0) continue;
    bound.max = bound.max && step.max ? std::optional(*bound.max + step.executions * *step.max)
                                      : std::nullopt;
  }
  return bound;
}

}  // namespace weft::inspect
