// SPDX-License-Identifier: Apache-2.0
// Weights of a dense product as integers of 4 bits in groups of inputs, each with a scale and a
// zero for each output: those that they were made of, where a file has compressed them, or the
// nearest.
#ifndef WEFT_CONVERTER_PROGRAM_GROUP_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_GROUP_WEIGHTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

// Groups that a call may ask for: the 32 of "i4:32".
inline constexpr std::string_view kGroupTypes[] = {"i4:32", "i4:64", "i4:128"};
std::optional<uint32_t> GroupNamed(std::string_view name);

// Layouts as kernels::DenseI4 reads them.
struct GroupWeights {
  uint32_t group_blocks = 0;
  std::vector<uint8_t> packed;
  std::vector<float> scales;
  bool has_half_scales = false;  // they are halves
  std::vector<uint8_t> zeros;    // empty: 8 each
  std::vector<float> numbers;    // what the integers stand for, laid out like the floats before
};
// `panels` as kernels::PackDense lays them out, all finite; `group` is a multiple of
// kernels::kInputBlock. The greatest magnitude of an output's weights of a group becomes 7, each
// weight the nearest multiple. Scales are halves, unless floats lose noticeably less.
GroupWeights QuantizeGroups(std::span<const float> panels, uint32_t inputs, uint32_t outputs,
                            uint32_t group);
// Without rounding: all inputs in one group, or in groups of 128, 64 or 32. Nullopt where some
// weights are no multiples of a scale of a range of 16.
std::optional<GroupWeights> RecoverGroups(std::span<const float> panels, uint32_t inputs,
                                          uint32_t outputs);

// The parameters of the same product in such integers, and the value that it scratches in.
format::DenseI4Params InGroups(const format::DenseParams& params, uint32_t group_blocks,
                               ElementType scales);
Value ScratchOf(const format::DenseI4Params& params);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_GROUP_WEIGHTS_H_
