// SPDX-License-Identifier: Apache-2.0
// Parses numbers independently of the locale.
#ifndef WEFT_CONVERTER_BASE_PARSE_NUMBER_H_
#define WEFT_CONVERTER_BASE_PARSE_NUMBER_H_

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace weft {

// Returns nullopt unless the complete text is a number of this type, without a sign "+".
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_PARSE_NUMBER_H_
