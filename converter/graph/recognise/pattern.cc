// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/pattern.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr std::string_view kCommutative[] = {"Add", "Multiply", "Maximum", "Minimum",
                                             "SquaredDifference"};

// Returns the number of rows and their width: [2, 1, 5] and [2, 5] are both two rows.
std::pair<int64_t, int64_t> RowsOf(const TensorType& type) {
  const int64_t width = type.dims.empty() ? 1 : type.dims.back();
  return {width == 0 ? 0 : ElementCount(type.dims).value_or(0) / width, width};
}

bool Fits(const ir::Node& node, const std::vector<std::string>& operations) {
  return std::ranges::any_of(operations, [&](const std::string& operation) {
    return IsCalled(node, operation) || (operation == "Any" && !ActivationName(node).empty());
  });
}

// Returns true if the only broadcasts of the node are by NumPy's rule.
bool BroadcastsFromTheRight(const ir::Node& node) {
  return AttributeText(node, "auto_broadcast") != "pdpd" ||
         std::ranges::all_of(node.inputs, [&](const ir::Source& source) {
           return CountIn(source) == 1 || TypeOf(source).dims == node.outputs[0].type.dims;
         });
}

std::string Word(std::string_view& text) {
  const size_t end = std::min(text.find_first_of(":(,)|}/"), text.size());
  std::string word(text.substr(0, end));
  text.remove_prefix(end);
  return word;
}

// Removes the next character if it is `wanted`.
bool Next(std::string_view& text, char wanted) {
  const bool is_next = text.starts_with(wanted);
  if (is_next) text.remove_prefix(1);
  return is_next;
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

std::string_view ActivationName(const ir::Node& node) {
  return node.constant ? std::string_view() : ops::TraitsOf(node).cell_name;
}

double Pattern::Match::Number(std::string_view name, double fallback) const {
  const auto found = readings.find(name);
  return found == readings.end() ? fallback : found->second.numbers[0];
}

Pattern::Pattern(std::string_view text, std::span<const PatternReader> readers)
    : readers_(readers), root_(Parse(text)) {}

// A term ends at the end of the text, or before a character that continues the enclosing term.
Pattern::Term Pattern::Parse(std::string_view& text) const {
  Term term;
  if (Next(text, '{')) {
    term.kind = Kind::kEither;
    do {
      term.inputs.push_back(Parse(text));
    } while (Next(text, '|'));
    Next(text, '}');
    return term;
  }
  std::string word = Word(text);
  if (Next(text, ':')) {
    term = Parse(text);
    term.name = std::move(word);
    return term;
  }
  const char first = word.front();
  if (first == '#' || first == '%') {
    term.kind = first == '#' ? Kind::kUniform : Kind::kConstant;
    term.name = word.substr(1);
  } else if (std::islower(static_cast<unsigned char>(first)) != 0) {
    term.name = std::move(word);
  } else if (std::isupper(static_cast<unsigned char>(first)) == 0) {
    term.kind = Kind::kNumber;
    term.number = std::stod(word);
  } else {
    const auto reader = std::ranges::find(readers_, word, &PatternReader::name);
    term.kind = reader == readers_.end() ? Kind::kOperation : Kind::kReader;
    if (reader != readers_.end()) term.reader = &*reader;
    term.operations.push_back(std::move(word));
    while (Next(text, '/')) term.operations.push_back(Word(text));
    while (Next(text, term.inputs.empty() ? '(' : ',')) term.inputs.push_back(Parse(text));
    Next(text, ')');
  }
  return term;
}

std::vector<Pattern::Match> Pattern::AllMatches(ir::Source root) const {
  return Fit(root_, root, {});
}

ir::Source Pattern::Before(ir::Source source) const {
  return readers_.empty() ? BeforeReshapes(source) : source;
}

// Returns false if the name has another value.
bool Pattern::Bind(const std::string& name, ir::Source source, Match& match) const {
  if (name.empty()) return true;
  const auto [found, fresh] = match.values.emplace(name, source);
  return fresh || Before(found->second) == Before(source);
}

std::vector<Pattern::Match> Pattern::Fit(const Term& term, ir::Source source,
                                         const Match& so_far) const {
  if (term.kind == Kind::kOperation) {
    return Fits(*Before(source).node, term.operations) ? FitOperation(term, source, so_far)
                                                       : std::vector<Match>();
  }
  if (term.kind == Kind::kReader) return FitReader(term, source, so_far);
  Match match = so_far;
  if (term.kind != Kind::kValue && term.kind != Kind::kEither) {
    return FitConstant(term, source, std::move(match));
  }
  std::vector<Match> all;
  if (!Bind(term.name, source, match)) return all;
  if (term.kind == Kind::kValue) all.push_back(std::move(match));
  for (const Term& one : term.inputs)
    std::ranges::move(Fit(one, source, match), std::back_inserter(all));
  return all;
}

std::vector<Pattern::Match> Pattern::FitConstant(const Term& term, ir::Source source,
                                                 Match match) const {
  if (ConstantOf(source) == nullptr) return {};
  if (term.kind != Kind::kConstant) {
    const std::optional<double> number = NumberIn(source);
    if (!number || (term.kind == Kind::kNumber && *number != term.number)) return {};
    if (!term.name.empty()) match.readings[term.name].numbers = {*number};
  }
  if (term.kind == Kind::kConstant && !Bind(term.name, source, match)) return {};
  return {std::move(match)};
}

std::vector<Pattern::Match> Pattern::FitReader(const Term& term, ir::Source source,
                                               const Match& so_far) const {
  std::vector<Match> all;
  for (Reading& reading : term.reader->read(source)) {
    if (!reading.axes.empty() && !so_far.axes.empty() && reading.axes != so_far.axes) continue;
    Match match = so_far;
    if (!reading.axes.empty()) match.axes = reading.axes;
    Join(match.covered, reading.covered);
    const ir::Source of = reading.of;
    if (!term.name.empty()) {
      const auto [found, fresh] = match.readings.try_emplace(term.name, reading);
      const Reading& known = found->second;
      if (!fresh && (known.numbers != reading.numbers || known.dims != reading.dims)) continue;
    }
    std::ranges::move(Fit(term.inputs[0], of, match), std::back_inserter(all));
  }
  return all;
}

std::vector<Pattern::Match> Pattern::FitOperation(const Term& term, ir::Source source,
                                                  Match match) const {
  const ir::Source inner = Before(source);
  const std::vector<ir::Source>& inputs = inner.node->inputs;
  const bool has_constant = std::ranges::any_of(
      term.inputs, [](const Term& input) { return input.kind == Kind::kConstant; });
  if (has_constant && !BroadcastsFromTheRight(*inner.node)) return {};
  for (ir::Source at = source; !(at == inner); at = at.node->inputs[0]) {
    match.covered.insert(at.node);
  }
  match.covered.insert(inner.node);
  if (!Bind(term.name, inner, match)) return {};
  std::vector<Match> all;
  for (const bool swapped : {false, true}) {
    if (swapped && std::ranges::count(kCommutative, term.operations[0]) == 0) continue;
    std::vector<Match> partial = {match};
    for (size_t i = 0; i < term.inputs.size() && !partial.empty(); ++i) {
      std::vector<Match> longer;
      const ir::Source input = inputs[swapped ? term.inputs.size() - 1 - i : i];
      for (const Match& one : partial) {
        std::ranges::move(Fit(term.inputs[i], input, one), std::back_inserter(longer));
      }
      partial = std::move(longer);
    }
    std::ranges::move(partial, std::back_inserter(all));
  }
  return all;
}

}  // namespace weft::graph
