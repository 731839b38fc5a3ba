// SPDX-License-Identifier: Apache-2.0
#include "converter/program/constant_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "converter/base/narrow.h"
#include "converter/program/conv_rows.h"
#include "kernels/matrix/pack.h"

namespace weft::program {
namespace {

constexpr int64_t kConstantElementBytes = sizeof(float);
constexpr size_t kMaxParts = 4096;
// Approximate file bytes of a dense step, its operands and the slots of its x, y and weights.
constexpr int64_t kStepBytes = 160;
constexpr size_t kWindowAxes = 3;  // image, row, pixel

// An axis of y, with the strides along it. A stride of 0 repeats.
struct ProductAxis {
  int64_t count, x, weights, y;
};

// The axes of a product except inputs and outputs, and the strides of x and y along those two.
struct ProductLayout {
  std::vector<ProductAxis> axes;
  int64_t x_channel = 1, y_channel = 1;
};

ProductLayout ProductLayoutOf(const format::MatmulParams& p, size_t constant,
                              ConstantMatrices& matrices) {
  const bool is_right = constant == 1;
  const int64_t rows = p.rows(), columns = p.columns();
  ProductLayout layout;
  int64_t y_stride = rows * columns;
  for (uint32_t i = p.batch_rank(); i-- > 0;) {
    const int64_t a = p.a_batch_strides()->Get(i), b = p.b_batch_strides()->Get(i);
    const int64_t count = p.batch_dims()->Get(i);
    layout.axes.insert(layout.axes.begin(), {count, is_right ? a : b, is_right ? b : a, y_stride});
    y_stride *= count;
  }
  matrices.inputs = p.inner();
  if (is_right) {
    layout.axes.push_back({rows, p.a_row_stride(), 0, columns});
    layout.x_channel = p.a_inner_stride();
    matrices.outputs = p.columns();
    matrices.input_stride = p.b_inner_stride();
    matrices.output_stride = p.b_column_stride();
  } else {
    layout.axes.push_back({columns, p.b_column_stride(), 0, 1});
    layout.x_channel = p.b_inner_stride();
    layout.y_channel = columns;
    matrices.outputs = p.rows();
    matrices.input_stride = p.a_inner_stride();
    matrices.output_stride = p.a_row_stride();
  }
  std::erase_if(layout.axes, [](const ProductAxis& axis) { return axis.count == 1; });
  return layout;
}

// Merges adjacent axes that x and y traverse as one.
std::vector<ProductAxis> JoinedAxes(const std::vector<ProductAxis>& axes) {
  std::vector<ProductAxis> joined;
  for (const ProductAxis& axis : axes) {
    if (!joined.empty() && joined.back().x == axis.count * axis.x &&
        joined.back().y == axis.count * axis.y) {
      joined.back() = {joined.back().count * axis.count, axis.x, 0, axis.y};
    } else {
      joined.push_back(axis);
    }
  }
  return joined;
}

// All indices of the axes, the last axis first.
std::vector<ConstantProduct::Part> PartsOver(const std::vector<ProductAxis>& axes,
                                             ConstantMatrices& matrices) {
  std::vector<ConstantProduct::Part> parts = {{}};
  std::vector<int64_t> positions = {0};  // by part: offset of its matrix
  for (const ProductAxis& axis : axes) {
    std::vector<ConstantProduct::Part> finer;
    std::vector<int64_t> finer_positions;
    for (size_t i = 0; i < parts.size(); ++i) {
      for (int64_t k = 0; k < axis.count; ++k) {
        finer.push_back({0, parts[i].x_offset + k * axis.x, parts[i].y_offset + k * axis.y});
        finer_positions.push_back(positions[i] + k * axis.weights);
      }
    }
    parts = std::move(finer);
    positions = std::move(finer_positions);
  }
  matrices.offsets = positions;
  std::ranges::sort(matrices.offsets);
  const auto repeated = std::ranges::unique(matrices.offsets);
  matrices.offsets.erase(repeated.begin(), repeated.end());
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto location = std::ranges::lower_bound(matrices.offsets, positions[i]);
    parts[i].matrix = static_cast<size_t>(location - matrices.offsets.begin());
  }
  return parts;
}

uint32_t ProductExtent(int64_t extent) { return Narrow32(extent, "an extent of a product"); }

// A convolution of one tap over at most three axes.
format::ConvParams ConvOver(const std::vector<ProductAxis>& axes, const ProductLayout& layout,
                            const ConstantMatrices& matrices) {
  std::vector<ProductAxis> all(kWindowAxes - axes.size(), {1, 0, 0, 0});
  all.insert(all.end(), axes.begin(), axes.end());
  format::ConvParams conv;
  conv.mutate_batch(ProductExtent(all[0].count));
  conv.mutate_groups(1);
  conv.mutate_in_channels(matrices.inputs);
  conv.mutate_out_channels(matrices.outputs);
  conv.mutate_in_height(ProductExtent(all[1].count));
  conv.mutate_out_height(ProductExtent(all[1].count));
  conv.mutate_in_width(ProductExtent(all[2].count));
  conv.mutate_out_width(ProductExtent(all[2].count));
  conv.mutate_kernel_height(1);
  conv.mutate_kernel_width(1);
  conv.mutate_stride_y(1);
  conv.mutate_stride_x(1);
  conv.mutate_dilation_y(1);
  conv.mutate_dilation_x(1);
  conv.mutable_x() = format::MapStrides(ProductExtent(all[0].x), ProductExtent(all[1].x),
                                        ProductExtent(all[2].x), ProductExtent(layout.x_channel));
  conv.mutable_y() = format::MapStrides(ProductExtent(all[0].y), ProductExtent(all[1].y),
                                        ProductExtent(all[2].y), ProductExtent(layout.y_channel));
  return conv;
}

bool IsCompleteConstant(const Program& program, ValueId value) {
  const Location location = Resolve(program, value);
  const Value& root = program.values[location.root];
  return root.storage == Storage::kWeights && location.offset_bytes == 0 &&
         location.moves.empty() && program.values[value].bytes == root.bytes;
}

bool IsEmptyProduct(const format::MatmulParams& p) {
  bool is_empty = p.rows() == 0 || p.columns() == 0 || p.inner() == 0;
  for (uint32_t i = 0; i < p.batch_rank(); ++i) is_empty |= p.batch_dims()->Get(i) == 0;
  return is_empty;
}

// Number of elements from the first of a map to the last.
int64_t ReachOfMap(const format::ConvParams& conv, const format::MapStrides& map,
                   uint32_t channels) {
  return (int64_t{conv.batch()} - 1) * map.image() + (int64_t{conv.out_height()} - 1) * map.row() +
         (int64_t{conv.out_width()} - 1) * map.pixel() + (int64_t{channels} - 1) * map.channel() +
         1;
}

}  // namespace

