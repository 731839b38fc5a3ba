// SPDX-License-Identifier: Apache-2.0
// weft bench: measures the time of a run and, on request, of each step.
#include <fmt/format.h>
#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "converter/base/paths.h"
#include "converter/cli/bench_report.h"
#include "converter/cli/commands.h"
#include "converter/cli/feed.h"
#include "converter/cli/numbers.h"
#include "converter/cli/timing.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

constexpr const char* kBenchFooter =
    R"(Without --input, floating-point inputs are fixed pseudo-random numbers in [-1, 1), integers
and booleans are zeros. With --input, each run reads the next call of the file and starts again at
its end. State is kept between runs. Without --iterations, weft measures for about one second.
Runs of several models are interleaved, so that a disturbance of the machine affects all of them.
--profile adds the same number of runs in which every step is timed; for each step it prints mean
and median time per run.

The real-time factor is the time of a run divided by the deadline. A .wav file sets the deadline
to the duration of one call's samples.

Examples:
  weft bench model.weft
  weft bench model.weft --iterations 10000 --profile
  weft bench model.weft --input audio=speech.wav --histogram
  weft bench old.weft new.weft --deadline 20.8us --cpu 1)";

struct BenchCall {
  std::vector<std::string> models, inputs;
  int64_t iterations = 0;
  int64_t warm_up = 10;
  int64_t cpu = -1;
  double deadline_nanoseconds = 0;
  bool profile = false, histogram = false, cast = false, json = false, csv = false;
};

// Fills the inputs before each run, because a run may overwrite them. Filling is not measured.
class Inputs {
 public:
  // Inputs without a file get generated numbers.
  Inputs(LoadedModel& model, const BenchCall& call, Diagnostics& complaints)
      : engine_(model.engine()) {
    std::mt19937 random(1);
    for (const ModelPort& port : model.inputs()) {
      Calls& calls = calls_.emplace_back();
      calls.bytes = MadeFeed(port, 1, random).array.bytes;
      calls.call_bytes = calls.bytes.size();
    }
    for (const PortFile& file :
         ParsePortFiles(model.inputs(), "input", call.inputs, "--input", complaints.call)) {
      std::optional<Feed> feed =
          ReadFeed(model.inputs()[file.port], file.file, call.cast, complaints.input);
      if (!feed) continue;
      if (feed->seconds_per_call > 0) seconds_per_call_ = feed->seconds_per_call;
      calls_[file.port].bytes = std::move(feed->array.bytes);
    }
  }

  void FillNext() {
    for (uint32_t i = 0; i < calls_.size(); ++i) {
      Calls& calls = calls_[i];
      if (calls.call_bytes == 0) continue;
      std::memcpy(engine_.input(i).data, calls.bytes.data() + calls.next, calls.call_bytes);
      calls.next += calls.call_bytes;
      if (calls.next == calls.bytes.size()) calls.next = 0;
    }
  }

  double seconds_per_call() const { return seconds_per_call_; }  // 0: not known

 private:
  struct Calls {
    std::vector<std::byte> bytes;  // of all calls
    size_t call_bytes = 0, next = 0;
  };

  Engine& engine_;
  std::vector<Calls> calls_;
  double seconds_per_call_ = 0;
};

// The measurement of one model.
class Bench {
 public:
  Bench(LoadedModel& model, const BenchCall& call, uint64_t clock_cost, Diagnostics& complaints)
      : model_(model),
        clock_cost_(clock_cost),
        faults_(complaints.input),
        inputs_(model, call, complaints) {
    measured_.model = &model;
    measured_.deadline_nanoseconds = call.deadline_nanoseconds > 0
                                         ? call.deadline_nanoseconds
                                         : 1e9 * inputs_.seconds_per_call();
  }

  // Runs the model once. Returns nanoseconds, or 0 after a fault.
  uint64_t Once() {
    inputs_.FillNext();
    const uint64_t begin = Now();
    const Fault fault = model_.engine().Run();
    const uint64_t end = Now();
    if (!fault.ok()) faults_.Add(FaultLine(model_.file(), fault));
    return WithoutClock(end - begin);
  }

  uint64_t Measure() {
    measured_.runs.push_back(Once());
    return measured_.runs.back();
  }

  // Profiles as many runs as were measured. Keeps the step times of some runs, as memory allows.
  void MeasureSteps() {
    const size_t step_count = format::RowsOf(model_.root().steps()).count;
    constexpr int64_t kMaxTimes = 8'000'000;
    const int64_t max_kept = kMaxTimes / (static_cast<int64_t>(step_count) + 1) + 1;
    const int64_t apart = std::ssize(measured_.runs) / max_kept + 1;
    measured_.steps.resize(step_count);
    Profile profile;
    profile.now = Now;
    profile.user = this;
    profile.step = [](void* user, uint32_t step, uint64_t begin, uint64_t end) {
      auto* const bench = static_cast<Bench*>(user);
      StepTime& time = bench->measured_.steps[step];
      const uint64_t nanoseconds = bench->WithoutClock(end - begin);
      ++time.calls;
      time.nanoseconds += nanoseconds;
      bench->step_times_[step] += nanoseconds;
    };
    model_.engine().SetProfile(&profile);
    measured_.profiled_runs = std::ssize(measured_.runs);
    for (int64_t i = 0; i < measured_.profiled_runs && faults_.ok(); ++i) {
      step_times_.assign(step_count, 0);
      Once();
      if (i % apart == 0) measured_.step_runs.push_back(step_times_);
    }
    model_.engine().SetProfile(nullptr);
  }

