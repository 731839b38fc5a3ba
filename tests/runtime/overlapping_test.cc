// SPDX-License-Identifier: Apache-2.0
// Overlap of y and x in place with an offset: the blocks of many geometries are simulated element
// by element, and files whose steps write over their input are opened and run.
#include "runtime/bind/overlapping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/matrix/pack.h"
#include "runtime/steps.h"
#include "tests/rounds.h"
#include "tests/runtime/samples.h"

namespace weft::bind {
namespace {

constexpr uint32_t kFloat = sizeof(float);

uint32_t Below(std::mt19937& random, uint32_t end) { return static_cast<uint32_t>(random() % end); }

kernels::MapStrides LastOf(uint32_t channels, uint32_t height, uint32_t width, uint32_t gap = 0) {
  const uint32_t pixel = channels + gap;
  return {height * width * pixel, width * pixel, pixel, 1};
}

// Sets one axis of x, with two pads that may be larger than the window.
void SetAxis(std::mt19937& random, uint32_t& in, uint32_t& out, uint32_t& taps, uint32_t& stride,
             uint32_t& dilation, uint32_t& pad, uint32_t max) {
  for (;;) {
    in = 1 + Below(random, max);
    taps = 1 + Below(random, 4);
    stride = 1 + Below(random, 3);
    dilation = 1 + Below(random, 3);
    pad = Below(random, 6);
    const uint32_t padded = in + pad + Below(random, 6), reach = (taps - 1) * dilation + 1;
    if (padded < reach) continue;
    out = (padded - reach) / stride + 1;
    return;
  }
}

struct Case {
  MapGeometry geometry = {};
  uint32_t dilation_y = 1, dilation_x = 1;
};

Case RandomCase(std::mt19937& random) {
  Case made;
  MapGeometry& w = made.geometry;
  w.batch = 1 + (Below(random, 4) == 0);
  SetAxis(random, w.in_height, w.out_height, w.kernel_height, w.stride_y, made.dilation_y,
          w.pad_top, Below(random, 2) == 0 ? 1 : 7);
  SetAxis(random, w.in_width, w.out_width, w.kernel_width, w.stride_x, made.dilation_x, w.pad_left,
          Below(random, 2) == 0 ? 5 : 50);
  if (Below(random, 3) == 0) {
    w.kernel_height = w.kernel_width = w.stride_y = w.stride_x = 1;
    w.pad_top = w.pad_left = 0;
    w.out_height = w.in_height;
    w.out_width = w.in_width;
  }
  w.in_channels = 1 + Below(random, 5);
  w.out_channels = Below(random, 2) == 0 ? w.in_channels : 1 + Below(random, 5);
  w.x = LastOf(w.in_channels, w.in_height, w.in_width, Below(random, 5) == 0 ? 2 : 0);
  w.y = LastOf(w.out_channels, w.out_height, w.out_width, Below(random, 5) == 0 ? 3 : 0);
  return made;
}

struct Block {
  std::vector<size_t> reads, writes;  // elements of x and of y
};

// Elements that the kernel reads and writes in each block, by the definition of a window.
std::vector<Block> BlocksOf(const Case& one, bool descending) {
  const MapGeometry& whole = one.geometry;
  OverlapBlocks blocks(whole, descending);
  std::vector<Block> played;
  OverlapBlock part;
  while (blocks.Next(&part)) {
    Block block;
    for (uint32_t j = 0; j < part.out_width; ++j) {
      for (uint32_t c = 0; c < whole.out_channels; ++c) {
        block.writes.push_back(part.y_offset + size_t{j} * part.y_pixel + c);
      }
      for (uint32_t tap = 0; tap < whole.kernel_height * whole.kernel_width; ++tap) {
        const int64_t row =
            int64_t{tap / whole.kernel_width} * one.dilation_y - int64_t{part.pad_top};
        const int64_t column = int64_t{j} * part.stride_x +
                               int64_t{tap % whole.kernel_width} * one.dilation_x -
                               int64_t{part.pad_left};
        if (row < 0 || row >= part.in_height || column < 0 || column >= part.in_width) continue;
        for (uint32_t c = 0; c < whole.in_channels; ++c) {
          block.reads.push_back(part.x_offset + static_cast<size_t>(row) * whole.x.row +
                                static_cast<size_t>(column) * part.x_pixel + c);
        }
      }
    }
    played.push_back(std::move(block));
  }
  return played;
}

// Returns true if a block overwrites an element of x that it or a later block reads, with y
// starting `before` elements before x.
bool DoesHarm(const std::vector<Block>& blocks, int64_t before) {
  constexpr int64_t kElements = 1 << 14;
  std::vector<size_t> last_read(kElements, 0);  // 1 + block
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (const size_t element : blocks[b].reads) last_read.at(element) = b + 1;
  }
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (const size_t element : blocks[b].writes) {
      const int64_t of_x = static_cast<int64_t>(element) - before;
      if (of_x < 0 || of_x >= kElements) continue;
      if (last_read[static_cast<size_t>(of_x)] > b) return true;
    }
  }
  return false;
}

