// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier/fourier.h"

#include <algorithm>

#include "kernels/fourier/fourier_tables.h"
#include "kernels/reference/fourier.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

constexpr FourierOp kEveryOp[] = {FourierOp::kForward, FourierOp::kInverse, FourierOp::kForwardReal,
                                  FourierOp::kInverseReal};

// Consecutive lines. lines is 0 if the kernel does not support the factors of the size.
FourierShape ShapeOf(FourierOp op, uint32_t size, uint32_t lines = 1) {
  FourierShape shape;
  shape.op = op;
  shape.size = size;
  shape.lines = lines;
  shape.x_line_stride = static_cast<uint32_t>(FourierInputs(shape));
  shape.y_line_stride = static_cast<uint32_t>(FourierOutputs(shape));
  const bool inverse = op == FourierOp::kInverse || op == FourierOp::kInverseReal;
  shape.scale = inverse ? 1.0f / static_cast<float>(size) : 1.0f;
  if (!FindFourierFactors(FourierPoints(shape), shape.factors)) shape.lines = 0;
  return shape;
}

std::vector<float> RunFourier(const FourierShape& shape, const std::vector<float>& values,
                              const std::vector<double>& window, size_t misalignment) {
  const Array<float> x(values, misalignment);
  Array<float> tables(static_cast<size_t>(FourierTableFloats(shape)), misalignment);
  FillFourierTables(shape, window.data(), tables.data());
  const size_t outputs =
      size_t{shape.lines - 1} * shape.y_line_stride + static_cast<size_t>(FourierOutputs(shape));
  return OnEveryTarget<float>(outputs, misalignment, [&](float* y) {
    Array<float> scratch(static_cast<size_t>(FourierScratchFloats(shape)), misalignment);
    Fourier(shape, x.data(), tables.data(), y, scratch.data());
  });
}

// Skips sizes whose factors the kernel does not support.
void ExpectReference(const FourierShape& shape, const std::vector<float>& x,
                     const std::vector<double>& window = {}, size_t misalignment = 0) {
  if (shape.lines == 0) return;
  SCOPED_TRACE(testing::Message() << "size " << shape.size << ", op " << int(shape.op));
  const std::vector<float> y = RunFourier(shape, x, window, misalignment);
  const std::vector<float> rounded(window.begin(), window.end());
  for (uint32_t line = 0; line < shape.lines; ++line) {
    const std::vector<double> must = FourierReference(shape, x.data() + line * shape.x_line_stride,
                                                      window.empty() ? nullptr : rounded.data());
    double largest = 0;
    for (const double number : must) largest = std::max(largest, std::fabs(number));
    for (size_t i = 0; i < must.size(); ++i) {
      ASSERT_LE(std::fabs(y[line * shape.y_line_stride + i] - must[i]), kFourierTolerance * largest)
          << "line " << line << ", float " << i << ": " << must[i];
    }
  }
}

void ExpectReferenceOfNoise(FourierOp op, uint32_t size, uint32_t lines, Random* random,
                            size_t misalignment) {
  const FourierShape shape = ShapeOf(op, size, lines);
  ExpectReference(shape, random->Floats(size_t{shape.lines} * shape.x_line_stride, 2), {},
                  misalignment);
}

TEST(Fourier, MatchesItsReferenceForEverySizeOfSmallFactors) {
  Random random(1);
  for (uint32_t size = 1; size <= 64; ++size) {
    for (const FourierOp op : kEveryOp) ExpectReferenceOfNoise(op, size, 2, &random, size % 4);
  }
}

