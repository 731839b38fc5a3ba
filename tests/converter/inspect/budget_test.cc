// SPDX-License-Identifier: Apache-2.0
// The numbers of `weft inspect --budget`: work and flash compared with manual results, the peak
// compared with the planner's.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "converter/base/aligned_bytes.h"
#include "converter/inspect/cost.h"
#include "converter/inspect/flash.h"
#include "converter/inspect/peak.h"
#include "converter/inspect/work.h"
#include "converter/pipeline.h"
#include "tests/rounds.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::inspect {
namespace {

using format::ElementType;
using format::Kind;
using test::ListingBuilder;
using test::SlotIndex;

const format::Activation kPlain = test::Activate(format::UnaryOp::identity);

// Operands do not affect these counts.
template <typename Params>
double CountedOf(Kind kind, const Params& params) {
  ListingBuilder b;
  b.Step(kind, params, {});
  const test::ExactBytes file = b.Finish();
  return MultiplyAdds(ModelOf(file), *ModelOf(file).steps()->Get(0));
}

void AddDense(ListingBuilder& b, uint32_t rows, uint32_t inputs, uint32_t outputs) {
  b.Step(Kind::dense,
         format::DenseParams(rows, inputs, outputs, inputs, outputs, 0, kPlain,
                             format::ElementType::f32, 0, 0),
         {});
}

ModelWork WorkOf(ListingBuilder& b) {
  const test::ExactBytes file = b.Finish();
  return inspect::WorkOf(ModelOf(file));
}

TEST(MultiplyAdds, AreTheProductsOfMatrices) {
  EXPECT_EQ(CountedOf(Kind::dense, format::DenseParams(3, 5, 7, 5, 7, 0, kPlain,
                                                       format::ElementType::f32, 0, 0)),
            3 * 5 * 7);
  const uint32_t batch[6] = {2, 3}, strides[6] = {};
  EXPECT_EQ(CountedOf(Kind::matmul, format::MatmulParams(2, batch, strides, strides, 4, 5, 6, 6, 1,
                                                         5, 1, format::ElementType::f32, 0, 0)),
            2 * 3 * 4 * 5 * 6);
  const uint32_t dims[8] = {4, 5}, reduce_strides[8] = {5, 1};
  EXPECT_EQ(CountedOf(Kind::reduce,
                      format::ReduceParams(1, 1, dims, reduce_strides, format::ReduceOp::l2,
                                           ElementType::f32, format::ReduceOrder::by_strides, 0)),
            4 * 5);
  EXPECT_EQ(CountedOf(Kind::reduce,
                      format::ReduceParams(1, 1, dims, reduce_strides, format::ReduceOp::sum,
                                           ElementType::f32, format::ReduceOrder::by_strides, 0)),
            0);
  EXPECT_EQ(CountedOf(Kind::unary, format::UnaryParams(9, kPlain, ElementType::f32, 0, 0)), 0);
}

// 5 inputs, pad 1 on each side, 3 taps: 15 pairs, of which 2 are in the padding.
TEST(MultiplyAdds, LeaveOutTapsInThePadding) {
  EXPECT_EQ(
      CountedOf(Kind::conv, format::ConvParams(2, 1, 4, 8, 1, 5, 1, 5, 1, 3, 1, 1, 1, 1, 0, 1, {},
                                               {}, kPlain, format::ElementType::f32, 0, 0)),
      2 * 4 * 8 * 13);
  EXPECT_EQ(
      CountedOf(Kind::depthwise,
                format::DepthwiseParams(2, 8, 2, 1, 5, 1, 5, 1, 3, 1, 1, 1, 1, 0, 1, {20, 5, 1, 5},
                                        {40, 5, 1, 5}, kPlain, format::ElementType::f32, 0, 0)),
      2 * 8 * 13);
}

TEST(MultiplyAdds, CountEveryWindowAsTheSlowWayDoes) {
  for (const uint32_t in : {1u, 4u, 9u}) {
    for (const uint32_t taps : {1u, 2u, 5u}) {
      for (const uint32_t stride : {1u, 3u}) {
        for (const uint32_t dilation : {1u, 2u, 4u}) {
          for (const uint32_t pad : {0u, 1u, 6u}) {
            const uint32_t out = 7;
            int pairs = 0;
            for (uint32_t p = 0; p < out; ++p) {
              for (uint32_t tap = 0; tap < taps; ++tap) {
                const int64_t at = int64_t{p} * stride + int64_t{tap} * dilation - pad;
                pairs += at >= 0 && at < in;
              }
            }
            EXPECT_EQ(
                CountedOf(Kind::conv, format::ConvParams(1, 1, 1, 1, in, 1, out, 1, taps, 1, stride,
                                                         1, dilation, 1, pad, 0, {}, {}, kPlain,
                                                         format::ElementType::f32, 0, 0)),
                pairs)
                << in << " " << taps << " " << stride << " " << dilation << " " << pad;
          }
        }
      }
    }
  }
}

// LSTM 32 to 64 over 100 steps, its input product hoisted out of the loop, and a dense head of 32
// over every step: 100 * (32 + 64) * 256 + 100 * 64 * 32.
TEST(WorkOf, MultipliesLoopsByTheirTrips) {
  ListingBuilder b;
  AddDense(b, 100, 32, 256);
  b.Enter({.trip_count = 100, .max_trips = 100});
  AddDense(b, 1, 64, 256);
  b.Step(Kind::lstm_gates, format::LstmGatesParams(1, 64, 256, kPlain, kPlain, kPlain), {});
  b.Leave();
  AddDense(b, 100, 64, 32);
  const ModelWork work = WorkOf(b);
  EXPECT_EQ(work.multiply_adds.run, 2662400);
  EXPECT_EQ(work.steps.run, 1 + 100 * 2 + 1);
  EXPECT_TRUE(work.steps.exact);
  EXPECT_EQ(work.multiply_adds.sections[0].per_iteration, 64 * 256);
  EXPECT_EQ(work.steps.sections[0].per_iteration, 2);
  EXPECT_EQ(work.multiply_adds.sections[0].per_entry, 100 * 64 * 256);
  EXPECT_EQ(work.steps.times, (std::vector<double>{1, 1, 100, 100, 1}));
}

TEST(WorkOf, CountsUnrolledCopiesAndTheSettleRunThatIsMade) {
  ListingBuilder b;
  b.Enter({.trip_count = 7, .max_trips = 7, .unroll = 2});
  AddDense(b, 1, 2, 3);
  b.NextRun();
  AddDense(b, 1, 2, 5);
  AddDense(b, 1, 1, 1);
  b.NextRun();
  AddDense(b, 1, 1, 100);
  b.Leave();
  const ModelWork work = WorkOf(b);
  EXPECT_EQ(work.multiply_adds.run, 4 * 6 + 3 * 11 + 100);
  EXPECT_EQ(work.steps.run, 4 + 3 * 2 + 1);
  EXPECT_EQ(work.multiply_adds.sections[0].per_iteration, (6 + 11) / 2.0);
  EXPECT_EQ(work.steps.sections[0].per_iteration, 1.5);
}

TEST(WorkOf, TakesTheMaximumWhereTheRunDecides) {
  ListingBuilder b;
  const SlotIndex trips = b.Scratch(ElementType::i32, {1});
  const SlotIndex flag = b.Scratch(ElementType::boolean, {1});
  b.Enter({.max_trips = 9, .trip = trips});
  b.Enter({.trip_count = 2, .max_trips = 2});
  AddDense(b, 1, 1, 4);
  b.Leave();
  b.Leave();
  b.Enter({.trip_count = 1, .first_condition = flag, .runs_when = 1});
  AddDense(b, 1, 1, 10);
  b.Leave();
  b.Enter({.trip_count = 1, .first_condition = flag, .runs_when = 0});
  AddDense(b, 1, 1, 20);
  b.Leave();
  const ModelWork work = WorkOf(b);
  EXPECT_FALSE(work.steps.exact);
  EXPECT_EQ(work.multiply_adds.run, 9 * 2 * 4 + 10 + 20);
  EXPECT_EQ(work.multiply_adds.sections[0].per_entry, 9 * 2 * 4);
  EXPECT_EQ(work.multiply_adds.sections[0].per_iteration, 2 * 4);
  EXPECT_EQ(work.multiply_adds.sections[1].per_entry, 2 * 4);
  EXPECT_EQ(work.steps.sections[0].per_iteration, 2);
}

uint64_t BytesOf(const std::vector<FlashPart>& parts, const std::string& name) {
  for (const FlashPart& part : parts) {
    if (part.name == name) return part.bytes;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(FlashOf, AddsUpToTheFile) {
  test::Features f = test::EveryFeature();
  RecordSelfTest(f.b, 4);
  const test::ExactBytes file = f.b.Finish();
  const std::vector<FlashPart> parts = FlashOf(file.bytes());
  uint64_t sum = 0;
  for (const FlashPart& part : parts) sum += part.bytes;
  EXPECT_EQ(sum, file.size());
  EXPECT_EQ(BytesOf(parts, "weights"), 4 + f.b.weights.size());
  EXPECT_EQ(BytesOf(parts, "self test"), 4 + 8 + f.b.self_test_data.size());
  EXPECT_EQ(BytesOf(parts, "steps"), 8 + 12 * f.b.steps.size() + 4 * f.b.operands.size());
  EXPECT_EQ(BytesOf(parts, "sections"), 8 + 36 * f.b.sections.size() + 4 * (2 + 4 + 2 + 2));
  EXPECT_EQ(BytesOf(parts, "ports"), 12 + 16 * 6 + 12);
  uint64_t names = 4 + 4 + 4 * f.b.step_names.size();
  for (const std::string& name : f.b.names) names += 4 + 4 + name.size() + 1;
  EXPECT_EQ(BytesOf(parts, "names"), names);
  // A table of some 60 offsets with its vtable, three regions, and gaps below 64 bytes.
  EXPECT_LT(parts.back().bytes, 4 * 62 + 2 * 62 + 40 + 2 * 64 + 64);
}

// The peak computed from the listing must equal the maximum live bytes of the planner.
TEST(PeaksOf, FindsTheMomentThatThePlannerFound) {
  namespace fs = std::filesystem;
  int found = 0, compared = 0, overlapping = 0, unproven = 0;
  for (const char* folder :
       {"sequence", "if", "loop_run", "loop_nested", "convolution", "ti", "attention"}) {
    for (const auto& entry :
         fs::directory_iterator(WEFT_FIXTURES_DIR "/cases/" + std::string(folder))) {
      if (!IsRound(found++)) continue;
      SCOPED_TRACE(entry.path().string());
      pipeline::ConvertOptions options;
      options.model = entry.path() / "model.xml";
      options.max_iterations = 8;
      Faults faults;
      const auto converted = pipeline::Convert(options, faults);
      if (!converted) continue;  // needs other options
      AlignedBytes file(converted->file.size());
      std::memcpy(file.data(), converted->file.data(), file.size());
      const std::vector<Peak> peaks = PeaksOf(*format::GetModel(file.data()));
      ASSERT_EQ(peaks.size(), 1u);
      const plan::Account& account = converted->scratch_account;
      uint64_t sum = 0;
      for (const AliveBuffer& buffer : peaks[0].alive) {
        sum += buffer.bytes;
        EXPECT_NE(buffer.name, "");
      }
      if (!peaks[0].overlaps) {
        EXPECT_EQ(peaks[0].bytes, account.peak_bytes);
        EXPECT_EQ(sum, peaks[0].bytes);
      } else if (account.is_optimal()) {  // shared bytes count once
        EXPECT_EQ(peaks[0].bytes, account.bound_bytes);
      } else {
        EXPECT_LE(peaks[0].bytes, account.used_bytes);
        EXPECT_LT(peaks[0].bytes, account.peak_bytes);
        ++unproven;
      }
      overlapping += peaks[0].overlaps;
      ++compared;
    }
  }
  EXPECT_GT(compared, Rounds(150));
  EXPECT_GT(overlapping, 0);
  EXPECT_LT(20 * unproven, compared);
}

TEST(PeaksOf, SaysNothingOfAFileWithoutBuffers) {
  ListingBuilder b;
  b.Fill(b.Scratch(ElementType::f32, {4}), 1);
  const test::ExactBytes file = b.Finish();
  EXPECT_TRUE(PeaksOf(ModelOf(file)).empty());
}

}  // namespace
}  // namespace weft::inspect
