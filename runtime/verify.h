// SPDX-License-Identifier: Apache-2.0
// Every rule of a model file, checked in one pass over its tables without memory of its own; the
// bytes of the self test are checked by SelfTest, as it reads them. After a silent Verify no
// index, offset, count or geometry of the file leads outside the model and the regions it asks for,
// in any iteration of any section, whatever the inputs are. It does not say that the plan is right
// (that nothing alive is overwritten): that is the plan validator's rule. Engine::Open stops at the
// first fault; VerifyAll reports each one, in the order of the tables.
//
// The time is linear in the file: every row is checked once, and the work on a row has a constant
// bound, for a slot has at most kMaxSectionDepth moves, a section at most 510 marks and a step at
// most kMaxOperands operands. What Reset and a search by name do is bounded by rules on the sums:
// variables fill the state at most once, and ports have no more names than the file.
#ifndef WEFT_RUNTIME_VERIFY_H_
#define WEFT_RUNTIME_VERIFY_H_

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// Called with each fault; must not keep the reference.
struct FaultSink {
  void (*report)(void* user, const Fault& fault) = nullptr;
  void* user = nullptr;
};

// The root table and the regions: all that is needed to say how much memory the model wants. Sets
// *root only on success.
Fault VerifyHeader(Bytes model, const format::Model** root);

// All rules but those of the header, which VerifyHeader has accepted. Returns the first fault.
Fault VerifyListing(const format::Model& model, StepTable steps, FaultSink sink = {});

// Both. Where the header is at fault nothing else can be read, and where sections are not nested
// the steps after that point are not checked; everything else is reported, one fault per step at
// most.
Fault VerifyAll(Bytes model, StepTable steps, FaultSink sink);

}  // namespace weft

#endif  // WEFT_RUNTIME_VERIFY_H_
