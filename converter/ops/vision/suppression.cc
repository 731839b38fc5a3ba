// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression: the boxes of each class that do not overlap a box with a higher score, as rows
// of indices. Their number is known only at run time: the outputs have a run-time length, and the
// rows after it are -1.
#include "converter/ops/vision/suppression.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

constexpr size_t kMaxBoxes = 2, kIouThreshold = 3, kScoreThreshold = 4, kSigma = 5;

struct SuppressionSpec {
  int64_t max = 0;  // per class; at most the number of boxes
  float iou_threshold = 0, score_threshold = 0;
  float decay = 0;  // 0: scores are unchanged
};

// The number in a constant input; 0 if the input is absent.
std::optional<float> ThresholdOf(NodeScope& scope, size_t i, std::string_view what) {
  if (!scope.has_input(i)) return 0.0f;
  const std::optional<std::vector<double>> numbers = scope.Numbers(i);
  if (!numbers) {
    scope.FaultComputed(i, what);
  } else if (numbers->size() != 1 || std::isnan((*numbers)[0])) {
    scope.Fault("input {} ({}) is {}; must be one number", i, what, ToString(scope.input_type(i)));
  } else {
    return static_cast<float>((*numbers)[0]);
  }
  return std::nullopt;
}

// If scores decay, boxes that overlap by more than the threshold are removed in version 5 and kept
// since version 9.
std::optional<SuppressionSpec> ReadSuppression(NodeScope& scope) {
  const std::optional<int64_t> max =
      scope.has_input(kMaxBoxes) ? ControlInt(scope, kMaxBoxes, "max_output_boxes_per_class")
                                 : int64_t{0};
  const std::optional<float> iou = ThresholdOf(scope, kIouThreshold, "iou_threshold");
  const std::optional<float> score = ThresholdOf(scope, kScoreThreshold, "score_threshold");
  const std::optional<float> sigma = ThresholdOf(scope, kSigma, "soft_nms_sigma");
  if (!max || !iou || !score || !sigma) return std::nullopt;
  if (*max < 0) scope.Fault("max_output_boxes_per_class is {}; must be at least 0", *max);
  if (*sigma < 0) scope.Fault("soft_nms_sigma is {}; must be at least 0", *sigma);
  if (scope.failed()) return std::nullopt;
  SuppressionSpec spec = {std::min(*max, scope.input_dims(0)[1]), *iou, *score};
  if (*sigma > 0) {
    spec.decay = -0.5f / *sigma;
    if (scope.node().operation->opset >= 9) {
      spec.iou_threshold = std::numeric_limits<float>::infinity();
    }
  }
  return spec;
}

bool HasCentredBoxes(const NodeScope& scope) {
  constexpr std::string_view kEncodings[] = {"corner", "center"};
  return scope.attributes.Choice("box_encoding", "corner", kEncodings) == "center";
}

bool IsSortedAcross(const NodeScope& scope) {
  return scope.attributes.Bool("sort_result_descending", true);
}

bool CheckBoxes(InferScope& scope) {
  const bool typed = CheckElements(scope, kBoth, {ElementType::f32});
  const Dims& boxes = scope.input_dims(0);
  const Dims& scores = scope.input_dims(1);
  const bool fit = boxes.size() == 3 && scores.size() == 3 && boxes[2] == 4 &&
                   boxes[0] == scores[0] && boxes[1] == scores[2];
  if (!fit) {
    scope.Fault("boxes are {} and scores {}; must be [batch, boxes, 4] and [batch, classes, boxes]",
                ToString(boxes), ToString(scores));
  }
  return typed && fit;
}

template <bool has_type>
void InferSuppression(InferScope& scope) {
  scope.IgnoreDeclared();  // old versions declare the most rows, each by a count of its own
  const ElementType index_type = has_type ? IndexTypeOf(scope, "output_type") : ElementType::i64;
  HasCentredBoxes(scope);
  IsSortedAcross(scope);
  if (!CheckBoxes(scope)) return;
  const std::optional<SuppressionSpec> spec = ReadSuppression(scope);
  if (!spec) return;
  const Dims scores = scope.input_dims(1);
  const std::optional<int64_t> lines = CheckedProduct(scores[0], scores[1]);
  const std::optional<int64_t> rows = CheckedProduct(lines.value_or(0), spec->max);
  if (!lines || !rows) {
    return scope.Fault("scores are {}; must be of at most 2^62 classes", ToString(scores));
  }
  scope.SetOutput(0, index_type, {*rows, 3});
  if (scope.output_count() > 1) scope.SetOutput(1, ElementType::f32, {*rows, 3});
  if (scope.output_count() > 2) scope.SetOutput(2, index_type, {1});
  if (*rows == 0 || scope.failed()) return;
  for (size_t i = 0; i < std::min(scope.output_count(), size_t{2}); ++i) {
    scope.mutable_node().outputs[i].run_time_extent = ir::RunTimeExtent{0, &scope.node(), 1};
  }
}

