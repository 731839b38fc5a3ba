// SPDX-License-Identifier: Apache-2.0
// DetectionOutput, the head of SSD: elementwise steps decode boxes from priors, then a step selects
// among them. With two additional inputs the priors are decoded once before, and priors without an
// object have only the background class.
#include <algorithm>
#include <array>
#include <limits>

#include "converter/base/narrow.h"
#include "converter/ops/core/top.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/packed.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using program::ValueId;

constexpr size_t kLogits = 0, kPredictions = 1, kProposals = 2, kObjects = 3, kPriorLogits = 4;
constexpr float kEndImage = -1;
constexpr int64_t kMaxDetections = std::numeric_limits<int32_t>::max();

struct DetectionSpec {
  int64_t background = 0, top = -1, keep = -1;  // -1: no limit
  bool is_encoded = false, is_shared = true, is_normalized = false, is_centred = false;
  bool clips_boxes = false, clips_rows = false, best_class = false;
  int64_t height = 1, width = 1;
  float overlap = 0, score = 0, objectness = 0;
  int64_t batch = 0, priors = 0, classes = 0;

  bool has_background() const { return background >= 0 && background < classes; }
  int64_t prior_floats() const { return is_normalized ? 4 : 5; }
  int64_t prior_rows() const { return is_encoded ? 1 : 2; }
  int64_t box_classes() const { return is_shared ? 1 : classes; }
  int64_t candidates() const { return top < 0 ? priors : std::min(top, priors); }
  // Rows of the output per image, and how many of them can be in use.
  std::optional<int64_t> rows() const {
    if (keep > 0) return keep;
    return CheckedProduct(classes, keep < 0 && top > 0 ? top : priors);
  }
  int64_t kept() const {
    const int64_t max = candidates() * (best_class ? 1 : classes);
    return keep < 0 ? max : std::min(keep, max);
  }
};

// The attributes, without the extents.
DetectionSpec DetectionAttributes(const NodeScope& scope) {
  constexpr std::string_view kCodes[] = {"caffe.PriorBoxParameter.CORNER",
                                         "caffe.PriorBoxParameter.CENTER_SIZE"};
  const Attributes& given = scope.attributes;
  DetectionSpec spec;
  spec.background = given.Int("background_label_id", 0);
  spec.top = given.Int("top_k", -1);
  const Dims keep = given.Ints("keep_top_k");
  if (!keep.empty()) spec.keep = keep.front();
  spec.is_encoded = given.Bool("variance_encoded_in_target", false);
  spec.is_shared = given.Bool("share_location", true);
  spec.is_normalized = given.Bool("normalized", false);
  spec.is_centred = given.Choice("code_type", kCodes[0], kCodes) == kCodes[1];
  spec.clips_boxes = given.Bool("clip_before_nms", false);
  spec.clips_rows = given.Bool("clip_after_nms", false);
  spec.best_class = given.Bool("decrease_label_id", false);
  spec.height = given.Int("input_height", 1);
  spec.width = given.Int("input_width", 1);
  spec.overlap = given.Float("nms_threshold", 0);
  spec.score = given.Float("confidence_threshold", 0);
  spec.objectness = given.Float("objectness_score", 0);
  return spec;
}

// The attributes, with the extents of inputs that fit together.
DetectionSpec ReadDetection(const NodeScope& scope) {
  DetectionSpec spec = DetectionAttributes(scope);
  spec.batch = scope.input_dims(kLogits)[0];
  spec.priors = scope.input_dims(kProposals)[2] / spec.prior_floats();
  spec.classes = scope.input_dims(kPredictions)[1] / spec.priors;
  return spec;
}

