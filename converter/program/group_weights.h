// SPDX-License-Identifier: Apache-2.0
// Weights of a dense product as 4-bit integers in groups of inputs. Each output of a group has a
// scale and a zero point. The integers are the original integers if the file has compressed
// weights, otherwise the nearest ones.
#ifndef WEFT_CONVERTER_PROGRAM_GROUP_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_GROUP_WEIGHTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "converter/base/quantisation.h"
#include "converter/program/encoded_weights.h"
#include "converter/program/program.h"

namespace weft::program {

// Rounds weights to groups. `panels` is laid out by kernels::PackDense and must be finite; `group`
// is a multiple of kernels::kInputBlock. In each group the largest magnitude of an output's weights
// becomes 7, and each weight the nearest multiple of the scale. Scales are f16, unless f32 scales
// have noticeably smaller errors.
EncodedWeights QuantizeGroups(std::span<const float> panels, uint32_t inputs, uint32_t outputs,
                              uint32_t group);
// Returns quantised weights unchanged: all inputs in one group, or in groups of 128, 64 or 32.
// Returns nullopt if the weights of an output in a group have different scales or span more than 16
// codes, or if there is no quantisation.
std::optional<EncodedWeights> KeptGroups(const CodedFloats& panels, uint32_t inputs,
                                         uint32_t outputs);

// Returns the parameters of the same product with 4-bit weights, and its scratch value.
format::DenseI4Params InGroups(const format::DenseParams& params, uint32_t group_blocks,
                               ElementType scales);
TensorType ScratchOf(const format::DenseI4Params& params);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_GROUP_WEIGHTS_H_
