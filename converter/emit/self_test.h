// SPDX-License-Identifier: Apache-2.0
// Runs a model file on this machine and records pairs of inputs and outputs, which Engine::SelfTest
// repeats on a board. Inputs are generated from integers only; by the numeric contract all desktops
// record the same bytes.
#ifndef WEFT_CONVERTER_EMIT_SELF_TEST_H_
#define WEFT_CONVERTER_EMIT_SELF_TEST_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/base/faults.h"
#include "runtime/format/listing.h"

namespace weft::emit {

// Returns the bytes of Model::self_test for a file without a self test: `run_count` runs (1 to
// kMaxSelfTestRuns) after Reset. Returns empty bytes and adds a fault if the file does not open or
// the pairs are too large. Adds a warning if a loop reaches its maximum; its results are recorded.
std::vector<std::byte> RecordSelfTest(std::span<const std::byte> file, uint32_t run_count,
                                      Faults& faults);

// Runs the self test of a file, which must have one, and adds a fault unless it passes.
void RepeatSelfTest(std::span<const std::byte> file, Faults& faults);

// Tolerance on targets without fused multiply-add: exact if no step of the model multiplies and
// adds.
format::ToleranceClass ToleranceOf(const format::Model& model);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_SELF_TEST_H_
