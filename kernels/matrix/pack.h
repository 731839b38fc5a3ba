// SPDX-License-Identifier: Apache-2.0
// Lays weights out for dense and conv: panels of 16 outputs, inputs outermost within a panel,
// outputs after the last padded with zeros. Every step along the sum then reads 64 contiguous bytes
// (32 for f16), so one layout serves every vector width, and no kernel has a tail in its weights.
// Pure functions on pointers, for the converter; the runtime never repacks. Sizes are in floats;
// the caller checks them against overflow and allocates.
#ifndef WEFT_KERNELS_MATRIX_PACK_H_
#define WEFT_KERNELS_MATRIX_PACK_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

inline constexpr uint32_t kPanelOutputs = 16;

// Number of panels for `outputs` outputs.
constexpr size_t PanelCount(uint32_t outputs) {
  return outputs / kPanelOutputs + (outputs % kPanelOutputs != 0);
}

// Layout [panel][input][16]. Weights that have scales (Scaled8): f32 scales [panel][16], then the
// codes in the layout of the floats.
constexpr size_t PackedDenseFloats(uint32_t outputs, uint32_t inputs) {
  return PanelCount(outputs) * kPanelOutputs * inputs;
}

// Weight (n, k) is read at weights[n * output_stride + k * input_stride], so that either
// orientation packs without a transpose: a row-major [outputs, inputs] has strides (inputs, 1).
void PackDense(const float* weights, size_t output_stride, size_t input_stride, uint32_t outputs,
               uint32_t inputs, float* packed);

// Layout of integer weights: [panel][block of 16 inputs][width outputs][16 inputs], zeros after the
// last input. One layout serves every instruction that multiplies and adds neighbours. All panels
// are 16 outputs wide, except a last one of at most 8 outputs, which is 4 or 8 wide.
inline constexpr uint32_t kInputBlock = 16;
constexpr uint64_t PaddedInputs(uint32_t inputs) {
  return (uint64_t{inputs} + kInputBlock - 1) / kInputBlock * kInputBlock;
}
// The width of a panel that begins `outputs` outputs before the end.
constexpr size_t PanelWidth(size_t outputs) {
  return outputs > kPanelOutputs / 2   ? kPanelOutputs
         : outputs > kPanelOutputs / 4 ? kPanelOutputs / 2
                                       : kPanelOutputs / 4;
}
// The sum of the widths of all panels.
constexpr uint64_t PaddedOutputsI8(uint32_t outputs) {
  const uint32_t rest = outputs % kPanelOutputs;
  return uint64_t{outputs} - rest + (rest == 0 ? 0 : PanelWidth(rest));
}
constexpr size_t PackedDenseI8Bytes(uint32_t outputs, uint32_t inputs) {
  return static_cast<size_t>(PaddedOutputsI8(outputs) * PaddedInputs(inputs));
}
// Index of a weight among the packed ones.
constexpr size_t PositionInI8(uint32_t outputs, uint32_t inputs, size_t output, size_t input) {
  const auto padded = static_cast<size_t>(PaddedInputs(inputs));
  const size_t lane = output % kPanelOutputs, first = output - lane;
  const size_t line = input / kInputBlock * PanelWidth(outputs - first) + lane;
  return first * padded + line * kInputBlock + input % kInputBlock;
}
// `weights` are [outputs][inputs].
void PackDenseI8(const int8_t* weights, uint32_t outputs, uint32_t inputs, int8_t* packed);

// Layout of integers from 0 to 15: [panel][block of 16 inputs][8 outputs][16 inputs], two to a
// byte. Output n of the panel is in the low nibble and n + 8 in the high one, so unpacking a
// block gives a block of 16 outputs of PackDenseI8. No permutation is needed.
constexpr size_t PackedDenseU4Bytes(uint32_t outputs, uint32_t inputs) {
  return PanelCount(outputs) * kPanelOutputs * static_cast<size_t>(PaddedInputs(inputs)) / 2;
}
// `weights` are [outputs][inputs], one to a byte.
void PackDenseU4(const uint8_t* weights, uint32_t outputs, uint32_t inputs, uint8_t* packed);

// Layout [group][panel][ky][kx][in_channel][16]; channels are per group.
constexpr size_t PackedConvFloats(uint32_t groups, uint32_t out_channels, uint32_t in_channels,
                                  uint32_t kernel_height, uint32_t kernel_width) {
  return size_t{groups} * PanelCount(out_channels) * kPanelOutputs * in_channels * kernel_height *
         kernel_width;
}

// `weights` are contiguous [group][out_channel][in_channel][ky][kx], as the IR has them.
void PackConv(const float* weights, uint32_t groups, uint32_t out_channels, uint32_t in_channels,
              uint32_t kernel_height, uint32_t kernel_width, float* packed);

// Layout [ky][kx][channel], channels padded to complete panels with zeros.
constexpr size_t PackedDepthwiseFloats(uint32_t channels, uint32_t kernel_height,
                                       uint32_t kernel_width) {
  return PanelCount(channels) * kPanelOutputs * kernel_height * kernel_width;
}

// `weights` are contiguous [channel][ky][kx], as the IR has them.
void PackDepthwise(const float* weights, uint32_t channels, uint32_t kernel_height,
                   uint32_t kernel_width, float* packed);

// The same for int8.
void PackDepthwiseI8(const int8_t* weights, uint32_t channels, uint32_t kernel_height,
                     uint32_t kernel_width, int8_t* packed);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_PACK_H_
