// SPDX-License-Identifier: Apache-2.0
// Writes a plan as the bytes of model.weft: the vectors of weft.fbs and the checksum. Where
// anything lies is the plan's matter. The result passes verify.cc; Convert proves it on every file
// before it is written.
#ifndef WEFT_CONVERTER_EMIT_MODEL_FILE_H_
#define WEFT_CONVERTER_EMIT_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "converter/base/faults.h"
#include "converter/plan/plan.h"

namespace weft::emit {

// What the file says of the model that it was cut from by --streaming, for people.
struct StreamNote {
  format::Streaming row;
  std::vector<format::StreamedPort> ports;  // the inputs, then the outputs
};

// The end of a file's `generator` where constants of the IR were f16, as ovc makes them of f32.
inline constexpr std::string_view kF16Weights = "; f16 weights";
// Before it, in a file with names and one memory: the bytes that its schedule needs at least.
inline constexpr std::string_view kScratchBound = "; scratch bound ";
// Nullopt where the file says none, or more than it has scratch.
std::optional<int64_t> ScratchBoundOf(const format::Model& model);

struct FileOptions {
  bool names = true;  // layer names and the buffers that `weft verify` proves the plan with
  uint32_t self_test_runs = 0;  // pairs for Engine::SelfTest, recorded by running the file
  bool f16_weights = false;     // the IR had such; the file says so behind its generator's name
  std::optional<StreamNote> stream_note = std::nullopt;
};

struct ModelFile {
  std::vector<std::byte> bytes;
  int64_t self_test_bytes = 0;
};

// Empty bytes when a fault was added (more than 2 GiB in a region, or in the file).
ModelFile WriteModelFile(const plan::Plan& plan, const FileOptions& options, Faults& faults);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_MODEL_FILE_H_
