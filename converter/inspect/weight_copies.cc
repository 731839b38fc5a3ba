// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/weight_copies.h"

#include "runtime/format/weight_copy.h"

namespace weft::inspect {

std::vector<uint32_t> WeightCopiesOf(const format::Model& model) {
  const auto variables = format::RowsOf(model.variables());
  std::vector<uint32_t> copies;
  for (uint32_t i = 0; i < variables.count; ++i) {
    const format::Slot& slot = format::RowsOf(model.slots())[variables[i].slot()];
    if (format::IsWeightCopy(variables[i], slot)) copies.push_back(i);
  }
  return copies;
}

CopiedWeights::CopiedWeights(const format::Model& model) {
  const auto slots = format::RowsOf(model.slots());
  for (const uint32_t i : WeightCopiesOf(model)) {
    const format::Variable& variable = format::RowsOf(model.variables())[i];
    const format::Slot& copy = slots[variable.slot()];
    copies_.push_back({copy.region(), copy.offset_bytes(), copy.offset_bytes() + copy.bytes(),
                       slots[variable.initial_slot()].offset_bytes()});
  }
}

format::Slot CopiedWeights::InFile(const format::Slot& slot) const {
  for (const Copy& copy : copies_) {
    const uint32_t offset = slot.offset_bytes();
    if (slot.region() != copy.region || offset < copy.begin || offset > copy.end) continue;
    if (slot.bytes() > copy.end - offset) continue;
    format::Slot in_file = slot;
    in_file.mutate_region(format::kWeightsRegion);
    in_file.mutate_offset_bytes(copy.weights + offset - copy.begin);
    return in_file;
  }
  return slot;
}

}  // namespace weft::inspect
