// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/instructions.h"

#include <cstdlib>
#include <map>
#include <string>

#include "converter/inspect/bound_tables.h"
#include "converter/inspect/terms.h"
#include "converter/inspect/traverse.h"

namespace weft::inspect {
namespace {

struct Variant {
  bool is_constant = false;
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

// Reads lines "VARIANT|constant|TERM NUMBER|..." after "# COMPILER".
Variants Read(std::string_view text, std::string& compiler) {
  Variants variants;
  compiler = Cut(text, '\n').substr(2);
  while (!text.empty()) {
    std::string_view line = Cut(text, '\n');
    if (line.starts_with("#")) continue;
    Variant& variant = variants[std::string(Cut(line, '|'))];
    variant.is_constant = Cut(line, '|') == "constant";
    while (!line.empty()) {
      const std::string_view term = Cut(line, '|');
      const size_t space = term.rfind(' ');
      const std::string number(term.substr(space + 1));
      variant.terms.emplace(term.substr(0, space), std::strtod(number.c_str(), nullptr));
    }
  }
  return variants;
}

std::optional<double> BoundOf(const Variants& variants, const Terms& terms) {
  const auto found = variants.find(terms.variant);
  if (terms.variant.empty() || found == variants.end()) return std::nullopt;
  double sum = 0;
  for (const auto& [name, amount] : terms.amounts) {
    const auto term = found->second.terms.find(name);
    if (term == found->second.terms.end()) return std::nullopt;
    sum += term->second * amount;
  }
  return sum;
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
  bound.engine = BoundOf(variants, EngineTermsOf(model));
  bound.max = bound.engine;
  bound.steps.resize(steps.count);
  for (uint32_t i = 0; i < steps.count; ++i) {
    if (steps[i].kind() == 0) continue;
    const Terms terms = TermsOf(model, steps[i]);
    const auto found = variants.find(terms.variant);
    StepBound& step = bound.steps[i];
    step = {sum.times[i], BoundOf(variants, terms),
            found != variants.end() && found->second.is_constant};
    if (step.executions == 0) continue;
    bound.max = bound.max && step.max ? std::optional(*bound.max + step.executions * *step.max)
                                      : std::nullopt;
  }
  return bound;
}

}  // namespace weft::inspect
