// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_CONVERTER_OPS_VISION_SUPPRESSION_H_
#define WEFT_CONVERTER_OPS_VISION_SUPPRESSION_H_

namespace weft::ops {

// NonMaxSuppression without run-time lengths; readers create it. boxes [batch, n, 4], scores
// [batch, classes, n]; "max" per class, "iou_threshold", "score_threshold". Outputs of batch *
// classes * min(max, n) rows, best score first, then -1: batch, class and box as i32, and batch,
// class and score as f32; then the number of rows in use, i32 [1].
inline constexpr const char* kPaddedSuppression = "PaddedNonMaxSuppression";

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_VISION_SUPPRESSION_H_
