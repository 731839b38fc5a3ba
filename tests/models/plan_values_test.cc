// SPDX-License-Identifier: Apache-2.0
// The plan hash depends only on the program: it is independent of removed copies, shared memory and
// the order of steps, and equals the hash of the plan that executes every copy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/emit/model_file.h"
#include "converter/pipeline.h"
#include "converter/plan/plan.h"
#include "converter/plan/plan_passes.h"
#include "converter/plan/value_numbers.h"
#include "converter/program/coalesce.h"
#include "runtime/format/weft_generated.h"
#include "tests/models/every_case.h"
#include "tests/rounds.h"

namespace weft {
namespace {

std::vector<std::byte> FileOf(const program::Program& program, bool allows_overlap = false) {
  Faults faults;
  emit::ModelFile file =
      emit::WriteModelFile(plan::PlanAsIs(program, {}, allows_overlap), {}, faults);
  EXPECT_TRUE(faults.ok());
  return std::move(file.bytes);
}

std::optional<uint32_t> ValuesOf(const std::vector<std::byte>& file) {
  AlignedBytes model(file.size());
  std::memcpy(model.data(), file.data(), file.size());
  return plan::NumberOfValues(*format::GetModel(model.data()));
}

// Returns true if values have a run-time length. The bytes after the actual length depend on the
// plan.
bool HasLengths(const program::Program& program) {
  const auto decides = [](const program::Section& section) {
    return section.trip != program::kNone || section.body_condition != program::kNone;
  };
  return std::ranges::any_of(program.sections, decides);
}

// Expects equal hashes of the program and of its plans.
void ExpectOneNumber(const program::Program& program) {
  const std::optional<uint32_t> naive = ValuesOf(FileOf(program));
  EXPECT_TRUE(naive.has_value());
  program::Program coalesced = program;
  program::Coalesce(coalesced);
  EXPECT_EQ(naive, ValuesOf(FileOf(coalesced))) << "coalesced";
  EXPECT_EQ(naive, ValuesOf(FileOf(coalesced, true))) << "near";
  program::Program ordered = program;
  plan::OrderSteps(ordered);
  program::Coalesce(ordered);
  EXPECT_EQ(naive, ValuesOf(FileOf(ordered))) << "ordered";
}

struct CaseCounts {
  int cases = 0, models = 0, with_lengths = 0;
};

// Checks each case that can be lowered with these options.
CaseCounts CheckCases(std::optional<int64_t> streaming_steps) {
  CaseCounts counts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(FolderOfCases())) {
    if (entry.path().filename() != "model.xml" || !IsRound(counts.cases++)) continue;
    SCOPED_TRACE(entry.path().parent_path().filename().string());
    Faults faults;
    pipeline::ConvertOptions options;
    options.model = entry.path();
    options.max_iterations = 64;
    options.streaming_steps = streaming_steps;
    const std::optional<program::Program> program = pipeline::LowerModel(options, faults);
    if (!program) continue;
    ++counts.models;
    if (HasLengths(*program)) {
      ++counts.with_lengths;
    } else {
      ExpectOneNumber(*program);
    }
  }
  return counts;
}

TEST(PlanValues, AreThoseOfTheProgramWhereverTheyLie) {
  const CaseCounts counts = CheckCases({});
  EXPECT_GT(counts.models, Rounds(2000));
  EXPECT_LT(counts.with_lengths, counts.models / 4);
}

TEST(PlanValues, OfStreamsAreThoseOfTheProgram) {
  const CaseCounts counts = CheckCases(1);
  EXPECT_GT(counts.models, Rounds(200));
  EXPECT_LT(counts.with_lengths, counts.models / 4);
}

}  // namespace
}  // namespace weft
