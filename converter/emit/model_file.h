// SPDX-License-Identifier: Apache-2.0
// Turns a planned Program into the bytes of model.weft: gives every root its place in weights,
// state or scratch, writes the vectors of weft.fbs and the checksum. The result obeys verify.cc;
// Convert proves it on every file before it is written.
#ifndef WEFT_CONVERTER_EMIT_MODEL_FILE_H_
#define WEFT_CONVERTER_EMIT_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "converter/base/faults.h"
#include "converter/program/program.h"

namespace weft::emit {

struct FileOptions {
  bool names = true;  // layer names and the buffers that `weft verify` proves the plan with
  // Bytes of a fast memory that takes the most used part of scratch; the rest becomes a second
  // region.
  std::optional<int64_t> fast_bytes = std::nullopt;
  uint32_t self_test_runs = 0;  // pairs for Engine::SelfTest, recorded by running the file
};

struct ModelFile {
  std::vector<std::byte> bytes;
  int64_t weights_bytes = 0, state_bytes = 0, scratch_bytes = 0;
  int64_t slow_scratch_bytes = 0;   // of the second region
  int64_t scratch_bound_bytes = 0;  // most that is alive at one time
  int64_t self_test_bytes = 0;
};

// Empty bytes when a fault was added (more than 2 GiB in a region, or in the file).
ModelFile WriteModelFile(const plan::Program& program, const FileOptions& options, Faults& faults);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_MODEL_FILE_H_
