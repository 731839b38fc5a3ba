// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for suppress: the rows in use, in order. Exact, except that decayed
// scores use exp of the C library and may have a relative error of 1e-5.
#ifndef WEFT_KERNELS_REFERENCE_SUPPRESS_H_
#define WEFT_KERNELS_REFERENCE_SUPPRESS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/detection/suppress.h"

namespace weft::kernels {

inline float OverlapReference(const SuppressShape& s, const float* p, const float* q) {
  const auto low = [&](const float* box, int axis) {  // axis 0 is y
    return s.centred != 0 ? box[1 - axis] - box[3 - axis] / 2 : std::min(box[axis], box[axis + 2]);
  };
  const auto high = [&](const float* box, int axis) {
    return s.centred != 0 ? box[1 - axis] + box[3 - axis] / 2 : std::max(box[axis], box[axis + 2]);
  };
  const auto extent = [&](const float* box, int axis) { return high(box, axis) - low(box, axis); };
  const auto shared = [&](int axis) {
    const float end = std::min(high(p, axis), high(q, axis));
    return std::max(end - std::max(low(p, axis), low(q, axis)), 0.0f);
  };
  const float area_p = extent(p, 0) * extent(p, 1), area_q = extent(q, 0) * extent(q, 1);
  if (area_p <= 0 || area_q <= 0) return 0;
  const float common = shared(0) * shared(1);
  return common / (area_p + area_q - common);
}

struct SuppressRow {
  std::array<int32_t, 3> positions;
  float score;
};

// By score, equal scores by indices.
inline bool IsBeforeReference(const SuppressRow& a, const SuppressRow& b) {
  return a.score != b.score ? a.score > b.score : a.positions < b.positions;
}

inline std::vector<SuppressRow> SuppressReference(const SuppressShape& s, const float* boxes,
                                                  const float* scores) {
  std::vector<SuppressRow> rows;
  for (uint32_t line = 0; line < s.batch * s.classes; ++line) {
    const uint32_t batch = line / s.classes, of_class = line % s.classes;
    const auto box_of = [&](const SuppressRow& row) {
      return boxes + 4 * (batch * s.boxes + static_cast<uint32_t>(row.positions[2]));
    };
    std::vector<SuppressRow> left;
    for (uint32_t box = 0; box < s.boxes; ++box) {
      left.push_back(
          {{static_cast<int32_t>(batch), static_cast<int32_t>(of_class), static_cast<int32_t>(box)},
           scores[size_t{line} * s.boxes + box]});
    }
    for (uint32_t taken = 0; taken < s.max; ++taken) {
      left.erase(std::remove_if(left.begin(), left.end(),
                                [&](const auto& row) { return !(row.score > s.score_threshold); }),
                 left.end());
      if (left.empty()) break;
      const SuppressRow best = *std::min_element(left.begin(), left.end(), IsBeforeReference);
      rows.push_back(best);
      std::vector<SuppressRow> remaining;
      for (SuppressRow row : left) {
        const float overlap = OverlapReference(s, box_of(row), box_of(best));
        if (row.positions == best.positions || overlap > s.iou_threshold) continue;
        if (s.decay != 0) row.score *= std::exp(s.decay * overlap * overlap);
        remaining.push_back(row);
      }
      left = std::move(remaining);
    }
  }
  if (s.across != 0) std::sort(rows.begin(), rows.end(), IsBeforeReference);
  return rows;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_SUPPRESS_H_