void CheckDetectionAttributes(InferScope& scope, bool has_classes) {
  scope.RequireAttributes({"nms_threshold", "keep_top_k"});
  if (has_classes) scope.RequireAttributes({"num_classes"});
  const DetectionSpec spec = DetectionAttributes(scope);
  if (std::min(spec.keep, spec.top) < -1 || std::max(spec.keep, spec.top) > kMaxDetections) {
    scope.Fault("keep_top_k is {} and top_k {}; must be from -1 to {}", spec.keep, spec.top,
                kMaxDetections);
  }
  if (spec.best_class && spec.background != 0) {
    scope.Fault(
        "background_label_id is {} and decrease_label_id is set; background_label_id must be 0",
        spec.background);
  }
  if (!spec.is_normalized && (spec.height < 1 || spec.width < 1)) {
    scope.Fault("input_height is {} and input_width {}; must be at least 1", spec.height,
                spec.width);
  }
}

bool CheckDetectionShapes(InferScope& scope) {
  const DetectionSpec spec = DetectionAttributes(scope);
  const Dims &logits = scope.input_dims(kLogits), &predictions = scope.input_dims(kPredictions);
  const Dims& proposals = scope.input_dims(kProposals);
  bool fit = logits.size() == 2 && predictions.size() == 2 && proposals.size() == 3;
  if (fit) {
    const int64_t priors = proposals[2] / spec.prior_floats();
    const int64_t classes = priors == 0 ? 0 : predictions[1] / priors;
    const std::optional<int64_t> boxes = CheckedProduct(4 * priors, spec.is_shared ? 1 : classes);
    fit = classes > 0 && proposals[2] == priors * spec.prior_floats() &&
          predictions[1] == priors * classes && logits[1] == boxes && predictions[0] == logits[0] &&
          (proposals[0] == 1 || proposals[0] == logits[0]) && proposals[1] == spec.prior_rows();
  }
  if (fit) return true;
  scope.Fault(
      "box logits are {}, class predictions {} and proposals {}; must be [batch, priors * {}], "
      "[batch, priors * classes] and [1 or batch, {}, priors * {}]",
      ToString(logits), ToString(predictions), ToString(proposals),
      spec.is_shared ? "4" : "classes * 4", spec.prior_rows(), spec.prior_floats());
  return false;
}

bool CheckAdditionalInputs(InferScope& scope, const DetectionSpec& spec) {
  if (scope.input_count() == 3) return true;
  if (scope.input_count() == 4) {
    scope.Fault("has 4 inputs; must have 3 or 5");
    return false;
  }
  const Dims objects = {spec.batch, 2 * spec.priors};
  const Dims& logits = scope.input_dims(kLogits);
  if (scope.input_dims(kObjects) == objects && scope.input_dims(kPriorLogits) == logits) {
    return true;
  }
  scope.Fault("additional class predictions are {} and box logits {}; must be {} and {}",
              ToString(scope.input_dims(kObjects)), ToString(scope.input_dims(kPriorLogits)),
              ToString(objects), ToString(logits));
  return false;
}

template <bool has_classes>
void InferDetection(InferScope& scope) {
  constexpr size_t kAll[] = {kLogits, kPredictions, kProposals, kObjects, kPriorLogits};
  const bool typed =
      CheckElements(scope, std::span(kAll).first(scope.input_count()), {ElementType::f32});
  CheckDetectionAttributes(scope, has_classes);
  if (!CheckDetectionShapes(scope)) return;
  const DetectionSpec spec = ReadDetection(scope);
  if (has_classes && scope.attributes.Int("num_classes", spec.classes) != spec.classes) {
    scope.Fault("num_classes is {} and class predictions are {}; must be {} for {} priors",
                scope.attributes.Int("num_classes", 0), ToString(scope.input_dims(kPredictions)),
                spec.classes, spec.priors);
  }
  if (!CheckAdditionalInputs(scope, spec) || !typed || scope.failed()) return;
  const std::optional<int64_t> rows = CheckedProduct(spec.batch, spec.rows().value_or(-1));
  if (!rows || *rows < 0) {
    return scope.Fault("top_k is {} for {} classes; must be at most 2^62 rows", spec.top,
                       spec.classes);
  }
  scope.SetOutput(0, ElementType::f32, {1, 1, *rows, 7});
}

