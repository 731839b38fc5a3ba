// SPDX-License-Identifier: Apache-2.0
// Reads sums and means over axes, and what they are taken of, as formulas spell them. Every reading
// names the operations that it covers; what only gives a tensor other dims is looked through.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_REDUCTION_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_REDUCTION_H_

#include <optional>
#include <string_view>
#include <vector>

#include "converter/graph/recognise/form_site.h"

namespace weft::graph {

// `factor` times the sum of `of` over the axes that are set.
struct Reduced {
  ir::Source of;
  std::vector<bool> axes;
  double factor = 1;
  Covered covered;
  // How many times the mean it is.
  double PerMean() const;
  // It is the mean, to the last bits of f32.
  bool IsMean() const { return IsNear(PerMean(), 1); }
};

// A sum or mean, times or over numbers. Nullopt for anything else.
std::optional<Reduced> ReducedOf(ir::Source source);
// What the operation of that name reduces.
std::optional<Reduced> ReducedBy(std::string_view operation, ir::Source source);

// What `node` is the square of, by a power or a product.
std::optional<ir::Source> SquaredIn(const ir::Node& node);

// Has `source` the dims that reducing leaves where the axes are kept with one element each, but for
// leading ones?
bool KeepsAxes(ir::Source source, const Dims& dims, const std::vector<bool>& axes);

// What `node` is the negative of, also by a factor of -1.
std::optional<ir::Source> NegatedBy(const ir::Node& node);

// x less its mean over axes, or plus the negative of that.
struct Centred {
  ir::Source x;
  std::vector<bool> axes;
  Covered covered;
};
std::optional<Centred> CentredOf(ir::Source source);

// What `source` is before operations that only give it other dims; they are covered.
ir::Source BeforeViews(ir::Source source, Covered& covered);

// The numbers of the axes that are set.
std::vector<int64_t> NumbersOf(const std::vector<bool>& axes);

void Join(Covered& covered, const Covered& more);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_REDUCTION_H_
