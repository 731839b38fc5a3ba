// SPDX-License-Identifier: Apache-2.0
#include "converter/program/integer_windows.h"

#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/conv_rows.h"
#include "converter/program/integer_weights.h"
#include "kernels/matrix/pack.h"

namespace weft::program {
namespace {

uint32_t WindowExtent(int64_t extent) { return Narrow32(extent, "an extent of a window"); }

void EmitWindowSums(Builder& builder, const format::ConvParams& conv,
                    const WindowIntegers& integers, ValueId x, ValueId bias, ValueId y) {
  format::ConvI8Params params = InIntegers(conv, integers.row_bits);
  if (integers.of_shorts) params.mutate_max(0);
  const ValueId patches = builder.Scratch(PatchesOf(params));
  builder.Emit(params, {x, integers.numbers, integers.scales, bias},
               {y, patches, builder.Scratch(ScratchOf(params))});
}
void EmitWindowSums(Builder& builder, const format::DenseParams& dense,
                    const WindowIntegers& integers, ValueId x, ValueId start, ValueId y) {
  format::DenseI8Params params = InIntegers(dense, integers.row_bits);
  if (integers.of_shorts) params.mutate_max(0);
  builder.Emit(params, {x, integers.numbers, integers.scales, start},
               {y, builder.Scratch(ScratchOf(params))});
}

// Rows of sums in which the columns of the groups are adjacent, each group with one more column.
struct GroupedRows {
  int64_t groups = 1, rows = 0, outputs = 0;
  int64_t columns() const { return outputs + 1; }
};

// Returns the bias with a 0 appended for the additional output of each group.
ValueId WithZeros(Builder& builder, ValueId bias, const GroupedRows& of) {
  if (bias == kNone) return kNone;
  const Program& program = builder.program();
  const Location location = Resolve(program, bias);
  const TensorType type = {ElementType::f32, {of.groups * of.columns()}};
  if (const auto& data = program.values[location.root].data; data && location.moves.empty()) {
    const std::vector<float> numbers = FloatsOf(*data);
    std::vector<float> extended;
    auto from = numbers.begin() + location.offset_bytes / int64_t{sizeof(float)};
    for (int64_t group = 0; group < of.groups; ++group, from += of.outputs) {
      extended.insert(extended.end(), from, from + of.outputs);
      extended.push_back(0);
    }
    return builder.WeightsOf(type, extended);
  }
  const ValueId extended = builder.Scratch(type);
  builder.Fill(extended);
  builder.CopyStrided(bias, extended, {of.groups, of.outputs}, {of.outputs, 1}, 0,
                      {of.columns(), 1}, 0);
  return extended;
}

// Emits y = act(sums + last column * offsets) for each group; `of_y` holds the other parameters.
void AddOffsets(Builder& builder, const format::DenseParams& of_y, const GroupedRows& of,
                ValueId sums, ValueId offsets, ValueId y) {
  constexpr int64_t kBytes = sizeof(float);
  const auto reach = [&](int64_t stride, int64_t count) {
    return TensorType{ElementType::f32, {of.rows == 0 ? 0 : (of.rows - 1) * stride + count}};
  };
  const int64_t stride = of.groups * of.columns();
  const int64_t panels = kernels::PanelCount(of_y.outputs()) * int64_t{kernels::kPanelOutputs};
  format::DenseParams product = of_y;
  product.mutate_inputs(1);
  product.mutate_x_row_stride(WindowExtent(stride));
  product.mutate_start_row_stride(WindowExtent(stride));
  for (int64_t group = 0; group < of.groups; ++group) {
    const int64_t first = group * of.columns();
    const auto part = [&](ValueId whole, int64_t at, TensorType type) {
      return of.groups == 1 ? whole : builder.View(whole, at * kBytes, std::move(type));
    };
    const ValueId last = builder.View(sums, (first + of.outputs) * kBytes, reach(stride, 1));
    builder.Emit(product,
                 {last, part(offsets, group * panels, {ElementType::f32, {panels}}),
                  part(sums, first, reach(stride, of.outputs))},
                 {part(y, group * of.outputs, reach(of_y.y_row_stride(), of.outputs))});
  }
}

// Emits y = act(x + start), where start has rows.
void AddStart(Builder& builder, const format::DenseParams& dense, ValueId x, ValueId start,
              ValueId y) {
  format::BinaryParams sum;
  sum.mutate_rank(2);
  const uint32_t dims[] = {dense.rows(), dense.outputs()};
  const uint32_t start_strides[] = {dense.start_row_stride(), 1};
  for (uint32_t axis = 0; axis < 2; ++axis) {
    sum.mutable_dims()->Mutate(axis, dims[axis]);
    sum.mutable_a_strides()->Mutate(axis, axis == 0 ? dense.outputs() : 1);
    sum.mutable_b_strides()->Mutate(axis, start_strides[axis]);
  }
  sum.mutate_op(format::BinaryOp::add);
  sum.mutate_type(ElementType::f32);
  const bool is_plain =
      dense.activation().op() == format::UnaryOp::identity && dense.activation().clip() == 0;
  const TensorType type = {ElementType::f32, {dense.rows(), dense.outputs()}};
  const ValueId made = is_plain ? y : builder.Scratch(type);
  builder.Emit(sum, {x, start}, {made});
  if (is_plain) return;
  const uint32_t count = WindowExtent(int64_t{dense.rows()} * dense.outputs());
  builder.Emit(format::UnaryParams(count, dense.activation(), ElementType::f32, 0, 0), {made}, {y});
}

}  // namespace

void EmitWindow(Builder& builder, const format::ConvParams& conv, const WindowIntegers& integers,
                ValueId x, ValueId bias, ValueId y) {
  if (integers.offsets == kNone) return EmitWindowSums(builder, conv, integers, x, bias, y);
  format::ConvParams whole = conv;
  whole.mutate_out_channels(WindowExtent(int64_t{conv.groups()} * conv.out_channels()));
  const Pixels positions = OutputPixels(whole);
  const int64_t pixels = int64_t{conv.out_height()} * conv.out_width();
  const GroupedRows of = {conv.groups(), conv.batch() * pixels, conv.out_channels()};
  const int64_t columns = of.groups * of.columns();
  format::ConvParams wider = conv;
  wider.mutate_out_channels(WindowExtent(of.columns()));
  wider.mutable_activation() = format::Activation();
  wider.mutable_y() =
      format::MapStrides(WindowExtent(pixels * columns), WindowExtent(conv.out_width() * columns),
                         WindowExtent(columns), 1);
  const ValueId sums = builder.Scratch({ElementType::f32, {of.rows, columns}});
  EmitWindowSums(builder, wider, integers, x, WithZeros(builder, bias, of), sums);
  const bool is_own = positions.strides == positions.row_strides();
  const ValueId made = is_own ? y : builder.Scratch({ElementType::f32, positions.dims});
  const format::DenseParams of_y(WindowExtent(of.rows), 0, conv.out_channels(), 0,
                                 whole.out_channels(), 0, conv.activation(), ElementType::f32, 0,
                                 0);
  AddOffsets(builder, of_y, of, sums, integers.offsets, made);
  if (is_own) return;
  builder.CopyStrided(made, y, positions.dims, positions.row_strides(), 0, positions.strides, 0);
}

void EmitWindow(Builder& builder, const format::DenseParams& dense, const WindowIntegers& integers,
                ValueId x, ValueId start, ValueId y) {
  if (integers.offsets == kNone) return EmitWindowSums(builder, dense, integers, x, start, y);
  const bool has_rows = start != kNone && dense.start_row_stride() != 0;
  const GroupedRows of = {1, dense.rows(), dense.outputs()};
  format::DenseParams wider = dense;
  wider.mutate_outputs(WindowExtent(of.columns()));
  wider.mutate_y_row_stride(WindowExtent(of.columns()));
  wider.mutate_start_row_stride(0);
  wider.mutable_activation() = format::Activation();
  const ValueId bias = has_rows ? kNone : WithZeros(builder, start, of);
  const ValueId sums = builder.Scratch({ElementType::f32, {dense.rows(), of.columns()}});
  EmitWindowSums(builder, wider, integers, x, bias, sums);
  if (!has_rows) return AddOffsets(builder, dense, of, sums, integers.offsets, y);
  // Offsets are added before the start rows, in the same order as for a convolution.
  format::DenseParams plain = dense;
  plain.mutable_activation() = format::Activation();
  const ValueId made = builder.Scratch({ElementType::f32, {of.rows, of.outputs}});
  AddOffsets(builder, plain, of, sums, integers.offsets, made);
  AddStart(builder, dense, made, start, y);
}

}  // namespace weft::program
