// SPDX-License-Identifier: Apache-2.0
// Compares a model that processes T steps in one run with its streaming models of N steps per run
// (`weft convert --streaming=N`). T / N runs must be bit-identical to the single run, with the
// inputs of the conformance cases, on every target. If N does not divide T, the steps of complete
// runs are compared; of a delayed output the steps that are available.
//
// streamed.txt lists the models that can be streamed and their numbers of runs, so that none
// disappears unnoticed; it contains no hashes of results.
//
// WEFT_PIN_STREAMED=1 rewrites streamed.txt from the available models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/stored_models.h"
#include "tests/kernels/every_target.h"

namespace weft {
namespace {

// How a port of the full model maps to the port of the streaming model: each run has the next
// `part_bytes` of every row of the full tensor. Steps that do not fill a run are left over. The
// first run of a delayed port begins before the row.
struct Meeting {
  size_t rows = 1, row_bytes = 0, part_bytes = 0, runs = 1;
  bool has_time = false;
  bool exact = true;
  size_t late_bytes = 0;
};

// `late` of each `steps` time steps of a run are delayed.
std::optional<Meeting> Meet(const Tensor& whole, const Tensor& part, size_t late, size_t steps) {
  if (whole.rank != part.rank || whole.type != part.type) return std::nullopt;
  Meeting meeting{1, whole.bytes, part.bytes};
  size_t rows = 1;
  for (uint32_t axis = 0; axis < whole.rank; ++axis) {
    const uint32_t all = whole.dims[axis], some = part.dims[axis];
    if (all != some) {
      if (meeting.has_time || some == 0) return std::nullopt;
      const size_t part_bytes = part.bytes / rows;
      meeting = {rows,
                 whole.bytes / rows,
                 part_bytes,
                 all / some,
                 true,
                 all % some == 0,
                 late * part_bytes / steps};
    }
    rows *= some;
  }
  return meeting;
}

// Copies the part that belongs to a run between the full tensor and the part, clipped to the full
// tensor. Both are contiguous.
void CopyPart(const Meeting& meeting, size_t run, void* whole, void* part, bool to_part) {
  const size_t at = meeting.has_time ? run * meeting.part_bytes : 0;
  const size_t skipped =
      std::min(meeting.late_bytes - std::min(meeting.late_bytes, at), meeting.part_bytes);
  const size_t begin = at + skipped - std::min(meeting.late_bytes, at + skipped);
  if (skipped == meeting.part_bytes || begin >= meeting.row_bytes) return;
  const size_t bytes = std::min(meeting.part_bytes - skipped, meeting.row_bytes - begin);
  for (size_t row = 0; row < meeting.rows; ++row) {
    auto* piece = static_cast<unsigned char*>(part) + row * meeting.part_bytes + skipped;
    auto* position = static_cast<unsigned char*>(whole) + row * meeting.row_bytes + begin;
    std::memcpy(to_part ? piece : position, to_part ? position : piece, bytes);
  }
}

using Ports = std::vector<Buffer>;

Ports RunCompletePanels(Engine engine, const Ports& inputs) {
  engine.Reset();
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    std::memcpy(engine.input(i).data, inputs[i].data(), inputs[i].size());
  }
  EXPECT_TRUE(engine.Run().ok());
  Ports outputs;
  for (uint32_t i = 0; i < engine.output_count(); ++i) {
    const auto* first = engine.output(i).as<unsigned char>();
    outputs.emplace_back(first, first + engine.output(i).bytes);
  }
  return outputs;
}

// The mapping of all ports of two models.
struct Pairing {
  std::vector<Meeting> inputs, outputs;
  size_t runs = 1;
  bool exact = true;
};

bool AddMeeting(const std::optional<Meeting>& meeting, std::vector<Meeting>* to, Pairing* all) {
  if (!meeting) return false;
  to->push_back(*meeting);
  if (!meeting->has_time) return true;
  if (all->runs != 1 && meeting->runs != all->runs) return false;
  all->runs = meeting->runs;
  all->exact = all->exact && meeting->exact;
  return true;
}

// The number of runs follows from the inputs: outputs may be delayed, and end before or after them.
// If no input has steps, or one run reads all of them, it is the model's.
std::optional<Pairing> Pair(const Engine& whole, const Engine& part, const StreamedModel& model,
                            size_t steps) {
  Pairing pairing;
  bool meets =
      whole.input_count() == part.input_count() && whole.output_count() == part.output_count();
  for (uint32_t i = 0; meets && i < whole.input_count(); ++i) {
    meets = AddMeeting(Meet(whole.input(i), part.input(i), 0, steps), &pairing.inputs, &pairing);
  }
  bool has_time = false;
  for (const Meeting& meeting : pairing.inputs) has_time = has_time || meeting.has_time;
  if (!has_time) pairing.runs = model.runs;
  const std::vector<size_t>& latencies = model.latencies;
  meets = meets && latencies.size() == whole.output_count();
  for (uint32_t i = 0; meets && i < whole.output_count(); ++i) {
    const std::optional<Meeting> meeting =
        Meet(whole.output(i), part.output(i), latencies[i], steps);
    meets = meeting.has_value();
    if (!meets) break;
    pairing.outputs.push_back(*meeting);
    if (!has_time) pairing.exact = pairing.exact && meeting->exact;
    // A last value, or one over all steps, is unknown as long as steps are missing.
    if (!meeting->has_time && latencies[i] != 0) pairing.outputs.back().row_bytes = 0;
  }
  return meets ? std::optional(pairing) : std::nullopt;
}

// The concatenated outputs of all runs; for outputs without steps those of the last run. If steps
// are left over, these and the last values are unknown and are copied from `expected`.
Ports RunParts(Engine engine, const Pairing& pairing, Ports inputs, const Ports& expected) {
  engine.Reset();
  Ports outputs = expected;
  for (size_t run = 0; run < pairing.runs; ++run) {
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      CopyPart(pairing.inputs[i], run, inputs[i].data(), engine.input(i).data, /*to_part=*/true);
    }
    EXPECT_TRUE(engine.Run().ok());
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      const Meeting& meeting = pairing.outputs[i];
      if (!meeting.has_time && !pairing.exact) continue;
      CopyPart(meeting, run, outputs[i].data(), engine.output(i).data, /*to_part=*/false);
    }
  }
  return outputs;
}

