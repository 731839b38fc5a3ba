// SPDX-License-Identifier: Apache-2.0
// Single bit errors of memory, in every stored model: in its weights and other tables, in the state
// before a run, and in the state and scratch during a run. Whatever the bit is, a run accesses no
// byte outside its memory and does not write the model. The tests print how many errors change an
// output, and how many of them each check detects (docs/safety.md has these numbers). Random
// numbers are computed with integers, so they are the same on all targets.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "examples/run-twice/run_twice.h"
#include "kernels/element.h"
#include "runtime/format/listing.h"
#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/made_inputs.h"
#include "tests/device/stored_models.h"
#include "tests/rounds.h"

namespace weft {
namespace {

// Errors of each kind per model: 4 on the build's machine.
constexpr int kErrors = kThinning == 1 ? 4 : 1;
// An emulated board tests one model in so many.
constexpr size_t kModelStride = kernels::kIsMicrocontroller ? 16 : 1;

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 1) {}
  uint32_t Below(uint32_t bound) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<uint32_t>((uint64_t{state_} * bound) >> 32);
  }

 private:
  uint32_t state_;
};

void FlipBit(Block block, Random& random) {
  const uint32_t byte = random.Below(static_cast<uint32_t>(block.bytes));
  static_cast<uint8_t*>(block.data)[byte] ^= static_cast<uint8_t>(1u << random.Below(8));
}

// The weights of a model, which are part of the file.
Block Weights(ExactBytes& model) {
  auto* weights = format::GetMutableModel(model.data())->mutable_weights();
  return weights == nullptr ? Block{} : Block{weights->Data(), weights->size()};
}

// Flips a bit of a block during a run, before one of its steps. A run that ends before this step
// has no error.
class StepError {
 public:
  StepError(Block block, uint32_t steps_before, Random random)
      : block_(block), steps_before_(steps_before), random_(random) {
    profile_.now = [](void* error) { return static_cast<StepError*>(error)->Begin(); };
    profile_.step = [](void*, uint32_t, uint64_t, uint64_t) {};
    profile_.user = this;
  }
  StepError(const StepError&) = delete;
  StepError& operator=(const StepError&) = delete;
  const Profile* profile() const { return &profile_; }

 private:
  // Called before and after each step.
  uint64_t Begin() {
    if (calls_++ == 2 * uint64_t{steps_before_}) FlipBit(block_, random_);
    return 0;
  }

  Block block_;
  uint32_t steps_before_;
  Random random_;
  uint64_t calls_ = 0;
  Profile profile_;
};

void Append(const Engine& engine, Buffer& bytes) {
  for (uint32_t port = 0; port < engine.output_count(); ++port) {
    const Tensor output = engine.output(port);
    const auto* first = output.as<unsigned char>();
    bytes.insert(bytes.end(), first, first + output.bytes);
  }
}

void FillAll(const Engine& engine, uint32_t run) {
  uint32_t state = run + 1;
  for (uint32_t port = 0; port < engine.input_count(); ++port) {
    FillInput(engine.input(port), state);
  }
}

// A damaged count may stop a loop at its maximum.
void RunOnce(Engine& engine) {
  const FaultCode code = engine.Run().code;
  EXPECT_TRUE(code == FaultCode::kNone || code == FaultCode::kTripLimit);
}

constexpr uint32_t kRunsBefore = 1, kRunsAfter = 2;

// The outputs of the runs after the first ones, from the initial state. `inject` is called before
// the first of these runs, after the inputs were written.
template <typename Inject>
Buffer Outputs(Stream& stream, const Inject& inject) {
  Engine& engine = stream.engine;
  Buffer outputs;
  engine.Reset();
  for (uint32_t run = 0; run < kRunsBefore + kRunsAfter; ++run) {
    FillAll(engine, run);
    if (run == kRunsBefore) inject();
    RunOnce(engine);
    engine.SetProfile(nullptr);
    if (run >= kRunsBefore) Append(engine, outputs);
  }
  return outputs;
}

struct Counts {
  int errors = 0, wrong = 0;
};

void Print(const char* where, const Counts& counts) {
  std::printf("%s: %d bit errors, %d of them change an output\n", where, counts.errors,
              counts.wrong);
}

