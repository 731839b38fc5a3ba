// SPDX-License-Identifier: Apache-2.0
// Engine::RunChecked: the first NaN or infinity of outputs and variables.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/weft_c.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

constexpr ElementType kTypes[] = {
#define WEFT_TYPE(name, ...) ElementType::name,
#include "kernels/types.inc"
#undef WEFT_TYPE
};

// Returns true if the bits are a number of the type. The oracles are the C library for f32, bf16
// and f64, and the largest number of f16, 65504.
bool IsFinite(ElementType type, uint64_t bits) {
  const uint32_t wide = static_cast<uint32_t>(type == ElementType::bf16 ? bits << 16 : bits);
  float single;
  double twice;
  std::memcpy(&single, &wide, sizeof(single));
  std::memcpy(&twice, &bits, sizeof(twice));
  if (type == ElementType::f16) return (bits & 0x7FFFu) <= 0x7BFFu;
  if (type == ElementType::f64) return std::isfinite(twice);
  return (type != ElementType::f32 && type != ElementType::bf16) || std::isfinite(single);
}

// Bits of NaNs and infinities of both signs, of the largest and smallest numbers, and of numbers
// that have set bits elsewhere. Of types of at most 16 bits, every `step`-th pattern.
std::vector<uint64_t> BitsToTry(ElementType type, uint64_t step) {
  std::vector<uint64_t> tried;
  if (format::BitsOf(type) <= 16) {
    for (uint64_t bits = 0; bits < uint64_t{1} << format::BitsOf(type); bits += step) {
      tried.push_back(bits);
    }
    return tried;
  }
  const bool twice = format::BitsOf(type) == 64;
  const uint64_t infinity = twice ? 0x7FF0000000000000u : 0x7F800000u;
  const uint64_t sign = twice ? uint64_t{1} << 63 : uint64_t{1} << 31;
  for (const uint64_t bits : {uint64_t{0}, uint64_t{1}, infinity - 1, infinity, infinity + 1,
                              infinity + infinity / 4096, sign - 1, infinity / 2}) {
    tried.push_back(bits);
    tried.push_back(bits | sign);
  }
  if (twice) tried.push_back(0x000000007FF00000u);  // the low word is no exponent
  return tried;
}

constexpr uint32_t kCount = 5;

// Two outputs and two variables of kCount elements. No step writes them.
ListingBuilder Untouched(ElementType type) {
  ListingBuilder b;
  for (const char* name : {"y", "z"}) b.Output(b.Scratch(type, {kCount}), {name});
  for (int i = 0; i < 2; ++i) b.Variable(b.State(type, {kCount}));
  return b;
}

// The address of value `value`: outputs, then variables.
std::byte* AddressOf(const Loaded& model, uint32_t value) {
  if (value < 2) return model.engine.output(value).as<std::byte>();
  const format::Model& root = ModelOf(model.model);
  const uint32_t slot = format::RowsOf(root.variables())[value - 2].slot();
  return model.state.data() + format::RowsOf(root.slots())[slot].offset_bytes();
}

void Expect(const Fault& fault, uint32_t value, uint32_t element) {
  EXPECT_EQ(fault.code, FaultCode::kNotFinite);
  EXPECT_EQ(fault.index, value);
  EXPECT_EQ(fault.is, element);
  EXPECT_EQ(fault.must, 2u);
}

TEST(RunChecked, FindsEveryNonFiniteElementOfEveryType) {
  for (const ElementType type : kTypes) {
    Loaded model(Untouched(type).Finish());
    ASSERT_TRUE(model.fault.ok()) << model.Text();
    if (format::BitsOf(type) < 8) continue;
    const size_t bytes = format::BitsOf(type) / 8;
    std::memset(model.scratch.data(), 0, model.scratch.size());
    for (uint32_t place = 0; place < 4 * kCount; ++place) {
      std::byte* const at = AddressOf(model, place / kCount) + place % kCount * bytes;
      for (const uint64_t bits : BitsToTry(type, place == 0 ? 1 : 509)) {
        std::memcpy(at, &bits, bytes);
        const Fault fault = model.engine.RunChecked();
        if (fault.ok() != IsFinite(type, bits)) {
          ADD_FAILURE() << static_cast<int>(type) << " value " << place << " bits " << bits;
        }
        if (!fault.ok()) Expect(fault, place / kCount, place % kCount);
      }
      std::memset(at, 0, bytes);
    }
  }
}