const char* const kPinned = WEFT_SOURCE_DIR "/tests/device/streamed.txt";

std::map<std::string, size_t> PinnedStreams() {
  std::map<std::string, size_t> pinned;
  std::ifstream stream(kPinned);
  std::string name;
  size_t runs = 0;
  while (stream >> name >> runs) pinned[name] = runs;
  return pinned;
}

// Returns the number of runs; compares the bits.
size_t Compare(const std::string& name, const StreamedModel& model) {
  const std::string of_case = name.substr(0, name.rfind('.'));
  const auto whole_file = ReadModelFile(ModelPath(of_case)),
             part_file = ReadModelFile(StreamedPath(name));
  const Stream whole(*whole_file), part(*part_file);
  const auto steps = static_cast<size_t>(name.back() - '0');
  const std::optional<Pairing> pairing = Pair(whole.engine, part.engine, model, steps);
  EXPECT_TRUE(pairing.has_value()) << "its ports do not match those of the full model";
  if (!pairing) return 0;
  std::vector<StoredArray> arrays = ReadArrays(of_case);
  arrays.resize(whole.engine.input_count());
  Ports inputs;
  for (uint32_t i = 0; i < whole.engine.input_count(); ++i) {
    const size_t bytes = whole.engine.input(i).bytes;
    Buffer all = std::move(arrays[i].elements);
    // Cases with variables hold the inputs of several calls, one after another.
    EXPECT_TRUE(bytes != 0 && !all.empty() && all.size() % bytes == 0) << "input " << i;
    all.resize(bytes);
    inputs.push_back(std::move(all));
  }
  const Ports expected = RunCompletePanels(whole.engine, inputs);
  for (const char* when : {"after opening", "after a reset"}) {
    const Ports actual = RunParts(part.engine, *pairing, inputs, expected);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(expected[i], actual[i]) << "output " << i << " " << when;
    }
  }
  return pairing->runs;
}

TEST(Streaming, GivesTheBitsOfTheWholeSequence) {
  const std::map<std::string, StreamedModel> models = StreamedModels();
  if (std::getenv("WEFT_PIN_STREAMED") != nullptr) {
    std::ofstream stream(kPinned);
    for (const auto& [name, model] : models) stream << name << ' ' << Compare(name, model) << '\n';
    GTEST_SKIP() << "streamed.txt was written, nothing was compared";
  }
  const std::map<std::string, size_t> pinned = PinnedStreams();
  ASSERT_FALSE(pinned.empty()) << kPinned;
  for (const auto& [name, runs] : pinned) {
    EXPECT_TRUE(models.contains(name)) << name << " can no longer be streamed";
  }
  kernels::ForEachTarget([&](const char* target) {
    for (const auto& [name, model] : models) {
      SCOPED_TRACE(name);
      const size_t runs = Compare(name, model);
      const auto found = pinned.find(name);
      EXPECT_EQ(runs, found == pinned.end() ? 0 : found->second) << "runs; 0 has no line";
    }
    std::printf("%s: %d streamed models\n", target, static_cast<int>(models.size()));
  });
}

}  // namespace
}  // namespace weft