// Numbers along [corners, batch, priors, classes, x and y], at any strides. The corners are the
// first and the last of a box; for logits and variances they are centre and size.
struct BoxNumbers {
  ValueId value = program::kNone;
  Dims dims, strides;
};

class BoxDecoding {
 public:
  BoxDecoding(program::Builder& builder, const DetectionSpec& spec, ValueId proposals,
              int64_t proposal_batch)
      : builder_(builder), spec_(spec), proposals_(proposals), proposal_batch_(proposal_batch) {}

  BoxNumbers Priors() const { return OfPriors(spec_.is_normalized ? 0 : 1, spec_.prior_floats()); }

  // The boxes that `logits` decode from `priors`, dense.
  BoxNumbers Decoded(BoxNumbers priors, ValueId logits) {
    if (!spec_.is_normalized) priors = Of(BinaryOp::divide, priors, PictureSize());
    const int64_t classes = spec_.box_classes();
    BoxNumbers moves = {logits,
                        {2, spec_.batch, spec_.priors, classes, 2},
                        {2, spec_.priors * classes * 4, classes * 4, 4, 1}};
    if (!spec_.is_encoded) {
      const BoxNumbers variances = OfPriors(spec_.priors * spec_.prior_floats(), 4);
      moves = Of(BinaryOp::multiply, variances, moves);
    }
    BoxNumbers boxes = spec_.is_centred ? Centred(priors, moves) : Of(BinaryOp::add, priors, moves);
    return spec_.clips_boxes ? Through(format::UnaryOp::clamp, boxes, 0, 1) : boxes;
  }

 private:
  // Four numbers per prior, from element `first` of an image's proposals on.
  BoxNumbers OfPriors(int64_t first, int64_t distance) const {
    const int64_t image = spec_.prior_rows() * spec_.priors * spec_.prior_floats();
    return Part({proposals_, {2, proposal_batch_, spec_.priors, 1, 2}, {2, image, distance, 0, 1}},
                first);
  }

  BoxNumbers PictureSize() {
    const std::vector<float> sides = {static_cast<float>(spec_.width),
                                      static_cast<float>(spec_.height)};
    return {builder_.WeightsOf({ElementType::f32, {2}}, sides), {1, 1, 1, 1, 2}, {0, 0, 0, 0, 1}};
  }

  BoxNumbers Half() {
    return {builder_.WeightsOf<float>({ElementType::f32, {1}}, {0.5f}), Dims(5, 1), Dims(5, 0)};
  }

  BoxNumbers Centred(const BoxNumbers& priors, const BoxNumbers& moves) {
    const BoxNumbers first = Corner(priors, 0), last = Corner(priors, 1);
    const BoxNumbers size = Of(BinaryOp::subtract, last, first);
    const BoxNumbers middle = Of(BinaryOp::multiply, Of(BinaryOp::add, first, last), Half());
    const BoxNumbers centre =
        Of(BinaryOp::add, Of(BinaryOp::multiply, Corner(moves, 0), size), middle);
    const BoxNumbers growth = Through(format::UnaryOp::exp, Dense(Corner(moves, 1)), 0, 0);
    const BoxNumbers half = Of(BinaryOp::multiply, Of(BinaryOp::multiply, growth, size), Half());
    Dims dims = centre.dims;
    dims[0] = 2;
    const BoxNumbers boxes = Made(dims);
    Emit(BinaryOp::subtract, centre, half, centre.dims, Corner(boxes, 0).value);
    Emit(BinaryOp::add, centre, half, centre.dims, Corner(boxes, 1).value);
    return boxes;
  }

  BoxNumbers Made(const Dims& dims) const {
    return {builder_.Scratch({ElementType::f32, dims}), dims, program::DenseStrides(dims)};
  }

