// SPDX-License-Identifier: Apache-2.0
// The comparison of an output's element with the expected one. Engine::SelfTest uses the file's
// tolerance class on targets without fused multiply-add, and `exact` on all others.
#ifndef WEFT_RUNTIME_SELF_TEST_H_
#define WEFT_RUNTIME_SELF_TEST_H_

#include <cstdint>

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// Returns true if `bits` is a NaN of the type, with any sign and payload.
bool IsNan(Type type, uint64_t bits);

// `exact`: equal bits, or two NaNs. `rounded`: f32 and f64 within 2^-16 * (1 + |expected|), f16 and
// bf16 equal or adjacent numbers, all other types as for `exact`.
bool Passes(Type type, format::ToleranceClass tolerance, uint64_t expected, uint64_t actual);

}  // namespace weft

#endif  // WEFT_RUNTIME_SELF_TEST_H_
