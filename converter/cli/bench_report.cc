// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>

#include "converter/cli/commands.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "converter/cli/timing.h"
#include "converter/inspect/sections.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

double Microseconds(double nanoseconds) { return nanoseconds / 1000; }
double Microseconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

double MeanOf(const std::vector<uint64_t>& runs) {
  return static_cast<double>(std::accumulate(runs.begin(), runs.end(), uint64_t{0})) /
         static_cast<double>(runs.size());
}

struct Percentile {
  std::string_view name;
  double share;
};
constexpr Percentile kPercentiles[] = {
    {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}};

// Returns true if there are enough runs for the percentile to differ from the maximum.
bool IsKnown(const Percentile& percentile, size_t runs) {
  return static_cast<double>(runs) * (1 - percentile.share) >= 0.999;
}

uint64_t MissesOf(const Measured& measured) {
  return static_cast<uint64_t>(std::ranges::count_if(measured.runs, [&](uint64_t time) {
    return static_cast<double>(time) > measured.deadline_nanoseconds;
  }));
}

// Times of a step, or of all steps of a layer.
struct Cost {
  std::string kind, layer;
  uint32_t step = 0;
  double calls = 0, microseconds = 0, share = 0;  // of one run
  std::vector<uint64_t> runs;                     // nanoseconds of single runs
};

double MedianOf(const Cost& cost) {
  std::vector<uint64_t> sorted = cost.runs;
  std::ranges::sort(sorted);
  return Microseconds(Quantile(sorted, 0.5));
}

std::vector<Cost> CostsOf(const Measured& measured) {
  const format::Model& model = measured.model->root();
  const auto rows = format::RowsOf(model.steps());
  const auto runs = static_cast<double>(measured.profiled_runs);
  uint64_t total = 0;
  for (const StepTime& step : measured.steps) total += step.nanoseconds;
  std::vector<Cost> costs;
  for (uint32_t i = 0; i < measured.steps.size(); ++i) {
    const StepTime& step = measured.steps[i];
    if (step.calls == 0) continue;
    const auto time = static_cast<double>(step.nanoseconds);
    std::vector<uint64_t> step_runs;
    for (const std::vector<uint64_t>& run : measured.step_runs) step_runs.push_back(run[i]);
    costs.push_back({.kind = inspect::KindName(rows[i].kind()),
                     .layer = inspect::LayerOf(model, i),
                     .step = i,
                     .calls = static_cast<double>(step.calls) / runs,
                     .microseconds = Microseconds(time) / runs,
                     .share = total == 0 ? 0.0 : time / static_cast<double>(total),
                     .runs = std::move(step_runs)});
  }
  return costs;
}

void SortByTime(std::vector<Cost>& costs) {
  std::ranges::stable_sort(costs, std::ranges::greater(), &Cost::microseconds);
}

// Adds up the steps of each layer; `step` is then the number of steps.
std::vector<Cost> LayersOf(const std::vector<Cost>& steps) {
  std::map<std::string_view, size_t> index;
  std::vector<Cost> layers;
  for (const Cost& step : steps) {
    const auto [found, fresh] = index.emplace(step.layer, layers.size());
    if (fresh) {
      layers.push_back({.kind = step.kind,
                        .layer = step.layer,
                        .runs = std::vector<uint64_t>(step.runs.size())});
    }
    Cost& layer = layers[found->second];
    ++layer.step;
    layer.microseconds += step.microseconds;
    layer.share += step.share;
    for (size_t i = 0; i < step.runs.size(); ++i) layer.runs[i] += step.runs[i];
  }
  SortByTime(layers);
  return layers;
}

// Steps in the order of the listing.
Json StepCostsJson(const std::vector<Cost>& steps) {
  Json list = Json::array();
  for (const Cost& step : steps) {
    list.push_back({{"step", step.step},
                    {"kind", step.kind},
                    {"layer", step.layer},
                    {"calls_per_run", step.calls},
                    {"microseconds_per_run", step.microseconds},
                    {"median_microseconds_per_run", MedianOf(step)},
                    {"share", step.share}});
  }
  return list;
}

Json LayerCostsJson(const std::vector<Cost>& layers) {
  Json list = Json::array();
  for (const Cost& layer : layers) {
    list.push_back({{"layer", layer.layer},
                    {"steps", layer.step},
                    {"microseconds_per_run", layer.microseconds},
                    {"median_microseconds_per_run", MedianOf(layer)},
                    {"share", layer.share}});
  }
  return list;
}

