// SPDX-License-Identifier: Apache-2.0
// The functions that families.inc lists. Spans refer to static storage.
#ifndef WEFT_CONVERTER_OPS_FAMILIES_H_
#define WEFT_CONVERTER_OPS_FAMILIES_H_

#include <span>

#include "converter/ops/operation.h"

namespace weft::ops {

#define WEFT_FAMILY(Name) std::span<const Operation> Name##Operations();
#include "converter/ops/families.inc"
#undef WEFT_FAMILY

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_FAMILIES_H_