std::string Described(const Case& one) {
  const MapGeometry& w = one.geometry;
  std::string text;
  for (const uint32_t number :
       {w.batch, w.in_height, w.in_width, w.out_height, w.out_width, w.kernel_height,
        w.kernel_width, w.stride_y, w.stride_x, w.pad_top, w.pad_left, w.in_channels,
        w.out_channels, w.x.pixel, w.y.pixel, one.dilation_y, one.dilation_x}) {
    text += std::to_string(number) + " ";
  }
  return text;
}

// Returns true if the limit is exact: blocks are rows, and each starts with data.
bool IsPlain(const MapGeometry& w) {
  return w.stride_y == 1 && w.stride_x == 1 && w.out_width <= kOverlapPixels &&
         w.in_channels == w.out_channels && w.x.pixel == w.in_channels &&
         w.y.pixel == w.in_channels && w.in_width == w.out_width && w.in_height == w.out_height &&
         w.pad_top < w.in_height && w.pad_left < w.kernel_width && w.pad_left < w.in_width &&
         w.pad_top < w.kernel_height;
}

TEST(Overlapping, NoBlockOverwritesWhatIsStillRead) {
  std::mt19937 random(29);
  int plain = 0, after = 0;
  for (int round = 0; round < Rounds(3000); ++round) {
    const Case one = RandomCase(random);
    SCOPED_TRACE(Described(one));
    const OverlapLimits limits = LimitsOf(one.geometry);
    ASSERT_EQ(limits.before_bytes % kFloat, 0u);
    const int64_t before = limits.before_bytes / kFloat;
    const std::vector<Block> upwards = BlocksOf(one, false);
    for (const int64_t more : {0, 1, 7, 100}) {
      ASSERT_FALSE(DoesHarm(upwards, before + more)) << before << " + " << more;
    }
    if (IsPlain(one.geometry)) {
      ++plain;
      EXPECT_TRUE(DoesHarm(upwards, before - 1)) << before;
    }
    if (limits.after_bytes == OverlapLimits().after_bytes) continue;
    const int64_t distance = limits.after_bytes / kFloat;
    const std::vector<Block> downwards = BlocksOf(one, true);
    for (const int64_t more : {0, 1, 7, 100}) ASSERT_FALSE(DoesHarm(downwards, -distance - more));
    ++after;
    if (IsPlain(one.geometry)) {
      EXPECT_TRUE(DoesHarm(downwards, 1 - distance)) << distance;
    }
  }
  EXPECT_GT(plain, Rounds(100));
  EXPECT_GT(after, Rounds(300));
}

