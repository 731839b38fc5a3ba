// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/traffic.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <unordered_set>
#include <utility>

#include "converter/program/cells.h"

namespace weft::plan {

bool HasStep(const program::Program& program, program::StepKind kind) {
  bool has = false;
  ForEachStep(program, [&](const program::Step& step) { has = has || step.kind() == kind; });
  return has;
}

namespace {

class Traffic {
 public:
  using Cost = std::function<double(const program::Step&)>;
  explicit Traffic(const program::Program& program, std::span<const Placed> positions = {},
                   Cost cost = nullptr)
      : program_(program),
        positions_(positions),
        cost_(std::move(cost)),
        has_matrices_(HasStep(program, program::StepKind::kMatmul)),
        bytes_(program.values.size(), 0) {
    loops_.push_back({WeightBytesIn(program.main), std::numeric_limits<double>::infinity()});
    Visit(program.main, 1);
  }

  std::vector<double> Take() { return std::move(bytes_); }
  const Work& work() const { return work_; }
  double cost() const { return sum_of_costs_; }

 private:
  // A loop around a step: the bytes of weights that one iteration reads.
  struct AroundStep {
    double weight_bytes = 0, trips = 1;
  };

  void Touch(program::ValueId value, double times) {
    if (value == program::kNone) return;
    const program::ValueId root = Resolve(program_, value).root;
    const double bytes = BytesOf(value);
    bytes_[root] += times * bytes;
    const bool is_weight = program_.values[root].storage == program::Storage::kWeights;
    work_.priced_bytes +=
        bytes * (is_weight ? PricedReads(times) : times * ScratchPrice(BytesOf(root)));
  }

  double BytesOf(program::ValueId value) const {
    return static_cast<double>(program_.values[value].bytes);
  }
  static double PriceOf(double bytes) {
    return std::ranges::find_if(kMemoryLevels,
                                [&](const MemoryLevel& level) { return bytes <= level.bytes; })
        ->price;
  }

  // Products of matrices, and the steps between them, compute so much for each byte that the L1
  // cache gains nothing over the L2 cache.
  double ScratchPrice(double bytes) const {
    return has_matrices_ ? std::max(1.0, PriceOf(bytes)) : PriceOf(bytes);
  }

  // Returns the reads of a weight in the loops around it, each times its price. The first read in
  // a loop follows a read in an earlier iteration of the loop around it, or in an earlier run.
  double PricedReads(double times) const {
    double sum = 0;
    for (const AroundStep& loop : std::views::reverse(loops_)) {
      const double first = times / std::max(loop.trips, 1.0);
      sum += (times - first) * PriceOf(loop.weight_bytes);
      times = first;
    }
    return sum;
  }

  // Adds the weights that steps of the block, or of the section, read.
  void AddWeights(program::BlockId block, std::unordered_set<program::ValueId>& roots) const {
    for (const program::Item& item : program_.blocks[block].items) {
      if (const auto* entry = std::get_if<program::SectionEntry>(&item)) {
        AddWeights(program_.sections[entry->section], roots);
        continue;
      }
      for (const program::ValueId input : std::get<program::Step>(item).inputs) {
        if (input == program::kNone) continue;
        const program::ValueId root = Resolve(program_, input).root;
        if (program_.values[root].storage == program::Storage::kWeights) roots.insert(root);
      }
    }
  }
  void AddWeights(const program::Section& section,
                  std::unordered_set<program::ValueId>& roots) const {
    if (section.loop) AddWeights(section.loop->body, roots);
    for (const program::BlockId copy : section.copies) AddWeights(copy, roots);
  }
  template <typename BlockOrSection>
  double WeightBytesIn(const BlockOrSection& of) const {
    std::unordered_set<program::ValueId> roots;
    AddWeights(of, roots);
    double bytes = 0;
    for (const program::ValueId root : roots) bytes += BytesOf(root);
    return bytes;
  }

  static bool IsProduct(program::StepKind kind) {
    return kind == program::StepKind::kDense || kind == program::StepKind::kDenseI8 ||
           kind == program::StepKind::kDenseI4 || kind == program::StepKind::kDenseQ8;
  }

