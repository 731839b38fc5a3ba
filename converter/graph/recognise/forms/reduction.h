// SPDX-License-Identifier: Apache-2.0
// Reads decomposed sums and means over axes, and their operands. Every function adds the operations
// that it covers; operations that only change the dims of a tensor are skipped.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_REDUCTION_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_REDUCTION_H_

#include <optional>
#include <string_view>
#include <vector>

#include "converter/graph/recognise/forms/form_site.h"

namespace weft::graph {

// `factor` times the sum of `of` over the axes.
struct Reduced {
  ir::Source of;
  std::vector<int64_t> axes;  // in order, counted from the front
  double factor = 1;
  Covered covered;
  // Returns the factor relative to the mean.
  double PerMean() const;
  // Returns true if the value equals the mean up to f32 rounding.
  bool IsMean() const { return IsClose(PerMean(), 1); }
};

// Reads a sum or mean, multiplied or divided by numbers. Returns nullopt for other values.
std::optional<Reduced> ReducedOf(ir::Source source);
// Reads a reduction by the operation of that name.
std::optional<Reduced> ReducedBy(std::string_view operation, ir::Source source);

// Reads a product with, or quotient by, one number, and returns the factor.
std::optional<WithNumber> ScaledBy(const ir::Node& node);
// Returns the value that `node` squares, by a power or a product.
std::optional<ir::Source> SquaredIn(const ir::Node& node);
// Returns the value of which `node` computes the square root.
std::optional<ir::Source> RootedIn(const ir::Node& node);
// Returns the value of which `node` computes the inverse.
std::optional<ir::Source> InvertedIn(const ir::Node& node);

// Returns true if `source` has the dims of a reduction that keeps its axes with extent 1; leading
// axes of extent 1 may be missing.
bool KeepsAxes(ir::Source source, const Dims& dims, const std::vector<int64_t>& axes);

// Returns the input of operations that only change dims, and adds these to `covered`.
ir::Source BeforeViews(ir::Source source, Covered& covered);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_REDUCTION_H_