Json TimesJson(const Measured& measured) {
  const std::vector<uint64_t>& runs = measured.runs;
  Json times = {{"min", Microseconds(runs.front())},
                {"median", Microseconds(Quantile(runs, 0.5))},
                {"mean", Microseconds(MeanOf(runs))},
                {"p99", Microseconds(Quantile(runs, 0.99))},
                {"max", Microseconds(runs.back())}};
  for (const Percentile& percentile : kPercentiles) {
    if (!IsKnown(percentile, runs.size())) continue;
    times[std::string(percentile.name)] = Microseconds(Quantile(runs, percentile.share));
  }
  return times;
}

Json HistogramJson(const Measured& measured) {
  Json list = Json::array();
  for (const Bin& bin : Histogram(measured.runs)) {
    list.push_back(
        {{"from", Microseconds(bin.from)}, {"to", Microseconds(bin.to)}, {"count", bin.count}});
  }
  return list;
}

Json MeasuredJson(const BenchReport& report, const Measured& measured) {
  Json json = {{"file", measured.model->file()},
               {"iterations", measured.runs.size()},
               {"warm_up", report.warm_up},
               {"clock_nanoseconds", report.clock_cost},
               {"microseconds", TimesJson(measured)}};
  if (measured.deadline_nanoseconds > 0) {
    const double deadline = measured.deadline_nanoseconds;
    json["deadline"] = {{"microseconds", Microseconds(deadline)},
                        {"misses", MissesOf(measured)},
                        {"real_time_factor", MeanOf(measured.runs) / deadline}};
  }
  json["histogram"] = HistogramJson(measured);
  if (report.profile) {
    const std::vector<Cost> steps = CostsOf(measured);
    json["steps"] = StepCostsJson(steps);
    json["layers"] = LayerCostsJson(LayersOf(steps));
  }
  return json;
}

double RatioOf(const BenchReport& report, const Measured& measured) {
  const auto first = static_cast<double>(Quantile(report.models[0].runs, 0.5));
  return first == 0 ? 0 : static_cast<double>(Quantile(measured.runs, 0.5)) / first;
}

void PrintJson(const BenchReport& report) {
  if (report.models.size() == 1) return Print(MeasuredJson(report, report.models[0]));
  Json list = Json::array();
  for (const Measured& measured : report.models) {
    list.push_back(MeasuredJson(report, measured));
    list.back()["ratio"] = RatioOf(report, measured);
  }
  Print({{"models", std::move(list)}});
}

// Quotes a CSV field as in RFC 4180.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + "\"";
}

// Prints a row for each model, or with --profile a row for each step.
void PrintCsv(const BenchReport& report) {
  if (report.profile) {
    Answer("model,step,kind,layer,calls_per_run,us_per_run,share,median_us_per_run");
    for (const Measured& measured : report.models) {
      for (const Cost& step : CostsOf(measured)) {
        Answer("{},{},{},{},{:.6g},{:.4f},{:.5f},{:.4f}", CsvField(measured.model->file()),
               step.step, step.kind, CsvField(step.layer), step.calls, step.microseconds,
               step.share, MedianOf(step));
      }
    }
    return;
  }
  Answer(
      "model,runs,min_us,median_us,mean_us,p90_us,p95_us,p99_us,p99.9_us,p99.99_us,max_us,"
      "deadline_us,misses");
  for (const Measured& measured : report.models) {
    const std::vector<uint64_t>& runs = measured.runs;
    std::string row = fmt::format("{},{},{:.3f},{:.3f},{:.3f}", CsvField(measured.model->file()),
                                  runs.size(), Microseconds(runs.front()),
                                  Microseconds(Quantile(runs, 0.5)), Microseconds(MeanOf(runs)));
    for (const Percentile& percentile : kPercentiles) {
      row += IsKnown(percentile, runs.size())
                 ? fmt::format(",{:.3f}", Microseconds(Quantile(runs, percentile.share)))
                 : std::string(",");
    }
    row += fmt::format(",{:.3f},", Microseconds(runs.back()));
    const bool has_deadline = measured.deadline_nanoseconds > 0;
    row += has_deadline ? fmt::format("{:.3f},{}", Microseconds(measured.deadline_nanoseconds),
                                      MissesOf(measured))
                        : std::string(",");
    Answer("{}", row);
  }
}

std::string TimesText(const Measured& measured) {
  const std::vector<uint64_t>& runs = measured.runs;
  return fmt::format("min {:.3f}, median {:.3f}, mean {:.3f}, max {:.3f}",
                     Microseconds(runs.front()), Microseconds(Quantile(runs, 0.5)),
                     Microseconds(MeanOf(runs)), Microseconds(runs.back()));
}