  // Bytes of the first input and the first output of the step if these overlap, else 0.
  double OverlappedBytes(const program::Step& step) const {
    if (positions_.empty() || step.inputs.empty() || step.outputs.empty()) return 0;
    const program::ValueId x = step.inputs[0], y = step.outputs[0];
    if (!IsWhole(x) || !IsWhole(y)) return 0;
    const program::ValueId x_root = Resolve(program_, x).root, y_root = Resolve(program_, y).root;
    const Placed &of_x = positions_[x_root], &of_y = positions_[y_root];
    const int64_t x_bytes = program_.values[x].bytes, y_bytes = program_.values[y].bytes;
    const bool overlap = of_x.memory == of_y.memory &&
                         of_x.offset_bytes < of_y.offset_bytes + y_bytes &&
                         of_y.offset_bytes < of_x.offset_bytes + x_bytes;
    return x_root != y_root && overlap ? static_cast<double>(x_bytes + y_bytes) : 0;
  }

  bool IsWhole(program::ValueId value) const {
    return value != program::kNone && IsCompleteScratch(program_, Resolve(program_, value), value);
  }

  void Visit(program::BlockId block, double times) {
    bool has_cells = false;
    for (const program::Item& item : program_.blocks[block].items) {
      if (const auto* step = std::get_if<program::Step>(&item)) {
        work_.steps += times;
        if (cost_) sum_of_costs_ += times * cost_(*step);
        for (const program::ValueId input : step->inputs) Touch(input, times);
        for (const program::ValueId output : step->outputs) Touch(output, times);
        work_.overlapped_bytes += times * OverlappedBytes(*step);
        if (IsProduct(step->kind())) work_.product_bytes += times * BytesOf(step->outputs[0]);
        has_cells |= CanReverseWeights(*step);
      } else {
        Visit(program_.sections[std::get<program::SectionEntry>(item).section], times);
      }
    }
    if (has_cells) work_.waiting_cells += times;
  }

  void Visit(const program::Section& section, double times) {
    const int64_t trips = section.trip_count < 0 ? section.max_trips
                                                 : std::min(section.trip_count, section.max_trips);
    const double rounds = times * static_cast<double>(trips);
    for (const program::ValueId each : {section.trip, section.first_condition, section.length}) {
      Touch(each, times);
    }
    for (const program::BlockId epilogue : section.epilogues) Visit(epilogue, times);
    loops_.push_back({WeightBytesIn(section), static_cast<double>(trips)});
    for (const program::ValueId each : {section.body_condition, section.iteration})
      Touch(each, rounds);
    if (section.loop) Visit(section.loop->body, rounds);
    const double rounds_of_copy = rounds / static_cast<double>(section.copies.size());
    for (const program::BlockId copy : section.copies) Visit(copy, rounds_of_copy);
    loops_.pop_back();
  }

  const program::Program& program_;
  const std::span<const Placed> positions_;
  const Cost cost_;
  const bool has_matrices_;
  std::vector<AroundStep> loops_;  // outermost first; the first one is the repeated run
  std::vector<double> bytes_;
  Work work_;  // without the bytes of weights and of other values
  double sum_of_costs_ = 0;
};

}  // namespace

std::vector<double> TrafficOf(const program::Program& program) { return Traffic(program).Take(); }

double SumOverSteps(const program::Program& program,
                    const std::function<double(const program::Step&)>& cost) {
  return Traffic(program, {}, cost).cost();
}

Work WorkOf(const program::Program& program, std::span<const Placed> positions) {
  Traffic traffic(program, positions);
  Work work = traffic.work();
  const std::vector<double> bytes = traffic.Take();
  for (program::ValueId value = 0; value < bytes.size(); ++value) {
    const bool is_weight = program.values[value].storage == program::Storage::kWeights;
    (is_weight ? work.weight_bytes : work.other_bytes) += bytes[value];
  }
  return work;
}

}  // namespace weft::plan
