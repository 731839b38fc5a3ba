// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/polynomial.h"

#include <algorithm>
#include <string_view>

#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

constexpr std::string_view kArithmetic[] = {"Add",    "Subtract", "Multiply",
                                            "Divide", "Power",    "Negative"};

Polynomial Scaled(Polynomial a, double factor) {
  for (auto& row : a.factors) {
    for (double& number : row) number *= factor;
  }
  return a;
}

Polynomial Sum(Polynomial a, const Polynomial& b) {
  for (size_t x = 0; x < a.factors.size(); ++x) {
    for (size_t f = 0; f < a.factors[x].size(); ++f) a.factors[x][f] += b.factors[x][f];
  }
  return a;
}

// Returns nullopt if the degree is too high.
std::optional<Polynomial> Times(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  for (size_t i = 0; i < 4 * 2; ++i) {
    for (size_t j = 0; j < 4 * 2; ++j) {
      const double factor = a.factors[i / 2][i % 2] * b.factors[j / 2][j % 2];
      if (factor == 0) continue;
      const size_t x = i / 2 + j / 2, f = i % 2 + j % 2;
      if (x > 3 || f > 1) return std::nullopt;
      product.factors[x][f] += factor;
    }
  }
  return product;
}

bool IsArithmetic(const ir::Node& node) {
  return node.outputs.size() == 1 && std::ranges::any_of(kArithmetic, [&](std::string_view name) {
           return IsCalled(node, name);
         });
}

}  // namespace

bool Polynomial::Is(const std::vector<Term>& terms) const {
  Polynomial rest = *this;
  for (const Term& term : terms) {
    double& factor = rest.factors[term.x][term.f];
    if (!IsClose(factor, term.factor)) return false;
    factor = 0;
  }
  return std::ranges::all_of(rest.factors, [](const auto& row) {
    return std::ranges::all_of(row, [](double number) { return number == 0; });
  });
}

std::optional<Polynomial> PolynomialReader::Read(ir::Source source, int depth) {
  constexpr int kDeepest = 6;
  Polynomial polynomial;
  if (source == x_ || (f_ && source == *f_)) {
    if (source == x_) polynomial.factors[1][0] = 1;
    if (!(source == x_)) polynomial.factors[0][1] = 1;
    return polynomial;
  }
  if (const std::optional<double> number = NumberIn(source)) {
    polynomial.factors[0][0] = *number;
    return polynomial;
  }
  const ir::Node& node = *source.node;
  if (depth == kDeepest || !IsArithmetic(node) || CountIn(source) != count_) return std::nullopt;
  const std::optional<Polynomial> read = ReadOperation(node, depth + 1);
  if (read) covered_.insert(&node);
  return read;
}

std::optional<Polynomial> PolynomialReader::ReadOperation(const ir::Node& node, int depth) {
  const std::optional<Polynomial> a = Read(node.inputs[0], depth);
  if (!a) return std::nullopt;
  if (IsCalled(node, "Negative")) return Scaled(*a, -1);
  const std::optional<double> number = NumberIn(node.inputs[1]);
  if (IsCalled(node, "Divide")) {
    return number && *number != 0 ? std::optional(Scaled(*a, 1 / *number)) : std::nullopt;
  }
  if (IsCalled(node, "Power")) {
    if (number != 2.0 && number != 3.0) return std::nullopt;
    const std::optional<Polynomial> square = Times(*a, *a);
    return number == 2.0 || !square ? square : Times(*square, *a);
  }
  const std::optional<Polynomial> b = Read(node.inputs[1], depth);
  if (!b) return std::nullopt;
  if (IsCalled(node, "Multiply")) return Times(*a, *b);
  return Sum(*a, IsCalled(node, "Subtract") ? Scaled(*b, -1) : *b);
}

std::vector<ir::Source> VariablesOf(ir::Source source) {
  constexpr size_t kMax = 8;
  std::vector<ir::Source> found = {source};
  for (size_t i = 0; i < found.size(); ++i) {
    if (!IsArithmetic(*found[i].node)) continue;
    for (const ir::Source& input : found[i].node->inputs) {
      const bool known = std::ranges::find(found, input) != found.end();
      if (!known && !input.node->constant && found.size() < kMax) found.push_back(input);
    }
  }
  std::ranges::reverse(found);
  return found;
}

}  // namespace weft::graph
