// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/value_numbers.h"

#include <vector>

#include "converter/base/aligned_bytes.h"
#include "runtime/plan_number.h"
#include "runtime/weft.h"

namespace weft::plan {

std::optional<uint32_t> NumberOfValues(const format::Model& model) {
  const uint8_t* weights = model.weights() == nullptr ? nullptr : model.weights()->data();
  std::vector<AlignedBytes> memory;
  // The const_cast is safe: weights are only read.
  std::vector<std::byte*> regions = {reinterpret_cast<std::byte*>(const_cast<uint8_t*>(weights))};
  const format::Rows<format::Region> rows = format::RowsOf(model.regions());
  for (uint32_t i = format::kStateRegion; i < rows.count; ++i) {
    regions.push_back(memory.emplace_back(rows[i].bytes()).data());
  }
  AlignedBytes table(size_t{format::RowsOf(model.operands()).count} * kPlanTableBytesPerOperand);
  const uint32_t number =
      PlanNumber(model, AllSteps().entries, regions.data(), {table.data(), table.size()});
  return number == 0 ? std::nullopt : std::optional<uint32_t>(number);
}

}  // namespace weft::plan
