// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

// Adds the times of a step or layer to its names.
Json WithTimes(Json row, const Cost& cost) {
  row["microseconds_per_run"] = cost.microseconds;
  row["median_microseconds_per_run"] = MedianOf(cost);
  row["share"] = cost.share;
  return row;
}

Json TimesOf(const Measured& measured) {
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

Json BinsOf(const Measured& measured) {
  return ListOf(Histogram(measured.runs), [](const Bin& bin) -> Json {
    return {{"from", Microseconds(bin.from)}, {"to", Microseconds(bin.to)}, {"count", bin.count}};
  });
}

double RatioOf(const BenchReport& report, const Measured& measured) {
  const auto first = static_cast<double>(Quantile(report.models[0].runs, 0.5));
  return first == 0 ? 0 : static_cast<double>(Quantile(measured.runs, 0.5)) / first;
}

Json BenchFacts(const BenchReport& report, const Measured& measured) {
  Json json = {
      {"file", measured.model->file()},         {"checksum", ChecksumText(*measured.model)},
      {"iterations", measured.runs.size()},     {"warm_up", report.warm_up},
      {"clock_nanoseconds", report.clock_cost}, {"microseconds", TimesOf(measured)}};
  if (measured.deadline_nanoseconds > 0) {
    const double deadline = measured.deadline_nanoseconds;
    json["deadline"] = {{"microseconds", Microseconds(deadline)},
                        {"misses", MissesOf(measured)},
                        {"real_time_factor", MeanOf(measured.runs) / deadline}};
  }
  json["histogram"] = BinsOf(measured);
  if (report.profile) {
    const std::vector<Cost> steps = CostsOf(measured);
    json["steps"] = ListOf(steps, [](const Cost& step) {
      return WithTimes({{"step", step.step},
                        {"kind", step.kind},
                        {"layer", step.layer},
                        {"calls_per_run", step.calls}},
                       step);
    });
    json["layers"] = ListOf(LayersOf(steps), [](const Cost& layer) {
      return WithTimes({{"layer", layer.layer}, {"steps", layer.step}}, layer);
    });
  }
  if (report.models.size() > 1) json["ratio"] = RatioOf(report, measured);
  return json;
}

// The times of a model without percentiles that equal the maximum.
Json KnownTimes(const Json& model) {
  Json times = model["microseconds"];
  for (const Percentile& percentile : kPercentiles) {
    if (!IsKnown(percentile, model["iterations"])) times.erase(std::string(percentile.name));
  }
  return times;
}

// A row for each step of all models.
std::string StepsCsv(const Json& models) {
  Json rows = Json::array();
  for (const Json& model : models) {
    for (Json step : model["steps"]) {
      step["file"] = model["file"];
      rows.push_back(std::move(step));
    }
  }
  return CsvText(rows,
                 "model=file | step | kind | layer | calls_per_run=calls_per_run .6g | "
                 "us_per_run=microseconds_per_run .4f | share=share .5f | "
                 "median_us_per_run=median_microseconds_per_run .4f");
}

// A row for each model.
std::string ModelsCsv(const Json& models) {
  const auto row_of = [](const Json& model) {
    Json row = KnownTimes(model);
    row["file"] = model["file"];
    row["iterations"] = model["iterations"];
    if (model.contains("deadline")) {
      row["deadline"] = model["deadline"]["microseconds"];
      row["misses"] = model["deadline"]["misses"];
    }
    return row;
  };
  return CsvText(ListOf(models, row_of),
                 "model=file | runs=iterations | min_us=min .3f | median_us=median .3f | "
                 "mean_us=mean .3f | p90_us=p90 .3f | p95_us=p95 .3f | p99_us=p99 .3f | "
                 "p99.9_us=p99.9 .3f | p99.99_us=p99.99 .3f | max_us=max .3f | "
                 "deadline_us=deadline .3f | misses");
}

void PrintPercentiles(const Json& model) {
  const Json times = KnownTimes(model);
  std::string text;
  for (const Percentile& percentile : kPercentiles) {
    if (!times.contains(percentile.name)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", percentile.name,
                        Plain(times[std::string(percentile.name)], ".3f"));
  }
  if (!text.empty()) Answer("percentiles: {}", text);
}

void PrintDeadline(const Json& model) {
  if (!model.contains("deadline")) return;
  const Json& deadline = model["deadline"];
  const double limit = deadline["microseconds"], misses = deadline["misses"];
  AnswerOne(fmt::format("deadline {:.6g} us: {} of {} runs miss it ({:.3g} %); real-time factor "
                        "{:.3g} on average, {:.3g} at most",
                        limit, Plain(deadline["misses"], ","), Plain(model["iterations"], ","),
                        100 * misses / model["iterations"].get<double>(),
                        deadline["real_time_factor"].get<double>(),
                        model["microseconds"]["max"].get<double>() / limit),
            misses == 0 ? Tint::kGood : Tint::kFault);
}

void PrintHistogram(Json bins) {
  constexpr double kWidest = 40;  // characters
  double max = 1;
  for (const Json& bin : bins) max = std::max(max, bin["count"].get<double>());
  for (Json& bin : bins) {
    const double count = bin["count"];
    const auto width = static_cast<size_t>(count / max * kWidest + 0.5);
    bin["bar"] = std::string(count == 0 ? 0 : std::max<size_t>(width, 1), '#');
  }
  AnswerText("\n" + TableText(bins, ">from us=from .3f | >to us=to .3f | >runs=count , | =bar"));
}

void PrintCosts(const Json& model) {
  Json steps = model["steps"];
  std::ranges::stable_sort(steps.get_ref<Json::array_t&>(), [](const Json& a, const Json& b) {
    return a["microseconds_per_run"] > b["microseconds_per_run"];
  });
  const std::string times =
      " | >us/run=microseconds_per_run .3f | >median=median_microseconds_per_run .3f | "
      ">share=share %";
  AnswerText("\n" +
             TableText(steps, ">step | kind | layer | >calls/run=calls_per_run .6g" + times));
  if (model["layers"].size() == steps.size()) return;  // one step each
  AnswerText("\n" + TableText(model["layers"], "layer | >steps" + times));
}

void PrintText(const BenchReport& report, const Json& models) {
  const bool is_long = models.size() > 1 || report.histogram || report.profile;
  for (const Json& model : models) {
    if (models.size() > 1) {
      Answer("{}: {}", Plain(model["file"]),
             &model == &models.front()
                 ? "the first model"
                 : Plain(model["ratio"], ".3f") + " times the median time of the first model");
    }
    const Json& times = model["microseconds"];
    Answer("{} runs after {} warm-up runs, in microseconds: min {}, median {}, mean {}, max {}",
           Plain(model["iterations"], ","), Plain(model["warm_up"], ","),
           Plain(times["min"], ".3f"), Plain(times["median"], ".3f"), Plain(times["mean"], ".3f"),
           Plain(times["max"], ".3f"));
    PrintPercentiles(model);
    PrintDeadline(model);
    if (report.histogram) PrintHistogram(model["histogram"]);
    if (report.profile) PrintCosts(model);
    if (is_long) AnswerText("\n");
  }
  Answer("the time of reading the clock, {} ns, is subtracted from all times", report.clock_cost);
}

}  // namespace

void PrintReport(const BenchReport& report) {
  const Json models =
      ListOf(report.models, [&](const Measured& measured) { return BenchFacts(report, measured); });
  if (report.json) {
    Print(models.size() == 1 ? models[0] : Json{{"models", models}});
  } else if (report.csv) {
    AnswerText(report.profile ? StepsCsv(models) : ModelsCsv(models));
  } else {
    PrintText(report, models);
  }
}

}  // namespace weft::cli
