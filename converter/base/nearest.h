// SPDX-License-Identifier: Apache-2.0
// The name that a mistyped word most likely means.
#ifndef WEFT_CONVERTER_BASE_NEAREST_H_
#define WEFT_CONVERTER_BASE_NEAREST_H_

#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Empty where none is near: one letter in three may be wrong, and what is cut off at the end costs
// nothing. Upper and lower case are one.
std::string Nearest(std::string_view word, const std::vector<std::string>& names);

// For messages: `did you mean "shape"? `, or nothing.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& names);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_NEAREST_H_