  BoxNumbers Of(BinaryOp op, const BoxNumbers& a, const BoxNumbers& b) {
    const BoxNumbers y = Made(BroadcastOf(a.dims, b.dims));
    Emit(op, a, b, y.dims, y.value);
    return y;
  }

  void Emit(BinaryOp op, const BoxNumbers& a, const BoxNumbers& b, const Dims& dims, ValueId y) {
    std::array strides = {a.strides, b.strides};
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (a.dims[axis] == 1) strides[0][axis] = 0;
      if (b.dims[axis] == 1) strides[1][axis] = 0;
    }
    EmitBinary(builder_, op, JoinedNest(dims, strides), a.value, b.value, y);
  }

  BoxNumbers Through(format::UnaryOp op, const BoxNumbers& x, float low, float high) {
    const BoxNumbers y = Made(x.dims);
    EmitUnary(builder_, op, x.value, y.value, low, high);
    return y;
  }

  BoxNumbers Dense(const BoxNumbers& x) {
    if (x.strides == program::DenseStrides(x.dims)) return x;
    const BoxNumbers y = Made(x.dims);
    builder_.CopyStrided(x.value, y.value, x.dims, x.strides, 0, y.strides, 0);
    return y;
  }

  BoxNumbers Corner(BoxNumbers x, int64_t corner) const {
    x.dims[0] = 1;
    return Part(x, corner * x.strides[0]);
  }

  // The same numbers, starting at element `first`.
  BoxNumbers Part(BoxNumbers x, int64_t first) const {
    int64_t reach = 1;
    for (size_t axis = 0; axis < x.dims.size(); ++axis) {
      reach += (x.dims[axis] - 1) * x.strides[axis];
    }
    x.value = builder_.View(x.value, first * int64_t{sizeof(float)}, {ElementType::f32, {reach}});
    return x;
  }

  program::Builder& builder_;
  const DetectionSpec spec_;
  const ValueId proposals_;
  const int64_t proposal_batch_;
};

// Scores in which the flagged priors ([1 or batch, priors]) get `row` instead: one number, or one
// per class.
ValueId ReplacedScores(program::Builder& builder, const DetectionSpec& spec, const Operand& priors,
                       const std::vector<float>& row, ValueId scores) {
  const Dims dims = {spec.batch, spec.priors, spec.classes};
  const auto count = static_cast<int64_t>(row.size());
  const ValueId y = builder.Scratch({ElementType::f32, dims});
  EmitSelect(builder, {priors.value, {priors.dims[0], spec.priors, 1}},
             {builder.WeightsOf({ElementType::f32, {count}}, row), {1, 1, count}}, {scores, dims},
             {y, dims});
  return y;
}

// Compares one column of a matrix, per prior of each image, with a number.
Operand ComparedColumn(program::Builder& builder, format::CompareOp op, ValueId matrix,
                       const Dims& priors, const Dims& strides, int64_t first, float number) {
  const ValueId column = builder.Scratch({ElementType::f32, priors});
  builder.CopyStrided(matrix, column, priors, strides, first, program::DenseStrides(priors), 0);
  const Operand y = {builder.Scratch({ElementType::boolean, priors}), priors};
  EmitCompare(builder, op, {column, priors},
              {builder.WeightsOf<float>({ElementType::f32, {1}}, {number}), {1, 1}}, y.value);
  return y;
}

// Scores in which priors without an object are background.
ValueId ScoresOfObjects(LowerScope& scope, const DetectionSpec& spec, ValueId scores) {
  const Operand is_none =
      ComparedColumn(scope.builder, format::CompareOp::less, scope.input(kObjects),
                     {spec.batch, spec.priors}, {2 * spec.priors, 2}, 1, spec.objectness);
  std::vector<float> background(static_cast<size_t>(spec.classes), 0.0f);
  if (spec.has_background()) background[static_cast<size_t>(spec.background)] = 1;
  return ReplacedScores(scope.builder, spec, is_none, background, scores);
}

