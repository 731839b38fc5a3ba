// SPDX-License-Identifier: Apache-2.0
#include "converter/program/integer_windows.h"

#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/conv_rows.h"
#include "converter/program/integer_weights.h"

namespace weft::plan {
namespace {

uint32_t WindowExtent(int64_t extent) { return Narrow32(extent, "an extent of a window"); }

void EmitWindowSums(Builder& builder, const format::ConvParams& conv,
                    const WindowIntegers& integers, ValueId x, ValueId bias, ValueId y) {
  format::ConvI8Params params = InIntegers(conv, integers.row_bits);
  if (integers.of_shorts) params.mutate_most(0);
  const ValueId patches = builder.Scratch(PatchesOf(params));
  builder.Emit(params, {x, integers.numbers, integers.scales, bias},
               {y, patches, builder.Scratch(ScratchOf(params))});
}
void EmitWindowSums(Builder& builder, const format::DenseParams& dense,
                    const WindowIntegers& integers, ValueId x, ValueId start, ValueId y) {
  format::DenseI8Params params = InIntegers(dense, integers.row_bits);
  if (integers.of_shorts) params.mutate_most(0);
  builder.Emit(params, {x, integers.numbers, integers.scales, start},
               {y, builder.Scratch(ScratchOf(params).type)});
}

// A number for each output, and 0 for one more.
ValueId WithZero(Builder& builder, ValueId bias, int64_t outputs) {
  if (bias == kNone) return kNone;
  const Program& program = builder.program();
  const Place place = Resolve(program, bias);
  if (const auto& data = program.values[place.root].data; data && place.moves.empty()) {
    std::vector<float> numbers = FloatsOf(*data);
    const auto first = numbers.begin() + place.offset_bytes / int64_t{sizeof(float)};
    numbers = std::vector<float>(first, first + outputs);
    numbers.push_back(0);
    return builder.WeightsOf({ElementType::f32, {outputs + 1}}, numbers);
  }
  const ValueId extended = builder.Scratch({ElementType::f32, {outputs + 1}});
  builder.Fill(extended);
  builder.Copy(bias, builder.View(extended, 0, {ElementType::f32, {outputs}}));
  return extended;
}

// y = act(sums + the last column * offsets), of rows of sums.
void AddOffsets(Builder& builder, const format::DenseParams& of_y, ValueId sums, ValueId offsets,
                ValueId y) {
  const int64_t rows = of_y.rows(), columns = int64_t{of_y.outputs()} + 1;
  format::DenseParams product = of_y;
  product.mutate_inputs(1);
  product.mutate_x_row_stride(WindowExtent(columns));
  product.mutate_start_row_stride(WindowExtent(columns));
  const int64_t reach = rows == 0 ? 0 : (rows - 1) * columns + 1;
  const ValueId last =
      builder.View(sums, (columns - 1) * int64_t{sizeof(float)}, {ElementType::f32, {reach}});
  builder.Emit(product, {last, offsets, sums}, {y});
}

// y = act(x + start), rows of start.
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
  const Places places = OutputPlaces(conv);
  const int64_t outputs = conv.out_channels(), columns = outputs + 1;
  const int64_t pixels = int64_t{conv.out_height()} * conv.out_width(),
                rows = conv.batch() * pixels;
  format::ConvParams wider = conv;
  wider.mutate_out_channels(WindowExtent(columns));
  wider.mutable_activation() = format::Activation();
  wider.mutable_y() =
      format::MapStrides(WindowExtent(pixels * columns), WindowExtent(conv.out_width() * columns),
                         WindowExtent(columns), 1);
  const ValueId sums = builder.Scratch({ElementType::f32, {rows, columns}});
  EmitWindowSums(builder, wider, integers, x, WithZero(builder, bias, outputs), sums);
  const bool is_own = places.strides == places.row_strides();
  const ValueId made = is_own ? y : builder.Scratch({ElementType::f32, places.dims});
  const format::DenseParams of_y(WindowExtent(rows), 0, WindowExtent(outputs), 0,
                                 WindowExtent(outputs), 0, conv.activation(), ElementType::f32, 0,
                                 0);
  AddOffsets(builder, of_y, sums, integers.offsets, made);
  if (is_own) return;
  builder.CopyStrided(made, y, places.dims, places.row_strides(), 0, places.strides, 0);
}

void EmitWindow(Builder& builder, const format::DenseParams& dense, const WindowIntegers& integers,
                ValueId x, ValueId start, ValueId y) {
  if (integers.offsets == kNone) return EmitWindowSums(builder, dense, integers, x, start, y);
  const bool has_rows = start != kNone && dense.start_row_stride() != 0;
  const int64_t outputs = dense.outputs(), columns = outputs + 1;
  format::DenseParams wider = dense;
  wider.mutate_outputs(WindowExtent(columns));
  wider.mutate_y_row_stride(WindowExtent(columns));
  wider.mutate_start_row_stride(0);
  wider.mutable_activation() = format::Activation();
  const ValueId bias = has_rows ? kNone : WithZero(builder, start, outputs);
  const ValueId sums = builder.Scratch({ElementType::f32, {dense.rows(), columns}});
  EmitWindowSums(builder, wider, integers, x, bias, sums);
  if (!has_rows) return AddOffsets(builder, dense, sums, integers.offsets, y);
  // As behind the convolution: the offsets first.
  format::DenseParams plain = dense;
  plain.mutable_activation() = format::Activation();
  const ValueId made = builder.Scratch({ElementType::f32, {dense.rows(), outputs}});
  AddOffsets(builder, plain, sums, integers.offsets, made);
  AddStart(builder, dense, made, start, y);
}

}  // namespace weft::plan
