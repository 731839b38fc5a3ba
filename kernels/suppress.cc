// SPDX-License-Identifier: Apache-2.0
#include "kernels/suppress.h"

#include <cstddef>

namespace weft::kernels {
namespace {

float Smaller(float a, float b) { return b < a ? b : a; }
float Larger(float a, float b) { return a < b ? b : a; }

struct Corners {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

Corners CornersOf(const float* box, bool is_centred) {
  if (is_centred) {
    const float half_width = box[2] * 0.5f, half_height = box[3] * 0.5f;
    return {box[1] - half_height, box[0] - half_width, box[1] + half_height, box[0] + half_width};
  }
  return {Smaller(box[0], box[2]), Smaller(box[1], box[3]), Larger(box[0], box[2]),
          Larger(box[1], box[3])};
}

float OverlapOf(const Corners& a, const Corners& b) {
  const float area_a = a.area(), area_b = b.area();
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = Larger(Smaller(a.bottom, b.bottom) - Larger(a.top, b.top), 0);
  const float width = Larger(Smaller(a.right, b.right) - Larger(a.left, b.left), 0);
  const float common = height * width;
  return common / (area_a + area_b - common);
}

// The rows in use, which grow and are sorted by score.
class SelectedRows {
 public:
  explicit SelectedRows(const SuppressResults& results) : results_(results) {}

  size_t count() const { return count_; }
  void Add(size_t batch, size_t box_class, int32_t box, float score) {
    const int32_t places[3] = {static_cast<int32_t>(batch), static_cast<int32_t>(box_class), box};
    const float numbers[3] = {static_cast<float>(batch), static_cast<float>(box_class), score};
    Write(count_++, places, numbers);
  }
  // Writes -1 to the rows behind those in use.
  void FillUp(size_t most) const {
    const int32_t places[3] = {-1, -1, -1};
    const float numbers[3] = {-1, -1, -1};
    for (size_t row = count_; row < most; ++row) Write(row, places, numbers);
  }
  void Sort() const {
    for (size_t at = count_ / 2; at != 0; --at) Sink(at - 1, count_);
    for (size_t left = count_; left > 1;) {
      Swap(0, --left);
      Sink(0, left);
    }
  }

 private:
  void Write(size_t row, const int32_t* places, const float* numbers) const {
    for (size_t i = 0; i < 3; ++i) {
      results_.indices[3 * row + i] = places[i];
      results_.selected[3 * row + i] = numbers[i];
    }
  }
  void Swap(size_t a, size_t b) const {
    for (size_t i = 0; i < 3; ++i) {
      int32_t* const places = results_.indices + i;
      float* const numbers = results_.selected + i;
      const int32_t place = places[3 * a];
      const float number = numbers[3 * a];
      places[3 * a] = places[3 * b];
      numbers[3 * a] = numbers[3 * b];
      places[3 * b] = place;
      numbers[3 * b] = number;
    }
  }
  bool IsBefore(size_t a, size_t b) const {
    const float score_a = results_.selected[3 * a + 2], score_b = results_.selected[3 * b + 2];
    if (score_a != score_b) return score_a > score_b;
    for (size_t i = 0; i < 3; ++i) {
      const int32_t place_a = results_.indices[3 * a + i], place_b = results_.indices[3 * b + i];
      if (place_a != place_b) return place_a < place_b;
    }
    return false;
  }
  // A heap whose root is the last in order.
  void Sink(size_t at, size_t count) const {
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && IsBefore(child, child + 1)) ++child;
      if (!IsBefore(at, child)) return;
      Swap(at, child);
      at = child;
    }
  }

  const SuppressResults results_;
  size_t count_ = 0;
};

// A NaN is above no threshold.
size_t Candidates(const SuppressShape& shape, const float* scores, int32_t* left) {
  size_t count = 0;
  for (size_t box = 0; box < shape.boxes; ++box) {
    if (scores[box] > shape.score_threshold) left[count++] = static_cast<int32_t>(box);
  }
  return count;
}

// They are in ascending order: of equal ones the one in front.
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

}  // namespace

void Suppress(const SuppressShape& shape, const float* boxes, const float* scores,
              const SuppressResults& results) {
  int32_t* const left = results.left;
  for (size_t box = 0; box < shape.boxes; ++box) left[box] = -1;
  SelectedRows rows(results);
  for (size_t batch = 0; batch < shape.batch; ++batch) {
    for (size_t box_class = 0; box_class < shape.classes; ++box_class) {
      size_t count = Candidates(shape, scores, left);
      for (size_t taken = 0; taken < shape.most && count != 0; ++taken) {
        const int32_t best = BestOf(scores, left, count);
        rows.Add(batch, box_class, best, scores[best]);
        count = WithoutOverlapping(shape, boxes, best, left, count);
      }
      scores += shape.boxes;
    }
    boxes += size_t{4} * shape.boxes;
  }
  if (shape.across != 0) rows.Sort();
  *results.found = static_cast<int32_t>(rows.count());
  rows.FillUp(size_t{shape.batch} * shape.classes * shape.most);
}

}  // namespace weft::kernels
