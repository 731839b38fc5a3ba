// SPDX-License-Identifier: Apache-2.0
// Products read the integers from which their data was dequantised, and no others.
#include "converter/program/integer_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "converter/ops/support/packed.h"
#include "converter/program/narrow_weights.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/quantised.h"
#include "tests/converter/steps.h"
#include "tests/converter/types.h"

namespace weft {
namespace {

using program::Builder;
using program::Program;
using program::ValueId;

constexpr int64_t kCodeRows = 3, kCodeInputs = 20, kCodeOutputs = 17;
constexpr float kCodeScale = 1.0f / 64, kWeightScale = 1.0f / 128;

// A product of weights that were integers, with a bias.
struct Rounded {
  Program program;
  Builder builder{program};
  ValueId x = builder.Scratch(F32({kCodeRows, kCodeInputs}));

  Rounded() { program.inputs.push_back({x, {"x"}, program::kNone, 0}); }

  void Output(ValueId value) { program.outputs.push_back({value, {"y"}, program::kNone, 0}); }

  // Dequantised i8 values with zero point `zero`.
  ValueId Bytes(int8_t zero) {
    constexpr uint32_t kCount = kCodeRows * kCodeInputs;
    const ValueId bytes = builder.Scratch({ElementType::i8, {kCodeRows, kCodeInputs}});
    builder.Emit(format::QuantizeParams(kCount, 1 / kCodeScale,
                                        format::CodeRange(zero, -128, 127, format::Results::codes)),
                 {x}, {bytes});
    const ValueId numbers = builder.Scratch(F32({kCodeRows, kCodeInputs}));
    builder.Emit(format::DequantizeParams(kCount, kCodeScale, zero, 0, 0), {bytes}, {numbers});
    return numbers;
  }

  // Dequantised i16 values.
  ValueId Shorts() {
    constexpr uint32_t kCount = kCodeRows * kCodeInputs;
    const ValueId shorts = builder.Scratch({ElementType::i16, {kCodeRows, kCodeInputs}});
    builder.Emit(format::ConvertParams(kCount, ElementType::f32, ElementType::i16, 0), {x},
                 {shorts});
    const ValueId wide = builder.Scratch(F32({kCodeRows, kCodeInputs}));
    builder.Emit(format::ConvertParams(kCount, ElementType::i16, ElementType::f32, 0), {shorts},
                 {wide});
    const ValueId numbers = builder.Scratch(F32({kCodeRows, kCodeInputs}));
    format::BinaryParams times;
    times.mutate_rank(1);
    times.mutable_dims()->Mutate(0, kCount);
    times.mutable_a_strides()->Mutate(0, 1);
    times.mutate_op(format::BinaryOp::multiply);
    times.mutate_type(ElementType::f32);
    builder.Emit(times, {wide, builder.WeightsOf<float>({ElementType::f32, {1}}, {kCodeScale})},
                 {numbers});
    return numbers;
  }

  void Multiply(ValueId numbers, int64_t largest = 127) {
    std::vector<float> codes;
    for (int64_t i = 0; i < kCodeOutputs * kCodeInputs; ++i) {
      const int64_t integer = i % kCodeInputs == 0 ? largest : (i * 37) % (2 * largest) - largest;
      codes.push_back(static_cast<float>(integer));
    }
    const ValueId packed = ops::PackDense(builder, Quantised(codes, kWeightScale), kCodeInputs, 1,
                                          kCodeOutputs, kCodeInputs);
    const ValueId y = builder.Scratch(F32({kCodeRows, kCodeOutputs}));
    ops::EmitDense(builder, kCodeRows, kCodeInputs, kCodeOutputs, numbers, packed, y);
    Output(y);
  }

  // The kinds of the steps, for products with the type of their data.
  std::string Narrowed() {
    Faults faults;
    program::NarrowWeights(program, {}, faults);
    std::string names = faults.ok() ? "" : faults.lines().front();
    for (const program::Step& step : Steps(program)) {
      if (!names.empty()) names += " ";
      names += program::Name(step.kind());
      if (step.kind() != program::StepKind::kDenseI8) continue;
      names += std::string(":") + EnumNameElementType(program.values[step.inputs[0]].type.type);
    }
    return names;
  }
};

std::vector<float> CodeData() {
  std::vector<float> x(kCodeRows * kCodeInputs);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 29 % 61) - 30;
  return x;
}

// Products of the integers must give the results of the dequantised numbers: no sum here needs more
// bits than a float has.
template <typename Make>
std::string SameSums(const Make& make) {
  Rounded before, after;
  make(before);
  make(after);
  const std::string names = after.Narrowed();
  EXPECT_EQ(RunFloats(after.program, {CodeData()}), RunFloats(before.program, {CodeData()}))
      << names;
  return names;
}

TEST(IntegerValues, AreTheDataOfProducts) {
  EXPECT_EQ(SameSums([](Rounded& r) { r.Multiply(r.Bytes(0)); }), "quantize dense_q8");
  EXPECT_EQ(SameSums([](Rounded& r) { r.Multiply(r.Bytes(-7)); }), "quantize dense_q8");
  EXPECT_EQ(SameSums([](Rounded& r) { r.Multiply(r.Shorts()); }), "convert dense_i8:i16");
}

TEST(IntegerValues, LeaveNumbersThatSomethingElseReads) {
  EXPECT_EQ(SameSums([](Rounded& r) {
              const ValueId numbers = r.Bytes(3);
              r.Multiply(numbers);
              r.Output(numbers);
            }),
            "quantize dequantize dense_q8");
}

TEST(IntegerValues, MoveAsTheNumbersDo) {
  EXPECT_EQ(SameSums([](Rounded& r) {
              const ValueId numbers = r.Shorts(),
                            permuted = r.builder.Scratch(F32({kCodeRows, kCodeInputs}));
              r.builder.CopyStrided(numbers, permuted, {kCodeInputs, kCodeRows}, {kCodeRows, 1}, 0,
                                    {1, kCodeInputs}, 0);
              r.Multiply(permuted);
            }),
            "convert copy dense_i8:i16");
  EXPECT_EQ(SameSums([](Rounded& r) {
              ValueId moved = r.Bytes(5);
              for (int i = 0; i < 2; ++i) {
                const ValueId to = r.builder.Scratch(F32({kCodeRows, kCodeInputs}));
                r.builder.Copy(moved, to);
                moved = to;
              }
              r.Multiply(moved);
            }),
            "quantize copy copy dense_q8");
}

TEST(IntegerValues, AreNoneOfWhatIsWrittenTwice) {
  Rounded r;
  const ValueId numbers = r.Bytes(0);
  const ValueId first = r.builder.View(numbers, 0, F32({1}));
  r.builder.Copy(r.builder.View(r.x, 0, F32({1})), first);
  r.Multiply(numbers);
  EXPECT_EQ(r.Narrowed(), "quantize dequantize copy dense_i8:f32");
}

}  // namespace
}  // namespace weft
