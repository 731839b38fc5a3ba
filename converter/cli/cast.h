// SPDX-License-Identifier: Apache-2.0
// --cast: converts arrays to the element type of their port. NumPy creates f64 and i64 arrays by
// default.
#ifndef WEFT_CONVERTER_CLI_CAST_H_
#define WEFT_CONVERTER_CLI_CAST_H_

#include <string>

#include "converter/cli/npy.h"

namespace weft::cli {

// Converts the array. Conversion to a floating-point type rounds; conversion to another type must
// keep all values. Otherwise returns false and a reason without the path.
bool Cast(ElementType type, Array& array, std::string* reason);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CAST_H_
