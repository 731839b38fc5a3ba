// SPDX-License-Identifier: Apache-2.0
// Planning must not change results. Every conformance case is lowered once and run with eleven
// plans: all copies executed; copies coalesced; values split into parts before coalescing; outputs
// written over inputs; steps in the order of minimum scratch, found before and after coalescing;
// invariants hoisted out of loops; products hoisted completely and in small chunks; loops of
// stacked layers fused; scratch in two memories.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "converter/pipeline.h"
#include "converter/plan/plan.h"
#include "converter/plan/plan_passes.h"
#include "converter/program/coalesce.h"
#include "converter/program/consistency.h"
#include "converter/program/passes.h"
#include "tests/models/program_outputs.h"
#include "tests/rounds.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> Ordered(program::Program program) {
  plan::OrderSteps(program);
  program::Coalesce(program);
  return Outputs(program);
}

std::vector<std::byte> Split(program::Program program) {
  plan::SplitValues(program);
  EXPECT_EQ(program::InconsistencyIn(program), "");
  program::Coalesce(program);
  return Outputs(program);
}

std::vector<std::byte> Planned(program::Program program, int64_t hoisted_rows) {
  program::HoistInvariants(program);
  program::Hoist(program, hoisted_rows);
  program::Coalesce(program);
  return Outputs(program);
}

TEST(Plan, ChangesNoBitOfAnyModel) {
  int models = 0;
  for (const auto& entry : fs::recursive_directory_iterator(WEFT_FIXTURES_DIR "/cases")) {
    if (entry.path().filename() != "model.xml") continue;
    SCOPED_TRACE(entry.path().parent_path().filename().string());
    Faults faults;
    pipeline::ConvertOptions options;
    options.model = entry.path();
    options.max_iterations = 64;
    std::vector<plan::FusedProgram> fused;
    const std::optional<program::Program> program = pipeline::LowerModel(options, faults, &fused);
    if (!program) continue;  // the conformance tests check refusals
    if (!IsRound(models++)) continue;
    const std::vector<std::byte> naive = Outputs(*program);
    program::Program coalesced = *program;
    program::Coalesce(coalesced);
    EXPECT_EQ(naive, Outputs(coalesced)) << "coalesced";
    EXPECT_EQ(naive, Outputs(coalesced, {}, true)) << "near";
    EXPECT_EQ(naive, Split(*program)) << "split into its parts, then coalesced";
    EXPECT_EQ(naive, Ordered(*program)) << "ordered, then coalesced";
    EXPECT_EQ(naive, Ordered(coalesced)) << "coalesced, then ordered";
    EXPECT_EQ(naive, Planned(*program, 1)) << "invariants hoisted";
    EXPECT_EQ(naive, Planned(*program, INT64_MAX)) << "hoisted whole";
    EXPECT_EQ(naive, Planned(*program, 4)) << "hoisted by chunks";
    for (plan::FusedProgram& each : fused) {
      EXPECT_EQ(naive, Planned(std::move(each.program), each.tile)) << "fused by " << each.tile;
    }
    for (const int64_t fast_bytes : {0, 64, 512}) {
      EXPECT_EQ(naive, Outputs(coalesced, fast_bytes)) << "in two memories";
    }
  }
  EXPECT_GT(models, 500);
}

}  // namespace
}  // namespace weft
