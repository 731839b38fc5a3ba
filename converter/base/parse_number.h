// SPDX-License-Identifier: Apache-2.0
// Parses numbers independently of the locale.
#ifndef WEFT_CONVERTER_BASE_PARSE_NUMBER_H_
#define WEFT_CONVERTER_BASE_PARSE_NUMBER_H_

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace weft {

// libc++ before version 20 has no std::from_chars for floats.
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
inline constexpr bool kHasFloatFromChars = false;
#else
inline constexpr bool kHasFloatFromChars = true;
#endif

// ParseNumber<double> for such a library. Requires the C locale.
std::optional<double> ParseWithStrtod(std::string_view text);

// Returns nullopt unless the complete text is a number of this type, without a sign "+".
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  if constexpr (std::is_same_v<Number, double> && !kHasFloatFromChars) {
    return ParseWithStrtod(text);
  } else {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
  }
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_PARSE_NUMBER_H_
