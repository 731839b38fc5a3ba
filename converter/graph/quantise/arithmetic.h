// SPDX-License-Identifier: Apache-2.0
// How int8 layers requantise their results.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_ARITHMETIC_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_ARITHMETIC_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::graph {

enum class Arithmetic : uint8_t {
  kAuto,     // kMicro for models that state the exact scales of values, as .tflite files do
  kXnnpack,  // by floats, rounded once: LiteRT's default on desktops, and OpenVINO
  kMicro,    // by integers, rounded twice: tflite-micro and CMSIS-NN
};
inline constexpr std::array<std::string_view, 3> kArithmeticNames = {"auto", "xnnpack", "micro"};

// Returns nullopt if no arithmetic has the name.
constexpr std::optional<Arithmetic> ArithmeticOf(std::string_view name) {
  for (size_t i = 0; i < kArithmeticNames.size(); ++i) {
    if (kArithmeticNames[i] == name) return static_cast<Arithmetic>(i);
  }
  return std::nullopt;
}

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_ARITHMETIC_H_
