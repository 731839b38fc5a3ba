// SPDX-License-Identifier: Apache-2.0
#include "converter/base/parse_number.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

namespace weft {

std::optional<double> ParseWithStrtod(std::string_view text) {
  // strtod also accepts blanks, a sign "+" and hexadecimal numbers.
  const std::string_view number = text.substr(text.starts_with('-') ? 1 : 0);
  constexpr std::string_view kStarts = "0123456789.iInN";
  if (number.empty() || kStarts.find(number[0]) == std::string_view::npos) return std::nullopt;
  if (number.find_first_of("xX") != std::string_view::npos) return std::nullopt;
  const std::string copy(text);
  char* stop = nullptr;
  errno = 0;
  const double value = std::strtod(copy.c_str(), &stop);
  if (stop != copy.c_str() + copy.size()) return std::nullopt;
  // Subnormal numbers may set the error as well.
  const bool is_outside = errno == ERANGE && (value == 0 || std::isinf(value));
  return is_outside ? std::nullopt : std::optional(value);
}

}  // namespace weft
