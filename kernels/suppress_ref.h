// SPDX-License-Identifier: Apache-2.0
// Scalar twin of suppress, exact: the rows in use as batch, class and box, in order. Every candidate is
// compared with all that were selected before it.
#ifndef WEFT_KERNELS_SUPPRESS_REF_H_
#define WEFT_KERNELS_SUPPRESS_REF_H_

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/suppress.h"

namespace weft::kernels {

inline float OverlapTwin(const SuppressShape& s, const float* p, const float* q) {
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

using SuppressRow = std::array<int32_t, 3>;

inline std::vector<SuppressRow> SuppressTwin(const SuppressShape& s, const float* boxes,
                                             const float* scores) {
  const auto score_of = [&](const SuppressRow& row) {
    return scores[(static_cast<uint32_t>(row[0]) * s.classes + static_cast<uint32_t>(row[1])) *
                      s.boxes +
                  static_cast<uint32_t>(row[2])];
  };
  const auto is_before = [&](const SuppressRow& a, const SuppressRow& b) {
    return score_of(a) != score_of(b) ? score_of(a) > score_of(b) : a < b;
  };
  std::vector<SuppressRow> rows;
  for (uint32_t line = 0; line < s.batch * s.classes; ++line) {
    const auto batch = static_cast<int32_t>(line / s.classes);
    const auto of_class = static_cast<int32_t>(line % s.classes);
    std::vector<SuppressRow> candidates, selected;
    for (uint32_t box = 0; box < s.boxes; ++box) {
      const SuppressRow row = {batch, of_class, static_cast<int32_t>(box)};
      if (score_of(row) > s.score_threshold) candidates.push_back(row);
    }
    std::sort(candidates.begin(), candidates.end(), is_before);
    for (const SuppressRow& row : candidates) {
      const auto box_of = [&](const SuppressRow& r) {
        return boxes + 4 * (static_cast<uint32_t>(r[0]) * s.boxes + static_cast<uint32_t>(r[2]));
      };
      const bool overlaps =
          std::any_of(selected.begin(), selected.end(), [&](const SuppressRow& r) {
            return OverlapTwin(s, box_of(row), box_of(r)) > s.iou_threshold;
          });
      if (!overlaps && selected.size() < s.most) selected.push_back(row);
    }
    rows.insert(rows.end(), selected.begin(), selected.end());
  }
  if (s.across != 0) std::sort(rows.begin(), rows.end(), is_before);
  return rows;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SUPPRESS_REF_H_