// No box can be found: the outputs have no rows.
void LowerToNone(LowerScope& scope) {
  for (size_t i = 0; i < std::min(scope.node().outputs.size(), size_t{2}); ++i) scope.NewOutput(i);
  if (scope.node().outputs.size() < 3) return;
  scope.SetOutput(2, IntegerWeights(scope.builder, scope.output_type(2).type, {0}));
}

// Sets output i to integers, converted to its type.
void SetIntegers(LowerScope& scope, size_t i, program::ValueId value) {
  if (i >= scope.node().outputs.size() || !scope.IsUsed(i)) return;
  const TensorType type = scope.output_type(i);
  if (type.type == ElementType::i32) {
    return scope.SetOutput(i, scope.builder.View(value, 0, type));
  }
  EmitConvert(scope.builder, value, scope.NewOutput(i));
}

// Emits the step; returns the number of rows in use.
program::ValueId EmitSuppression(LowerScope& scope, const SuppressionSpec& spec,
                                 program::ValueId indices, program::ValueId selected) {
  program::Builder& builder = scope.builder;
  const Dims scores = scope.input_dims(1);
  const program::ValueId found = builder.Scratch({ElementType::i32, {}});
  const int64_t room = scores[2] * (spec.decay != 0 ? 2 : 1);
  const program::ValueId left = builder.Scratch({ElementType::i32, {room}});
  const format::SuppressParams params(Narrow32(scores[0], "batch"), Narrow32(scores[1], "classes"),
                                      Narrow32(scores[2], "boxes"), Narrow32(spec.max, "most"),
                                      spec.iou_threshold, spec.score_threshold, spec.decay,
                                      HasCentredBoxes(scope), IsSortedAcross(scope), 0);
  builder.Emit(params, {scope.input(0), scope.input(1)}, {indices, selected, found, left});
  return found;
}

void LowerSuppression(LowerScope& scope) {
  const Dims rows = scope.output_type(0).dims;
  if (rows[0] == 0) return LowerToNone(scope);
  program::Builder& builder = scope.builder;
  const program::ValueId indices = builder.Scratch({ElementType::i32, rows});
  const program::ValueId selected = scope.node().outputs.size() > 1
                                        ? scope.NewOutput(1)
                                        : builder.Scratch({ElementType::f32, rows});
  const program::ValueId found =
      EmitSuppression(scope, ReadSuppression(scope).value(), indices, selected);
  scope.SetLength(found);
  SetIntegers(scope, 0, indices);
  SetIntegers(scope, 2, found);
}

SuppressionSpec PaddedSpec(const NodeScope& scope) {
  return {std::min(scope.attributes.Int("max", 0), scope.input_dims(0)[1]),
          scope.attributes.Float("iou_threshold", 0), scope.attributes.Float("score_threshold", 0)};
}

void InferPadded(InferScope& scope) {
  if (!CheckBoxes(scope)) return;
  const Dims& scores = scope.input_dims(1);
  const std::optional<int64_t> rows =
      CheckedProduct(CheckedProduct(scores[0], scores[1]).value_or(0), PaddedSpec(scope).max);
  if (!rows || *rows < 1) {
    return scope.Fault("scores are {}; must have 1 to 2^62 results", ToString(scores));
  }
  scope.SetOutput(0, ElementType::i32, {*rows, 3});
  scope.SetOutput(1, ElementType::f32, {*rows, 3});
  scope.SetOutput(2, ElementType::i32, {1});
}

void LowerPadded(LowerScope& scope) {
  const program::ValueId indices = scope.NewOutput(0), selected = scope.NewOutput(1);
  const program::ValueId found = EmitSuppression(scope, PaddedSpec(scope), indices, selected);
  scope.SetOutput(2, scope.builder.View(found, 0, scope.output_type(2)));
}

void SuppressionAxes(AxisScope& scope) {
  scope.relation.reason = "selects among the boxes of all time steps";
}

constexpr Traits kSuppression = {.foldable = false,
                                 .axes = SuppressionAxes,
                                 .steering = Steering::kShape,
                                 .steered_from = kMaxBoxes};

constexpr Traits kPadded = {.axes = SuppressionAxes, .is_extension = true};

constexpr Operation kSuppressionRows[] = {
    {"NonMaxSuppression", 1, 2, 5, InferSuppression<false>, LowerSuppression, kSuppression},
    {"NonMaxSuppression", 3, 2, 5, InferSuppression<true>, LowerSuppression, kSuppression},
    {"NonMaxSuppression", 4, 2, 5, InferSuppression<true>, LowerSuppression, kSuppression},
    {"NonMaxSuppression", 5, 2, 6, InferSuppression<true>, LowerSuppression, kSuppression},
    {"NonMaxSuppression", 9, 2, 6, InferSuppression<true>, LowerSuppression, kSuppression},
    {kPaddedSuppression, kPassOnly, 2, 2, InferPadded, LowerPadded, kPadded},
};

}  // namespace

std::span<const Operation> SuppressionOperations() { return kSuppressionRows; }

}  // namespace weft::ops