// Calls the test with every stored model and every stream.
template <typename Test>
void ForEachModel(const Test& test) {
  const std::vector<std::string> paths = ModelPaths();
  ASSERT_GT(paths.size(), 2000u);
  for (size_t i = 0; i < paths.size(); i += kModelStride) {
    SCOPED_TRACE(paths[i]);
    const std::unique_ptr<ExactBytes> model = ReadModelFile(paths[i]);
    if (model->size() == 0) continue;
    Random random(static_cast<uint32_t>(i));
    test(*model, random);
  }
}

// Errors of the memory that runs write.
TEST(BitErrors, OfStateAndScratchStayInside) {
  Counts before, state, scratch;
  ForEachModel([&](const ExactBytes& model, Random& random) {
    const ExactBytes original = model;
    ExactBytes copy = model;
    Stream stream(copy);
    const Buffer expected = Outputs(stream, [] {});
    const uint32_t steps = stream.engine.step_count();
    const auto count = [&](Counts& counts, const Buffer& outputs) {
      ++counts.errors;
      counts.wrong += outputs != expected;
    };
    for (int error = 0; error < kErrors; ++error) {
      const Block kept = stream.state->block(), values = stream.scratch->block();
      const auto during = [&](Counts& counts, Block block) {
        if (block.bytes == 0 || steps == 0) return;
        const StepError flip(block, random.Below(steps), Random(random.Below(UINT32_MAX)));
        count(counts, Outputs(stream, [&] { stream.engine.SetProfile(flip.profile()); }));
      };
      if (kept.bytes != 0) {
        count(before, Outputs(stream, [&] { FlipBit(kept, random); }));
      }
      during(state, kept);
      during(scratch, values);
    }
    EXPECT_EQ(std::memcmp(copy.data(), original.data(), original.size()), 0);
    EXPECT_EQ(Outputs(stream, [] {}), expected) << "an error outlives Reset";
  });
  Print("state before a run", before);
  Print("state during a run", state);
  Print("scratch during a run", scratch);
  EXPECT_GT(scratch.wrong, scratch.errors / 20);
}

// Errors of state and scratch during the first of two runs, which examples/run-twice compares.
TEST(BitErrors, OfOneOfTwoRunsAreDetected) {
  Counts state, scratch;
  int detected = 0, harmful = 0;
  ForEachModel([&](const ExactBytes& file, Random& random) {
    ExactBytes model = file;
    Stream stream(model);
    Engine& engine = stream.engine;
    const uint32_t steps = engine.step_count();
    if (steps == 0) return;
    const auto begin = [&] {
      std::memset(stream.state->data(), 0, stream.state->size());  // also between variables
      engine.Reset();
      FillAll(engine, 0);
      RunOnce(engine);
      FillAll(engine, 1);
    };
    // Outputs and state of a run, as RunTwice keeps them.
    const auto results = [&] {
      const auto* first = reinterpret_cast<const unsigned char*>(stream.state->data());
      Buffer bytes(first, first + stream.state->size());
      Append(engine, bytes);
      return bytes;
    };
    const auto run_with = [&](const StepError& flip) {
      begin();
      engine.SetProfile(flip.profile());
      RunOnce(engine);
      engine.SetProfile(nullptr);
      return results();
    };
    begin();
    RunOnce(engine);
    const Buffer expected = results();
    // An error may change the length of an output, up to its maximum.
    Buffer kept(run_twice::KeptBytes(engine, stream.state->size()) +
                engine.output_count() * stream.scratch->size());
    const auto count = [&](Counts& counts, Block block) {
      if (block.bytes == 0) return;
      const uint32_t step = random.Below(steps);
      const Random flipped(random.Below(UINT32_MAX));
      const bool is_wrong = run_with(StepError(block, step, flipped)) != expected;
      begin();
      const StepError flip(block, step, flipped);
      engine.SetProfile(flip.profile());
      const run_twice::RunTwiceResult result =
          run_twice::RunTwice(engine, stream.state->block(), {kept.data(), kept.size()});
      engine.SetProfile(nullptr);
      ++counts.errors;
      counts.wrong += is_wrong;
      harmful += is_wrong;
      detected += is_wrong && result.differs;
      EXPECT_TRUE(result.fits);
    };
    for (int error = 0; error < kErrors; ++error) {
      count(state, stream.state->block());
      count(scratch, stream.scratch->block());
    }
    // Without an error, two runs are equal.
    begin();
    EXPECT_FALSE(
        run_twice::RunTwice(engine, stream.state->block(), {kept.data(), kept.size()}).differs);
    EXPECT_EQ(results(), expected);
  });
  std::printf("first of two runs: %d bit errors of the state, %d of scratch\n", state.errors,
              scratch.errors);
  std::printf("  %d and %d change an output or the state; RunTwice detects %d\n", state.wrong,
              scratch.wrong, detected);
  EXPECT_EQ(detected, harmful);
}

