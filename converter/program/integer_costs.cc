// SPDX-License-Identifier: Apache-2.0
#include "converter/program/integer_costs.h"

#include <algorithm>
#include <variant>

#include "converter/program/conv_rows.h"

namespace weft::program {
namespace {

// Rows or patches that a step multiplies, and the cost of each of their inputs.
struct Rows {
  int64_t count = 0, input_cost = 0;
};

Rows RowsOf(const IntegerCosts& costs, const Step& step) {
  if (const auto* dense = std::get_if<format::DenseParams>(&step.params)) {
    return {dense->rows(), costs.row_input};
  }
  const auto* conv = std::get_if<format::ConvParams>(&step.params);
  if (conv == nullptr) return {};
  const int64_t pixels = int64_t{conv->out_height()} * conv->out_width();
  if (ConvRowsOf(*conv)) return {pixels, costs.row_input};
  const bool is_planar = conv->in_channels() * conv->groups() > 1 && conv->x().channel() != 1;
  return {pixels, is_planar ? costs.gathered_input : costs.patch_input};
}

int64_t ProductCost(const IntegerCosts& costs, uint32_t row_bits) {
  return row_bits == kNarrowRows ? costs.i8x8_product : costs.i8_product;
}

}  // namespace

bool AreIntegersSlowerThanCell(const IntegerCosts& costs, const ProductShape& shape,
                               uint32_t row_bits) {
  const int64_t added =
      costs.cell + costs.row + costs.row_input * shape.inputs + costs.output * shape.outputs;
  const int64_t saved = costs.f32_product_of_one_row - ProductCost(costs, row_bits);
  return added > int64_t{shape.inputs} * shape.outputs * saved;
}

bool AreExactIntegersSlower(const IntegerCosts& costs, const WeightUse& use) {
  const auto is_of_several_taps = [](const Step* step) {
    const auto* conv = std::get_if<format::ConvParams>(&step->params);
    return conv != nullptr && !ConvRowsOf(*conv);
  };
  if (!std::ranges::all_of(use.readers, is_of_several_taps)) return false;
  const ProductShape& shape = *use.shape;
  const int64_t added = costs.row + costs.patch_input * shape.inputs + costs.output * shape.outputs;
  return added > int64_t{shape.inputs} * shape.outputs * (costs.f32_product - costs.i8_product);
}

bool AreIntegersSlower(const IntegerCosts& costs, const WeightUse& use, uint32_t row_bits) {
  const ProductShape& shape = *use.shape;
  if (shape.over == SumsOver::kTaps) return true;
  const int64_t products = int64_t{shape.inputs} * shape.outputs;
  const int64_t of_integers = ProductCost(costs, row_bits);
  int64_t lost = 0;
  for (const Step* step : use.readers) {
    const Rows rows = RowsOf(costs, *step);
    const int64_t of_f32 = rows.count == 1 ? costs.f32_product_of_one_row : costs.f32_product;
    const int64_t added = costs.row + rows.input_cost * shape.inputs + costs.output * shape.outputs;
    lost += rows.count * (added - products * (of_f32 - of_integers));
  }
  return lost > 0;
}

}  // namespace weft::program
