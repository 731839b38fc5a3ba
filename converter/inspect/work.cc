// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/work.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "converter/inspect/cost.h"
#include "converter/inspect/sections.h"

namespace weft::inspect {

ModelWork WorkOf(const format::Model& model) {
  const auto steps = format::RowsOf(model.steps());
  return {SumOf(model, [](uint32_t) { return 1; }),
          SumOf(model, [&](uint32_t step) { return MultiplyAdds(model, steps[step]); })};
}

std::vector<StepWork> LargestSteps(const format::Model& model, const ModelWork& work) {
  std::map<std::pair<std::string, std::string>, StepWork> rows;
  const auto steps = format::RowsOf(model.steps());
  for (uint32_t i = 0; i < steps.count; ++i) {
    const double times = work.multiply_adds.times[i];
    const double multiply_adds = times * MultiplyAdds(model, steps[i]);
    if (multiply_adds == 0) continue;
    const std::string kind = KindName(steps[i].kind()), layer = LayerOf(model, i);
    StepWork& row = rows.try_emplace({kind, layer}, StepWork{kind, layer}).first->second;
    row.calls += times;
    row.multiply_adds += multiply_adds;
  }
  std::vector<StepWork> largest;
  for (const auto& [who, row] : rows) largest.push_back(row);
  std::ranges::stable_sort(largest, std::ranges::greater(), &StepWork::multiply_adds);
  return largest;
}

}  // namespace weft::inspect
