// SPDX-License-Identifier: Apache-2.0
// Variables whose initial value only a run can compute: it is stored at the first read after a
// reset.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_FIRST_READ_H_
#define WEFT_CONVERTER_OPS_SUPPORT_FIRST_READ_H_

#include <string>

namespace weft::ops {

// Returns the name of the flag of a variable. The flag is a variable itself, which a reset clears.
// It records whether the variable has its initial value.
inline std::string FlagOf(const std::string& variable) { return variable + " is set"; }

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_FIRST_READ_H_
