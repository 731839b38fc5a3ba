// SPDX-License-Identifier: Apache-2.0
// TFLite_Detection_PostProcess, the head of SSD: boxes are decoded from anchors, then the best ones
// that do not overlap are selected. The regular mode selects per class, the fast one among the best
// classes of all boxes.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "converter/tflite/builder.h"
#include "converter/tflite/custom_options.h"

namespace weft::tflite {
namespace {

constexpr int64_t kMaxBoxes = 1 << 20;

struct DetectionHead {
  int64_t boxes = 0, classes = 0, max = 0;  // max: results of all classes
  int64_t max_per_class = 0;
  bool is_regular = false, has_background = false;
  float score_threshold = 0, iou_threshold = 0;
  std::array<float, 2> centre_scale = {}, size_scale = {};  // y and x
};

bool RequireRange(Builder& b, const char* key, int64_t is, int64_t max) {
  if (is >= 1 && is <= max) return true;
  b.Refuse("{} is {}; must be from 1 to {}", key, is, max);
  return false;
}

bool ReadNumbers(Builder& b, DetectionHead& head) {
  const auto counts = IntegerOptions(b, {"max_detections", "num_classes"});
  const auto numbers = FloatOptions(
      b, {"nms_score_threshold", "nms_iou_threshold", "y_scale", "x_scale", "h_scale", "w_scale"});
  if (!counts || !numbers) return false;
  head.max = (*counts)[0];
  head.classes = (*counts)[1];
  head.score_threshold = (*numbers)[0];
  head.iou_threshold = (*numbers)[1];
  head.centre_scale = {(*numbers)[2], (*numbers)[3]};
  head.size_scale = {(*numbers)[4], (*numbers)[5]};
  if (head.iou_threshold > 0 && head.iou_threshold <= 1) return true;
  b.Refuse("nms_iou_threshold is {}; must be above 0 and at most 1", head.iou_threshold);
  return false;
}

// The mode and its limit per class.
bool ReadMode(Builder& b, DetectionHead& head) {
  constexpr int64_t kDefaultPerClass = 100;
  const auto option = [&](const char* key, int64_t otherwise) -> std::optional<int64_t> {
    if (!HasOption(b, key)) return otherwise;
    const auto given = IntegerOptions(b, {key});
    return given ? std::optional(given->front()) : std::nullopt;
  };
  const auto is_regular = option("use_regular_nms", 0);
  const auto per_class = option("detections_per_class", kDefaultPerClass);
  if (!is_regular || !per_class) return false;
  head.is_regular = *is_regular != 0;
  head.max_per_class = head.is_regular ? std::min(*per_class, head.max) : head.max;
  if (head.is_regular) return RequireRange(b, "detections_per_class", *per_class, kMaxBoxes);
  const auto classes = IntegerOptions(b, {"max_classes_per_detection"});
  if (!classes) return false;
  if ((*classes)[0] == 1 || ((*classes)[0] > 1 && head.classes == 1)) return true;
  // With more classes, tflite-micro writes results after the end of its outputs.
  b.Refuse("max_classes_per_detection is {}; must be 1, or use_regular_nms must be true",
           (*classes)[0]);
  return false;
}

std::optional<DetectionHead> ReadHead(Builder& b) {
  DetectionHead head;
  if (b.input_count() != 3 || b.output_count() != 4) {
    b.Refuse("has {} inputs and {} outputs; must have 3 and 4", b.input_count(), b.output_count());
    return std::nullopt;
  }
  if (!ReadNumbers(b, head) || !RequireRange(b, "max_detections", head.max, kMaxBoxes) ||
      !ReadMode(b, head)) {
    return std::nullopt;
  }
  const Dims &boxes = b.InputTensor(0).dims, &scores = b.InputTensor(1).dims;
  const Dims& anchors = b.InputTensor(2).dims;
  const int64_t count = boxes.size() == 3 ? boxes[1] : 0;
  const int64_t background = scores.size() == 3 ? scores[2] - head.classes : -1;
  const bool fits = count >= 1 && boxes[0] == 1 && boxes[2] >= 4 && head.classes >= 1 &&
                    scores == Dims{1, count, head.classes + background} &&
                    (background == 0 || background == 1) && anchors == Dims{count, 4};
  if (!fits) {
    b.Refuse(
        "boxes are {}, scores {} and anchors {}; must be [1,n,4], [1,n,classes] with or without "
        "one for the background, and [n,4] for {} classes",
        ToString(boxes), ToString(scores), ToString(anchors), head.classes);
    return std::nullopt;
  }
  head.boxes = count;
  head.has_background = background == 1;
  return head;
}

ir::Source Both(Builder& b, const char* type, ir::Source x, ir::Source y) {
  return b.Add(type, {x, y});
}

// y and x of the first corner, then of the last one: [1, n, 4].
ir::Source Corners(Builder& b, const DetectionHead& head) {
  const ir::Source code = b.Input(0), anchors = b.Input(2);
  const auto scaled = [&](int64_t first, const std::array<float, 2>& scale) {
    return Both(b, "Divide", b.Sliced(code, 2, first, first + 2), b.Floats({2}, scale));
  };
  const ir::Source anchor_size = b.Sliced(anchors, 1, 2, 4);
  const ir::Source centre =
      Both(b, "Add", Both(b, "Multiply", scaled(0, head.centre_scale), anchor_size),
           b.Sliced(anchors, 1, 0, 2));
  const ir::Source growth = b.Add("Exp", {scaled(2, head.size_scale)});
  const ir::Source half =
      Both(b, "Multiply", Both(b, "Multiply", growth, b.Float(0.5f)), anchor_size);
  return b.Joined({Both(b, "Subtract", centre, half), Both(b, "Add", centre, half)}, 2);
}

// Scores of the classes, [1, n, classes], without the background.
ir::Source ClassScores(Builder& b, const DetectionHead& head) {
  const ir::Source scores = b.Input(1);
  return head.has_background ? b.Sliced(scores, 2, 1, head.classes + 1) : scores;
}

// The number below which scores are not selected; the operation selects those above its threshold.
float BelowThreshold(float threshold) {
  const float below = std::nextafter(threshold, -std::numeric_limits<float>::infinity());
  return std::fabs(below) < std::numeric_limits<float>::min() ? -std::numeric_limits<float>::min()
                                                              : below;
}

// The first `max` rows of a result of three columns, with rows of -1 after its end.
ir::Source Rows(Builder& b, const DetectionHead& head, ir::Source x, int64_t rows, bool is_float) {
  if (rows >= head.max) return b.Sliced(x, 0, 0, head.max);
  const Dims dims = {head.max - rows, 3};
  const std::vector<float> none(static_cast<size_t>(dims[0] * 3), -1.0f);
  const ir::Source free = b.Floats(dims, none);
  return b.Joined({x, is_float ? free : b.Converted(free, ElementType::i32)}, 0);
}

}  // namespace

void DetectionPostProcess(Builder& b) {
  const std::optional<DetectionHead> head = ReadHead(b);
  if (!head) return;
  const ir::Source corners = Corners(b, *head);
  ir::Source scores = ClassScores(b, *head), classes;
  int64_t lines = 1;
  if (head->is_regular) {
    scores = b.Transposed(scores, std::array<int64_t, 3>{0, 2, 1});
    lines = head->classes;
  } else {
    ir::Node& top = b.AddNode("TopK", "opset11",
                              {{"axis", "2"},
                               {"mode", "max"},
                               {"sort", "value"},
                               {"index_element_type", "i32"},
                               {"stable", "true"}},
                              {scores, b.Int(1)}, 2);
    scores = b.Reshaped({&top, 0}, std::array<int64_t, 3>{1, 1, head->boxes});
    classes = b.Reshaped({&top, 1}, std::array{head->boxes});
  }
  ir::Node& suppression =
      b.AddNode("PaddedNonMaxSuppression", kOwnVersion,
                {{"max", std::to_string(head->max_per_class)},
                 {"iou_threshold", fmt::format("{}", head->iou_threshold)},
                 {"score_threshold", fmt::format("{}", BelowThreshold(head->score_threshold))}},
                {corners, scores}, 3);
  const int64_t rows = lines * std::min(head->max_per_class, head->boxes);
  const ir::Source places = Rows(b, *head, {&suppression, 0}, rows, /*is_float=*/false);
  const ir::Source values = Rows(b, *head, {&suppression, 1}, rows, /*is_float=*/true);
  const auto column = [&](ir::Source x, int64_t at) {
    return b.Reshaped(b.Sliced(x, 1, at, at + 1), std::array{head->max});
  };
  const ir::Source zero = b.Converted(b.Int(0), ElementType::i32);
  const ir::Source box = column(places, 2);
  const ir::Source is_used = Both(b, "GreaterEqual", box, zero);
  const ir::Source index = Both(b, "Maximum", box, zero);
  const auto gathered = [&](ir::Source x, int64_t axis) {
    return b.Add("Gather", "opset8", {{"batch_dims", "0"}}, {x, index, b.Int(axis)});
  };
  // Unused results are 0.
  const auto set = [&](size_t output, ir::Source x, const Dims& used, const Dims& dims) {
    const ir::Source flags = b.Reshaped(is_used, used);
    b.Set(output, b.Reshaped(b.Add("Select", {flags, x, b.Float(0)}), dims));
  };
  const Dims line = {1, head->max};
  set(0, gathered(corners, 1), {1, head->max, 1}, {1, head->max, 4});
  const ir::Source label = head->is_regular ? column(places, 1) : gathered(classes, 0);
  set(1, b.Converted(label, ElementType::f32), {head->max}, line);
  set(2, column(values, 2), {head->max}, line);
  const ir::Source most = b.Converted(b.Int(head->max), ElementType::i32);
  b.Set(3, b.Converted(Both(b, "Minimum", {&suppression, 2}, most), ElementType::f32));
}

}  // namespace weft::tflite
