// SPDX-License-Identifier: Apache-2.0
#include "runtime/format/listing.h"
#include "runtime/format/weight_copy.h"
#include "runtime/verify.h"
#include "runtime/weft.h"

namespace weft {
namespace {

using format::kNoSlot;
using format::Rows;
using format::RowsOf;

// FNV-1a, 64 bits.
class Hash {
 public:
  void Add(uint64_t number) {
    for (uint32_t bit = 0; bit < 64; bit += 8) AddByte(static_cast<uint8_t>(number >> bit));
  }
  void AddText(const uint8_t* bytes, uint32_t count) {
    Add(count);
    for (uint32_t i = 0; i < count; ++i) AddByte(bytes[i]);
  }
  uint64_t value() const { return value_; }

 private:
  void AddByte(uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001B3u; }
  uint64_t value_ = 0xCBF29CE484222325u;
};

bool IsInside(const format::Model& model, const format::Variable& variable) {
  const Rows<format::Slot> slots = RowsOf(model.slots());
  if (variable.slot() >= slots.count) return false;
  const format::Slot& slot = slots[variable.slot()];
  const uint32_t dims = RowsOf(model.dims()).count, name = variable.first_name();
  const bool has_name =
      name == kNoSlot || (model.names() != nullptr && name < model.names()->size());
  return slot.rank() <= dims && slot.first_dim() <= dims - slot.rank() && has_name;
}

uint64_t HashOf(const format::Model& model, const format::Variable& variable) {
  const format::Slot& slot = RowsOf(model.slots())[variable.slot()];
  const Rows<uint32_t> dims = RowsOf(model.dims());
  Hash hash;
  hash.Add(slot.offset_bytes());
  hash.Add(slot.bytes());
  hash.Add(static_cast<uint64_t>(slot.type()));
  hash.Add(slot.rank());
  for (uint32_t i = 0; i < slot.rank(); ++i) hash.Add(dims[slot.first_dim() + i]);
  const uint32_t name = variable.first_name();
  if (name != kNoSlot)
    hash.AddText(model.names()->Get(name)->Data(), model.names()->Get(name)->size());
  return hash.value();
}

}  // namespace

// The hashes are added, so that the order of the variables in the file does not matter.
uint64_t StateLayout(Bytes model) {
  const format::Model* root = nullptr;
  if (!VerifyHeader(model, &root).ok()) return 0;
  uint64_t layout = 0;
  for (const format::Variable& variable : RowsOf(root->variables())) {
    if (!IsInside(*root, variable)) return 0;
    if (format::IsWeightCopy(variable, RowsOf(root->slots())[variable.slot()])) continue;
    layout += HashOf(*root, variable);
  }
  return layout;
}

}  // namespace weft
