// SPDX-License-Identifier: Apache-2.0
// The elements of an array for people and for JSON.
#ifndef WEFT_CONVERTER_CLI_ARRAY_TEXT_H_
#define WEFT_CONVERTER_CLI_ARRAY_TEXT_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "converter/cli/npy.h"

namespace weft::cli {

// As many digits as tell the value from its neighbours.
std::string ElementText(const Array& array, size_t element);

// Whole lines, in brackets by axis. Of long arrays the first and last three along each axis.
std::string ArrayText(const Array& array);

// All of them, row-major. JSON knows no infinity and no NaN: these are "inf", "-inf" and "nan".
nlohmann::ordered_json ElementsJson(const Array& array);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_ARRAY_TEXT_H_
