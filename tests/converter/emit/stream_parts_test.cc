// SPDX-License-Identifier: Apache-2.0
// Streams of --streams are bit-identical to the model with one stream, whatever happens to the
// other streams: NaN in one of them, streams that join later, move to other engines or are reset.
#include "converter/emit/stream_parts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/element_type.h"
#include "converter/emit/file_engine.h"
#include "converter/pipeline.h"
#include "runtime/weft.h"
#include "runtime/weft_c.h"

namespace weft::emit {
namespace {

struct Case {
  const char *name, *model;
  bool streaming;
  const char* precision;
  bool copies_weights = false;
};

void PrintTo(const Case& row, std::ostream* out) { *out << row.name << " " << row.precision; }

std::optional<pipeline::Converted> ConvertCase(const Case& row, int64_t streams, Faults& faults) {
  pipeline::ConvertOptions options;
  options.model = std::string(row.model).starts_with("examples/")
                      ? std::string(WEFT_SOURCE_DIR "/") + row.model
                      : std::string(WEFT_FIXTURES_DIR "/") + row.model;
  if (row.streaming) options.streaming_steps = 1;
  options.streams = streams;
  if (row.copies_weights) options.regions = {{"fast", 1 << 20, true}};
  if (std::string(row.precision) == "i8") options.precisions.all = ElementType::i8;
  return pipeline::Convert(options, faults);
}

Block StateOf(FileEngine& engine) { return {engine.state().data(), engine.state().size()}; }

// Outputs of a stream, by run and port.
using Outputs = std::map<std::pair<uint32_t, uint32_t>, std::vector<std::byte>>;

// The bytes of a port that belong to a stream.
Tensor LaneOf(Tensor tensor, uint32_t lane, uint32_t count) {
  tensor.bytes /= count;
  tensor.data = tensor.as<std::byte>() + lane * tensor.bytes;
  return tensor;
}

MadeNumbers NumbersOf(uint32_t stream, uint32_t run) {
  return MadeNumbers(stream * 1000003 + run * 17 + 5);
}

void FillLane(Engine& engine, uint32_t lane, uint32_t count, uint32_t stream, uint32_t run) {
  MadeNumbers numbers = NumbersOf(stream, run);
  for (uint32_t i = 0; i < engine.input_count(); ++i) {
    Fill(LaneOf(engine.input(i), lane, count), numbers);
  }
}

void Collect(Engine& engine, uint32_t lane, uint32_t count, uint32_t run, Outputs& outputs) {
  for (uint32_t i = 0; i < engine.output_count(); ++i) {
    const Tensor part = LaneOf(engine.output(i), lane, count);
    outputs[{run, i}].assign(part.as<std::byte>(), part.as<std::byte>() + part.bytes);
  }
}

Outputs Alone(FileEngine& single, uint32_t stream, uint32_t runs) {
  Outputs outputs;
  single.engine.Reset();
  for (uint32_t run = 0; run < runs; ++run) {
    FillLane(single.engine, 0, 1, stream, run);
    (void)single.engine.Run();
    Collect(single.engine, 0, 1, run, outputs);
  }
  return outputs;
}

void FillWithNan(Engine& engine, uint32_t lane, uint32_t count) {
  for (uint32_t i = 0; i < engine.input_count(); ++i) {
    const Tensor part = LaneOf(engine.input(i), lane, count);
    if (part.type != Type::kF32) continue;
    for (size_t k = 0; k < part.bytes / sizeof(float); ++k) {
      part.as<float>()[k] = std::numeric_limits<float>::quiet_NaN();
    }
  }
}

class StreamsOf : public testing::TestWithParam<Case> {};

constexpr uint32_t kCount = 4;

// Stream s joins at lane s % 4 of engine 0 after s runs, and moves to lane (s + 1) % 4 of engine 1
// after three runs. The lane that it left then gets NaN. `many` has kCount streams.
void ExpectTheModelAlone(const std::optional<pipeline::Converted>& one,
                         const std::optional<pipeline::Converted>& many, Faults& faults) {
  constexpr uint32_t kRuns = 9, kMoved = 3;
  ASSERT_TRUE(one && many) << (faults.lines().empty() ? "" : faults.lines()[0]);
  FileEngine single(one->file), first(many->file), second(many->file);
  ASSERT_TRUE(single.Open(faults) && first.Open(faults) && second.Open(faults));
  Streams here, there;
  ASSERT_TRUE(Streams::Open(first.bytes(), StateOf(first), &here).ok());
  ASSERT_TRUE(Streams::Open(second.bytes(), StateOf(second), &there).ok());
  ASSERT_EQ(here.count(), kCount);
  EXPECT_EQ(here.state_bytes(), many->stream_state_bytes);
  std::vector<std::byte> saved(here.state_bytes());
  std::vector<Outputs> outputs(kCount);
  for (uint32_t run = 0; run < kRuns + kCount; ++run) {
    for (uint32_t s = 0; s < kCount; ++s) {
      FillWithNan(first.engine, s, kCount);
      FillWithNan(second.engine, s, kCount);
    }
    for (uint32_t s = 0; s < kCount; ++s) {
      if (run < s || run - s >= kRuns) continue;
      const uint32_t own = run - s;
      if (own == 0) {
        ASSERT_TRUE(here.Reset(s).ok());
      }
      if (own == kMoved) {
        ASSERT_TRUE(here.Save(s, {saved.data(), saved.size()}).ok());
        ASSERT_TRUE(there.Load((s + 1) % kCount, {saved.data(), saved.size()}).ok());
      }
      FillLane(own < kMoved ? first.engine : second.engine, own < kMoved ? s : (s + 1) % kCount,
               kCount, s, own);
    }
    (void)first.engine.Run();
    (void)second.engine.Run();
    for (uint32_t s = 0; s < kCount; ++s) {
      if (run < s || run - s >= kRuns) continue;
      const uint32_t own = run - s;
      Collect(own < kMoved ? first.engine : second.engine, own < kMoved ? s : (s + 1) % kCount,
              kCount, own, outputs[s]);
    }
  }
  for (uint32_t s = 0; s < kCount; ++s) EXPECT_EQ(outputs[s], Alone(single, s, kRuns)) << s;
}

TEST_P(StreamsOf, AreThoseOfTheModelAlone) {
  Faults faults;
  const auto one = ConvertCase(GetParam(), 0, faults);
  ExpectTheModelAlone(one, ConvertCase(GetParam(), kCount, faults), faults);
}

// A model of x f32[1,3,6] with time on axis 2. Each layer has one output, on port 9.
class MeansOfSteps {
 public:
  std::optional<pipeline::Converted> Convert(int64_t streams, Faults& faults) const {
    const std::string xml =
        fmt::format(R"(<net name="n" version="11"><layers>{}</layers><edges>{}</edges></net>)",
                    layers_, edges_);
    const std::vector<float> counts = {1, 2, 3, 4, 5, 6, 1};
    std::vector<std::byte> weights(sizeof(int64_t), std::byte{0});
    weights[0] = std::byte{2};
    const auto bytes = std::as_bytes(std::span(counts));
    weights.insert(weights.end(), bytes.begin(), bytes.end());
    pipeline::ConvertOptions options;
    options.model = "model.xml";
    options.in_memory =
        ir::IrBytes{std::as_bytes(std::span(xml)), std::span(std::as_const(weights))};
    options.streaming_steps = 1;
    options.streams = streams;
    options.time_axes = {{"x", 2}};
    return pipeline::Convert(options, faults);
  }

