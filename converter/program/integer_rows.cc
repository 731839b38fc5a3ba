// SPDX-License-Identifier: Apache-2.0
#include "converter/program/integer_rows.h"

#include <cmath>
#include <cstdlib>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/integer_weights.h"
#include "kernels/matrix/pack.h"

namespace weft::program {
namespace {

// Returns the sum of `of` over the weights of each output. Outputs are padded to the widths of the
// panels.
template <typename Function>
std::vector<int64_t> PackedSums(const std::vector<std::byte>& packed, uint32_t inputs,
                                const Function& of) {
  const size_t blocks = kernels::PaddedInputs(inputs) / kernels::kInputBlock;
  const auto* const integers = reinterpret_cast<const int8_t*>(packed.data());
  std::vector<int64_t> sums(blocks == 0 ? 0 : packed.size() / kernels::kInputBlock / blocks);
  const uint32_t outputs = Narrow32(std::ssize(sums), "outputs");
  for (size_t output = 0; output < outputs; ++output) {
    for (uint32_t input = 0; input < inputs; ++input) {
      sums[output] += of(int64_t{integers[kernels::PositionInI8(outputs, inputs, output, input)]});
    }
  }
  return sums;
}

// Returns the scales times `scale`; nullopt if a nonzero product is not a normal float.
std::optional<ValueId> ScaledBy(Builder& builder, ValueId scales, float scale) {
  std::vector<float> scaled =
      FloatsOf(*builder.value(Resolve(builder.program(), scales).root).data);
  for (float& one : scaled) {
    const bool is_zero = one == 0;
    one = static_cast<float>(double{one} * scale);
    if (!is_zero && !std::isnormal(one)) return std::nullopt;
  }
  return builder.WeightsOf({ElementType::f32, {std::ssize(scaled)}}, scaled);
}

const std::vector<std::byte>& BytesOf(const Builder& builder, ValueId constant) {
  return *builder.value(constant).data;
}

// Emits y = act(start + sum of each row of x * offsets); start has contiguous rows.
void EmitOffsets(Builder& builder, const format::DenseParams& product, ValueId x, ValueId offsets,
                 ValueId start, ValueId y) {
  format::ReduceParams reduce;
  reduce.mutate_kept_rank(1);
  reduce.mutate_reduced_rank(1);
  reduce.mutable_dims()->Mutate(0, product.rows());
  reduce.mutable_dims()->Mutate(1, product.inputs());
  reduce.mutable_strides()->Mutate(0, product.x_row_stride());
  reduce.mutable_strides()->Mutate(1, 1);
  reduce.mutate_op(format::ReduceOp::sum);
  reduce.mutate_type(ElementType::f32);
  reduce.mutate_order(format::ReduceOrder::runs);
  const ValueId sums = builder.Scratch({ElementType::f32, {product.rows()}});
  builder.Emit(reduce, {x}, {sums});
  format::DenseParams params = product;
  params.mutate_inputs(1);
  params.mutate_x_row_stride(1);
  params.mutate_start_row_stride(product.outputs());
  builder.Emit(params, {sums, offsets, start}, {y});
}

// Emits a product with the integers that x was dequantised from. Returns false and emits nothing if
// there are none.
bool EmitOfIntegers(Builder& builder, const IntegerValues& values,
                    const format::DenseParams& product, const RowIntegers& integers, ValueId x,
                    ValueId start, ValueId y) {
  if (const auto shorts =
          ShortsOf(builder, values, x, integers.numbers, integers.scales, product.inputs())) {
    format::DenseI8Params params = InIntegers(product, integers.row_bits);
    params.mutate_max(0);
    builder.Emit(params, {shorts->x, integers.numbers, shorts->scales, start},
                 {y, builder.Scratch(ScratchOf(params))});
    return true;
  }
  const std::optional<IntegerValue> value = values.Of(builder, x);
  if (!value || builder.type(value->integers) != ElementType::i8) return false;
  const std::optional<ValueId> scaled = ScaledBy(builder, integers.scales, value->scale);
  if (!scaled) return false;
  ValueId first = kNone;
  if (value->zero != 0) {
    std::vector<int32_t> firsts;
    for (const int64_t sum : PackedSums(BytesOf(builder, integers.numbers), product.inputs(),
                                        [](int64_t weight) { return weight; })) {
      firsts.push_back(Narrow<int32_t>(-value->zero * sum, "a sum of weights"));
    }
    first = builder.WeightsOf({ElementType::i32, {std::ssize(firsts)}}, firsts);
  }
  const format::DenseQ8Params params(product.rows(), product.inputs(), product.outputs(),
                                     product.x_row_stride(), product.y_row_stride(),
                                     product.start_row_stride(), product.activation(),
                                     format::CodeRange(0, 0, 0, format::Results::f32));
  builder.Emit(params, {value->integers, integers.numbers, *scaled, first, start}, {y});
  return true;
}

}  // namespace

std::optional<ShortOperands> ShortsOf(Builder& builder, const IntegerValues& values, ValueId x,
                                      ValueId weights, ValueId scales, uint32_t inputs) {
  const std::optional<IntegerValue> value = values.Of(builder, x);
  if (!value || builder.type(value->integers) != ElementType::i16) return std::nullopt;
  constexpr int64_t kMaxSum = 0x7FFFFFFF, kMaxShort = 0x8000;
  for (const int64_t sum : PackedSums(BytesOf(builder, weights), inputs,
                                      [](int64_t weight) { return std::abs(weight); })) {
    if (sum > kMaxSum / kMaxShort) return std::nullopt;
  }
  const std::optional<ValueId> scaled = ScaledBy(builder, scales, value->scale);
  if (!scaled) return std::nullopt;
  return ShortOperands{value->integers, *scaled};
}

void EmitIntegerRows(Builder& builder, const IntegerValues& values,
                     const format::DenseParams& product, const RowIntegers& integers, ValueId x,
                     ValueId start, ValueId y) {
  const bool has_offsets = integers.offsets != kNone;
  if (!has_offsets && EmitOfIntegers(builder, values, product, integers, x, start, y)) return;
  format::DenseParams plain = product;
  ValueId sum = y;
  if (has_offsets) {
    plain.mutable_activation() = format::Activation();
    plain.mutate_y_row_stride(product.outputs());
    sum = builder.Scratch({ElementType::f32, {product.rows(), product.outputs()}});
  }
  const format::DenseI8Params params = InIntegers(plain, integers.row_bits);
  builder.Emit(params, {x, integers.numbers, integers.scales, start},
               {sum, builder.Scratch(ScratchOf(params))});
  if (has_offsets) EmitOffsets(builder, product, x, integers.offsets, sum, y);
}

}  // namespace weft::program
