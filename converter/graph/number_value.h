// SPDX-License-Identifier: Apache-2.0
// Parses numbers of the command line ("16000", "1,2,3") into the elements of a tensor.
#ifndef WEFT_CONVERTER_GRAPH_NUMBER_VALUE_H_
#define WEFT_CONVERTER_GRAPH_NUMBER_VALUE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/element_type.h"

namespace weft::graph {

// Returns true for decimal numbers with commas between them, "true" and "false".
bool AreNumbers(std::string_view text);

// Returns the numbers as dense elements of `type`. Returns nullopt, with a reason, if the type
// cannot hold one of them exactly; floats are rounded. The types f16, bf16, i4 and u4 are not
// supported.
std::optional<std::vector<std::byte>> BytesOfNumbers(std::string_view text, ElementType type,
                                                     std::string* reason);

// Returns the count of the numbers.
size_t CountOfNumbers(std::string_view text);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_NUMBER_VALUE_H_