  int Add(const std::string& type, int opset, const std::vector<int>& inputs,
          const std::string& data, const std::string& precision = "FP32",
          const std::vector<int>& dims = {1, 3, 6}) {
    const int id = next_++;
    std::string ports, extents;
    for (size_t i = 0; i < inputs.size(); ++i) {
      ports += fmt::format(R"(<port id="{}"/>)", i);
      edges_ += fmt::format(R"(<edge from-layer="{}" from-port="9" to-layer="{}" to-port="{}"/>)",
                            inputs[i], id, i);
    }
    for (const int extent : dims) extents += fmt::format("<dim>{}</dim>", extent);
    layers_ +=
        fmt::format(R"(<layer id="{0}" name="{1}" type="{2}" version="opset{3}">)"
                    R"(<data {4}/><input>{5}</input>)",
                    id, id == 0 ? "x" : fmt::format("{}{}", type, id), type, opset, data, ports);
    if (type != "Result") {
      layers_ += fmt::format(R"(<output><port id="9" precision="{}">{}</port></output>)", precision,
                             extents);
    }
    layers_ += "</layer>";
    return id;
  }
  int Axis() {
    return Add("Const", 1, {}, R"(element_type="i64" shape="" offset="0" size="8")", "I64", {});
  }
  int Sum(int of) { return Add("CumSum", 3, {of, Axis()}, R"(exclusive="false" reverse="false")"); }

