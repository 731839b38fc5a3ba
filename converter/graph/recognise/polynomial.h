// SPDX-License-Identifier: Apache-2.0
// Reads arithmetic as a polynomial in a value x and a function f of it, of third degree in x and of
// first in f. However an export orders 0.5 * x * (1 + f) and multiplies it out, its coefficients
// are the same.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_POLYNOMIAL_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_POLYNOMIAL_H_

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>

#include "converter/graph/recognise/form_site.h"

namespace weft::graph {

struct Term {
  size_t x = 0, f = 0;  // powers
  double factor = 0;
};

struct Polynomial {
  std::array<std::array<double, 2>, 4> factors{};  // [power of x][power of f]
  // The terms have about these factors, all others are 0.
  bool Is(std::initializer_list<Term> terms) const;
  double Factor(size_t x, size_t f) const { return factors[x][f]; }
};

class PolynomialReader {
 public:
  // Of two values with one number of elements; without f where the polynomial is in x alone.
  PolynomialReader(ir::Source x, std::optional<ir::Source> f) : x_(x), f_(f), count_(CountIn(x)) {}

  // Nullopt when `source` is no such polynomial.
  std::optional<Polynomial> Read(ir::Source source) { return Read(source, 0); }
  // The operations that were read.
  const Covered& covered() const { return covered_; }

 private:
  std::optional<Polynomial> Read(ir::Source source, int depth);
  std::optional<Polynomial> ReadOperation(const ir::Node& node, int depth);

  const ir::Source x_;
  const std::optional<ir::Source> f_;
  const int64_t count_;
  Covered covered_;
};

// Values that `source` may be a polynomial of, `source` itself last.
std::vector<ir::Source> VariablesOf(ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_POLYNOMIAL_H_
