// SPDX-License-Identifier: Apache-2.0
// The plan number (runtime/plan_number.h), computed in memory that this function allocates.
#ifndef WEFT_CONVERTER_PLAN_VALUE_NUMBERS_H_
#define WEFT_CONVERTER_PLAN_VALUE_NUMBERS_H_

#include <cstdint>
#include <optional>

#include "runtime/format/weft_generated.h"

namespace weft::plan {

// Requires a model that verify.cc has accepted. Returns nullopt if the computation would take too
// long; never returns 0.
std::optional<uint32_t> NumberOfValues(const format::Model& model);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_VALUE_NUMBERS_H_