  Measured Take() {
    std::sort(measured_.runs.begin(), measured_.runs.end());
    return std::move(measured_);
  }

 private:
  uint64_t WithoutClock(uint64_t time) const { return time - std::min(time, clock_cost_); }

  LoadedModel& model_;
  const uint64_t clock_cost_;
  Faults& faults_;
  Inputs inputs_;
  Measured measured_;
  std::vector<uint64_t> step_times_;  // of the current run
};

using Benches = std::vector<std::unique_ptr<Bench>>;

void MeasureAll(const BenchCall& call, Benches& benches, const Faults& faults) {
  for (int64_t i = 0; i < call.warm_up && faults.ok(); ++i) {
    for (const auto& bench : benches) bench->Once();
  }
  constexpr uint64_t kSecond = 1'000'000'000;
  constexpr int64_t kMin = 10, kMax = 1'000'000;
  uint64_t total = 0;
  const auto more = [&](int64_t done) {
    if (call.iterations > 0) return done < call.iterations;
    return done < kMin || (total < kSecond * benches.size() && done < kMax);
  };
  for (int64_t done = 0; more(done) && faults.ok(); ++done) {
    for (const auto& bench : benches) total += bench->Measure();
  }
  for (const auto& bench : benches) {
    if (call.profile && faults.ok()) bench->MeasureSteps();
  }
}

// Binds this process to one processor. Returns false and adds a fault if it is not available.
bool TakeCpu(int64_t cpu, Faults& faults) {
  if (cpu < 0) return true;
#ifdef __linux__
  cpu_set_t only;
  CPU_ZERO(&only);
  if (cpu < CPU_SETSIZE) CPU_SET(static_cast<size_t>(cpu), &only);
  if (sched_setaffinity(0, sizeof only, &only) == 0) return true;
  faults.Add(
      fmt::format("weft bench: --cpu: processor {} is not available: {}; must be a "
                  "processor that this process may use",
                  cpu, std::generic_category().message(errno)));
#else
  faults.Add("weft bench: --cpu: is not available on this system; must be omitted");
#endif
  return false;
}

Exit BenchModels(const BenchCall& call) {
  Diagnostics complaints;
  if (call.json && call.csv) {
    complaints.call.Add("weft bench: --csv: is given with --json; must be given without it");
  }
  std::vector<std::unique_ptr<LoadedModel>> models;
  for (const std::string& file : call.models) {
    models.push_back(LoadedModel::Load(PathOf(file), complaints.input));
    if (models.back() != nullptr) models.back()->Open(complaints.input);
  }
  if (!complaints.ok() || !TakeCpu(call.cpu, complaints.input)) return Report(complaints);
  BenchReport report{.models = {},
                     .warm_up = call.warm_up,
                     .clock_cost = ClockCost(),
                     .profile = call.profile,
                     .histogram = call.histogram,
                     .json = call.json,
                     .csv = call.csv};
  Benches benches;
  for (const auto& model : models) {
    benches.push_back(std::make_unique<Bench>(*model, call, report.clock_cost, complaints));
  }
  if (complaints.ok()) MeasureAll(call, benches, complaints.input);
  if (!complaints.ok()) return Report(complaints);
  for (const auto& bench : benches) report.models.push_back(bench->Take());
  PrintReport(report);
  return Report(complaints);
}

}  // namespace

void AddBench(CommandLine& line, Exit* exit) {
  Command& command = line.AddCommand("bench", "Measure the run time of models");
  auto call = std::make_shared<BenchCall>();
  command.Add("MODEL", call->models, "Model file; several are compared")
      .Value("FILE", PathName)
      .Required();
  command
      .Add("--input", call->inputs,
           "Values of input NAME (name or index): a .npy file, or a .wav file with one channel")
      .Value("NAME=FILE");
  command.AddFlag("--cast", call->cast,
                  "Convert arrays of another element type, such as f64, to the type of the input");
  command.Add("--iterations", call->iterations, "Number of runs to measure")
      .Value("N", Integer(1, 100'000'000));
  command.Add("--warm-up", call->warm_up, "Number of runs before the measurement")
      .Value("N", Integer(0, 100'000'000))
      .ShowDefault(fmt::format("{}", call->warm_up));
  command
      .Add("--deadline", call->deadline_nanoseconds,
           "Maximum time of a run, such as 20.8us; slower runs are counted as misses")
      .Value("TIME", Duration);
  command.Add("--cpu", call->cpu, "Run only on this processor, counted from 0")
      .Value("N", Integer(0, 1023));
  command.AddFlag("--profile", call->profile,
                  "Print the time of every step and layer, measured in additional runs");
  command.AddFlag("--histogram", call->histogram, "Print the distribution of the times");
  command.AddFlag("--csv", call->csv,
                  "Print CSV: a row for each model, or for each step with --profile");
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(kBenchFooter);
  command.OnCall([call, exit] { *exit = BenchModels(*call); });
}

}  // namespace weft::cli
