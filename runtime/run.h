// SPDX-License-Identifier: Apache-2.0
// The loop over steps. Run trusts a listing that VerifyListing has accepted and regions as large as
// it asks for; it reads and writes inside model and regions only. Its memory is a stack of fixed
// depth.
#ifndef WEFT_RUNTIME_RUN_H_
#define WEFT_RUNTIME_RUN_H_

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// `regions` holds the first byte of each region; region 0, the weights, is never written. `profile`
// may be null. Fails where a section reaches its hard maximum and wants to go on.
Fault RunSteps(const format::Model& model, const StepEntry* entries, std::byte* const* regions,
               const Profile* profile);

}  // namespace weft

#endif  // WEFT_RUNTIME_RUN_H_
