// SPDX-License-Identifier: Apache-2.0
// The elements of an array as text and as JSON.
#ifndef WEFT_CONVERTER_CLI_ARRAY_TEXT_H_
#define WEFT_CONVERTER_CLI_ARRAY_TEXT_H_

#include <cstddef>
#include <string>

#include "converter/base/json.h"
#include "converter/cli/npy.h"

namespace weft::cli {

// Returns the shortest decimal text that identifies the element.
std::string ElementText(const Array& array, size_t element);

// Returns lines with brackets for each axis. Long arrays show only the first and last three
// elements along each axis.
std::string ArrayText(const Array& array);

// Returns all elements, row-major. JSON has no infinity and no NaN; they are "inf", "-inf" and
// "nan".
Json ElementsJson(const Array& array);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_ARRAY_TEXT_H_