MapGeometry Square(uint32_t height, uint32_t width, uint32_t taps, uint32_t stride, uint32_t pad,
                   uint32_t channels) {
  const uint32_t out_height = (height + 2 * pad - taps) / stride + 1;
  const uint32_t out_width = (width + 2 * pad - taps) / stride + 1;
  return {1,
          height,
          width,
          out_height,
          out_width,
          taps,
          taps,
          stride,
          stride,
          pad,
          pad,
          channels,
          channels,
          LastOf(channels, height, width),
          LastOf(channels, out_height, out_width)};
}

TEST(Overlapping, KnowsTheDistancesOfCommonSteps) {
  // Blocks of a row of 5: the pads reach back over 5 pixels and one; a block adds 5, minus its own
  // 1.
  EXPECT_EQ(LimitsOf(Square(25, 5, 3, 1, 1, 64)).before_bytes, 10 * 64 * kFloat);
  EXPECT_EQ(LimitsOf(Square(25, 5, 3, 1, 1, 64)).after_bytes, OverlapLimits().after_bytes);
  EXPECT_EQ(LimitsOf(Square(25, 5, 1, 1, 0, 64)).before_bytes, 15 * 64 * kFloat);
  EXPECT_EQ(LimitsOf(Square(25, 5, 1, 1, 0, 64)).after_bytes, 15 * 64 * kFloat);
  // Wide rows are split.
  EXPECT_EQ(LimitsOf(Square(40, 40, 3, 1, 1, 16)).before_bytes, (40 + 16) * 16 * kFloat);
  // Pools never write ahead of their reads, except within a block.
  EXPECT_EQ(LimitsOf(Square(32, 32, 2, 2, 0, 8)).before_bytes, 15 * 8 * kFloat);
}

TEST(Overlapping, PlanesHaveNoOrderOfPixels) {
  MapGeometry geometry = Square(9, 9, 3, 1, 1, 4);
  geometry.y = {324, 9, 1, 81};
  EXPECT_TRUE(LimitsOf(geometry).never());
  geometry = Square(9, 9, 3, 1, 1, 4);
  geometry.x = {324, 9, 1, 81};  // each pixel of y needs a part of every plane
  EXPECT_FALSE(LimitsOf(geometry).never());
  geometry.out_channels = 0;
  EXPECT_TRUE(LimitsOf(geometry).never());
}

