// SPDX-License-Identifier: Apache-2.0
// Finds the most likely name for a mistyped word.
#ifndef WEFT_CONVERTER_BASE_NEAREST_H_
#define WEFT_CONVERTER_BASE_NEAREST_H_

#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Returns the most similar name, or an empty text if none is similar enough. One letter in three
// may be wrong; letters missing at the end do not count. Case is ignored.
std::string Nearest(std::string_view word, const std::vector<std::string>& names);

// Returns `did you mean "shape"? ` for messages, or an empty text.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& names);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_NEAREST_H_