// How many errors each check detects.
struct Detected {
  int errors = 0, checksum = 0, open = 0, plan = 0, self_test = 0;
  int checked_plans = 0, self_tests = 0;
};

void Print(const char* where, const Detected& d) {
  std::printf("%s: %d bit errors\n", where, d.errors);
  std::printf("  detected by CheckSome: %d, Open: %d, OpenChecked: %d of %d, SelfTest: %d of %d\n",
              d.checksum, d.open, d.plan, d.checked_plans, d.self_test, d.self_tests);
}

bool PassesSelfTest(Stream& stream) {
  Mismatch first;
  return stream.engine.SelfTest(&first).ok();
}

Fault OpenAgain(const ExactBytes& model, Stream& stream, bool is_checked) {
  Engine engine;
  const Memory memory = {stream.state->block(), stream.scratch->block()};
  return is_checked ? Engine::OpenChecked(model.bytes(), AllSteps(), memory, {}, &engine)
                    : Engine::Open(model.bytes(), AllSteps(), memory, &engine);
}

// The checks of a file with an error in the weights. Its engine was opened before the error.
void CheckWeights(ExactBytes& model, Stream& stream, bool has_plan, bool has_self_test,
                  Detected& detected) {
  FileCheck check;
  detected.checksum += !CheckSome(model.bytes(), model.size(), &check).ok();
  detected.open += !OpenAgain(model, stream, false).ok();
  detected.checked_plans += has_plan;
  detected.plan += has_plan && !OpenAgain(model, stream, true).ok();
  detected.self_tests += has_self_test;
  detected.self_test += has_self_test && !PassesSelfTest(stream);
}

TEST(BitErrors, OfWeightsAreDetected) {
  Detected detected, harmful;
  ForEachModel([&](const ExactBytes& file, Random& random) {
    ExactBytes model = file;
    const Block weights = Weights(model);
    if (weights.bytes == 0) return;
    Stream stream(model);
    const Buffer expected = Outputs(stream, [] {});
    const bool has_plan = OpenAgain(model, stream, true).ok();
    const bool has_self_test = PassesSelfTest(stream);
    for (int error = 0; error < kErrors; ++error) {
      const Random repeat = random;
      FlipBit(weights, random);
      const bool is_wrong = Outputs(stream, [] {}) != expected;
      for (Detected* d : {&detected, &harmful}) {
        if (d == &harmful && !is_wrong) continue;
        ++d->errors;
        CheckWeights(model, stream, has_plan, has_self_test, *d);
      }
      Random same = repeat;
      FlipBit(weights, same);
    }
    EXPECT_EQ(std::memcmp(model.data(), file.data(), file.size()), 0);
  });
  Print("weights", detected);
  Print("weights, errors that change an output", harmful);
  EXPECT_EQ(harmful.plan, harmful.checked_plans);
  EXPECT_EQ(detected.checksum, detected.errors);
  EXPECT_GT(harmful.self_test, harmful.self_tests / 2);
}

// Errors outside of the weights, before the file is opened.
TEST(BitErrors, OfTablesAreDetected) {
  Detected detected;
  ForEachModel([&](const ExactBytes& file, Random& random) {
    ExactBytes model = file;
    Stream stream(model);
    const bool has_plan = OpenAgain(model, stream, true).ok();
    const Block weights = Weights(model);
    const auto* first = static_cast<const std::byte*>(weights.data);
    for (int error = 0; error < kErrors; ++error) {
      const uint32_t at = random.Below(static_cast<uint32_t>(model.size()));
      std::byte* byte = model.data() + at;
      if (byte >= first && byte < first + weights.bytes) continue;
      const auto bit = static_cast<std::byte>(1u << random.Below(8));
      *byte ^= bit;
      FileCheck check;
      ++detected.errors;
      detected.checksum += !CheckSome(model.bytes(), model.size(), &check).ok();
      const bool opens = OpenAgain(model, stream, false).ok();
      detected.open += !opens;
      detected.checked_plans += has_plan;
      detected.plan += has_plan && !OpenAgain(model, stream, true).ok();
      *byte ^= bit;
    }
  });
  Print("tables", detected);
  EXPECT_EQ(detected.checksum, detected.errors);
}

}  // namespace
}  // namespace weft
