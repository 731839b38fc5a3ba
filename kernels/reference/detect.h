// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for detect, exact: all of y. Compares every candidate with all detections
// of its class, and truncates one list of all detections.
#ifndef WEFT_KERNELS_REFERENCE_DETECT_H_
#define WEFT_KERNELS_REFERENCE_DETECT_H_

#include <algorithm>
#include <vector>

#include "kernels/detection/detect.h"

namespace weft::kernels {

struct DetectReferenceBox {
  uint32_t prior, of_class;
  float score;
  float x0, y0, x1, y1;
};

inline float DetectOverlapReference(const DetectReferenceBox& p, const DetectReferenceBox& q) {
  const float width = std::min(p.x1, q.x1) - std::max(p.x0, q.x0);
  const float height = std::min(p.y1, q.y1) - std::max(p.y0, q.y0);
  if (!(width > 0 && height > 0)) return 0;
  const float common = height * width;
  const float area_p = (p.y1 - p.y0) * (p.x1 - p.x0), area_q = (q.y1 - q.y0) * (q.x1 - q.x0);
  return common / (area_p + area_q - common);
}

// Candidates, best first, of one class, or of all classes if best_class is set.
inline std::vector<DetectReferenceBox> DetectCandidatesReference(
    const DetectShape& s, std::vector<DetectReferenceBox> boxes) {
  std::sort(boxes.begin(), boxes.end(),
            [](const DetectReferenceBox& p, const DetectReferenceBox& q) {
              return p.score != q.score ? p.score > q.score : p.prior < q.prior;
            });
  if (boxes.size() > s.candidates) boxes.resize(s.candidates);
  return boxes;
}

// All lists of candidates of an image whose boxes are [priors][classes].
inline std::vector<std::vector<DetectReferenceBox>> DetectListsReference(
    const DetectShape& s, const std::vector<std::vector<DetectReferenceBox>>& boxes) {
  std::vector<std::vector<DetectReferenceBox>> lists(s.best_class != 0 ? 1 : s.classes);
  for (const std::vector<DetectReferenceBox>& of_prior : boxes) {
    const DetectReferenceBox* best = nullptr;
    for (const DetectReferenceBox& box : of_prior) {
      if (box.of_class == s.background) continue;
      if (s.best_class == 0) {
        if (box.score > s.score_threshold) lists[box.of_class].push_back(box);
      } else if (box.of_class > 0 && box.score > (best != nullptr ? best->score : -1)) {
        best = &box;
      }
    }
    if (best != nullptr && best->score >= s.score_threshold) lists[0].push_back(*best);
  }
  for (std::vector<DetectReferenceBox>& list : lists) list = DetectCandidatesReference(s, list);
  return lists;
}

inline std::vector<DetectReferenceBox> DetectImageReference(
    const DetectShape& s, const std::vector<std::vector<DetectReferenceBox>>& boxes) {
  std::vector<DetectReferenceBox> found;
  for (const std::vector<DetectReferenceBox>& list : DetectListsReference(s, boxes)) {
    for (const DetectReferenceBox& box : list) {
      const bool overlaps =
          std::any_of(found.begin(), found.end(), [&](const DetectReferenceBox& q) {
            return q.of_class == box.of_class &&
                   DetectOverlapReference(box, q) > s.overlap_threshold;
          });
      if (!overlaps) found.push_back(box);
    }
  }
  const auto is_better = [](const DetectReferenceBox& p, const DetectReferenceBox& q) {
    if (p.score != q.score) return p.score > q.score;
    return p.prior != q.prior ? p.prior < q.prior : p.of_class < q.of_class;
  };
  std::sort(found.begin(), found.end(), is_better);
  if (found.size() > s.kept) found.resize(s.kept);
  std::sort(found.begin(), found.end(),
            [&](const DetectReferenceBox& p, const DetectReferenceBox& q) {
              return p.of_class != q.of_class ? p.of_class < q.of_class : is_better(p, q);
            });
  return found;
}

inline std::vector<float> DetectReference(const DetectShape& s, const float* boxes,
                                          const float* scores) {
  std::vector<float> y;
  const auto clipped = [&](float x) { return s.clip != 0 ? std::clamp(x, 0.0f, 1.0f) : x; };
  for (uint32_t image = 0; image < s.batch; ++image) {
    std::vector<std::vector<DetectReferenceBox>> all(s.priors);
    for (uint32_t prior = 0; prior < s.priors; ++prior) {
      for (uint32_t of_class = 0; of_class < s.classes; ++of_class) {
        const size_t row = size_t{image} * s.priors + prior;
        const float* first =
            boxes + 2 * (row * s.box_classes + (s.box_classes == 1 ? 0 : of_class));
        const float* last = first + size_t{2} * s.batch * s.priors * s.box_classes;
        all[prior].push_back({prior, of_class, scores[row * s.classes + of_class], first[0],
                              first[1], last[0], last[1]});
      }
    }
    for (const DetectReferenceBox& box : DetectImageReference(s, all)) {
      const float label = static_cast<float>(box.of_class) - (s.best_class != 0 ? 1.0f : 0.0f);
      y.insert(y.end(), {static_cast<float>(image), label, box.score, clipped(box.x0),
                         clipped(box.y0), clipped(box.x1), clipped(box.y1)});
    }
  }
  const size_t used = y.size();
  y.resize(size_t{7} * s.batch * s.rows, 0);
  if (used < y.size()) y[used] = -1;
  return y;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_DETECT_H_