TEST(Overlapping, StridesThatLeadNowhereMayBeAnything) {
  for (const uint32_t far : {0u, 5u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    MapGeometry geometry = Square(1, 40, 1, 1, 0, 4);
    const OverlapLimits limits = LimitsOf(geometry);
    geometry.x.image = geometry.y.image = geometry.x.row = geometry.y.row = far;
    EXPECT_EQ(LimitsOf(geometry).before_bytes, limits.before_bytes);
    EXPECT_EQ(LimitsOf(geometry).after_bytes, limits.after_bytes);
  }
}

constexpr format::ElementType kF32Type = format::ElementType::f32;
const format::Activation kTanh = test::Activate(format::UnaryOp::tanh, 0, 0, 5.0f);

// A step over maps, and the distances at which its y may overlap x.
struct OverlappingStep {
  test::StepSample sample;
  OverlapLimits limits;
  uint32_t x_bytes, y_bytes;
  size_t y_operand;
};

template <typename Params>
OverlappingStep StepOf(format::Kind kind, const Params& params, uint32_t x, uint32_t y,
                       uint32_t weights, uint32_t bias) {
  std::vector<std::pair<format::ElementType, uint32_t>> slots = {{kF32Type, x}};
  if (weights != 0) slots.insert(slots.end(), {{kF32Type, weights}, {kF32Type, bias}});
  slots.push_back({kF32Type, y});
  return {test::StepSample(kind, slots).With(params), OverlapLimitsOf(params), x * kFloat,
          y * kFloat, slots.size() - 1};
}

// Strides of axes that are never stepped along are random.
format::MapStrides Strides(std::mt19937& random, uint32_t channels, uint32_t batch, uint32_t height,
                           uint32_t width) {
  kernels::MapStrides strides = LastOf(channels, height, width);
  if (batch == 1) strides.image = Below(random, 99);
  if (height == 1) strides.row = Below(random, 99);
  if (width == 1) strides.pixel = Below(random, 99);
  if (channels == 1) strides.channel = Below(random, 99);
  return {strides.image, strides.row, strides.pixel, strides.channel};
}

uint32_t FloatsOf(uint32_t batch, uint32_t height, uint32_t width, uint32_t channels) {
  return batch * height * width * channels;
}

OverlappingStep RandomConv(std::mt19937& random) {
  const Case one = RandomCase(random);
  const MapGeometry& w = one.geometry;
  const uint32_t groups = 1 + Below(random, 2), in = w.in_channels,
                 out = Below(random, 2) ? in : 18;
  const auto x = Strides(random, groups * in, w.batch, w.in_height, w.in_width);
  const auto y = Strides(random, groups * out, w.batch, w.out_height, w.out_width);
  const format::ConvParams params(w.batch, groups, in, out, w.in_height, w.in_width, w.out_height,
                                  w.out_width, w.kernel_height, w.kernel_width, w.stride_y,
                                  w.stride_x, one.dilation_y, one.dilation_x, w.pad_top, w.pad_left,
                                  x, y, kTanh, format::ElementType::f32, 0, 0);
  return StepOf(format::Kind::conv, params, FloatsOf(w.batch, w.in_height, w.in_width, groups * in),
                FloatsOf(w.batch, w.out_height, w.out_width, groups * out),
                groups * ((out + 15) / 16 * 16) * in * w.kernel_height * w.kernel_width,
                groups * out);
}

OverlappingStep RandomDepthwise(std::mt19937& random) {
  const Case one = RandomCase(random);
  const MapGeometry& w = one.geometry;
  const uint32_t multiplier = 1 + Below(random, 2), in = Below(random, 3) ? w.in_channels : 17;
  const uint32_t out = in * multiplier;
  const format::DepthwiseParams params(
      w.batch, out, multiplier, w.in_height, w.in_width, w.out_height, w.out_width, w.kernel_height,
      w.kernel_width, w.stride_y, w.stride_x, one.dilation_y, one.dilation_x, w.pad_top, w.pad_left,
      Strides(random, in, w.batch, w.in_height, w.in_width),
      Strides(random, out, w.batch, w.out_height, w.out_width), kTanh, format::ElementType::f32, 0,
      0);
  return StepOf(format::Kind::depthwise, params, FloatsOf(w.batch, w.in_height, w.in_width, in),
                FloatsOf(w.batch, w.out_height, w.out_width, out),
                (out + 15) / 16 * 16 * w.kernel_height * w.kernel_width, out);
}

OverlappingStep ConvI8Of(std::mt19937& random, uint32_t max) {
  const Case one = RandomCase(random);
  const MapGeometry& w = one.geometry;
  const uint32_t groups = 1 + Below(random, 2), in = w.in_channels,
                 out = Below(random, 2) ? in : 18;
  const uint32_t inputs = in * w.kernel_height * w.kernel_width, blocks = (inputs + 15) / 16 * 16;
  const uint32_t panels = groups * ((out + 15) / 16 * 16);
  const auto weights = static_cast<uint32_t>(groups * kernels::PackedDenseI8Bytes(out, inputs));
  const uint32_t patches = std::min(uint32_t{4}, w.out_height * w.out_width);
  const bool is_of_floats = max != 0;
  uint32_t x = FloatsOf(w.batch, w.in_height, w.in_width, groups * in);
  if (!is_of_floats) x += x % 2;  // y is aligned to words
  const uint32_t y = FloatsOf(w.batch, w.out_height, w.out_width, groups * out);
  const format::ConvI8Params params(
      w.batch, groups, in, out, w.in_height, w.in_width, w.out_height, w.out_width, w.kernel_height,
      w.kernel_width, w.stride_y, w.stride_x, one.dilation_y, one.dilation_x, w.pad_top, w.pad_left,
      Strides(random, groups * in, w.batch, w.in_height, w.in_width),
      Strides(random, groups * out, w.batch, w.out_height, w.out_width), kTanh, max);
  const test::StepSample sample(format::Kind::conv_i8,
                                {{is_of_floats ? kF32Type : format::ElementType::i16, x},
                                 {format::ElementType::i8, weights},
                                 {kF32Type, panels},
                                 {kF32Type, groups * out},
                                 {kF32Type, y},
                                 {kF32Type, patches * inputs},
                                 {format::ElementType::i16, patches * blocks}});
  const uint32_t x_bytes = is_of_floats ? x * kFloat : x * 2;
  return {test::StepSample(sample).With(params), OverlapLimitsOf(params), x_bytes, y * kFloat, 4};
}
OverlappingStep RandomConvI8(std::mt19937& random) { return ConvI8Of(random, 32767); }
// With i16 data: y must not overlap x.
OverlappingStep RandomConvOfShorts(std::mt19937& random) { return ConvI8Of(random, 0); }

OverlappingStep RandomDepthwiseI8(std::mt19937& random) {
  const Case one = RandomCase(random);
  const MapGeometry& w = one.geometry;
  const uint32_t multiplier = 1 + Below(random, 2), in = Below(random, 3) ? w.in_channels : 17;
  const uint32_t out = in * multiplier, panels = (out + 15) / 16 * 16;
  const uint32_t taps = w.kernel_height * w.kernel_width;
  const uint32_t x = FloatsOf(w.batch, w.in_height, w.in_width, in);
  const uint32_t y = FloatsOf(w.batch, w.out_height, w.out_width, out);
  const format::DepthwiseI8Params params(
      w.batch, out, multiplier, w.in_height, w.in_width, w.out_height, w.out_width, w.kernel_height,
      w.kernel_width, w.stride_y, w.stride_x, one.dilation_y, one.dilation_x, w.pad_top, w.pad_left,
      Strides(random, in, w.batch, w.in_height, w.in_width),
      Strides(random, out, w.batch, w.out_height, w.out_width), kTanh);
  const uint32_t scratch = std::max(panels, uint32_t{32}) * taps;
  const test::StepSample sample(format::Kind::depthwise_i8,
                                {{kF32Type, x},
                                 {format::ElementType::i8, panels * taps},
                                 {kF32Type, panels},
                                 {kF32Type, panels},
                                 {kF32Type, out},
                                 {kF32Type, y},
                                 {kF32Type, scratch}});
  return {test::StepSample(sample).With(params), OverlapLimitsOf(params), x * kFloat, y * kFloat,
          5};
}

OverlappingStep RandomPool(std::mt19937& random) {
  const Case one = RandomCase(random);
  const MapGeometry& w = one.geometry;
  const uint32_t channels = w.in_channels;
  const auto op = static_cast<format::PoolOp>(Below(random, 3));
  const format::PoolParams params(
      w.batch, channels, w.in_height, w.in_width, w.out_height, w.out_width, w.kernel_height,
      w.kernel_width, w.stride_y, w.stride_x, one.dilation_y, one.dilation_x, w.pad_top, w.pad_left,
      Below(random, 20) + 10, Below(random, 20) + 10,
      Strides(random, channels, w.batch, w.in_height, w.in_width),
      Strides(random, channels, w.batch, w.out_height, w.out_width), op, 0, 0);
  return StepOf(format::Kind::pool, params, FloatsOf(w.batch, w.in_height, w.in_width, channels),
                FloatsOf(w.batch, w.out_height, w.out_width, channels), 0, 0);
}

// y starts `distance` bytes before x (after it, if negative); both are after all other slots.
test::Loaded At(const OverlappingStep& step, int64_t distance, StepTable table = AllSteps()) {
  constexpr uint32_t kFarthest = 64;  // that a test puts between the two
  test::StepSample sample = step.sample;
  uint32_t& bytes = sample.builder.region_bytes[2];
  const uint32_t base = (bytes + step.y_bytes + kFarthest + 15) / 16 * 16;
  bytes = base + step.x_bytes + step.y_bytes + kFarthest;
  sample.builder.slots[sample.operands.front()].mutate_offset_bytes(base);
  sample.builder.slots[sample.operands[step.y_operand]].mutate_offset_bytes(
      static_cast<uint32_t>(base - distance));
  return test::Loaded(sample.builder.Finish(), table);
}

std::vector<std::byte> ResultOf(test::Loaded& model) {
  test::FillInputs(model.engine);
  EXPECT_TRUE(model.engine.Run().ok());
  const Tensor y = model.engine.output(0);
  const auto* data = static_cast<const std::byte*>(y.data);
  return {data, data + y.bytes};
}

void HoldsItsLimits(const OverlappingStep& step) {
  test::Loaded apart = At(step, step.y_bytes);
  ASSERT_TRUE(apart.fault.ok()) << apart.Text();
  const std::vector<std::byte> expected = ResultOf(apart);
  const int64_t before = std::min(step.limits.before_bytes, step.y_bytes);
  const int64_t after = std::min(step.limits.after_bytes, step.x_bytes);
  for (const int64_t more : {0, 4, 20, 64}) {
    for (const int64_t distance : {before + more, -after - more}) {
      test::Loaded overlap = At(step, distance);
      ASSERT_TRUE(overlap.fault.ok()) << overlap.Text() << " at " << distance;
      EXPECT_EQ(ResultOf(overlap), expected) << distance;
    }
  }
  for (const int64_t distance : {before - 4, 4 - after}) {
    if (distance >= before || distance <= -after) continue;  // the other's limit allows it
    EXPECT_EQ(At(step, distance).fault.code, FaultCode::kOperandOverlap) << distance;
  }
}

TEST(Overlapping, PlainEntriesRefuseWhatIsNear) {
  std::mt19937 random(37);
  const OverlappingStep step = RandomPool(random);
  std::vector<StepEntry> entries(AllSteps().entries, AllSteps().entries + AllSteps().count);
  entries[static_cast<size_t>(format::Kind::pool) - 1] = steps::kPool;
  const StepTable plain = {entries.data(), static_cast<uint32_t>(entries.size())};
  EXPECT_EQ(At(step, step.y_bytes - 4, plain).fault.code, FaultCode::kOperandOverlap);
  EXPECT_EQ(At(step, step.y_bytes, plain).fault.code, FaultCode::kNone);
}

TEST(Overlapping, OutputsBesidesYStayApart) {
  std::mt19937 random(41);
  for (const auto make : {RandomConvI8, RandomDepthwiseI8}) {
    for (int round = 0; round < Rounds(40); ++round) {
      OverlappingStep step = make(random);
      const int64_t before = std::min(step.limits.before_bytes, step.y_bytes);
      ASSERT_TRUE(At(step, before).fault.ok());
      auto& slots = step.sample.builder.slots;
      const auto& operands = step.sample.operands;
      slots[operands.back()].mutate_offset_bytes(slots[operands[1]].offset_bytes());
      EXPECT_EQ(At(step, before).fault.code, FaultCode::kOperandOverlap);
    }
  }
}

TEST(Overlapping, StepsWriteOverTheirInputAtTheirLimits) {
  std::mt19937 random(31);
  int shared = 0;
  for (int round = 0; round < Rounds(400); ++round) {
    for (const auto make : {RandomConv, RandomConvI8, RandomConvOfShorts, RandomDepthwise,
                            RandomDepthwiseI8, RandomPool}) {
      const OverlappingStep step = make(random);
      SCOPED_TRACE(round);
      HoldsItsLimits(step);
      if (testing::Test::HasFatalFailure()) return;
      shared += step.limits.before_bytes < step.y_bytes || step.limits.after_bytes < step.x_bytes;
    }
  }
  EXPECT_GT(shared, Rounds(600));
}

}  // namespace
}  // namespace weft::bind
