// SPDX-License-Identifier: Apache-2.0
// Reads arithmetic as a polynomial in a value x and a function f of x, up to degree 3 in x and 1 in
// f. All orders and expansions of a formula such as 0.5 * x * (1 + f) have the same coefficients.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_POLYNOMIAL_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_POLYNOMIAL_H_

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "converter/graph/recognise/forms/form_site.h"

namespace weft::graph {

struct Term {
  size_t x = 0, f = 0;  // powers
  double factor = 0;
};

struct Polynomial {
  std::array<std::array<double, 2>, 4> factors{};  // [power of x][power of f]
  // Returns true if the terms have approximately these factors and all other factors are 0.
  bool Is(const std::vector<Term>& terms) const;
  double Factor(size_t x, size_t f) const { return factors[x][f]; }
};

class PolynomialReader {
 public:
  // x and f have the same number of elements. Without f, the polynomial is in x only.
  PolynomialReader(ir::Source x, std::optional<ir::Source> f) : x_(x), f_(f), count_(CountIn(x)) {}

  // Returns nullopt if `source` is no such polynomial.
  std::optional<Polynomial> Read(ir::Source source) { return Read(source, 0); }
  // The operations read so far.
  const Covered& covered() const { return covered_; }

 private:
  std::optional<Polynomial> Read(ir::Source source, int depth);
  std::optional<Polynomial> ReadOperation(const ir::Node& node, int depth);

  const ir::Source x_;
  const std::optional<ir::Source> f_;
  const int64_t count_;
  Covered covered_;
};

// Returns the values that `source` may be a polynomial of; `source` itself is last.
std::vector<ir::Source> VariablesOf(ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_POLYNOMIAL_H_
