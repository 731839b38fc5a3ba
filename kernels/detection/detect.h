// SPDX-License-Identifier: Apache-2.0
// Detection output: selects boxes by score and non-maximum suppression per class.
//
// For each class except `background`, boxes with a score above score_threshold are candidates. They
// are processed in descending order of score (for equal scores the lower index first), at most
// `candidates` per class. A candidate is dropped if its overlap with a detection of its class
// (intersection over union) is above overlap_threshold. With best_class, each box is a candidate
// only for its best class: of the classes from 1 on, the first with the maximum score, which must
// be above -1 and at least score_threshold; `candidates` then counts the boxes of all classes. The
// `kept` best detections of an image remain (for equal scores those with the lower index).
//
// boxes are [2, batch, priors, box_classes, 2]: x and y of the first corner of every box, then of
// the last one; box_classes is 1 or `classes`. scores are [batch, priors, classes]. A row of y is
// image, class (with best_class counted from 1), score and both corners (with `clip` clamped to [0,
// 1]). Rows are sorted by image, class and score. If there are fewer than batch * rows, the image
// of the first free row is -1 and everything after it is 0. kept <= rows.
//
// `order` is memory for priors + kept numbers. An image needs at most classes * candidates * kept
// overlap computations, each a fixed sequence of single operations, so that all targets select the
// same boxes. No operand overlaps another. The caller owns all memory.
#ifndef WEFT_KERNELS_DETECTION_DETECT_H_
#define WEFT_KERNELS_DETECTION_DETECT_H_

#include <cstdint>

namespace weft::kernels {

struct DetectShape {
  uint32_t batch = 0;
  uint32_t priors = 0;
  uint32_t classes = 0;
  uint32_t box_classes = 1;
  uint32_t candidates = 0;
  uint32_t kept = 0;
  uint32_t rows = 0;
  uint32_t background = 0;  // `classes` or more: no background class
  float score_threshold = 0;
  float overlap_threshold = 0;
  uint32_t best_class = 0;
  uint32_t clip = 0;
};

void Detect(const DetectShape& shape, const float* boxes, const float* scores, float* y,
            int32_t* order);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_DETECTION_DETECT_H_
