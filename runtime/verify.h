// SPDX-License-Identifier: Apache-2.0
// Checks every rule of a model file in one pass over its tables, without memory of its own;
// SelfTest checks the bytes of the self test while it reads them. If Verify reports no error, no
// index, offset, count or geometry of the file leads outside the model and its regions. This holds
// in any iteration of any section, for any inputs. Verify does not check that the plan is right
// (that no live value is overwritten): the plan validator does. Engine::Open stops at the first
// error; VerifyAll reports all of them, in the order of the tables.
//
// The time is linear in the file: every row is checked once, and the work per row has a constant
// bound. A slot has at most kMaxSectionDepth moves, a section at most 510 marks and a step at most
// kMaxOperands operands. The work of Reset and of a search by name is bounded by rules on the sums:
// the variables together are at most as large as the state, and the ports together have at most as
// many names as the file.
#ifndef WEFT_RUNTIME_VERIFY_H_
#define WEFT_RUNTIME_VERIFY_H_

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// `report` is called with each error and must not keep the reference.
struct FaultSink {
  void (*report)(void* user, const Fault& fault) = nullptr;
  void* user = nullptr;
};

// Checks the root table and the regions: everything needed to report how much memory the model
// needs. Sets *root only on success.
Fault VerifyHeader(Bytes model, const format::Model** root);

// Checks all rules except those of the header, which VerifyHeader has accepted. Returns the first
// error.
Fault VerifyListing(const format::Model& model, StepTable steps, FaultSink sink = {});

// Checks both. After an invalid header nothing else can be read. If sections are not nested
// correctly, the steps after that point are not checked. Everything else is reported, with at most
// one error per step.
Fault VerifyAll(Bytes model, StepTable steps, FaultSink sink);

}  // namespace weft

#endif  // WEFT_RUNTIME_VERIFY_H_
