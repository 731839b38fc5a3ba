// SPDX-License-Identifier: Apache-2.0
// weft bench: statistics of many runs, and inputs. Times depend on the machine, so tests compare
// them with each other.
#include <bit>
#include <cmath>

#include "converter/cli/timing.h"
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

TEST(Timing, QuantilesAreNearestRanks) {
  std::vector<uint64_t> runs;
  for (uint64_t i = 1; i <= 1000; ++i) runs.push_back(i);
  EXPECT_EQ(Quantile(runs, 0.5), 500u);
  EXPECT_EQ(Quantile(runs, 0.999), 999u);
  EXPECT_EQ(Quantile(runs, 0.9999), 1000u);
  EXPECT_EQ(Quantile(runs, 0), 1u);
  EXPECT_EQ(Quantile(std::vector<uint64_t>{7}, 0.99), 7u);
}

TEST(Timing, HistogramsCountEveryRunOnce) {
  const std::vector<std::vector<uint64_t>> all = {
      {5}, {3, 3, 3}, {0, 0, 1}, {10, 11, 12, 13, 1'000'000}, {0, 1'000'000'000'000}};
  for (const std::vector<uint64_t>& runs : all) {
    const std::vector<Bin> bins = Histogram(runs);
    ASSERT_FALSE(bins.empty());
    uint64_t count = 0;
    for (const Bin& bin : bins) {
      EXPECT_LE(bin.from, bin.to);
      count += bin.count;
    }
    EXPECT_EQ(count, runs.size());
    EXPECT_LE(bins.front().from, static_cast<double>(std::max<uint64_t>(runs.front(), 1)));
    EXPECT_GE(bins.back().to, static_cast<double>(runs.back()) * 0.999999);
  }
  EXPECT_EQ(Histogram(std::vector<uint64_t>{10, 11, 12, 1'000'000}).front().count, 3u);
  EXPECT_TRUE(Histogram({}).empty());
}

