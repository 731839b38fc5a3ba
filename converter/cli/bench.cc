// SPDX-License-Identifier: Apache-2.0
// weft bench: how long one Run takes, and, on request, where in it the time goes.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "converter/cli/commands.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "converter/inspect/sections.h"
#include "kernels/elementwise/convert.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBenchFooter =
    R"(Inputs of every floating type are filled once with fixed pseudo-random numbers in [-1, 1), integers and
booleans with zeros; state is kept from run to run. Without --iterations the runs of about one second are measured. --profile
adds as many runs with the clock read around every step; its figures hold that reading too.

Examples:
  weft bench model.weft
  weft bench model.weft --iterations 10000 --profile)";

struct BenchCall {
  std::string model;
  int64_t iterations = 0;
  int64_t warm_up = 10;
  bool profile = false, json = false;
};

uint64_t Now(void* = nullptr) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// 24 random bits are exact in f32 and f64, f16 and bf16 round them; the distribution classes of the
// standard differ between libraries.
void FillReals(const Tensor& tensor, std::mt19937& random) {
  const auto bits = size_t{BitsOf(tensor.type)};
  std::vector<float> values(tensor.bytes * 8 / bits);
  for (float& value : values) value = static_cast<float>(random() >> 8) * 0x1p-23f - 1.0f;
  if (tensor.type == Type::kF32) {
    std::memcpy(tensor.data, values.data(), tensor.bytes);
  } else {
    kernels::Convert({static_cast<uint32_t>(values.size()), kernels::Element::kF32,
                      static_cast<kernels::Element>(tensor.type)},
                     values.data(), tensor.data);
  }
}

void FillInputs(LoadedModel& model) {
  std::mt19937 random(1);
  for (uint32_t i = 0; i < model.inputs().size(); ++i) {
    const Tensor tensor = model.engine().input(i);
    if (tensor.bytes == 0) continue;
    if (IsFloat(static_cast<ElementType>(tensor.type))) {
      FillReals(tensor, random);
    } else {
      std::memset(tensor.data, 0, tensor.bytes);
    }
  }
}

// Inputs may be overwritten by a run, so they are filled again before each; that is not measured.
class Inputs {
 public:
  explicit Inputs(LoadedModel& model) : engine_(model.engine()) {
    FillInputs(model);
    for (uint32_t i = 0; i < engine_.input_count(); ++i) {
      const Tensor tensor = engine_.input(i);
      const auto* data = static_cast<const std::byte*>(tensor.data);
      saved_.emplace_back(data, data + tensor.bytes);
    }
  }
  void Restore() {
    for (uint32_t i = 0; i < saved_.size(); ++i) {
      if (!saved_[i].empty())
        std::memcpy(engine_.input(i).data, saved_[i].data(), saved_[i].size());
    }
  }

 private:
  Engine& engine_;
  std::vector<std::vector<std::byte>> saved_;
};

struct StepTime {
  uint64_t calls = 0, nanoseconds = 0;
};

struct Measured {
  std::vector<uint64_t> runs;  // nanoseconds, sorted
  std::vector<StepTime> steps;
  int64_t profiled_runs = 0;
};

class Bench {
 public:
  Bench(LoadedModel& model, Faults& faults) : model_(model), faults_(faults), inputs_(model) {}

  // Nanoseconds of one run; 0 after a fault.
  uint64_t Once() {
    inputs_.Restore();
    const uint64_t begin = Now();
    const Fault fault = model_.engine().Run();
    const uint64_t end = Now();
    if (!fault.ok()) faults_.Add(FaultLine(model_.file(), fault));
    return end - begin;
  }

  void Measure(const BenchCall& call, Measured& measured) {
    for (int64_t i = 0; i < call.warm_up && faults_.ok(); ++i) Once();
    constexpr uint64_t kSecond = 1'000'000'000;
    constexpr int64_t kLeast = 10, kMost = 1'000'000;
    uint64_t total = 0;
    const auto more = [&](int64_t done) {
      if (call.iterations > 0) return done < call.iterations;
      return done < kLeast || (total < kSecond && done < kMost);
    };
    for (int64_t done = 0; more(done) && faults_.ok(); ++done) {
      measured.runs.push_back(Once());
      total += measured.runs.back();
    }
    if (call.profile) MeasureSteps(std::ssize(measured.runs), measured);
    std::sort(measured.runs.begin(), measured.runs.end());
  }