// Returns true if an image's first prior number may be the end marker of the priors.
bool MayEnd(const LowerScope& scope, const DetectionSpec& spec) {
  if (spec.is_normalized) return false;
  const ir::Constant* known = scope.constant(kProposals);
  if (known == nullptr) return true;
  const std::vector<float> numbers = Floats(*known);
  const auto image = static_cast<size_t>(spec.prior_rows() * spec.priors * spec.prior_floats());
  const auto step = static_cast<size_t>(spec.prior_floats());
  for (size_t at = 0; at < numbers.size(); at += step) {
    const bool is_prior = at % image < static_cast<size_t>(spec.priors) * step;
    if (is_prior && numbers[at] == kEndImage) return true;
  }
  return false;
}

// Scores without the priors from the first one with image -1 on.
ValueId ScoresBeforeEnd(LowerScope& scope, const DetectionSpec& spec, ValueId scores) {
  program::Builder& builder = scope.builder;
  const int64_t images = scope.input_dims(kProposals)[0];
  const int64_t image = spec.prior_rows() * spec.priors * spec.prior_floats();
  const Dims priors = {images, spec.priors};
  const Operand is_end = ComparedColumn(builder, format::CompareOp::equal, scope.input(kProposals),
                                        priors, {image, spec.prior_floats()}, 0, kEndImage);
  const ValueId end = EmitFirstTrue(builder, images, spec.priors, 1, is_end.value);
  const Operand is_after = {builder.Scratch({ElementType::boolean, priors}), priors};
  EmitCompare(builder, format::CompareOp::greater_equal,
              {IndexSequence(builder, ElementType::i32, spec.priors), {1, spec.priors}},
              {end, {images, 1}}, is_after.value);
  return ReplacedScores(builder, spec, is_after, {-std::numeric_limits<float>::infinity()}, scores);
}

void LowerDetection(LowerScope& scope) {
  const DetectionSpec spec = ReadDetection(scope);
  const ValueId y = scope.NewOutput(0);
  if (spec.batch == 0) return;
  program::Builder& builder = scope.builder;
  const bool refines = scope.input_count() == 5;
  BoxDecoding decoding(builder, spec, scope.input(kProposals), scope.input_dims(kProposals)[0]);
  BoxNumbers boxes = decoding.Priors();
  if (refines) boxes = decoding.Decoded(boxes, scope.input(kPriorLogits));
  boxes = decoding.Decoded(boxes, scope.input(kLogits));
  ValueId scores = scope.input(kPredictions);
  if (refines) scores = ScoresOfObjects(scope, spec, scores);
  if (MayEnd(scope, spec)) scores = ScoresBeforeEnd(scope, spec, scores);
  const ValueId order = builder.Scratch({ElementType::i32, {spec.priors + spec.kept()}});
  const format::DetectParams params(
      Narrow32(spec.batch, "batch"), Narrow32(spec.priors, "priors"),
      Narrow32(spec.classes, "classes"), Narrow32(spec.box_classes(), "classes"),
      Narrow32(spec.candidates(), "candidates"), Narrow32(spec.kept(), "detections"),
      Narrow32(spec.rows().value(), "rows"),
      Narrow32(spec.has_background() ? spec.background : spec.classes, "background"), spec.score,
      spec.overlap, spec.best_class, spec.clips_rows, 0);
  builder.Emit(params, {boxes.value, scores}, {y, order});
}

void DetectionAxes(AxisScope& scope) {
  scope.relation.reason = "selects among the boxes of all time steps";
}

constexpr Operation kDetectionRows[] = {
    {"DetectionOutput", 1, 3, 5, InferDetection<true>, LowerDetection, Apart(DetectionAxes)},
    {"DetectionOutput", 8, 3, 5, InferDetection<false>, LowerDetection, Apart(DetectionAxes)},
};

}  // namespace

std::span<const Operation> DetectionOperations() { return kDetectionRows; }

}  // namespace weft::ops
