// SPDX-License-Identifier: Apache-2.0
// --cast: arrays whose element type is not that of their port. NumPy makes f64 and i64 of numbers
// that say nothing else.
#ifndef WEFT_CONVERTER_CLI_CAST_H_
#define WEFT_CONVERTER_CLI_CAST_H_

#include <string>

#include "converter/cli/npy.h"

namespace weft::cli {

// Into a floating type values are rounded; into any other they must stay what they are: false and a
// reason without the path where one would not.
bool Cast(ElementType type, Array& array, std::string* reason);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CAST_H_
