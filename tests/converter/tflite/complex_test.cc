// SPDX-License-Identifier: Apache-2.0
// Messages about complex tensors; tests/tflite compares their results.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/converter/tflite/custom_operator.h"

namespace weft::tflite {
namespace {

using Type = schema::ElementType;

constexpr int kRfft2D = 131, kComplexAbs = 135, kNeg = 59;

// The operator `last` of the spectrum of x. Both outputs have the name that FaultOf() reads.
ModelWriter Spectrum(std::vector<int32_t> dims, const std::vector<int32_t>& lengths, int last) {
  ModelWriter model;
  const auto count = static_cast<int32_t>(lengths.size());
  model.tensors = {{"x", std::move(dims)},
                   {"lengths", {count}, Type::i32, BytesOf(lengths)},
                   {"y", {1, 5}, Type::c64},
                   {"y", {1, 5}, last == kNeg ? Type::c64 : Type::f32}};
  model.operators = {{kRfft2D, {0, 1}, {2}}, {last, {2}, {3}}};
  model.inputs = {0};
  model.outputs = {3};
  return model;
}

TEST(TfliteComplex, ReportsLengths) {
  const auto must = [](const char* is) {
    return "fft_length is " + std::string(is) + "; must be 2 numbers, at least 1 and 2, for rank 2";
  };
  EXPECT_EQ(FaultOf(Spectrum({1, 8}, {1, 8}, kComplexAbs)), "0 faults");
  EXPECT_EQ(FaultOf(Spectrum({8}, {1, 8}, kComplexAbs)), must("[1,8] for rank 1"));
  EXPECT_EQ(FaultOf(Spectrum({1, 8}, {8}, kComplexAbs)), must("[8] for rank 2"));
  EXPECT_EQ(FaultOf(Spectrum({1, 8}, {0, 8}, kComplexAbs)), must("[0,8] for rank 2"));
  EXPECT_EQ(FaultOf(Spectrum({1, 8}, {1, 1}, kComplexAbs)), must("[1,1] for rank 2"));
}

// In the graph, other operators would compute with the parts as if they were numbers.
TEST(TfliteComplex, RefusesArithmetic) {
  EXPECT_EQ(FaultOf(Spectrum({1, 8}, {1, 8}, kNeg)),
            "has a complex tensor; must have real ones, by COMPLEX_ABS, REAL or IMAG before");
}

}  // namespace
}  // namespace weft::tflite
