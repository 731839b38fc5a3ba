// SPDX-License-Identifier: Apache-2.0
// Converts every committed model of an architecture and compares its outputs. If its case.json has
// `streams`, also runs it step by step: the concatenated outputs must be the same, also if models
// with different numbers of steps per run alternate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converter/inspect/streamed.h"
#include "tests/conformance/golden.h"

namespace weft {
namespace {

const std::filesystem::path kModels = WEFT_FIXTURES_DIR "/zoo/models";

class Zoo : public GoldenCase {
 protected:
  Zoo() : GoldenCase(kModels) {}
};

// Copies the steps of one run, from step `done` on, between a full array and a tensor of the run.
// Delayed outputs belong to earlier steps; the first ones belong to no step.
void MoveSteps(std::vector<std::byte>& whole, const Tensor& part, const graph::StreamedPort& port,
               size_t done, const graph::Streamed& cut, bool to_part) {
  size_t rows = 1;
  for (int64_t axis = 0; axis < port.row.axis(); ++axis) rows *= part.dims[axis];
  const size_t steps = port.HasTime() ? static_cast<size_t>(cut.steps) : 1;
  const size_t bytes = part.bytes / rows / steps, row_bytes = whole.size() / rows;
  const auto late = size_t{port.row.latency()};
  for (size_t i = 0; i < rows * steps; ++i) {
    const size_t row = i / steps, step = port.HasTime() ? done + i % steps : 0;
    if (port.HasTime() && (step < late || (step - late + 1) * bytes > row_bytes)) continue;
    std::byte* there = whole.data() + row * row_bytes + (port.HasTime() ? step - late : 0) * bytes;
    std::byte* here = static_cast<std::byte*>(part.data) + i * bytes;
    std::memcpy(to_part ? here : there, to_part ? there : here, bytes);
  }
}

using Wholes = std::vector<std::vector<std::byte>>;

// A model converted to streaming with some steps per run.
struct Cut {
  std::unique_ptr<cli::LoadedModel> model;
  graph::Streamed told;
  size_t steps() const { return static_cast<size_t>(told.steps); }

  // Outputs without a time axis are not split.
  void Run(Wholes& inputs, size_t done, Wholes& outputs) {
    Engine& engine = model->engine();
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      MoveSteps(inputs[i], engine.input(i), told.inputs[i], done, told, true);
    }
    ASSERT_TRUE(engine.Run().ok());
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      if (!told.outputs[i].HasTime() && done + steps() < static_cast<size_t>(told.all_steps))
        continue;
      MoveSteps(outputs[i], engine.output(i), told.outputs[i], done, told, false);
    }
  }
};

std::vector<std::string> StreamingNames() {
  std::vector<std::string> names = CaseNamesIn(kModels);
  std::erase_if(names, [](const std::string& name) {
    const auto about = nlohmann::json::parse(std::ifstream(kModels / name / "case.json"));
    return !about.value("streams", false);
  });
  return names;
}

class StreamedZoo : public Zoo {
 protected:
  void SetUp() override {
    Zoo::SetUp();
    for (const int64_t steps : {1, 3, 7, 64}) {
      if (!cuts_.empty() && cuts_[0].told.all_steps < steps) continue;
      ConvertAndOpen(steps);
      if (HasFatalFailure()) return;
      cuts_.push_back({std::move(model_), *streamed_});
    }
    const size_t input_count = cuts_[0].model->engine().input_count();
    for (cli::Array& array : Arrays()) {
      (inputs_.size() < input_count ? inputs_ : expected_).push_back(std::move(array.bytes));
    }
    for (const auto& bytes : expected_) {
      // The last steps of delayed outputs do not arrive within this number of runs.
      const bool is_late = cuts_[0].told.outputs[made_.size()].row.latency() > 0;
      made_.push_back(is_late ? bytes : std::vector<std::byte>(bytes.size()));
    }
  }
  size_t all_steps() const { return static_cast<size_t>(cuts_[0].told.all_steps); }

  void RunStepByStep() {
    for (size_t done = 0; done < all_steps(); ++done) cuts_[0].Run(inputs_, done, made_);
  }

  std::vector<Cut> cuts_;
  Wholes inputs_, expected_, made_;
};

TEST_P(Zoo, Agrees) { RunAndCompare(); }

TEST_P(StreamedZoo, GivesTheOutputsOfTheWhole) {
  RunStepByStep();
  const Tolerance tolerance{json_.at("rtol"), json_.at("atol")};
  for (size_t i = 0; i < made_.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    const ElementType type = cuts_[0].model->outputs()[i].type.type;
    Compare(made_[i].data(), type, expected_[i].data(), made_[i].size(), tolerance);
  }
}

// Models with several numbers of steps per run alternate on one stream; results must be
// bit-identical to those of a single model.
TEST_P(StreamedZoo, HandsOverItsState) {
  RunStepByStep();
  Wholes made = made_;
  cuts_[0].model->engine().Reset();
  size_t holder = 0;
  for (size_t done = 0, turn = 1; done < all_steps(); ++turn) {
    size_t next = turn % cuts_.size();
    if (done + cuts_[next].steps() > all_steps()) next = 0;
    const std::span<std::byte> from = cuts_[holder].model->state(), to = cuts_[next].model->state();
    ASSERT_EQ(from.size(), to.size());
    if (next != holder && done > 0) std::ranges::copy(from, to.begin());
    cuts_[next].Run(inputs_, done, made);
    done += cuts_[next].steps();
    holder = next;
  }
  for (size_t i = 0; i < made.size(); ++i) EXPECT_EQ(made[i], made_[i]) << "output " << i;
}

TEST_P(StreamedZoo, TellsTheSameOfEveryCut) {
  for (const Cut& cut : cuts_) {
    EXPECT_EQ(StateLayout(cut.model->bytes()), StateLayout(cuts_[0].model->bytes()));
    EXPECT_EQ(cut.told.receptive_steps, cuts_[0].told.receptive_steps);
    EXPECT_EQ(cut.told.min_state_bytes, cuts_[0].told.min_state_bytes);
    EXPECT_LE(cut.told.min_state_bytes,
              static_cast<int64_t>(inspect::VariableBytesOf(cut.model->root())));
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Zoo, testing::ValuesIn(CaseNamesIn(kModels)), TestNameOf);
INSTANTIATE_TEST_SUITE_P(Architectures, StreamedZoo, testing::ValuesIn(StreamingNames()),
                         TestNameOf);

}  // namespace
}  // namespace weft
