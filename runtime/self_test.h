// SPDX-License-Identifier: Apache-2.0
// When an output's element passes for the expected one. Engine::SelfTest asks with the file's class
// on targets without fused multiply-add, and with `exact` on all others.
#ifndef WEFT_RUNTIME_SELF_TEST_H_
#define WEFT_RUNTIME_SELF_TEST_H_

#include <cstdint>

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// True where `bits` is a NaN of the type; the sign and payload of one are left open everywhere.
bool IsNan(Type type, uint64_t bits);

// `exact`: equal bits, or two NaNs. `rounded`: f32 and f64 within 2^-16 * (1 + |expected|), f16 and
// bf16 at most one number apart, everything else as in `exact`.
bool Passes(Type type, format::ToleranceClass tolerance, uint64_t expected, uint64_t actual);

}  // namespace weft

#endif  // WEFT_RUNTIME_SELF_TEST_H_
