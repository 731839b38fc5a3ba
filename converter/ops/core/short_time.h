// SPDX-License-Identifier: Apache-2.0
// STFT and ISTFT as parts with one time axis, which streaming needs: axis 1 of input 0 is axis 1 of
// output 0. Only passes create the parts. Their results are bit-identical to the complete
// operation.
#ifndef WEFT_CONVERTER_OPS_CORE_SHORT_TIME_H_
#define WEFT_CONVERTER_OPS_CORE_SHORT_TIME_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// STFT of [batch, samples] to [batch, frames, bins, 2]. `pads_begin` and `pads_end` zeros surround
// the samples.
inline constexpr const char* kPaddedStft = "PaddedSTFT";
// The windowed frames of an ISTFT: [batch, frames, bins, 2] to [batch, frames, width]. Zeros follow
// each frame, so that its width is a multiple of the frame step.
inline constexpr const char* kIstftFrames = "FramesOfISTFT";
// Adds frames [batch, frames, width], each `step` samples after the previous one, to [batch,
// samples], without the first `pads_begin` and the last `pads_end` samples.
inline constexpr const char* kOverlapAdd = "OverlapAdd";

// The overlap-add of an ISTFT, and the factor of each sample of the result. With a dynamic number
// of frames (`is_open`): the factors of the first samples of the overlap-add, before the cropping
// of pads_begin and pads_end; the last `step` factors repeat.
struct OverlapParts {
  int64_t step = 1, pads_begin = 0, pads_end = 0;
  std::vector<float> factors;
  bool is_open = false;
};
// Returns nullopt if the run computes the window, if there are gaps between frames, or if the
// signal ends before the last frame step, or ends after the last frame.
std::optional<OverlapParts> OverlapPartsOf(const NodeScope& scope);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_SHORT_TIME_H_
