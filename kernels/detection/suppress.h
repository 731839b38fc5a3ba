// SPDX-License-Identifier: Apache-2.0
// Non-maximum suppression. For each class of a batch, boxes with a score above score_threshold are
// selected in descending order of score (for equal scores the lower index first), at most `max`
// per class. Each selected box removes those whose overlap (intersection over union, 0 if a box has
// no area) is above iou_threshold. If `decay` is not 0, it also multiplies the scores of the
// remaining boxes by exp(decay * overlap * overlap), and boxes no longer above score_threshold are
// removed.
//
// boxes are [batch, boxes, 4], scores [batch, classes, boxes]. A box is two opposite corners as y,
// x, y, x, or with `centred` its centre and size as x, y, width, height. Row r of `indices` is
// batch, class, box; row r of `selected` is batch, class, score. `found` rows are used, the others
// of the batch * classes * most rows are -1. Rows are sorted by batch, class and score; with
// `across` by score, then by batch, class and box. `left` is memory for `boxes` numbers, and
// `lowered` too if `decay` is not 0. 1 <= most <= boxes.
//
// A class needs at most most * boxes overlap computations, each a fixed sequence of single
// operations, so that all targets select the same boxes. No operand overlaps another. The caller
// owns all memory.
#ifndef WEFT_KERNELS_DETECTION_SUPPRESS_H_
#define WEFT_KERNELS_DETECTION_SUPPRESS_H_

#include <cstdint>

namespace weft::kernels {

struct SuppressShape {
  uint32_t batch = 0;
  uint32_t classes = 0;
  uint32_t boxes = 0;
  uint32_t max = 0;
  float iou_threshold = 0;
  float score_threshold = 0;
  uint32_t centred = 0;
  uint32_t across = 0;
  float decay = 0;
};

struct SuppressResults {
  int32_t* indices;
  float* selected;
  int32_t* found;
  int32_t* left;
  float* lowered = nullptr;
};

void Suppress(const SuppressShape& shape, const float* boxes, const float* scores,
              const SuppressResults& results);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_DETECTION_SUPPRESS_H_
