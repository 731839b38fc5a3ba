// SPDX-License-Identifier: Apache-2.0
#include "converter/program/integer_products.h"

#include <optional>
#include <variant>
#include <vector>

#include "converter/program/conv_rows.h"
#include "converter/program/group_weights.h"
#include "converter/program/integer_rows.h"
#include "converter/program/integer_weights.h"
#include "converter/program/integer_windows.h"

namespace weft::program {

// The product of each group starts from the result of the groups before it.
void MultiplyByI8(Builder& builder, const IntegerValues& values, const Constant& constant,
                  const RowProduct& product) {
  const std::vector<Constant::Part>& groups = constant.parts;
  const format::DenseParams& all = product.params;
  format::DenseParams part = all;
  ValueId start = product.start;
  for (const Constant::Part& group : groups) {
    const bool is_last = group.first + group.count == all.inputs();
    part.mutate_inputs(group.count);
    part.mutable_activation() = is_last ? all.activation() : format::Activation();
    part.mutate_y_row_stride(is_last ? all.y_row_stride() : all.outputs());
    const int64_t reach = (int64_t{all.rows()} - 1) * all.x_row_stride() + group.count;
    const ValueId own_x = groups.size() == 1 ? product.x
                                             : builder.View(product.x, int64_t{group.first} * 4,
                                                            {ElementType::f32, {reach}});
    const ValueId sum =
        is_last ? product.y : builder.Scratch({ElementType::f32, {all.rows(), all.outputs()}});
    EmitIntegerRows(builder, values, part,
                    {group.numbers, group.scales, group.offsets, constant.RowBits()}, own_x, start,
                    sum);
    start = sum;
    part.mutate_start_row_stride(all.outputs());
  }
}

// Emits one step for all groups.
void MultiplyByI4(Builder& builder, const IntegerValues& /*values*/, const Constant& constant,
                  const RowProduct& product) {
  const Constant::Part& all = constant.parts.front();
  const format::DenseI4Params params =
      InGroups(product.params, constant.encoded.group_blocks, builder.type(all.scales));
  builder.Emit(params, {product.x, all.numbers, all.scales, all.offsets, product.start},
               {product.y, builder.Scratch(ScratchOf(params))});
}

namespace {

void EmitRows(Builder& builder, IntegerValues& values, const Step& step, const ConvRows& rows,
              const Constant& constant) {
  const auto* conv = std::get_if<format::ConvParams>(&step.params);
  ValueId x = step.inputs[0], y = step.outputs[0];
  if (!rows.has_own_x) {
    const Pixels positions = InputPixels(*conv);
    const auto copied = [&](ValueId source) {
      const ValueId rows_of_x = builder.Scratch({builder.type(source), positions.dims});
      builder.CopyStrided(source, rows_of_x, positions.dims, positions.strides, 0,
                          positions.row_strides(), 0);
      return rows_of_x;
    };
    x = copied(step.inputs[0]);
    if (const std::optional<IntegerValue> from = values.Of(builder, step.inputs[0])) {
      values.AddCopy(x, {copied(from->integers), from->scale, from->zero});
    }
  }
  const Pixels results = rows.has_own_y ? Pixels() : OutputPixels(*conv);
  if (!rows.has_own_y) y = builder.Scratch({ElementType::f32, results.dims});
  EncodingOf(constant.type)
      .multiply(builder, values, constant, {rows.product, x, step.inputs[2], y});
  if (rows.has_own_y) return;
  builder.CopyStrided(y, step.outputs[0], results.dims, results.row_strides(), 0, results.strides,
                      0);
}

}  // namespace

void EmitInteger(Builder& builder, IntegerValues& values, const Step& step,
                 const Constant& constant) {
  builder.SetLayer(step.layer);
  const auto* dense = std::get_if<format::DenseParams>(&step.params);
  if (dense != nullptr && !step.is_window) {
    return EmitRows(builder, values, step, ConvRows{*dense}, constant);
  }
  const auto* conv = std::get_if<format::ConvParams>(&step.params);
  const std::optional<ConvRows> rows = conv == nullptr ? std::nullopt : ConvRowsOf(*conv);
  if (rows) return EmitRows(builder, values, step, *rows, constant);
  const Constant::Part& all = constant.parts.front();
  WindowIntegers window = {all.numbers, all.scales, all.offsets, constant.RowBits()};
  const ValueId bias = step.inputs[2], y = step.outputs[0];
  ValueId x = step.inputs[0];
  if (dense != nullptr || conv != nullptr) {
    const auto shorts = all.offsets != kNone
                            ? std::nullopt
                            : ShortsOf(builder, values, x, all.numbers, all.scales, all.count);
    if (shorts) {
      x = shorts->x;
      window.scales = shorts->scales;
      window.of_shorts = true;
    }
  }
  if (dense != nullptr) return EmitWindow(builder, *dense, window, x, bias, y);
  if (conv != nullptr) return EmitWindow(builder, *conv, window, x, bias, y);
  const auto& depthwise = std::get<format::DepthwiseParams>(step.params);
  const format::DepthwiseI8Params params = InIntegers(depthwise);
  builder.Emit(params, {x, all.numbers, all.scales, all.offsets, bias},
               {y, builder.Scratch(ScratchOf(params))});
}

}  // namespace weft::program
