// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/lookup.h"

#include "runtime/bind/code_range.h"

namespace weft::bind::lookup {

static void Rules(const format::LookupParams&, ParamChecker&) {}

void Run(const format::LookupParams& params, std::byte* const* operands) {
  kernels::Lookup(params.count(), As<const int8_t>(operands[0]), As<const int8_t>(operands[1]),
                  As<int8_t>(operands[2]));
}

}  // namespace weft::bind::lookup

WEFT_BIND_STEP(lookup, Lookup)
