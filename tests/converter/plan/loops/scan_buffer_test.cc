// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/scan_buffer.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/converter/types.h"

namespace weft::plan {
namespace {

struct Sliced {
  program::Program program;
  program::Builder builder{program};
  program::SectionId section = builder.NewSection();
  program::ValueId whole, chunk;

  Sliced(Dims whole_dims, Dims chunk_dims, program::Loop::Sliced input, int64_t trips)
      : whole(builder.Scratch(F32(std::move(whole_dims)))),
        chunk(builder.Scratch(F32(std::move(chunk_dims)))) {
    input.whole = whole;
    input.chunk = chunk;
    BindSlice(builder, input, trips, section);
  }
  size_t steps() const { return program.blocks[program.main].items.size(); }
};

TEST(BindSlice, OfTheFirstAxisMovesAlongTheWhole) {
  const Sliced rows({7, 5}, {2, 5}, {.axis = 0, .part = 2, .begin = 1}, 3);
  EXPECT_EQ(Resolve(rows.program, rows.chunk),
            (program::Location{rows.whole, 20, {{rows.section, 40}}}));
  EXPECT_EQ(rows.steps(), 0u);
}

TEST(BindSlice, BackwardBeginsAtTheLastChunk) {
  const Sliced rows({7, 5}, {2, 5}, {.axis = 0, .part = 2, .begin = 1, .backward = true}, 3);
  EXPECT_EQ(Resolve(rows.program, rows.chunk),
            (program::Location{rows.whole, 20 + 2 * 40, {{rows.section, -40}}}));
}

TEST(BindSlice, PastAxesOfOneElementCostsNothing) {
  const Sliced rows({1, 7, 5}, {1, 1, 5}, {.axis = 1}, 7);
  EXPECT_EQ(Resolve(rows.program, rows.chunk),
            (program::Location{rows.whole, 0, {{rows.section, 20}}}));
  EXPECT_EQ(rows.steps(), 0u);
}

TEST(BindSlice, OfAnInnerAxisIsTransposedOnce) {
  const Sliced columns({2, 7, 5}, {2, 1, 5}, {.axis = 1}, 7);
  ASSERT_EQ(columns.steps(), 1u);
  const auto& step = std::get<program::Step>(columns.program.blocks[columns.program.main].items[0]);
  EXPECT_EQ(step.reason, format::Reason::slice_axis);
  EXPECT_EQ(step.inputs, std::vector{columns.whole});
  const program::Location location = Resolve(columns.program, columns.chunk);
  EXPECT_EQ(location, (program::Location{step.outputs[0], 0, {{columns.section, 40}}}));
}

TEST(ScanBuffer, KeepsGuardsBeforeTheFirstChunk) {
  program::Program program;
  program::Builder builder(program);
  const program::SectionId section = builder.NewSection();
  program::Loop::Scan scan;
  scan.whole = builder.Scratch(F32({3, 5}));
  const ScanBuffer scan_buffer = ScanBuffer::Of(builder, scan, 3, 2);
  EXPECT_EQ(program.values[scan_buffer.whole()].bytes, (3 + 2) * 20);
  const program::ValueId older = scan_buffer.MovingChunk(builder, section, 2, F32({1, 5}));
  EXPECT_EQ(Resolve(program, older), (program::Location{scan_buffer.whole(), 0, {{section, 20}}}));
  EXPECT_EQ(Resolve(program, scan_buffer.Chunk(builder, -1, F32({1, 5}))).offset_bytes, 20);
  scan_buffer.BindScan(builder, 0, scan.whole);
  EXPECT_EQ(Resolve(program, scan.whole), (program::Location{scan_buffer.whole(), 40, {}}));
}

TEST(ScanBuffer, KeepsGuardsBehindTheLastChunkOfABackwardScan) {
  program::Program program;
  program::Builder builder(program);
  const program::SectionId section = builder.NewSection();
  program::Loop::Scan scan;
  scan.backward = true;
  scan.whole = builder.Scratch(F32({3, 5}));
  const ScanBuffer scan_buffer = ScanBuffer::Of(builder, scan, 3, 1);
  const program::ValueId made = scan_buffer.MovingChunk(builder, section, 0, F32({1, 5}));
  EXPECT_EQ(Resolve(program, made), (program::Location{scan_buffer.whole(), 40, {{section, -20}}}));
  EXPECT_EQ(Resolve(program, scan_buffer.Chunk(builder, -1, F32({1, 5}))).offset_bytes, 60);
  scan_buffer.BindScan(builder, 0, scan.whole);
  EXPECT_EQ(Resolve(program, scan.whole), (program::Location{scan_buffer.whole(), 0, {}}));
}

TEST(ScanBuffer, OfAnInnerAxisIsTransposedAfterTheLoop) {
  program::Program program;
  program::Builder builder(program);
  program::Loop::Scan scan;
  scan.axis = 1;
  scan.whole = builder.Scratch(F32({2, 3, 5}));
  const ScanBuffer scan_buffer = ScanBuffer::Of(builder, scan, 3, 0);
  scan_buffer.BindScan(builder, 0, scan.whole);
  ASSERT_EQ(program.blocks[program.main].items.size(), 1u);
  const auto& step = std::get<program::Step>(program.blocks[program.main].items[0]);
  EXPECT_EQ(step.reason, format::Reason::scan_axis);
  EXPECT_EQ(step.outputs, std::vector{scan.whole});
}

TEST(ScanBuffer, IsWhereTheCallerHasRoom) {
  program::Program program;
  program::Builder builder(program);
  const program::ValueId room = builder.Scratch(F32({9, 5}));
  program::Loop::Scan scan;
  scan.whole = builder.View(room, 20, F32({3, 5}));
  const ScanBuffer scan_buffer = ScanBuffer::Of(builder, scan, 3, 1);
  EXPECT_EQ(scan_buffer.whole(), room);
  EXPECT_EQ(Resolve(program, scan_buffer.Chunk(builder, -1, F32({1, 5}))).offset_bytes, 0);
  scan_buffer.BindScan(builder, 0, scan.whole);
  EXPECT_EQ(Resolve(program, scan.whole), (program::Location{room, 20, {}}));
}

}  // namespace
}  // namespace weft::plan
