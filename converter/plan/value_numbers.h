// SPDX-License-Identifier: Apache-2.0
// The number of a plan (runtime/plan_number.h), in memory of its own.
#ifndef WEFT_CONVERTER_PLAN_VALUE_NUMBERS_H_
#define WEFT_CONVERTER_PLAN_VALUE_NUMBERS_H_

#include <cstdint>
#include <optional>

#include "runtime/format/weft_generated.h"

namespace weft::plan {

// Of a model that verify.cc has accepted. Nullopt where it takes too long; never 0.
std::optional<uint32_t> NumberOfValues(const format::Model& model);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_VALUE_NUMBERS_H_