TEST(Fourier, MatchesItsReferenceOnLongLines) {
  Random random(2);
  for (const uint32_t size : {120u, 169u, 250u, 400u, 480u, 512u}) {
    if (size > 400 && kThinning > 3) continue;  // float64 is computed in software on boards
    for (const FourierOp op : kEveryOp) ExpectReferenceOfNoise(op, size, 1, &random, 0);
  }
  if (kThinning > 3) return;
  ExpectReferenceOfNoise(FourierOp::kForward, 1024, 1, &random, 0);
  ExpectReferenceOfNoise(FourierOp::kInverseReal, 1000, 1, &random, 0);
  ExpectReferenceOfNoise(FourierOp::kForwardReal, 1001, 1, &random, 0);
}

TEST(Fourier, RefusesFactorsItDoesNotKnow) {
  for (const uint32_t points : {0u, 17u, 34u, 323u, 1594323u, 65537u}) {
    uint8_t factors[kMaxFourierFactors] = {};
    EXPECT_FALSE(FindFourierFactors(points, factors)) << points;
  }
  uint8_t factors[kMaxFourierFactors] = {};
  EXPECT_TRUE(FindFourierFactors(96, factors));
  EXPECT_EQ(std::vector<uint8_t>(factors, factors + 5), (std::vector<uint8_t>{4, 4, 2, 3, 0}));
}

// Frames that overlap in x, and lines with gaps in y that must stay unchanged.
TEST(Fourier, MultipliesByTheWindowOnTheRealSide) {
  Random random(3);
  for (const uint32_t size : {16u, 30u, 27u, 128u}) {
    std::vector<double> window;
    for (uint32_t i = 0; i < size; ++i) window.push_back(double{random.Float(1)});
    for (const FourierOp op : {FourierOp::kForwardReal, FourierOp::kInverseReal}) {
      FourierShape shape = ShapeOf(op, size, 3);
      shape.has_window = true;
      shape.x_line_stride = 5;
      shape.y_line_stride += 3;
      const size_t reach = 10 + static_cast<size_t>(FourierInputs(shape));
      ExpectReference(shape, random.Floats(reach, 2), window);
    }
  }
}

TEST(Fourier, GivesWholeNumbersOfWholeNumbers) {
  const FourierShape shape = ShapeOf(FourierOp::kForward, 4);
  ExpectSame(RunFourier(shape, {1, 0, 2, 0, 3, 0, 4, 0}, {}, 0), {10, 0, -2, 2, -2, 0, -2, -2});
  ExpectSame(RunFourier(ShapeOf(FourierOp::kForwardReal, 4), {1, 2, 3, 4}, {}, 0),
             {10, 0, -2, 2, -2, 0});
  ExpectSame(RunFourier(ShapeOf(FourierOp::kInverseReal, 4), {10, 7, -2, 2, -2, 5}, {}, 0),
             {1, 2, 3, 4});
}

TEST(Fourier, SpoilsOnlyTheLineOfANan) {
  for (const FourierOp op : kEveryOp) {
    const FourierShape shape = ShapeOf(op, 20, 3);
    std::vector<float> x(size_t{3} * shape.x_line_stride, 1.0f);
    x[shape.x_line_stride] = kNan;
    const std::vector<float> y = RunFourier(shape, x, {}, 0);
    for (size_t i = 0; i < y.size(); ++i) {
      const bool is_spoiled = i / shape.y_line_stride == 1;
      EXPECT_TRUE(is_spoiled || !std::isnan(y[i])) << i;
    }
    EXPECT_TRUE(std::isnan(y[shape.y_line_stride]));
  }
}

TEST(Fourier, HasTheSameBitsOnEveryProcessor) {
  Random random(4);
  Fingerprint fingerprint;
  for (const uint32_t size : {32u, 60u, 77u, 117u, 128u, 150u}) {
    for (const FourierOp op : kEveryOp) {
      const FourierShape shape = ShapeOf(op, size);
      fingerprint.Add(RunFourier(shape, random.Floats(shape.x_line_stride, 3), {}, 0));
    }
  }
  EXPECT_EQ(fingerprint.value(), 0xDF1AE9006BFE1A7Bu);
}

}  // namespace
}  // namespace weft::kernels