void PrintPercentiles(const Measured& measured) {
  std::string text;
  for (const Percentile& percentile : kPercentiles) {
    if (!IsKnown(percentile, measured.runs.size())) continue;
    text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", percentile.name,
                        Microseconds(Quantile(measured.runs, percentile.share)));
  }
  if (!text.empty()) Answer("percentiles: {}", text);
}

void PrintDeadline(const Measured& measured) {
  const double deadline = measured.deadline_nanoseconds;
  if (deadline <= 0) return;
  const uint64_t misses = MissesOf(measured), runs = measured.runs.size();
  const auto slowest = static_cast<double>(measured.runs.back());
  AnswerOne(fmt::format("deadline {:.6g} us: {} of {} runs miss it ({:.3g} %); real-time factor "
                        "{:.3g} on average, {:.3g} at most",
                        Microseconds(deadline), Grouped(static_cast<int64_t>(misses)),
                        Grouped(static_cast<int64_t>(runs)),
                        100 * static_cast<double>(misses) / static_cast<double>(runs),
                        MeanOf(measured.runs) / deadline, slowest / deadline),
            misses == 0 ? Tint::kGood : Tint::kFault);
}

void PrintHistogram(const Measured& measured) {
  constexpr double kWidest = 40;  // characters
  const std::vector<Bin> bins = Histogram(measured.runs);
  const uint64_t max = std::ranges::max(bins, {}, &Bin::count).count;
  Table table({">from us", ">to us", ">runs", ""});
  for (const Bin& bin : bins) {
    const double share = static_cast<double>(bin.count) / static_cast<double>(max);
    const auto width = static_cast<size_t>(share * kWidest + 0.5);
    table.Row({fmt::format("{:.3f}", Microseconds(bin.from)),
               fmt::format("{:.3f}", Microseconds(bin.to)),
               Grouped(static_cast<int64_t>(bin.count)),
               std::string(bin.count == 0 ? 0 : std::max<size_t>(width, 1), '#')});
  }
  AnswerText("\n" + table.Text());
}

void PrintCosts(const Measured& measured) {
  std::vector<Cost> steps = CostsOf(measured);
  const std::vector<Cost> layers = LayersOf(steps);
  SortByTime(steps);
  Table by_step({">step", "kind", "layer", ">calls/run", ">us/run", ">median", ">share"});
  for (const Cost& step : steps) {
    by_step.Row({fmt::format("{}", step.step), step.kind, step.layer,
                 fmt::format("{:.6g}", step.calls), fmt::format("{:.3f}", step.microseconds),
                 fmt::format("{:.3f}", MedianOf(step)), fmt::format("{:.1f} %", 100 * step.share)});
  }
  AnswerText("\n" + by_step.Text());
  if (layers.size() == steps.size()) return;  // one step each
  Table by_layer({"layer", ">steps", ">us/run", ">median", ">share"});
  for (const Cost& layer : layers) {
    by_layer.Row({layer.layer, fmt::format("{}", layer.step),
                  fmt::format("{:.3f}", layer.microseconds), fmt::format("{:.3f}", MedianOf(layer)),
                  fmt::format("{:.1f} %", 100 * layer.share)});
  }
  AnswerText("\n" + by_layer.Text());
}

void PrintText(const BenchReport& report) {
  const bool is_long = report.models.size() > 1 || report.histogram || report.profile;
  for (const Measured& measured : report.models) {
    if (report.models.size() > 1) {
      const bool is_first = &measured == &report.models.front();
      Answer("{}: {}", measured.model->file(),
             is_first ? "the first model"
                      : fmt::format("{:.3f} times the median time of the first model",
                                    RatioOf(report, measured)));
    }
    Answer("{} runs after {} warm-up runs, in microseconds: {}", Grouped(std::ssize(measured.runs)),
           Grouped(report.warm_up), TimesText(measured));
    PrintPercentiles(measured);
    PrintDeadline(measured);
    if (report.histogram) PrintHistogram(measured);
    if (report.profile) PrintCosts(measured);
    if (is_long) AnswerText("\n");
  }
  Answer("the time of reading the clock, {} ns, is subtracted from all times", report.clock_cost);
}

}  // namespace

void PrintReport(const BenchReport& report) {
  if (report.json) {
    PrintJson(report);
  } else if (report.csv) {
    PrintCsv(report);
  } else {
    PrintText(report);
  }
}

}  // namespace weft::cli