TEST(RunChecked, ReportsTheFirstOfSeveral) {
  Loaded model(Untouched(kF32).Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  std::memset(model.scratch.data(), 0, model.scratch.size());
  for (uint32_t place = 4 * kCount; place-- > 0;) {
    reinterpret_cast<float*>(AddressOf(model, place / kCount))[place % kCount] = -INFINITY;
    Expect(model.engine.RunChecked(), place / kCount, place % kCount);
  }
}

// y = x + total; total = y; z = other.
TEST(RunChecked, FindsAnInputsNanInTheStateUntilReset) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(kF32, {2}), other = b.Scratch(kF32, {2});
  const SlotIndex sum = b.Scratch(kF32, {2}), z = b.Scratch(kF32, {2});
  const SlotIndex total = b.State(kF32, {2});
  b.Input(x, {"x"});
  b.Input(other, {"other"});
  b.Output(z, {"z"});
  b.Variable(total);
  b.Binary(format::BinaryOp::add, x, total, sum);
  b.Copy(sum, total);
  b.Copy(other, z);
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  const auto run = [&](float first, float second) {
    model.in(0)[0] = 1, model.in(0)[1] = first;
    model.in(1)[0] = second, model.in(1)[1] = 1;
    return model.engine.RunChecked();
  };
  for (const float wrong : {NAN, -NAN, INFINITY, -INFINITY}) {
    EXPECT_TRUE(run(1, 1).ok());
    EXPECT_EQ(run(1, wrong).index, 0u) << "in an output only";
    EXPECT_TRUE(run(1, 1).ok());
    for (int later = 0; later < 3; ++later) {
      const Fault fault = run(later == 0 ? wrong : 1, 1);
      EXPECT_EQ(fault.code, FaultCode::kNotFinite);
      EXPECT_EQ(fault.index, 1u);
      EXPECT_EQ(fault.is, 1u);
    }
    model.engine.Reset();
  }
}

// A quantised value has no NaN and no infinity, so outputs of quantised layers are finite: NaN
// becomes the lowest value, infinities the nearest one (docs/safety.md).
TEST(RunChecked, CannotSeeNonFiniteInputsOfQuantisedLayers) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(kF32, {4}), code = b.Scratch(ElementType::i8, {4}),
                  y = b.Scratch(kF32, {4});
  b.Input(x, {"x"});
  b.Output(y, {"y"});
  const format::CodeRange range(0, -100, 120, format::Results::codes);
  b.Step(format::Kind::quantize, format::QuantizeParams(4, 2.0f, range), {x, code});
  b.Step(format::Kind::dequantize, format::DequantizeParams(4, 0.5f, 0, 0, 0), {code, y});
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  const float inputs[] = {NAN, INFINITY, -INFINITY, 1.5f}, outputs[] = {-50, 60, -50, 1.5f};
  std::memcpy(model.in(0), inputs, sizeof(inputs));
  EXPECT_TRUE(model.engine.RunChecked().ok());
  const float* const results = model.engine.output(0).as<float>();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(results[i], outputs[i]) << i;
}

TEST(RunChecked, IgnoresEmptyTensorsAndElementsAfterTheLength) {
  for (const ElementType type : kTypes) {
    ListingBuilder b;
    b.Output(b.Scratch(type, {0, 3}), {"y"});
    b.Variable(b.State(type, {0}));
    Loaded model(b.Finish());
    ASSERT_TRUE(model.fault.ok()) << model.Text();
    EXPECT_TRUE(model.engine.RunChecked().ok());
  }
  ListingBuilder b;
  const SlotIndex length = b.Scratch(kI32, {1});
  b.Output(b.Scratch(kF32, {4}), {"y"}, 0, length);
  Loaded model(b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  float* const y = model.engine.output(0).as<float>();
  y[0] = y[1] = 1, y[2] = y[3] = NAN;
  for (int32_t count = 0; count <= 4; ++count) {
    std::memcpy(model.scratch.data(), &count, sizeof(count));
    EXPECT_EQ(model.engine.RunChecked().ok(), count <= 2) << count;
  }
}

// The bytes of state and scratch are those of Run, and so is the error if all elements are finite.
TEST(RunChecked, RunsLikeRun) {
  std::vector<ExactBytes> files = {EveryFeature().b.Finish()};
  for (StepSample& sample : EveryStep()) files.push_back(sample.builder.Finish());
  for (const ExactBytes& file : files) {
    Loaded model(file), checked(file);
    ASSERT_TRUE(model.fault.ok()) << model.Text();
    for (Loaded* loaded : {&model, &checked}) {
      std::memset(loaded->scratch.data(), 0, loaded->scratch.size());
      FillInputs(loaded->engine);
    }
    const Fault run = model.engine.Run(), also = checked.engine.RunChecked();
    if (also.code != FaultCode::kNotFinite) {
      EXPECT_EQ(run.code, also.code);
    }
    EXPECT_EQ(std::memcmp(model.state.data(), checked.state.data(), model.state.size()), 0);
    EXPECT_EQ(std::memcmp(model.scratch.data(), checked.scratch.data(), model.scratch.size()), 0);
  }
  EXPECT_EQ(Engine().RunChecked().code, FaultCode::kEngineClosed);
}

TEST(RunChecked, IsTheSameInC) {
  Loaded model(Untouched(kF32).Finish());
  std::memset(model.scratch.data(), 0, model.scratch.size());
  weft_engine engine;
  ASSERT_TRUE(weft_ok(weft_open(
      model.model.data(), model.model.size(), weft_all_steps(),
      {{model.state.data(), model.state.size()}, {model.scratch.data(), model.scratch.size()}, {}},
      &engine)));
  EXPECT_TRUE(weft_ok(weft_run_checked(&engine)));
  reinterpret_cast<float*>(AddressOf(model, 3))[4] = NAN;
  const weft_fault fault = weft_run_checked(&engine);
  EXPECT_EQ(fault.code, static_cast<uint16_t>(FaultCode::kNotFinite));
  EXPECT_EQ(fault.index, 3u);
  EXPECT_EQ(fault.is, 4u);
}

}  // namespace
}  // namespace weft::test
