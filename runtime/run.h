// SPDX-License-Identifier: Apache-2.0
// The loop over steps. RunSteps trusts a model that VerifyListing has accepted and regions of the
// size that the model requires; it reads and writes only inside model and regions. Its memory is a
// stack of fixed depth.
#ifndef WEFT_RUNTIME_RUN_H_
#define WEFT_RUNTIME_RUN_H_

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// `regions` holds the first byte of each region; region 0, the weights, is never written. `profile`
// may be null. Fails if a section reaches its hard maximum while its condition still holds.
Fault RunSteps(const format::Model& model, const StepEntry* entries, std::byte* const* regions,
               const Profile* profile);

}  // namespace weft

#endif  // WEFT_RUNTIME_RUN_H_
