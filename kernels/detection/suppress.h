// SPDX-License-Identifier: Apache-2.0
// Non-maximum suppression. Of each class of a batch the boxes whose score is above score_threshold
// are selected from the highest score down, of equal ones the one in front. Each removes those that
// it overlaps by more than iou_threshold: area in common over area of both together, 0 where a box
// has no area. At most `most` of a class are selected. Where `decay` is not 0, each also multiplies
// the scores of those that stay by exp(decay * overlap * overlap), and what is not above
// score_threshold any more is removed.
//
// boxes are [batch, boxes, 4], scores [batch, classes, boxes]. A box is two opposite corners as
// y, x, y, x, or with `centred` its centre and size as x, y, width, height. Row r of `indices` is
// batch, class, box, row r of `selected` batch, class, score; `found` rows are in use and the rest
// of the batch * classes * most are -1. They stand by batch, class and score, or with `across` by
// score, where equal ones stand by batch, class and box. `left` is room for `boxes` numbers, and
// where `decay` is not 0 so is `lowered`. 1 <= most <= boxes.
//
// A class takes at most most * boxes overlaps, each of them single operations in one order, so that
// all targets select alike. No operand overlaps another. The caller owns all memory.
#ifndef WEFT_KERNELS_DETECTION_SUPPRESS_H_
#define WEFT_KERNELS_DETECTION_SUPPRESS_H_

#include <cstdint>

namespace weft::kernels {

struct SuppressShape {
  uint32_t batch = 0;
  uint32_t classes = 0;
  uint32_t boxes = 0;
  uint32_t most = 0;
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
