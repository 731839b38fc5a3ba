// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/detect.h"

#include <cstddef>

#include "kernels/detection/overlap.h"
#include "kernels/reduce/heap.h"

namespace weft::kernels {
namespace {

constexpr size_t kRowFloats = 7;

// One image. A box of a class is identified by the index of its score ("place").
struct DetectImage {
  const DetectShape& shape;
  const float* first_corners;
  const float* last_corners;
  const float* scores;

  uint32_t ClassOf(int32_t position) const {
    return static_cast<uint32_t>(position) % shape.classes;
  }

  Corners CornersOf(int32_t position) const {
    const size_t prior = static_cast<uint32_t>(position) / shape.classes;
    const size_t of_class = shape.box_classes == 1 ? 0 : ClassOf(position);
    const size_t at = 2 * (prior * shape.box_classes + of_class);
    return {first_corners[at + 1], first_corners[at], last_corners[at + 1], last_corners[at]};
  }

  bool IsBetter(int32_t a, int32_t b) const {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  }

  // Returns the index of the prior's best class, or -1 if no class passes the threshold.
  int32_t BestOf(uint32_t prior) const {
    const size_t row = size_t{prior} * shape.classes;
    int32_t best = -1;
    float max = -1;
    for (uint32_t of_class = 1; of_class < shape.classes; ++of_class) {
      const float score = scores[row + of_class];
      if (of_class == shape.background || !(score > max)) continue;
      best = static_cast<int32_t>(row + of_class);
      max = score;
    }
    return max >= shape.score_threshold ? best : -1;
  }
};

struct PositionList {
  int32_t* positions;
  int32_t& operator[](size_t i) const { return positions[i]; }
  void Swap(size_t a, size_t b) const {
    const int32_t position = positions[a];
    positions[a] = positions[b];
    positions[b] = position;
  }
};

// The best detections of an image so far; a heap once there are `kept` of them.
class KeptDetections {
 public:
  KeptDetections(const DetectImage& image, int32_t* positions) : image_(image), list_{positions} {}

  // Returns false if `kept` better detections are already there.
  bool Add(int32_t position) {
    const size_t max = image_.shape.kept;
    const auto is_better = [this](size_t a, size_t b) {
      return image_.IsBetter(list_[a], list_[b]);
    };
    if (count_ < max) {
      list_[count_++] = position;
      if (count_ == max) MakeHeap(list_, count_, is_better);
      return true;
    }
    if (max == 0 || !image_.IsBetter(position, list_[0])) return false;
    list_[0] = position;
    Sink(list_, 0, count_, is_better);
    return true;
  }

  // Sorts by class and score; returns the number of detections.
  size_t Sort() const {
    const auto is_before = [this](size_t a, size_t b) {
      const uint32_t class_a = image_.ClassOf(list_[a]), class_b = image_.ClassOf(list_[b]);
      return class_a != class_b ? class_a < class_b : image_.IsBetter(list_[a], list_[b]);
    };
    MakeHeap(list_, count_, is_before);
    SortHeap(list_, count_, is_before);
    return count_;
  }

 private:
  const DetectImage& image_;
  const PositionList list_;
  size_t count_ = 0;
};

bool OverlapsOneOf(const DetectImage& image, int32_t position, const int32_t* detected,
                   size_t count) {
  const Corners corners = image.CornersOf(position);
  const uint32_t of_class = image.ClassOf(position);
  for (size_t i = 0; i < count; ++i) {
    if (image.ClassOf(detected[i]) != of_class) continue;
    const float overlap = OverlapOf(corners, image.CornersOf(detected[i]));
    if (overlap > image.shape.overlap_threshold) return true;
  }
  return false;
}

// Processes candidates from the best one down. Each candidate that is removed from the heap frees
// an entry at the end of the list; the detections are written there, from the last entry downwards.
void TakeCandidates(const DetectImage& image, int32_t* positions, size_t count,
                    KeptDetections* kept) {
  const PositionList list = {positions};
  const auto is_worse = [&](size_t a, size_t b) { return image.IsBetter(list[b], list[a]); };
  MakeHeap(list, count, is_worse);
  const size_t max = count < image.shape.candidates ? count : image.shape.candidates;
  int32_t* detected = positions + count;
  for (size_t taken = 0; taken < max; ++taken) {
    const size_t last = count - taken - 1;
    TakeRoot(list, last + 1, is_worse);
    const int32_t position = positions[last];
    if (OverlapsOneOf(image, position, detected, static_cast<size_t>(positions + count - detected)))
      continue;
    if (!kept->Add(position)) return;
    *--detected = position;
  }
}

void TakeByClass(const DetectImage& image, int32_t* positions, KeptDetections* kept) {
  for (uint32_t of_class = 0; of_class < image.shape.classes; ++of_class) {
    if (of_class == image.shape.background) continue;
    size_t count = 0, position = of_class;
    for (uint32_t prior = 0; prior < image.shape.priors; ++prior, position += image.shape.classes) {
      if (image.scores[position] > image.shape.score_threshold) {
        positions[count++] = static_cast<int32_t>(position);
      }
    }
    TakeCandidates(image, positions, count, kept);
  }
}

void TakeBestClasses(const DetectImage& image, int32_t* positions, KeptDetections* kept) {
  size_t count = 0;
  for (uint32_t prior = 0; prior < image.shape.priors; ++prior) {
    const int32_t best = image.BestOf(prior);
    if (best >= 0) positions[count++] = best;
  }
  TakeCandidates(image, positions, count, kept);
}

float Clipped(const DetectShape& shape, float x) {
  if (shape.clip == 0) return x;
  return x < 0 ? 0 : (x > 1 ? 1 : x);
}

void WriteRow(const DetectImage& image, uint32_t number, int32_t position, float* row) {
  const Corners corners = image.CornersOf(position);
  const uint32_t of_class = image.ClassOf(position) - (image.shape.best_class != 0 ? 1u : 0u);
  row[0] = static_cast<float>(number);
  row[1] = static_cast<float>(of_class);
  row[2] = image.scores[position];
  row[3] = Clipped(image.shape, corners.left);
  row[4] = Clipped(image.shape, corners.top);
  row[5] = Clipped(image.shape, corners.right);
  row[6] = Clipped(image.shape, corners.bottom);
}

}  // namespace

void Detect(const DetectShape& shape, const float* boxes, const float* scores, float* y,
            int32_t* order) {
  const size_t corners = size_t{2} * shape.priors * shape.box_classes;
  const size_t all_rows = size_t{shape.batch} * shape.rows;
  for (size_t i = 0; i < size_t{shape.priors} + shape.kept; ++i) order[i] = 0;
  int32_t* const kept_positions = order + shape.priors;
  const uint32_t images = shape.priors == 0 || shape.classes == 0 ? 0 : shape.batch;
  size_t row = 0;
  for (uint32_t number = 0; number < images; ++number) {
    const DetectImage image = {shape, boxes + number * corners,
                               boxes + (size_t{shape.batch} + number) * corners,
                               scores + size_t{number} * shape.priors * shape.classes};
    KeptDetections kept(image, kept_positions);
    if (shape.best_class != 0) {
      TakeBestClasses(image, order, &kept);
    } else {
      TakeByClass(image, order, &kept);
    }
    const size_t count = kept.Sort();
    for (size_t i = 0; i < count; ++i, ++row) {
      WriteRow(image, number, kept_positions[i], y + kRowFloats * row);
    }
  }
  for (size_t i = kRowFloats * row; i < kRowFloats * all_rows; ++i) y[i] = 0;
  if (row < all_rows) y[kRowFloats * row] = -1;
}

}  // namespace weft::kernels
