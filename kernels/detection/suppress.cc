// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/suppress.h"

#include <cstddef>

#include "kernels/detection/overlap.h"
#include "kernels/reduce/heap.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/detection/suppress.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/lanes16-inl.h"
#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Replaces at most 16 overlaps with the factors for the scores.
void DecayOf(float decay, float* overlaps, size_t count) {
  Lanes16 x = LoadLanes16(overlaps, count, 0.0f);
  for (size_t i = 0; i < kPanelVectors; ++i) {
    x.v[i] = Exp(hn::Mul(hn::Mul(Set(decay), x.v[i]), x.v[i]));
  }
  StoreLanes16(x, overlaps, count);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(DecayOf);

namespace {

constexpr size_t kBlock = 16;

Corners CornersOf(const float* box, bool is_centred) {
  if (is_centred) {
    const float half_width = box[2] * 0.5f, half_height = box[3] * 0.5f;
    return {box[1] - half_height, box[0] - half_width, box[1] + half_height, box[0] + half_width};
  }
  return {Smaller(box[0], box[2]), Smaller(box[1], box[3]), Larger(box[0], box[2]),
          Larger(box[1], box[3])};
}

// The result rows, which are appended and finally sorted by score.
class SelectedRows {
 public:
  explicit SelectedRows(const SuppressResults& results) : results_(results) {}

  size_t count() const { return count_; }
  void Add(size_t batch, size_t box_class, int32_t box, float score) {
    const int32_t positions[3] = {static_cast<int32_t>(batch), static_cast<int32_t>(box_class),
                                  box};
    const float numbers[3] = {static_cast<float>(batch), static_cast<float>(box_class), score};
    Write(count_++, positions, numbers);
  }
  // Writes -1 to the unused rows.
  void FillUp(size_t max) const {
    const int32_t positions[3] = {-1, -1, -1};
    const float numbers[3] = {-1, -1, -1};
    for (size_t row = count_; row < max; ++row) Write(row, positions, numbers);
  }
  void Sort() const {
    const auto is_before = [this](size_t a, size_t b) { return IsBefore(a, b); };
    MakeHeap(*this, count_, is_before);
    SortHeap(*this, count_, is_before);
  }
  void Swap(size_t a, size_t b) const {
    for (size_t i = 0; i < 3; ++i) {
      int32_t* const positions = results_.indices + i;
      float* const numbers = results_.selected + i;
      const int32_t position = positions[3 * a];
      const float number = numbers[3 * a];
      positions[3 * a] = positions[3 * b];
      numbers[3 * a] = numbers[3 * b];
      positions[3 * b] = position;
      numbers[3 * b] = number;
    }
  }

 private:
  void Write(size_t row, const int32_t* positions, const float* numbers) const {
    for (size_t i = 0; i < 3; ++i) {
      results_.indices[3 * row + i] = positions[i];
      results_.selected[3 * row + i] = numbers[i];
    }
  }
  bool IsBefore(size_t a, size_t b) const {
    const float score_a = results_.selected[3 * a + 2], score_b = results_.selected[3 * b + 2];
    if (score_a != score_b) return score_a > score_b;
    for (size_t i = 0; i < 3; ++i) {
      const int32_t position_a = results_.indices[3 * a + i],
                    position_b = results_.indices[3 * b + i];
      if (position_a != position_b) return position_a < position_b;
    }
    return false;
  }

  const SuppressResults results_;
  size_t count_ = 0;
};

// Collects the boxes above the threshold; a NaN is never above it.
size_t Candidates(const SuppressShape& shape, const float* scores, int32_t* left) {
  size_t count = 0;
  for (size_t box = 0; box < shape.boxes; ++box) {
    if (scores[box] > shape.score_threshold) left[count++] = static_cast<int32_t>(box);
  }
  return count;
}

// `left` is ascending, so for equal scores the lower index wins.
int32_t BestOf(const float* scores, const int32_t* left, size_t count) {
  int32_t best = left[0];
  for (size_t i = 1; i < count; ++i) {
    if (scores[left[i]] > scores[best]) best = left[i];
  }
  return best;
}

size_t WithoutOverlapping(const SuppressShape& shape, const float* boxes, int32_t best,
                          int32_t* left, size_t count) {
  const bool is_centred = shape.centred != 0;
  const Corners kept = CornersOf(boxes + 4 * static_cast<size_t>(best), is_centred);
  size_t remaining = 0;
  for (size_t i = 0; i < count; ++i) {
    if (left[i] == best) continue;
    const Corners other = CornersOf(boxes + 4 * static_cast<size_t>(left[i]), is_centred);
    if (!(OverlapOf(other, kept) > shape.iou_threshold)) left[remaining++] = left[i];
  }
  return remaining;
}

// The same with lowered scores (decay), one block of candidates at a time.
size_t WithLowered(const SuppressShape& shape, const float* boxes, int32_t best, float* scores,
                   int32_t* left, size_t count) {
  const bool is_centred = shape.centred != 0;
  const Corners kept = CornersOf(boxes + 4 * static_cast<size_t>(best), is_centred);
  size_t remaining = 0;
  for (size_t next = 0; next < count;) {
    int32_t block[kBlock];
    float factors[kBlock];
    size_t size = 0;
    for (; next < count && size < kBlock; ++next) {
      if (left[next] == best) continue;
      const Corners other = CornersOf(boxes + 4 * static_cast<size_t>(left[next]), is_centred);
      factors[size] = OverlapOf(other, kept);
      if (!(factors[size] > shape.iou_threshold)) block[size++] = left[next];
    }
    HWY_DYNAMIC_DISPATCH(DecayOf)(shape.decay, factors, size);
    for (size_t i = 0; i < size; ++i) {
      float& score = scores[block[i]];
      score = score * factors[i];
      if (score > shape.score_threshold) left[remaining++] = block[i];
    }
  }
  return remaining;
}

// Copies the scores of a class, so that they can be lowered.
float* LoweredScores(const SuppressShape& shape, const float* scores, float* lowered) {
  for (size_t box = 0; box < shape.boxes; ++box) lowered[box] = scores[box];
  return lowered;
}

}  // namespace

void Suppress(const SuppressShape& shape, const float* boxes, const float* scores,
              const SuppressResults& results) {
  int32_t* const left = results.left;
  const bool is_soft = shape.decay != 0;
  for (size_t box = 0; box < shape.boxes; ++box) left[box] = -1;
  SelectedRows rows(results);
  for (size_t batch = 0; batch < shape.batch; ++batch) {
    for (size_t box_class = 0; box_class < shape.classes; ++box_class) {
      const float* line = is_soft ? LoweredScores(shape, scores, results.lowered) : scores;
      size_t count = Candidates(shape, line, left);
      for (size_t taken = 0; taken < shape.max && count != 0; ++taken) {
        const int32_t best = BestOf(line, left, count);
        rows.Add(batch, box_class, best, line[best]);
        count = is_soft ? WithLowered(shape, boxes, best, results.lowered, left, count)
                        : WithoutOverlapping(shape, boxes, best, left, count);
      }
      scores += shape.boxes;
    }
    boxes += size_t{4} * shape.boxes;
  }
  if (shape.across != 0) rows.Sort();
  *results.found = static_cast<int32_t>(rows.count());
  rows.FillUp(size_t{shape.batch} * shape.classes * shape.max);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
