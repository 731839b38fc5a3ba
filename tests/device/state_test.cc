// SPDX-License-Identifier: Apache-2.0
// A stream is its state bytes and nothing else: they can be reset, saved, restored and moved to
// another engine of the same model, and many streams may alternately use one scratch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/model_hash.h"
#include "tests/kernels/every_target.h"
#include "tests/rounds.h"

namespace weft {
namespace {

using Buffer = std::vector<unsigned char>;

constexpr size_t kStreams = 64;
constexpr size_t kRunsOfEach = 5;  // of each stream

// A model and the hash of its state after five runs.
struct StatefulModel {
  const char* path;
  uint64_t state_hash;
};

// Models with variables of their own, and models created by --streaming.
const StatefulModel kModels[] = {
    {WEFT_MODELS_DIR "/state/running_sum_6.weft", 0x9B235245894D9925},
    {WEFT_MODELS_DIR "/state/initial_value_is_computed.weft", 0xDCEBAC2EE1C479AD},
    {WEFT_MODELS_DIR "/state/counter_beside_swapped_states_5.weft", 0xAA94E7CF9DC92FDD},
    {WEFT_MODELS_DIR "/state/streaming_gru.weft", 0x73AD1B49459C8244},
    {WEFT_MODELS_DIR "-streamed/sequence/lstm_forward_b1_t7_i5_h16.1.weft", 0x4AFFBD464E2FFCEC},
    {WEFT_MODELS_DIR "-streamed/ti/rotated_states_t4.2.weft", 0xA27BC11EBA7110AB},
    {WEFT_MODELS_DIR "-streamed/loop_const/gru.1.weft", 0xAE07F3A5E3C8B44B},
};

uint32_t Next(uint32_t& state) {
  state = state * 1664525u + 1013904223u;
  return state >> 19;
}

// One run with the inputs of that stream and run; returns all bytes of its outputs.
Buffer RunOnce(Engine engine, size_t stream, size_t run) {
  uint32_t random = static_cast<uint32_t>(stream * kRunsOfEach + run + 1);
  for (uint32_t i = 0; i < engine.input_count(); ++i) {
    const Tensor input = engine.input(i);
    const size_t element_bytes = BitsOf(input.type) / 8;
    for (size_t at = 0; at < input.bytes; at += element_bytes) {
      const uint32_t number = Next(random);
      const float real = (static_cast<float>(number) - 4096.0f) / 4096.0f;
      const int64_t whole = input.type == Type::kBool ? number & 1 : number & 7;
      const void* from = &whole;  // little-endian
      if (input.type == Type::kF32) from = &real;
      std::memcpy(input.as<unsigned char>() + at, from, element_bytes);
    }
  }
  EXPECT_TRUE(engine.Run().ok());
  Buffer bytes;
  for (uint32_t i = 0; i < engine.output_count(); ++i) {
    const auto* first = engine.output(i).as<unsigned char>();
    bytes.insert(bytes.end(), first, first + engine.output(i).bytes);
  }
  return bytes;
}

class State : public testing::TestWithParam<StatefulModel> {
 protected:
  void SetUp() override {
    model_ = ReadModelFile(GetParam().path);
    ASSERT_GT(model_->size(), 0u);
  }

