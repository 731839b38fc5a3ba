// SPDX-License-Identifier: Apache-2.0
// The streaming note of a file: the facts about the complete model and the rules of the note.
// tests/cli/damaged_files_test.cc tests damaged files.
#include "converter/inspect/streamed.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/inspect/work.h"
#include "converter/pipeline.h"

namespace weft::inspect {
namespace {

std::optional<pipeline::Converted> ConvertedFrom(const std::string& of_case,
                                                 std::optional<int64_t> steps) {
  pipeline::ConvertOptions options;
  options.model = WEFT_FIXTURES_DIR "/cases/" + of_case + "/model.xml";
  options.streaming_steps = steps;
  Faults faults;
  std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
  EXPECT_TRUE(converted.has_value()) << of_case;
  return converted;
}

AlignedBytes FileIn(const std::optional<pipeline::Converted>& converted) {
  if (!converted) return AlignedBytes(0);
  AlignedBytes file(converted->file.size());
  std::memcpy(file.data(), converted->file.data(), file.size());
  return file;
}

AlignedBytes FileOf(const std::string& of_case, std::optional<int64_t> steps) {
  return FileIn(ConvertedFrom(of_case, steps));
}

constexpr const char* kConvolutionsThenGru = "streaming/convolutions_then_gru";

TEST(StreamNote, TellsOfTheCut) {
  const AlignedBytes file = FileOf(kConvolutionsThenGru, 4);
  const std::optional<StreamNote> note = StreamNoteOf(*format::GetModel(file.data()));
  ASSERT_TRUE(note);
  EXPECT_EQ(note->row.steps(), 4u);
  EXPECT_EQ(note->row.all_steps(), 12u);
  EXPECT_EQ(note->row.receptive_steps(), 0u);
  EXPECT_EQ(note->row.min_state_bytes(), 96u + 256 + 72);
  EXPECT_EQ(VariableBytesOf(*format::GetModel(file.data())), 96u + 4 + 256 + 4 + 72);
  ASSERT_EQ(note->ports.size(), 2u);
  for (const format::StreamedPort& port : note->ports) {
    EXPECT_EQ(port.time(), format::PortTime::steps);
    EXPECT_EQ(port.positions(), 4u);
    EXPECT_EQ(port.all_positions(), 12u);
    EXPECT_EQ(port.axis(), 1);
    EXPECT_EQ(port.latency(), 0u);
  }
}

// The states contain the flags that a first run sets.
TEST(StreamNote, HasTheStatesThatTheConversionReports) {
  struct Case {
    std::string of;
    int64_t flags;
  };
  for (const auto& [of, flags] : {Case{kConvolutionsThenGru, 0}, Case{"front_ends/pcen", 1},
                                  Case{"front_ends/mfcc_deltas", 1}, Case{"loop_const/gru", 1},
                                  Case{"sequence/lstm_forward_b1_t7_i5_h16", 2},
                                  Case{"state/initial_value_computed_in_body", 1}}) {
    SCOPED_TRACE(of);
    const std::optional<pipeline::Converted> converted = ConvertedFrom(of, 1);
    ASSERT_TRUE(converted && converted->streamed);
    int64_t bytes = 0, found = 0;
    for (const graph::StreamedState& state : converted->streamed->states) {
      bytes += state.bytes;
      found += state.from.starts_with("whether state ") ? 1 : 0;
    }
    const AlignedBytes file = FileIn(converted);
    EXPECT_EQ(VariableBytesOf(*format::GetModel(file.data())), static_cast<uint64_t>(bytes));
    EXPECT_EQ(found, flags);
  }
}

TEST(StreamNote, CountsTheWholeAsItsOwnFileDoes) {
  for (const char* of_case :
       {kConvolutionsThenGru, "streaming/residual_blocks", "ti/rotated_states_t4",
        "loop_nested/loop_in_loop", "if/in_tensor_iterator"}) {
    SCOPED_TRACE(of_case);
    const AlignedBytes whole = FileOf(of_case, std::nullopt), cut = FileOf(of_case, 1);
    const std::optional<StreamNote> note = StreamNoteOf(*format::GetModel(cut.data()));
    ASSERT_TRUE(note);
    EXPECT_EQ(note->row.multiply_adds(),
              inspect::WorkOf(*format::GetModel(whole.data())).multiply_adds.run);
  }
}

TEST(StreamNote, StandsInNoWholeModel) {
  const AlignedBytes file = FileOf(kConvolutionsThenGru, std::nullopt);
  EXPECT_FALSE(StreamNoteOf(*format::GetModel(file.data())));
  EXPECT_EQ(StreamNoteFaults(*format::GetModel(file.data())), std::vector<std::string>());
  EXPECT_EQ(StateLayout({file.data(), file.size()}), 0u);
}

TEST(StreamNote, LaysOutTheStateOfEveryCutAlike) {
  const AlignedBytes one = FileOf(kConvolutionsThenGru, 1);
  const uint64_t layout = StateLayout({one.data(), one.size()});
  EXPECT_NE(layout, 0u);
  for (const int64_t steps : {2, 5, 7, 12}) {
    const AlignedBytes cut = FileOf(kConvolutionsThenGru, steps);
    EXPECT_EQ(StateLayout({cut.data(), cut.size()}), layout) << steps;
  }
  const AlignedBytes other = FileOf("streaming/residual_blocks", 1);
  EXPECT_NE(StateLayout({other.data(), other.size()}), layout);
}

// Returns the faults of a file after modifying its note.
template <typename Change>
std::vector<std::string> FaultsAfter(const Change& change) {
  AlignedBytes file = FileOf(kConvolutionsThenGru, 4);
  format::Model* model = format::GetMutableModel(file.data());
  auto* row = const_cast<format::Streaming*>(model->streaming()->Get(0));
  auto* input = const_cast<format::StreamedPort*>(model->streamed_ports()->Get(0));
  change(*row, *input);
  EXPECT_FALSE(StreamNoteOf(*format::GetModel(file.data())));
  return StreamNoteFaults(*format::GetModel(file.data()));
}

using Row = format::Streaming;
using PortRow = format::StreamedPort;
using Lines = std::vector<std::string>;

TEST(StreamNote, NamesEveryBrokenRule) {
  EXPECT_EQ(FaultsAfter([](Row& row, PortRow&) { row = Row(-2, 0, 4, 12, 0, 0); }),
            Lines{"streaming: multiply_adds is -2; must be -1 or 0 and more"});
  EXPECT_EQ(FaultsAfter([](Row& row, PortRow&) { row = Row(-1, 0, 13, 12, 0, 7); }),
            (Lines{"streaming: a run has 13 steps; must have 1 to 12",
                   "streaming: reserved is 7; must be 0"}));
  const auto steps = format::PortTime::steps;
  EXPECT_EQ(FaultsAfter([&](Row&, PortRow& port) { port = PortRow(4, 12, 1, 1, steps, 2); }),
            (Lines{"streamed port 0: latency is 1; must be 0 for an input",
                   "streamed port 0: reserved is 2; must be 0"}));
  EXPECT_EQ(FaultsAfter([&](Row&, PortRow& port) { port = PortRow(3, 2, 0, 1, steps, 0); }),
            (Lines{"streamed port 0: a run has 3 positions; must have 4",
                   "streamed port 0: the full model has 2 positions; must have at least 3"}));
  EXPECT_EQ(FaultsAfter([&](Row&, PortRow& port) { port = PortRow(4, 12, 0, 3, steps, 0); }),
            Lines{"streamed port 0: axis is 3; must be below 3"});
  const auto unknown = static_cast<format::PortTime>(3);
  EXPECT_EQ(FaultsAfter([&](Row&, PortRow& port) { port = PortRow(0, 0, 0, 0, unknown, 0); }),
            Lines{"streamed port 0: time is 3; must be 0 or 1, or 2 for an output"});
  const auto without = format::PortTime::without;
  EXPECT_EQ(FaultsAfter([&](Row&, PortRow& port) { port = PortRow(4, 12, 0, 1, without, 0); }),
            Lines{"streamed port 0: has 4 of 12 positions of axis 1; must have none"});
}

}  // namespace
}  // namespace weft::inspect
