// SPDX-License-Identifier: Apache-2.0
// The detections of images among boxes that have a score for each class. Of each class but
// `background` the boxes whose score is above score_threshold are taken from the highest score
// down, of equal ones the one in front, `candidates` at most. One that overlaps a detection of its
// class by more than overlap_threshold (area in common over area of both together) is none. With
// best_class each box has its best class alone, of equal ones the first, of those from 1 on whose
// score is above -1 and at least score_threshold; `candidates` counts the boxes of all classes
// then. Of an image the `kept` best detections stay, of equal ones those in front.
//
// boxes are [2, batch, priors, box_classes, 2]: x and y of the first corner of every box, then of
// the last; box_classes is 1 or `classes`. scores are [batch, priors, classes]. A row of y is
// image, class (with best_class counted from 1), score, both corners (with `clip` held within 0 and
// 1); rows stand by image, class and score. Where there are less than batch * rows, the image of
// the first free one is -1 and all behind it is 0. kept <= rows.
//
// `order` is room for priors + kept numbers. An image takes at most classes * candidates * kept
// overlaps, each of them single operations in one order, so that all targets select alike. No
// operand overlaps another. The caller owns all memory.
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
  uint32_t background = 0;  // none from `classes` on
  float score_threshold = 0;
  float overlap_threshold = 0;
  uint32_t best_class = 0;
  uint32_t clip = 0;
};

void Detect(const DetectShape& shape, const float* boxes, const float* scores, float* y,
            int32_t* order);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_DETECTION_DETECT_H_
