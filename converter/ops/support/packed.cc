// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/packed.h"

#include <algorithm>
#include <cstddef>

#include "converter/base/narrow.h"
#include "kernels/matrix/pack.h"

namespace weft::ops {
namespace {

program::ValueId Weights(program::Builder& builder, const CodedFloats& packed, int64_t panels) {
  const int64_t depth = std::ssize(packed.floats) / (panels * kernels::kPanelOutputs);
  return builder.WeightsOf({ElementType::f32, {panels, depth, kernels::kPanelOutputs}}, packed);
}

}  // namespace

std::vector<float> Floats(const ir::Constant& constant) {
  std::vector<float> floats(constant.bytes.size() / sizeof(float));
  std::copy_n(constant.bytes.begin(), floats.size() * sizeof(float),
              reinterpret_cast<std::byte*>(floats.data()));
  return floats;
}

CodedFloats CodedFloatsOf(const ir::Constant& constant) {
  return {Floats(constant), constant.quantisation};
}

program::ValueId PackDense(program::Builder& builder, const CodedFloats& weights,
                           int64_t output_stride, int64_t input_stride, int64_t outputs,
                           int64_t inputs) {
  const auto n = Narrow32(outputs, "outputs"), k = Narrow32(inputs, "inputs");
  const auto pack = [&](const std::vector<float>& all) {
    std::vector<float> packed(kernels::PackedDenseFloats(n, k));
    kernels::PackDense(all.data(), static_cast<size_t>(output_stride),
                       static_cast<size_t>(input_stride), n, k, packed.data());
    return packed;
  };
  return Weights(builder, weights.Arranged(pack), static_cast<int64_t>(kernels::PanelCount(n)));
}

program::ValueId PackConv(program::Builder& builder, const CodedFloats& weights,
                          const format::ConvParams& params) {
  const auto pack = [&](const std::vector<float>& all) {
    std::vector<float> packed(
        kernels::PackedConvFloats(params.groups(), params.out_channels(), params.in_channels(),
                                  params.kernel_height(), params.kernel_width()));
    kernels::PackConv(all.data(), params.groups(), params.out_channels(), params.in_channels(),
                      params.kernel_height(), params.kernel_width(), packed.data());
    return packed;
  };
  return Weights(
      builder, weights.Arranged(pack),
      static_cast<int64_t>(params.groups() * kernels::PanelCount(params.out_channels())));
}

void EmitDense(program::Builder& builder, int64_t rows, int64_t inputs, int64_t outputs,
               program::ValueId x, program::ValueId weights, program::ValueId y,
               int64_t x_row_stride) {
  format::DenseParams params;
  params.mutate_rows(Narrow32(rows, "rows"));
  params.mutate_inputs(Narrow32(inputs, "inputs"));
  params.mutate_outputs(Narrow32(outputs, "outputs"));
  params.mutate_x_row_stride(x_row_stride == 0 ? params.inputs()
                                               : Narrow32(x_row_stride, "x row stride"));
  params.mutate_y_row_stride(params.outputs());
  builder.Emit(params, {x, weights, program::kNone}, {y});
}

namespace {

program::Step& LastStep(program::Builder& builder) {
  return std::get<program::Step>(builder.program().blocks[builder.block()].items.back());
}

}  // namespace

void ExcludeLastStepFromFusion(program::Builder& builder) {
  LastStep(builder).is_never_fused = true;
}

void KeepLastStepFloat(program::Builder& builder) { LastStep(builder).stays_float = true; }

void MarkLastStepWindow(program::Builder& builder) { LastStep(builder).is_window = true; }

void MarkLastStepOnePosition(program::Builder& builder) {
  LastStep(builder).is_one_position = true;
}

void MarkLastStepOneColumn(program::Builder& builder) { LastStep(builder).is_one_column = true; }

}  // namespace weft::ops
