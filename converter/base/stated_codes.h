// SPDX-License-Identifier: Apache-2.0
// The codes of a quantised tensor, as a .tflite file states them.
#ifndef WEFT_CONVERTER_BASE_STATED_CODES_H_
#define WEFT_CONVERTER_BASE_STATED_CODES_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace weft {

// number = (code - zero) * scale
struct StatedCodes {
  float scale = 0;
  int64_t zero = 0;
};

// By port; nullopt: not quantised.
using PortCodes = std::vector<std::optional<StatedCodes>>;

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_STATED_CODES_H_
