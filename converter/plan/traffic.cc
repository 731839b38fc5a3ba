// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/traffic.h"

#include <algorithm>
#include <utility>

namespace weft::plan {
namespace {

class Traffic {
 public:
  explicit Traffic(const Program& program) : program_(program), bytes_(program.values.size(), 0) {
    Visit(program.main, 1);
  }

  std::vector<double> Take() { return std::move(bytes_); }
  double steps() const { return steps_; }

 private:
  void Touch(ValueId value, double times) {
    if (value == kNone) return;
    const auto bytes = static_cast<double>(program_.values[value].bytes);
    bytes_[Resolve(program_, value).root] += times * bytes;
  }

  void Visit(BlockId block, double times) {
    for (const Item& item : program_.blocks[block].items) {
      if (const auto* step = std::get_if<Step>(&item)) {
        steps_ += times;
        for (const ValueId input : step->inputs) Touch(input, times);
        for (const ValueId output : step->outputs) Touch(output, times);
      } else {
        Visit(program_.sections[std::get<SectionEntry>(item).section], times);
      }
    }
  }

  void Visit(const Section& section, double times) {
    const int64_t trips = section.trip_count < 0 ? section.max_trips
                                                 : std::min(section.trip_count, section.max_trips);
    const double rounds = times * static_cast<double>(trips);
    const double rounds_of_copy = rounds / static_cast<double>(section.copies.size());
    for (const ValueId each : {section.trip, section.first_condition, section.length}) {
      Touch(each, times);
    }
    for (const ValueId each : {section.body_condition, section.iteration}) Touch(each, rounds);
    for (const BlockId copy : section.copies) Visit(copy, rounds_of_copy);
    for (const BlockId settle : section.settles) Visit(settle, times);
  }

  const Program& program_;
  std::vector<double> bytes_;
  double steps_ = 0;
};

}  // namespace

std::vector<double> TrafficOf(const Program& program) { return Traffic(program).Take(); }

Work WorkOf(const Program& program) {
  Traffic traffic(program);
  Work work;
  work.steps = traffic.steps();
  const std::vector<double> bytes = traffic.Take();
  for (ValueId value = 0; value < bytes.size(); ++value) {
    const bool is_weight = program.values[value].home == Home::kWeights;
    (is_weight ? work.weight_bytes : work.other_bytes) += bytes[value];
  }
  return work;
}

}  // namespace weft::plan