std::optional<ConstantProduct> ConstantProductOf(const Program& program, const Step& step) {
  const auto* p = std::get_if<format::MatmulParams>(&step.params);
  if (p == nullptr || p->type() != format::ElementType::f32 || IsEmptyProduct(*p))
    return std::nullopt;
  ConstantProduct product;
  const bool is_right = IsCompleteConstant(program, step.inputs[1]);
  if (!is_right && !IsCompleteConstant(program, step.inputs[0])) return std::nullopt;
  product.constant = is_right ? 1 : 0;
  product.data = 1 - product.constant;
  const ProductLayout layout = ProductLayoutOf(*p, product.constant, product.matrices);
  std::vector<ProductAxis> rows, outer;
  for (const ProductAxis& axis : layout.axes) (axis.weights == 0 ? rows : outer).push_back(axis);
  rows = JoinedAxes(rows);
  while (rows.size() > kWindowAxes) {
    outer.push_back(rows.front());
    rows.erase(rows.begin());
  }
  product.parts = PartsOver(outer, product.matrices);
  product.conv = ConvOver(rows, layout, product.matrices);
  return product;
}

CodedFloats PackMatrix(const CodedFloats& constant, const ConstantMatrices& matrices,
                       size_t index) {
  return constant.Arranged([&](const std::vector<float>& all) {
    std::vector<float> packed(kernels::PackedDenseFloats(matrices.outputs, matrices.inputs));
    kernels::PackDense(all.data() + matrices.offsets[index],
                       static_cast<size_t>(matrices.output_stride),
                       static_cast<size_t>(matrices.input_stride), matrices.outputs,
                       matrices.inputs, packed.data());
    return packed;
  });
}

std::string WhyNotPacked(const ConstantFactor& factor) {
  size_t parts = 0;
  for (const ConstantFactor::Replaced& one : factor.products) {
    if (one.product.matrices != factor.shape()) return "steps read them as different matrices";
    parts = std::max(parts, one.product.parts.size());
  }
  if (parts <= kMaxParts) return "";
  return fmt::format("they would need {} steps; at most {} are allowed", parts, kMaxParts);
}

int64_t AddedStepBytes(const ConstantFactor& factor) {
  return (std::ssize(factor.shape().offsets) - 1) * kStepBytes;
}

void AddParts(ConstantFactor& factor) {
  for (ConstantFactor::Replaced& one : factor.products) {
    const ConstantProduct& product = one.product;
    const std::optional<ConvRows> rows = ConvRowsOf(product.conv);
    Step step = *one.matmul;
    if (rows && rows->has_own_x && rows->has_own_y) {
      step.params = rows->product;
    } else {
      step.params = product.conv;
    }
    for (const ConstantProduct::Part& part : product.parts) {
      step.inputs = {one.matmul->inputs[product.data], factor.matrices[part.matrix], kNone};
      one.parts.push_back(step);
    }
  }
}

void EmitParts(Builder& builder, const ConstantFactor::Replaced& replaced) {
  const ConstantProduct& product = replaced.product;
  const format::ConvParams& conv = product.conv;
  const TensorType x = {ElementType::f32, {ReachOfMap(conv, conv.x(), conv.in_channels())}};
  const TensorType y = {ElementType::f32, {ReachOfMap(conv, conv.y(), conv.out_channels())}};
  for (size_t i = 0; i < replaced.parts.size(); ++i) {
    const ConstantProduct::Part& part = product.parts[i];
    Step step = replaced.parts[i];
    builder.SetLayer(step.layer);
    step.inputs[0] = builder.View(step.inputs[0], part.x_offset * kConstantElementBytes, x);
    step.outputs[0] = builder.View(step.outputs[0], part.y_offset * kConstantElementBytes, y);
    builder.Append(std::move(step));
  }
}

}  // namespace weft::program