 private:
  int next_ = 0;
  std::string layers_, edges_;
};

// The numbers of steps have fewer axes than the sums, or are computed from the shape of the input.
TEST(Streams, CountTheStepsOfMeans) {
  for (const bool from_shape : {false, true}) {
    MeansOfSteps model;
    const int x = model.Add("Parameter", 1, {}, R"(element_type="f32" shape="1,3,6")");
    int counts = -1;
    if (from_shape) {
      const int shape = model.Add("ShapeOf", 3, {x}, R"(output_type="i64")", "I64", {3});
      const int one = model.Add("Const", 1, {},
                                R"(element_type="f32" shape="" offset="32" size="4")", "FP32", {});
      counts = model.Sum(model.Add("Broadcast", 3, {one, shape}, R"(mode="numpy")"));
    } else {
      counts = model.Add("Const", 1, {}, R"(element_type="f32" shape="6" offset="8" size="24")",
                         "FP32", {6});
    }
    const int mean = model.Add("Divide", 1, {model.Sum(x), counts}, R"(auto_broadcast="numpy")");
    model.Add("Result", 1, {mean}, "");
    Faults faults;
    const auto one = model.Convert(0, faults);
    ExpectTheModelAlone(one, model.Convert(kCount, faults), faults);
  }
}

constexpr const char* kGru = "examples/dtmf/model/dtmf.xml";

INSTANTIATE_TEST_SUITE_P(
    Models, StreamsOf,
    testing::Values(Case{"gru_cell", kGru, false, "f32"}, Case{"gru_cell", kGru, false, "i8"},
                    Case{"copied_gru_cell", kGru, false, "f32", true},
                    Case{"gru", "examples/dtmf/model/dtmf_sequence.xml", true, "f32"},
                    Case{"quantised", "examples/quantise/model/keypad_int8.xml", false, "f32"},
                    Case{"level", "examples/pipeline/model/vad.xml", false, "f32"},
                    Case{"convolutions", "cases/streaming/residual_blocks/model.xml", true, "f32"},
                    Case{"transposed", "cases/streaming/rows_of_frequencies/model.xml", true,
                         "f32"},
                    Case{"pools", "cases/streaming/pools/model.xml", true, "f32"},
                    Case{"rings", "cases/streaming/shared_pasts/model.xml", true, "f32"},
                    Case{"u_net", "cases/streaming/u_net/model.xml", true, "f32"},
                    Case{"front_end", "cases/front_ends/log_mel/model.xml", true, "f32"},
                    Case{"running_mean", "cases/streaming/all_so_far/model.xml", true, "f32"},
                    Case{"lengths_of_gru", "cases/streams/lengths_of_gru/model.xml", true, "f32"},
                    Case{"lengths_of_lstm", "cases/streams/lengths_of_lstm/model.xml", true, "f32"},
                    Case{"lengths_of_rnn", "cases/streams/lengths_of_rnn/model.xml", true, "i8"},
                    Case{"shapes", "cases/streams/shapes/model.xml", true, "f32"},
                    Case{"layers_first", "cases/streams/layers_first/model.xml", true, "f32"},
                    Case{"bands", "cases/streams/bands/model.xml", true, "f32"},
                    Case{"unrolled", "cases/streams/unrolled/model.xml", true, "f32"},
                    Case{"without_batch", "cases/streams/without_batch/model.xml", true, "f32"},
                    Case{"selected", "cases/streams/selected/model.xml", true, "f32"},
                    Case{"bounds", "cases/streams/bounds/model.xml", true, "f32"},
                    Case{"squeezed", "cases/streams/squeezed/model.xml", true, "f32"},
                    Case{"body", "cases/streams/body/model.xml", true, "f32"},
                    Case{"turned", "cases/streams/turned/model.xml", true, "f32"},
                    Case{"keras", "cases/exports/keras_stacked_gru_lstm/model.xml", true, "f32"},
                    Case{"variables", "cases/state/delay_of_two_calls/model.xml", false, "f32"}),
    [](const auto& test) { return std::string(test.param.name) + "_" + test.param.precision; });

// One clear line names the input, state or layer without an axis of the streams.
TEST(Streams, RefuseOtherModels) {
  for (const auto& [row, line] :
       {std::pair(Case{"", "cases/streaming/attention_block/model.xml", true, "f32"},
                  "one for all streams; must have an axis of the streams"),
        std::pair(Case{"", "cases/streaming/batch_of_steps/model.xml", true, "f32"},
                  "must have a first axis of extent 1, the batch"),
        std::pair(Case{"", "examples/pipeline/model/front.xml", false, "f32"},
                  "has no state; must have one"),
        std::pair(Case{"", "cases/streams/mean_of_batch/model.xml", true, "f32"},
                  "(ReduceMean): combines its batch with another axis, or removes it"),
        std::pair(Case{"", "cases/streams/sum_over_batch/model.xml", true, "f32"},
                  "(CumSum): combines its batch with another axis, or removes it"),
        std::pair(Case{"", "cases/streams/sequence_over_batch/model.xml", true, "f32"},
                  "(GRUSequence): iterates over its batch")}) {
    Faults faults;
    EXPECT_FALSE(ConvertCase(row, 4, faults).has_value());
    ASSERT_EQ(faults.lines().size(), 1u) << row.model;
    EXPECT_NE(faults.lines()[0].find(line), std::string::npos) << faults.lines()[0];
    EXPECT_NE(faults.lines()[0].find("--streams 4: "), std::string::npos) << faults.lines()[0];
  }
}

TEST(Streams, ReportErrors) {
  Faults faults;
  const Case row = {"gru", kGru, false, "f32"};
  const auto one = ConvertCase(row, 0, faults), many = ConvertCase(row, 3, faults);
  ASSERT_TRUE(one && many);
  FileEngine single(one->file), engine(many->file);
  ASSERT_TRUE(single.Open(faults) && engine.Open(faults));
  Streams streams;
  EXPECT_EQ(streams.Reset(0).code, FaultCode::kStreamsAbsent);
  EXPECT_EQ(Streams::Open(single.bytes(), StateOf(single), &streams).code,
            FaultCode::kStreamsAbsent);
  EXPECT_EQ(Streams::Open(engine.bytes(), {engine.state().data(), 8}, &streams).code,
            FaultCode::kStateShort);
  ASSERT_TRUE(Streams::Open(engine.bytes(), StateOf(engine), &streams).ok());
  std::vector<std::byte> saved(streams.state_bytes());
  EXPECT_EQ(saved.size(), 24 * sizeof(float));
  EXPECT_EQ(streams.Save(3, {saved.data(), saved.size()}).code, FaultCode::kStreamIndex);
  EXPECT_EQ(streams.Load(7, {saved.data(), saved.size()}).code, FaultCode::kStreamIndex);
  EXPECT_EQ(streams.Save(0, {saved.data(), saved.size() - 1}).code, FaultCode::kStreamBytes);
  EXPECT_EQ(streams.Load(0, {saved.data(), saved.size() - 1}).code, FaultCode::kStreamBytes);
  EXPECT_EQ(streams.Save(0, {nullptr, saved.size()}).code, FaultCode::kStreamBytes);
  EXPECT_EQ(streams.Load(0, {nullptr, saved.size()}).code, FaultCode::kStreamBytes);
  EXPECT_EQ(streams.Save(2, {saved.data(), saved.size()}).code, FaultCode::kNone);
  Streams closed;
  ASSERT_TRUE(Streams::Open(engine.bytes(), {nullptr, engine.state().size()}, &closed).ok());
  EXPECT_EQ(closed.state_bytes(), saved.size());
  EXPECT_EQ(closed.Save(2, {saved.data(), saved.size()}).code, FaultCode::kStateShort);
  EXPECT_EQ(closed.Load(2, {saved.data(), saved.size()}).code, FaultCode::kStateShort);
  EXPECT_EQ(closed.Reset(2).code, FaultCode::kStateShort);
}

// Every changed number of the rows is refused, or describes bytes inside the state.
void ExpectDamagedRowsAreRefused(bool copies_weights) {
  Faults faults;
  const auto many = ConvertCase({"gru", kGru, false, "f32", copies_weights}, 3, faults);
  ASSERT_TRUE(many.has_value());
  EXPECT_EQ(many->copied_weight_bytes[0] > 0, copies_weights);
  std::vector<std::byte> bytes = many->file;
  const auto* const rows = format::GetModel(bytes.data())->stream_parts();
  ASSERT_NE(rows, nullptr);
  const auto at = static_cast<size_t>(reinterpret_cast<const std::byte*>(rows) - bytes.data());
  for (size_t offset = at; offset < at + 4 + 16 * rows->size(); offset += 4) {
    for (const uint32_t number : {0u, 1u, 2u, 5u, 25u, 1000u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
      std::vector<std::byte> changed = many->file;
      std::memcpy(&changed[offset], &number, sizeof(number));
      FileEngine engine(changed);
      ASSERT_TRUE(engine.Open(faults));
      Streams streams;
      if (!Streams::Open(engine.bytes(), StateOf(engine), &streams).ok()) continue;
      std::vector<std::byte> saved(streams.state_bytes());
      for (uint32_t i = 0; i < std::min(streams.count(), 100u); ++i) {
        EXPECT_TRUE(streams.Save(i, {saved.data(), saved.size()}).ok());
        EXPECT_TRUE(streams.Load(i, {saved.data(), saved.size()}).ok());
        EXPECT_TRUE(streams.Reset(i).ok());
      }
    }
  }
}

TEST(Streams, RefuseDamagedRows) { ExpectDamagedRowsAreRefused(false); }
TEST(Streams, RefuseDamagedRowsOfCopiedWeights) { ExpectDamagedRowsAreRefused(true); }

TEST(Streams, AreTheSameInC) {
  Faults faults;
  const auto many = ConvertCase({"gru", kGru, false, "f32"}, 3, faults);
  ASSERT_TRUE(many.has_value());
  FileEngine engine(many->file);
  ASSERT_TRUE(engine.Open(faults));
  weft_streams streams;
  const weft_block state = {engine.state().data(), engine.state().size()};
  ASSERT_TRUE(
      weft_ok(weft_streams_open(engine.bytes().data, engine.bytes().size, state, &streams)));
  EXPECT_EQ(weft_streams_count(&streams), 3u);
  std::vector<std::byte> saved(weft_stream_state_bytes(&streams));
  const std::vector<std::byte> zeros = saved;
  FillLane(engine.engine, 1, 3, 0, 0);
  (void)engine.engine.Run();
  ASSERT_TRUE(weft_ok(weft_save_stream(&streams, 1, {saved.data(), saved.size()})));
  EXPECT_NE(saved, zeros);
  EXPECT_TRUE(weft_ok(weft_load_stream(&streams, 2, saved.data(), saved.size())));
  EXPECT_TRUE(weft_ok(weft_reset_stream(&streams, 1)));
  std::vector<std::byte> other(saved.size());
  ASSERT_TRUE(weft_ok(weft_save_stream(&streams, 2, {other.data(), other.size()})));
  EXPECT_EQ(other, saved);
  ASSERT_TRUE(weft_ok(weft_save_stream(&streams, 1, {other.data(), other.size()})));
  EXPECT_EQ(other, zeros);
  EXPECT_FALSE(weft_ok(weft_reset_stream(&streams, 3)));
}

}  // namespace
}  // namespace weft::emit
