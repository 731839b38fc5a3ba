// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "converter/ops/support/loop.h"
#include "converter/plan/loops/loop_passes.h"
#include "tests/converter/plan/elementwise.h"
#include "tests/converter/program_runner.h"

namespace weft::plan {
namespace {

constexpr int64_t kChunks = 5;
const TensorType kChunk = {ElementType::f32, {1, 3}};

// Gathers the negatives of x [5, 3]; the output is the first or the last chunk.
struct Gathered {
  program::Program program;
  program::Builder builder{program};

  explicit Gathered(bool backward, int64_t read, int64_t read_chunks = 1) {
    const program::ValueId x = builder.Scratch({ElementType::f32, {kChunks, 3}});
    program.inputs.push_back({x, {"x"}});
    ops::LoopSpec spec;
    spec.trips = kChunks;
    spec.sliced.push_back({x, 0, 1, backward});
    spec.scans.push_back({0, 0, backward, {ElementType::f32, {kChunks, 3}}});
    const program::ValueId all =
        ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
          return std::vector<program::ValueId>{
              Unary(builder, format::UnaryOp::negative, iteration.slices[0])};
        }).scans[0];
    // A view of a view.
    const program::ValueId flat = builder.View(all, 0, {ElementType::f32, {3 * kChunks}});
    program.outputs.push_back(
        {builder.View(flat, 12 * read, {ElementType::f32, {3 * read_chunks}}), {"y"}});
  }

  bool IsGathered() {
    program::Program copy = program;
    KeepLastChunks(copy);
    return !copy.sections[0].loop->scans.empty();
  }
  std::vector<float> Run() {
    std::vector<float> x;
    for (int i = 0; i < 3 * kChunks; ++i) x.push_back(static_cast<float>(i));
    return RunFloats(program, {x}).at(0);
  }
};

TEST(LastChunks, AreAllThatIsKeptWhereNothingElseIsRead) {
  Gathered forward(false, kChunks - 1), backward(true, 0);
  EXPECT_FALSE(forward.IsGathered());
  EXPECT_EQ(forward.Run(), (std::vector<float>{-12, -13, -14}));
  EXPECT_FALSE(backward.IsGathered());
  EXPECT_EQ(backward.Run(), (std::vector<float>{0, -1, -2}));
}

TEST(LastChunks, AreNotEnoughForOthers) {
  Gathered first(false, 0), end(true, kChunks - 1), two(false, kChunks - 2, 2);
  EXPECT_TRUE(first.IsGathered());
  EXPECT_EQ(first.Run(), (std::vector<float>{0, -1, -2}));
  EXPECT_TRUE(end.IsGathered());
  EXPECT_EQ(end.Run(), (std::vector<float>{-12, -13, -14}));
  EXPECT_TRUE(two.IsGathered());
  EXPECT_EQ(two.Run(), (std::vector<float>{-9, -10, -11, -12, -13, -14}));
}

TEST(LastChunks, OfWhatNothingReadsAreNone) {
  Gathered gathered(false, 0);
  gathered.program.outputs.clear();
  EXPECT_FALSE(gathered.IsGathered());
  KeepLastChunks(gathered.program);
  EXPECT_TRUE(gathered.program.sections[0].loop->lasts.empty());
}

}  // namespace
}  // namespace weft::plan
