// SPDX-License-Identifier: Apache-2.0
// The options of a custom operator: a FlexBuffers map.
#ifndef WEFT_CONVERTER_TFLITE_CUSTOM_OPTIONS_H_
#define WEFT_CONVERTER_TFLITE_CUSTOM_OPTIONS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "converter/tflite/builder.h"

namespace weft::tflite {

using OptionKeys = std::initializer_list<const char*>;

// Returns true if the operator has a valid map with this key.
bool HasOption(const Builder& b, const char* key);
// The integers and booleans with these keys; nullopt after a fault.
std::optional<std::vector<int64_t>> IntegerOptions(Builder& b, OptionKeys keys);
// The integers and floats with these keys; nullopt after a fault.
std::optional<std::vector<float>> FloatOptions(Builder& b, OptionKeys keys);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_CUSTOM_OPTIONS_H_
