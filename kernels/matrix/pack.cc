// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/pack.h"

namespace weft::kernels {
namespace {

// One panel: outputs [first, first + 16), of which those from `outputs` on are zero.
void PackPanel(const float* weights, size_t output_stride, size_t input_stride, uint32_t outputs,
               uint32_t first, size_t inputs, float* packed) {
  for (size_t k = 0; k < inputs; ++k) {
    for (uint32_t lane = 0; lane < kPanelOutputs; ++lane) {
      const bool is_real = lane < outputs - first;
      const size_t output = size_t{first} + lane;
      *packed++ = is_real ? weights[output * output_stride + k * input_stride] : 0.0f;
    }
  }
}

template <typename T>
void PackChannels(const T* weights, uint32_t channels, size_t taps, T* packed) {
  const size_t padded = PanelCount(channels) * kPanelOutputs;
  for (size_t tap = 0; tap < taps; ++tap) {
    for (size_t c = 0; c < padded; ++c) *packed++ = c < channels ? weights[c * taps + tap] : T{0};
  }
}

}  // namespace

void PackDense(const float* weights, size_t output_stride, size_t input_stride, uint32_t outputs,
               uint32_t inputs, float* packed) {
  for (size_t panel = 0; panel < PanelCount(outputs); ++panel) {
    const uint32_t first = static_cast<uint32_t>(panel) * kPanelOutputs;
    PackPanel(weights, output_stride, input_stride, outputs, first, inputs, packed);
    packed += size_t{kPanelOutputs} * inputs;
  }
}

void PackDenseI8(const int8_t* weights, uint32_t outputs, uint32_t inputs, int8_t* packed) {
  const auto padded = static_cast<size_t>(PaddedInputs(inputs));
  for (size_t first = 0; first < outputs; first += kPanelOutputs) {
    const size_t end = first + PanelWidth(outputs - first);
    for (size_t block = 0; block < padded; block += kInputBlock) {
      for (size_t output = first; output < end; ++output) {
        for (size_t input = block; input < block + kInputBlock; ++input) {
          const bool is_real = output < outputs && input < inputs;
          *packed++ = is_real ? weights[output * inputs + input] : int8_t{0};
        }
      }
    }
  }
}

void PackDenseU4(const uint8_t* weights, uint32_t outputs, uint32_t inputs, uint8_t* packed) {
  constexpr size_t kHalf = kPanelOutputs / 2;
  const auto padded = static_cast<size_t>(PaddedInputs(inputs));
  const size_t padded_outputs = PanelCount(outputs) * kPanelOutputs;
  const auto at = [&](size_t output, size_t input) {
    const bool is_real = output < outputs && input < inputs;
    return is_real ? uint32_t{weights[output * inputs + input]} : 0u;
  };
  for (size_t first = 0; first < padded_outputs; first += kPanelOutputs) {
    for (size_t block = 0; block < padded; block += kInputBlock) {
      for (size_t output = first; output < first + kHalf; ++output) {
        for (size_t input = block; input < block + kInputBlock; ++input) {
          *packed++ = static_cast<uint8_t>(at(output, input) | at(output + kHalf, input) << 4);
        }
      }
    }
  }
}

void PackConv(const float* weights, uint32_t groups, uint32_t out_channels, uint32_t in_channels,
              uint32_t kernel_height, uint32_t kernel_width, float* packed) {
  const size_t taps = size_t{kernel_height} * kernel_width;
  const size_t inputs = in_channels * taps;
  for (uint32_t group = 0; group < groups; ++group) {
    for (size_t panel = 0; panel < PanelCount(out_channels); ++panel) {
      const uint32_t first = static_cast<uint32_t>(panel) * kPanelOutputs;
      for (size_t tap = 0; tap < taps; ++tap) {
        PackPanel(weights + tap, inputs, taps, out_channels, first, in_channels, packed);
        packed += size_t{kPanelOutputs} * in_channels;
      }
    }
    weights += out_channels * inputs;
  }
}

void PackDepthwise(const float* weights, uint32_t channels, uint32_t kernel_height,
                   uint32_t kernel_width, float* packed) {
  PackChannels(weights, channels, size_t{kernel_height} * kernel_width, packed);
}

void PackDepthwiseI8(const int8_t* weights, uint32_t channels, uint32_t kernel_height,
                     uint32_t kernel_width, int8_t* packed) {
  PackChannels(weights, channels, size_t{kernel_height} * kernel_width, packed);
}

}  // namespace weft::kernels
