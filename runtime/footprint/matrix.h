// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_RUNTIME_FOOTPRINT_MATRIX_H_
#define WEFT_RUNTIME_FOOTPRINT_MATRIX_H_

#include "kernels/matrix/conv_i8.h"
#include "kernels/matrix/conv_q8.h"
#include "kernels/matrix/dense_i4.h"
#include "kernels/matrix/dense_i8.h"
#include "kernels/matrix/depthwise_i8.h"
#include "kernels/matrix/pack.h"
#include "runtime/footprint/footprint.h"

namespace weft::footprint {

// Outputs, padded to full panels of weights.
constexpr uint32_t Padded(uint32_t outputs) {
  return Times(Clip(kernels::PanelCount(outputs)), kernels::kPanelOutputs);
}
// int8 weights of sums of `inputs` products.
constexpr uint32_t PackedIntegers(uint32_t outputs, uint32_t inputs) {
  return Times(Clip(kernels::PaddedOutputsI8(outputs)), Clip(kernels::PaddedInputs(inputs)));
}
// f32, or i16 if `max` is 0 (dense_i8.h).
constexpr ElementType RowType(uint32_t max) { return max == 0 ? kI16 : kF32; }

// The rows of start, and of y, which is the next operand. Each output is read from start before it
// is written.
template <typename Params, typename V>
WEFT_INLINE void VisitOutputRows(const Params& p, V& v, uint32_t start, ElementType type,
                                 ElementType start_type = kF32) {
  v.Reads(start, start_type, Rows{p.rows(), p.start_row_stride(), p.outputs()});
  v.Writes(start + 1, type, Rows{p.rows(), p.y_row_stride(), p.outputs()});
  v.MayShare(start, start + 1,
             type == kF32 && (p.rows() <= 1 || p.start_row_stride() == p.y_row_stride()));
}

// The results of steps with quantised values, and the scales and start of their products.
template <typename V>
WEFT_INLINE ElementType ResultType(const V& v, const format::CodeRange& codes) {
  return codes.results() == format::Results::f32 ? kF32 : CodeType(v, codes);
}
template <typename V>
WEFT_INLINE ElementType FactorType(const V& v, const format::CodeRange& codes) {
  const bool has_integers = codes.results() == format::Results::integer_codes;
  return has_integers || CodeType(v, codes) == kI16 ? kI32 : kF32;
}

// Weights, scales and first of the products.
template <typename V>
WEFT_INLINE void VisitFactors(V& v, const format::CodeRange& codes, uint32_t weights,
                              uint32_t outputs) {
  v.Reads(1, kI8, Words{weights});
  v.Reads(2, FactorType(v, codes), outputs);
  v.Reads(3, CodeType(v, codes) == kI16 ? ElementType::i64 : kI32, outputs);
}

WEFT_FOOTPRINT(Dense) {
  v.Reads(0, kF32, Rows{p.rows(), p.x_row_stride(), p.inputs()});
  const uint32_t padded = Padded(p.outputs());
  v.Reads(1, p.weights(), Words{Weights(p, Times(padded, p.inputs()), padded)});
  VisitOutputRows(p, v, 2, kF32);
}

WEFT_FOOTPRINT(DenseI8) {
  v.Reads(0, RowType(p.max()), Rows{p.rows(), p.x_row_stride(), p.inputs()});
  v.Reads(1, kI8, Words{PackedIntegers(p.outputs(), p.inputs())});
  v.Reads(2, kF32, Padded(p.outputs()));
  VisitOutputRows(p, v, 3, kF32);
  v.Writes(5, kI16, Words{Clip(kernels::DenseI8ScratchShorts(p.rows(), p.inputs()))});
}

WEFT_FOOTPRINT(DenseI4) {
  const uint32_t groups = kernels::GroupCount(p.inputs(), p.group_blocks());
  v.Reads(0, kF32, Rows{p.rows(), p.x_row_stride(), p.inputs()});
  v.Reads(1, ElementType::u4,
          Words{Times(Padded(p.outputs()), Clip(kernels::PaddedInputs(p.inputs())))});
  v.Reads(2, p.scales(), Times(Padded(p.outputs()), groups));
  v.Reads(3, ElementType::u8, Times(Padded(p.outputs()), groups));
  VisitOutputRows(p, v, 4, kF32);
  const uint64_t scratch = kernels::DenseI4ScratchShorts(p.rows(), p.inputs(), p.group_blocks());
  v.Writes(6, kI16, Words{Clip(scratch)});
}

WEFT_FOOTPRINT(DenseQ8) {
  v.Reads(0, CodeType(v, p.codes()), Rows{p.rows(), p.x_row_stride(), p.inputs()});
  VisitFactors(v, p.codes(), PackedIntegers(p.outputs(), p.inputs()), p.outputs());
  VisitOutputRows(p, v, 4, ResultType(v, p.codes()), FactorType(v, p.codes()));
}

WEFT_FOOTPRINT(Conv) {
  const uint32_t panels = Times(Padded(p.out_channels()), p.groups());
  v.Reads(0, kF32, InputMap(p, InputsOf(p)));
  const uint32_t weights = Times(Times(panels, p.in_channels()), Taps(p));
  v.Reads(1, p.weights(), Words{Weights(p, weights, panels)});
  v.Reads(2, kF32, OutputsOf(p));
  v.Writes(3, kF32, OutputMap(p, OutputsOf(p)));
}

WEFT_FOOTPRINT(ConvI8) {
  const uint32_t inputs = Times(Taps(p), p.in_channels());
  const uint32_t padded = Times(Padded(p.out_channels()), p.groups());
  const uint32_t pixels = kernels::ConvI8Pixels(p.out_height(), p.out_width());
  v.Reads(0, RowType(p.max()), InputMap(p, InputsOf(p)));
  v.Reads(1, kI8, Words{Times(PackedIntegers(p.out_channels(), inputs), p.groups())});
  v.Reads(2, kF32, padded);
  v.Reads(3, kF32, OutputsOf(p));
  v.Writes(4, kF32, OutputMap(p, OutputsOf(p)));
  v.Writes(5, kF32,
           Clip(kernels::ConvI8PatchFloats(pixels, inputs, p.out_channels(), p.y().channel())));
  v.Writes(6, kI16, Words{Clip(kernels::DenseI8ScratchShorts(pixels, inputs))});
}

WEFT_FOOTPRINT(ConvQ8) {
  const uint32_t inputs = Times(Taps(p), p.in_channels());
  const ElementType type = CodeType(v, p.codes());
  v.Reads(0, type, InputMap(p, InputsOf(p)));
  VisitFactors(v, p.codes(), Times(PackedIntegers(p.out_channels(), inputs), p.groups()),
               OutputsOf(p));
  v.Reads(4, FactorType(v, p.codes()), OutputsOf(p));
  v.Writes(5, ResultType(v, p.codes()), OutputMap(p, OutputsOf(p)));
  const uint64_t scratch = kernels::ConvQ8ScratchBytes(kernels::ConvQ8IsDirect(p), inputs);
  v.Writes(6, type, Clip(type == kI16 ? scratch / sizeof(int16_t) : scratch));
}

WEFT_FOOTPRINT(Depthwise) {
  v.Reads(0, kF32, InputMap(p, p.channels() / p.multiplier()));
  v.Reads(1, p.weights(), Words{Times(Padded(p.channels()), Taps(p))});
  v.Reads(2, kF32, p.channels());
  v.Writes(3, kF32, OutputMap(p, p.channels()));
}

WEFT_FOOTPRINT(DepthwiseI8) {
  const bool is_whole = kernels::DepthwiseI8WidensAll(p);
  v.Reads(0, kF32, InputMap(p, p.channels() / p.multiplier()));
  v.Reads(1, kI8, Times(Padded(p.channels()), Taps(p)));
  v.Reads(2, kF32, Padded(p.channels()));
  v.Reads(3, kF32, Padded(p.channels()));
  v.Reads(4, kF32, p.channels());
  v.Writes(5, kF32, OutputMap(p, p.channels()));
  v.Writes(6, kF32, Clip(kernels::DepthwiseI8ScratchFloats(is_whole, p.channels(), Taps(p))));
}

WEFT_FOOTPRINT(DepthwiseQ8) {
  v.Reads(0, CodeType(v, p.codes()), InputMap(p, p.channels() / p.multiplier()));
  VisitFactors(v, p.codes(), Times(Padded(p.channels()), Taps(p)), p.channels());
  v.Reads(4, FactorType(v, p.codes()), p.channels());
  v.Writes(5, ResultType(v, p.codes()), OutputMap(p, p.channels()));
}

template <typename Params, typename Strides>
inline Dims BatchOf(const Params& p, const Strides* strides) {
  return DimsOf(p.batch_rank(), p.batch_dims(), strides);
}
template <typename Params>
inline uint32_t ResultsOf(const Params& p) {
  const uint32_t batches = CountOf(p.batch_rank(), Numbers(p.batch_dims()));
  return Times(Times(batches, p.rows()), p.columns());
}

// If the product is empty or has no terms, a and b are not read.
WEFT_FOOTPRINT(Matmul) {
  const uint32_t y = ResultsOf(p), inner = y == 0 ? 0 : p.inner();
  v.Reads(0, p.type(),
          Matrices{BatchOf(p, p.a_batch_strides()), p.rows(), p.a_row_stride(), inner,
                   p.a_inner_stride()});
  v.Reads(1, p.type(),
          Matrices{BatchOf(p, p.b_batch_strides()), p.columns(), p.b_column_stride(), inner,
                   p.b_inner_stride()});
  v.Writes(2, p.type() == kI16 ? kI32 : p.type(), y);
}

WEFT_FOOTPRINT(RingMatmul) {
  const uint32_t y = ResultsOf(p), inner = y == 0 ? 0 : p.inner();
  const bool along_columns = p.along() == format::RingAlong::columns;
  // The part of b with so many of its time steps.
  const auto part = [&](const Dims& dims, uint32_t positions, uint32_t column, uint32_t term) {
    return along_columns ? Matrices{dims, positions, column, inner, term}
                         : Matrices{dims, p.columns(), column, y == 0 ? 0 : positions, term};
  };
  const uint32_t past = (along_columns ? p.columns() : p.inner()) - p.positions();
  v.Reads(0, kF32,
          Matrices{BatchOf(p, p.a_batch_strides()), p.rows(), p.a_row_stride(), inner,
                   p.a_inner_stride()});
  v.Reads(1, kF32,
          part(BatchOf(p, p.past_batch_strides()), past, p.past_column_stride(),
               p.past_inner_stride()));
  v.Reads(2, kF32,
          part(BatchOf(p, p.x_batch_strides()), p.positions(), p.x_column_stride(),
               p.x_inner_stride()));
  v.Reads(3, kI32, 1u);
  v.Writes(4, kF32, y);
}

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_MATRIX_H_