 private:
  void MeasureSteps(int64_t runs, Measured& measured) {
    measured.steps.resize(format::RowsOf(model_.root().steps()).count);
    Profile profile;
    profile.now = Now;
    profile.user = &measured;
    profile.step = [](void* user, uint32_t step, uint64_t begin, uint64_t end) {
      StepTime& time = static_cast<Measured*>(user)->steps[step];
      ++time.calls;
      time.nanoseconds += end - begin;
    };
    model_.engine().SetProfile(&profile);
    for (int64_t i = 0; i < runs && faults_.ok(); ++i) Once();
    model_.engine().SetProfile(nullptr);
    measured.profiled_runs = runs;
  }

  LoadedModel& model_;
  Faults& faults_;
  Inputs inputs_;
};

double Microseconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

// Nearest rank: the smallest time that at least `share` of the runs do not exceed.
uint64_t Quantile(const std::vector<uint64_t>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

Json StepsJson(const LoadedModel& model, const Measured& measured) {
  const auto rows = format::RowsOf(model.root().steps());
  uint64_t total = 0;
  for (const StepTime& step : measured.steps) total += step.nanoseconds;
  Json list = Json::array();
  for (uint32_t i = 0; i < rows.count; ++i) {
    const StepTime& step = measured.steps[i];
    if (step.calls == 0) continue;
    const auto runs = static_cast<double>(measured.profiled_runs);
    list.push_back(
        {{"step", i},
         {"kind", inspect::KindName(rows[i].kind())},
         {"layer", inspect::LayerOf(model.root(), i)},
         {"calls_per_run", static_cast<double>(step.calls) / runs},
         {"microseconds_per_run", Microseconds(step.nanoseconds) / runs},
         {"share",
          total == 0 ? 0.0 : static_cast<double>(step.nanoseconds) / static_cast<double>(total)}});
  }
  return list;
}

void PrintSteps(const Json& steps) {
  Table table({">step", "kind", "layer", ">calls/run", ">us/run", ">share"});
  for (const Json& step : steps) {
    table.Row({fmt::format("{}", step["step"].get<uint32_t>()), step["kind"].get<std::string>(),
               step["layer"].get<std::string>(),
               fmt::format("{:.6g}", step["calls_per_run"].get<double>()),
               fmt::format("{:.3f}", step["microseconds_per_run"].get<double>()),
               fmt::format("{:.1f} %", 100 * step["share"].get<double>())});
  }
  AnswerText("\n" + table.Text());
}

void PrintMeasured(const BenchCall& call, const LoadedModel& model, const Measured& measured) {
  const std::vector<uint64_t>& runs = measured.runs;
  const double mean = Microseconds(std::accumulate(runs.begin(), runs.end(), uint64_t{0})) /
                      static_cast<double>(runs.size());
  const double least = Microseconds(runs.front()), median = Microseconds(Quantile(runs, 0.5)),
               p99 = Microseconds(Quantile(runs, 0.99)), most = Microseconds(runs.back());
  if (call.json) {
    Json json = {
        {"file", model.file()},
        {"iterations", runs.size()},
        {"warm_up", call.warm_up},
        {"microseconds",
         {{"min", least}, {"median", median}, {"mean", mean}, {"p99", p99}, {"max", most}}}};
    if (call.profile) json["steps"] = StepsJson(model, measured);
    Print(json);
    return;
  }
  Answer(
      "{} runs after {} to warm up, in microseconds: min {:.3f}, median {:.3f}, mean {:.3f}, p99 "
      "{:.3f}, max {:.3f}",
      runs.size(), call.warm_up, least, median, mean, p99, most);
  if (call.profile) PrintSteps(StepsJson(model, measured));
}

Exit BenchModel(const BenchCall& call) {
  Faults faults;
  const std::unique_ptr<LoadedModel> model = LoadedModel::Load(call.model, faults);
  if (model == nullptr || !model->Open(faults)) return Report(faults);
  Measured measured;
  Bench(*model, faults).Measure(call, measured);
  if (!faults.ok()) return Report(faults);
  PrintMeasured(call, *model, measured);
  return Exit::kDone;
}

}  // namespace

void AddBench(CommandLine& line, Exit* exit) {
  Command command = line.AddCommand("bench", "Measure how long a model runs");
  auto call = std::make_shared<BenchCall>();
  command.Add("MODEL", call->model, "The model.weft").Apply(PathName()).Type("FILE").Required();
  command.Add("--iterations", call->iterations, "Number of runs to measure")
      .Apply(Integer(1, 100'000'000))
      .Type("N");
  command.Add("--warm-up", call->warm_up, "Number of runs before those")
      .Apply(Integer(0, 100'000'000))
      .Type("N")
      .ShowDefault();
  command.AddFlag("--profile", call->profile, "Print the time of every step");
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(kBenchFooter);
  command.OnCall([call, exit] { *exit = BenchModel(*call); });
}

}  // namespace weft::cli