class BenchOptions : public CommandTest {
 protected:
  nlohmann::json Bench(const std::string& arguments) const {
    const Outcome outcome = Weft("bench --json " + arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }

  // Writes a recording of one channel; `kind` is 1 for integers, 3 for floats.
  void WriteWav(std::string_view name, uint32_t kind, uint32_t bits, uint32_t channels,
                const std::string& data) const {
    const auto number = [](uint32_t value, size_t bytes) {
      std::string text;
      for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
      return text;
    };
    const std::string format = number(kind, 2) + number(channels, 2) + number(8000, 4) +
                               number(8000 * channels * bits / 8, 4) +
                               number(channels * bits / 8, 2) + number(bits, 2);
    const std::string chunks = "WAVEfmt " + number(16, 4) + format + "LIST" + number(3, 4) + "odd" +
                               number(0, 1) + "data" +
                               number(static_cast<uint32_t>(data.size()), 4) + data;
    WriteText(name, "RIFF" + number(static_cast<uint32_t>(chunks.size()), 4) + chunks);
  }
};

TEST_F(BenchOptions, TellsPercentilesThatTheRunsCanTell) {
  Convert(kSum);
  const auto few = Bench("model.weft --iterations 50")["microseconds"];
  EXPECT_TRUE(few.contains("p95"));
  EXPECT_FALSE(few.contains("p99.9"));
  const auto json = Bench("model.weft --iterations 10000");
  const auto& times = json["microseconds"];
  double last = times["min"];
  for (const char* name : {"median", "p90", "p95", "p99", "p99.9", "p99.99", "max"}) {
    ASSERT_TRUE(times.contains(name)) << name;
    EXPECT_GE(times[name].get<double>(), last) << name;
    last = times[name];
  }
  uint64_t count = 0;
  for (const auto& bin : json["histogram"]) count += bin["count"].get<uint64_t>();
  EXPECT_EQ(count, 10000u);
  EXPECT_LT(json["clock_nanoseconds"], 1'000'000);
  const Outcome text = Weft("bench model.weft --iterations 100 --histogram");
  EXPECT_NE(text.out.find("####"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("percentiles: p90 "), std::string::npos) << text.out;
}

TEST_F(BenchOptions, CountsRunsThatMissTheDeadline) {
  Convert(kSum);
  const auto never = Bench("model.weft --iterations 100 --deadline 100s")["deadline"];
  EXPECT_EQ(never["misses"], 0);
  EXPECT_LT(never["real_time_factor"], 0.1);
  EXPECT_EQ(Bench("model.weft --iterations 9 --deadline 20.8us")["deadline"]["microseconds"], 20.8);
  EXPECT_FALSE(Bench("model.weft --iterations 9").contains("deadline"));
  const Outcome text = Weft("bench model.weft --iterations 10 --deadline 1s");
  EXPECT_NE(text.out.find("deadline 1e+06 us: 0 of 10 runs miss it (0 %)"), std::string::npos)
      << text.out;
  for (const char* time : {"20", "0us", "-1us", "1h", "us", "1.2.3us", "1us2", "''"}) {
    const Outcome outcome = Weft(std::string("bench model.weft --deadline ") + time);
    EXPECT_EQ(outcome.code, 2) << time;
    EXPECT_NE(outcome.err.find("must be a time with its unit"), std::string::npos) << outcome.err;
  }
}

TEST_F(BenchOptions, ComparesSeveralModels) {
  Convert(kSum);
  std::filesystem::rename(Path("model.weft"), Path("a, \"b\".weft"));
  Convert(kCounter);
  const auto json = Bench("'a, \"b\".weft' model.weft --iterations 20");
  ASSERT_EQ(json["models"].size(), 2u);
  EXPECT_EQ(json["models"][0]["ratio"], 1.0);
  EXPECT_GT(json["models"][1]["ratio"], 0.0);
  EXPECT_EQ(json["models"][1]["iterations"], 20);
  const Outcome csv = Weft("bench 'a, \"b\".weft' model.weft --iterations 20 --csv");
  EXPECT_TRUE(csv.out.starts_with("model,runs,min_us,median_us,mean_us,p90_us,")) << csv.out;
  EXPECT_NE(csv.out.find("\n\"a, \"\"b\"\".weft\",20,"), std::string::npos) << csv.out;
  EXPECT_NE(csv.out.find("\nmodel.weft,20,"), std::string::npos) << csv.out;
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 3);
  const Outcome steps = Weft("bench model.weft --iterations 20 --csv --profile");
  EXPECT_TRUE(steps.out.starts_with("model,step,kind,layer,")) << steps.out;
  EXPECT_EQ(Weft("bench model.weft --csv --json").code, 2);
  EXPECT_EQ(Weft("bench model.weft absent.weft").code, 1);
}

TEST_F(BenchOptions, SortsStepsByCostAndAddsUpLayers) {
  const std::string cell = WEFT_FIXTURES_DIR "/cases/cell/gru_b3_i5_h16/model.xml";
  ASSERT_EQ(Weft("convert " + cell + " -o gru.weft").code, 0);
  const auto json = Bench("gru.weft --iterations 30 --profile");
  ASSERT_GT(json["steps"].size(), json["layers"].size());
  double steps = 0, layers = 0, last = HUGE_VAL;
  for (const auto& step : json["steps"]) steps += step["microseconds_per_run"].get<double>();
  for (const auto& layer : json["layers"]) {
    EXPECT_LE(layer["microseconds_per_run"].get<double>(), last);
    last = layer["microseconds_per_run"];
    layers += last;
  }
  EXPECT_NEAR(steps, layers, 1e-6 * steps + 1e-9);
}

TEST_F(BenchOptions, SaysMediansOfSteps) {
  const std::string cell = WEFT_FIXTURES_DIR "/cases/cell/gru_b3_i5_h16/model.xml";
  ASSERT_EQ(Weft("convert " + cell + " -o gru.weft").code, 0);
  const auto once = Bench("gru.weft --iterations 1 --profile");
  for (const char* list : {"steps", "layers"}) {
    ASSERT_FALSE(once[list].empty());
    for (const auto& cost : once[list]) {
      EXPECT_NEAR(cost["median_microseconds_per_run"].get<double>(),
                  cost["microseconds_per_run"].get<double>(), 1e-9);
    }
  }
  const auto json = Bench("gru.weft --iterations 30 --profile");
  for (const auto& step : json["steps"]) {
    EXPECT_LE(step["median_microseconds_per_run"].get<double>(),
              2 * step["microseconds_per_run"].get<double>() + 1e-9);
  }
  EXPECT_NE(Weft("bench gru.weft --iterations 5 --profile").out.find("  median  "),
            std::string::npos);
  EXPECT_NE(Weft("bench gru.weft --iterations 5 --profile --csv").out.find(",median_us_per_run\n"),
            std::string::npos);
}

TEST_F(BenchOptions, RefusesWhatItCannotFeed) {
  Convert(kCounter);
  WriteFloats("x.npy", {3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Bench("model.weft --iterations 5 --input x=x.npy")["iterations"], 5);
  WriteFloats("wrong.npy", {3}, {1, 2, 3});
  const Outcome wrong = Weft("bench model.weft --input x=wrong.npy");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("wrong.npy: is f32[3]; input \"x\" must be f32[2]"), std::string::npos)
      << wrong.err;
  EXPECT_EQ(Weft("bench model.weft --input y=x.npy").code, 2);
}

TEST_F(BenchOptions, TakesRecordings) {
  Convert(kCounter);
  const std::string samples("\x00\x40\x00\xc0\x00\x20\x00\x00\xff\x7f", 10);
  WriteWav("x.wav", 1, 16, 1, samples);
  // Two calls of two samples; the fifth sample is dropped.
  EXPECT_EQ(Weft("run model.weft --input x=x.wav").out,
            "total f32[2,2]\n[[0.5, -0.5],\n [0.75, -0.5]]\n");
  // 2 samples at 8000 samples per second.
  EXPECT_EQ(Bench("model.weft --iterations 5 --input x=x.wav")["deadline"]["microseconds"], 250.0);
  WriteWav("x.wav", 1, 8, 1, "\xc0\x40");
  EXPECT_EQ(Weft("run model.weft --input x=x.wav").out, "total f32[1,2]\n[[0.5, -0.5]]\n");
  WriteWav("x.wav", 1, 24, 1, std::string("\0\0\x40\0\0\xc0", 6));
  EXPECT_EQ(Weft("run model.weft --input x=x.wav").out, "total f32[1,2]\n[[0.5, -0.5]]\n");
  WriteWav("x.wav", 3, 32, 1, std::string("\0\0\0\x3f\0\0\0\xbf", 8));
  EXPECT_EQ(Weft("run model.weft --input x=x.wav").out, "total f32[1,2]\n[[0.5, -0.5]]\n");
  const auto expect_fault = [&](const std::string& words) {
    const Outcome outcome = Weft("run model.weft --input x=x.wav");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err, "x.wav: " + words + "\n");
  };
  WriteWav("x.wav", 1, 16, 2, samples);
  expect_fault("has 2 channels; must have 1");
  WriteWav("x.wav", 7, 8, 1, samples);
  expect_fault(
      "holds samples of 8 bits in format 7; must hold PCM (1) of 8, 16, 24 or 32 bits or floats "
      "(3) of 32");
  WriteWav("x.wav", 1, 16, 1, "");
  expect_fault(
      "is a recording of 0 samples; input \"x\" f32[2] must be f32 and have at most as many "
      "elements");
  WriteText("x.wav", "RIFF....WAVE");
  expect_fault("has no format; must hold samples");
  // The file of an interrupted recording ends before its data.
  WriteWav("x.wav", 1, 16, 1, samples);
  const std::string full = Text("x.wav");
  WriteText("x.wav", full.substr(0, full.size() - 3));
  const Outcome cut = Weft("run model.weft --input x=x.wav");
  EXPECT_EQ(cut.code, 0);
  EXPECT_EQ(cut.out, "total f32[1,2]\n[[0.5, -0.5]]\n");
  EXPECT_EQ(cut.err,
            "warning: x.wav: has 3 bytes less than the stated length of its data; the samples in "
            "the file are read\n");
  // A length that a program wrote to a pipe.
  WriteText("x.wav",
            full.substr(0, full.size() - 14) + "\xff\xff\xff\xff" + full.substr(full.size() - 10));
  EXPECT_EQ(Weft("run model.weft --input x=x.wav").err, "");
  // Every prefix of a recording is either read or rejected.
  WriteWav("whole.wav", 1, 16, 1, samples);
  const std::string whole = Text("whole.wav");
  for (size_t bytes = 0; bytes < whole.size(); bytes += 3) {
    WriteText("x.wav", whole.substr(0, bytes));
    EXPECT_LE(Weft("run model.weft --input x=x.wav").code, 1) << bytes;
  }
}

TEST_F(BenchOptions, RunsOnTheProcessorThatIsAskedFor) {
  Convert(kSum);
  EXPECT_EQ(Weft("bench model.weft --iterations 5 --cpu 0").code, 0);
  const Outcome outcome = Weft("bench model.weft --iterations 5 --cpu 1023");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("weft bench: --cpu: processor 1023 is not available: "),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace weft::cli
