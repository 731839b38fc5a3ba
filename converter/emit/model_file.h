// SPDX-License-Identifier: Apache-2.0
// Writes a plan as the bytes of model.weft: the vectors of weft.fbs and the checksum. The plan
// determines all addresses. The result passes verify.cc; the pipeline checks this for every file.
#ifndef WEFT_CONVERTER_EMIT_MODEL_FILE_H_
#define WEFT_CONVERTER_EMIT_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "converter/base/faults.h"
#include "converter/plan/plan.h"

namespace weft::emit {

// Suffix of a file's `generator` if the IR had f16 constants, as ovc writes them.
inline constexpr std::string_view kF16Weights = "; f16 weights";
// In a file with names and one scratch region, precedes that suffix and the lower bound of scratch
// bytes for the file's schedule.
inline constexpr std::string_view kScratchBound = "; scratch bound ";
// Returns nullopt if the file has no bound, or a bound that exceeds its scratch.
std::optional<int64_t> ScratchBoundOf(const format::Model& model);

struct FileOptions {
  bool names = true;  // layer names, and the buffer table with which `weft verify` checks the plan
  uint32_t self_test_runs = 0;  // for Engine::SelfTest; recorded by running the file
  bool f16_weights = false;     // the IR had f16 weights; adds kF16Weights
  bool checksum = true;         // false for a file that runs at once
  // Facts about the full model that --streaming converted, for desktop tools: one row, and a row of
  // each input, then of each output.
  std::vector<format::Streaming> streaming = {};
  std::vector<format::StreamedPort> streamed_ports = {};
  std::vector<format::StreamPart> stream_parts = {};  // by variable, of --streams
};

struct ModelFile {
  std::vector<std::byte> bytes;
  int64_t self_test_bytes = 0;
};

// Returns empty bytes if a fault was added (more than 2 GiB in a region, or in the file).
ModelFile WriteModelFile(const plan::Plan& plan, const FileOptions& options, Faults& faults);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_MODEL_FILE_H_
