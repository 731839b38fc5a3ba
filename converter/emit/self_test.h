// SPDX-License-Identifier: Apache-2.0
// Runs a finished model on this machine and records what it makes of inputs that come from integers
// alone: the pairs that Engine::SelfTest repeats on a board. By the numeric contract every desktop
// records the same bytes.
#ifndef WEFT_CONVERTER_EMIT_SELF_TEST_H_
#define WEFT_CONVERTER_EMIT_SELF_TEST_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/base/faults.h"
#include "runtime/format/listing.h"

namespace weft::emit {

// The bytes of Model::self_test for a file without one: `run_count` runs (1 to kMaxSelfTestRuns)
// from Reset on. Empty, with a fault, where the file does not open or the pairs are too large. A
// loop that these inputs take to its hard maximum is worth a warning: what it gives is recorded.
std::vector<std::byte> RecordSelfTest(std::span<const std::byte> file, uint32_t run_count,
                                      Faults& faults);

// Runs the self test of a file that has one, and adds a fault unless it passes.
void RepeatSelfTest(std::span<const std::byte> file, Faults& faults);

// What targets without fused multiply-add owe: all of it where no step multiplies and adds.
format::ToleranceClass ToleranceOf(const format::Model& model);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_SELF_TEST_H_