  std::unique_ptr<ExactBytes> model_;
};

TEST_P(State, StartsAnewAfterAReset) {
  const Stream stream(*model_);
  EXPECT_GT(stream.state->size(), 0u);
  std::vector<Buffer> first;
  for (size_t run = 0; run < kRunsOfEach; ++run) first.push_back(RunOnce(stream.engine, 0, run));
  const Buffer going_on = RunOnce(stream.engine, 0, 0);
  EXPECT_NE(going_on, first[0]) << "the state makes no difference";
  Engine engine = stream.engine;
  engine.Reset();
  for (size_t run = 0; run < kRunsOfEach; ++run)
    EXPECT_EQ(RunOnce(stream.engine, 0, run), first[run]);
}

TEST_P(State, GoesOnInAnotherEngine) {
  const Stream here(*model_), there(*model_);
  RunOnce(here.engine, 1, 0);
  RunOnce(here.engine, 1, 1);
  const ExactBytes saved = *here.state;
  const Buffer third = RunOnce(here.engine, 1, 2), fourth = RunOnce(here.engine, 1, 3);
  RunOnce(there.engine, 2, 0);  // a separate stream, discarded
  std::memcpy(there.state->data(), saved.data(), saved.size());
  EXPECT_EQ(RunOnce(there.engine, 1, 2), third);
  EXPECT_EQ(RunOnce(there.engine, 1, 3), fourth);
  std::memcpy(here.state->data(), saved.data(), saved.size());
  EXPECT_EQ(RunOnce(here.engine, 1, 2), third) << "restored in the engine that saved it";
}

TEST_P(State, SharesScratchAmongInterleavedStreams) {
  std::vector<std::vector<Buffer>> expected(kStreams);
  for (size_t i = 0; i < kStreams; ++i) {
    const Stream alone(*model_);
    for (size_t run = 0; run < kRunsOfEach; ++run)
      expected[i].push_back(RunOnce(alone.engine, i, run));
  }
  std::vector<Stream> streams;
  for (size_t i = 0; i < kStreams; ++i) {
    streams.emplace_back(*model_, i == 0 ? nullptr : streams[0].scratch);
  }
  std::vector<size_t> runs(kStreams, 0);
  uint32_t random = 64;
  for (size_t left = kStreams * kRunsOfEach; left > 0;) {
    const size_t i = Next(random) % kStreams;
    if (runs[i] == kRunsOfEach) continue;
    ASSERT_EQ(RunOnce(streams[i].engine, i, runs[i]), expected[i][runs[i]])
        << "run " << runs[i] << " of stream " << i;
    ++runs[i];
    --left;
  }
}

// Steps of the test of long streams. WEFT_LONG_STREAMS changes their number; each model then also
// prints the time of its first and last quarter, which must not grow.
size_t LongStreamSteps() {
  const char* steps = std::getenv("WEFT_LONG_STREAMS");
  return steps == nullptr ? static_cast<size_t>(Rounds(4000))
                          : static_cast<size_t>(std::strtoull(steps, nullptr, 10));
}

// A stream that is saved at random steps, and goes on in new memory, has the bits of one that is
// never interrupted.
TEST_P(State, GoesOnForLongAfterRestarts) {
  const size_t steps = LongStreamSteps();
  const Stream whole(*model_);
  auto resumed = std::make_unique<Stream>(*model_);
  uint32_t random = 9, restarts = 0;
  std::clock_t times[5] = {std::clock()};
  for (size_t step = 0; step < steps; ++step) {
    if (Next(random) % 1024 == 0 || step == 5) {
      auto next = std::make_unique<Stream>(*model_);
      std::memcpy(next->state->data(), resumed->state->data(), next->state->size());
      resumed = std::move(next);
      ++restarts;
    }
    ASSERT_EQ(RunOnce(resumed->engine, 0, step), RunOnce(whole.engine, 0, step)) << step;
    if ((step + 1) % (steps / 4) == 0)
      times[std::min<size_t>(4, (step + 1) / (steps / 4))] = std::clock();
  }
  EXPECT_GT(restarts, 0u);
  if (std::getenv("WEFT_LONG_STREAMS") == nullptr) return;
  std::printf("%zu steps, %u restarts; first quarter %.2f s, last quarter %.2f s\n", steps,
              static_cast<unsigned>(restarts),
              static_cast<double>(times[1] - times[0]) / CLOCKS_PER_SEC,
              static_cast<double>(times[4] - times[3]) / CLOCKS_PER_SEC);
}

// A state can be saved on one target and restored on another, where GoesOnInAnotherEngine goes on.
TEST_P(State, HasTheSameBytesOnEveryTarget) {
  kernels::ForEachTarget([&](const char* target) {
    const Stream stream(*model_);
    for (size_t run = 0; run < kRunsOfEach; ++run) RunOnce(stream.engine, 3, run);
    const uint64_t hash = Hash(stream.state->data(), stream.state->size(), 0xCBF29CE484222325u);
    EXPECT_EQ(hash, GetParam().state_hash) << target;
  });
}

std::string NameOf(const testing::TestParamInfo<StatefulModel>& instance) {
  std::string name = instance.param.path;
  name = name.substr(name.rfind('/') + 1);
  name.resize(name.rfind('.'));
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Models, State, testing::ValuesIn(kModels), NameOf);

}  // namespace
}  // namespace weft
