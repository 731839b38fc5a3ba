// SPDX-License-Identifier: Apache-2.0
// The converter counts in 64 bits, the file in 32 and fewer. This is the one way from there to
// here: a number that does not fit is refused and never cut. Shape rules refuse with a message of
// their own what a user can write; what still arrives here stops the pass, which names the layer.
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

// Thrown by Narrow. The first caller that knows the place adds it; the pass that began the work
// makes a fault of it.
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

// Most fields of the format.
template <std::integral From>
uint32_t Narrow32(From value, std::string_view what) {
  return Narrow<uint32_t>(value, what);
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_NARROW_H_
