// SPDX-License-Identifier: Apache-2.0
// Checked conversion of the converter's 64-bit numbers to the file's numbers of 32 bits and less. A
// number that does not fit is an error; it is never truncated. Shape rules reject most such numbers
// earlier, with their own messages; an error here stops the pass, which adds the layer.
#ifndef WEFT_CONVERTER_BASE_NARROW_H_
#define WEFT_CONVERTER_BASE_NARROW_H_

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

// Thrown by Narrow. The innermost caller that knows the layer adds it with SayWhere; the pipeline
// catches the exception and adds a fault.
class TooWide : public std::range_error {
 public:
  explicit TooWide(const std::string& what_is) : std::range_error(what_is) {}
  void SayWhere(const std::string& where) {
    if (where_.empty()) where_ = where;
  }
  // "model.xml:96: layer 12 "rnn" (Loop): rows is 4294967296; must be from 0 to 4294967295".
  std::string Line(std::string_view fallback) const {
    return fmt::format("{}: {}", where_.empty() ? fallback : where_, what());
  }

 private:
  std::string where_;
};

template <std::integral To, std::integral From>
To Narrow(From value, std::string_view what) {
  if (std::in_range<To>(value)) return static_cast<To>(value);
  throw TooWide(fmt::format("{} is {}; must be from {} to {}", what, value,
                            std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
}

// Narrow for uint32_t, the type of most fields of the format.
template <std::integral From>
uint32_t Narrow32(From value, std::string_view what) {
  return Narrow<uint32_t>(value, what);
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_NARROW_H_
