// SPDX-License-Identifier: Apache-2.0
// Damages a valid model: changes a word of any table or of the weights, removes a variable's row or
// initial value, moves ports and operands to another slot with the same address, and swaps
// constants. Tables that no engine reads stay unchanged: layer names, buffers, the self test and
// streaming notes.
#ifndef WEFT_TESTS_MODELS_PLAN_DAMAGE_H_
#define WEFT_TESTS_MODELS_PLAN_DAMAGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "runtime/format/listing.h"

namespace weft {

class PlanDamage {
 public:
  PlanDamage(format::Model& model, std::minstd_rand& random) : model_(model), random_(random) {
    Add(model.mutable_slots());
    Add(model.mutable_dims());
    Add(model.mutable_moves());
    Add(model.mutable_steps());
    Add(model.mutable_operands());
    Add(model.mutable_sections());
    Add(model.mutable_marks());
    Add(model.mutable_inputs());
    Add(model.mutable_outputs());
    Add(model.mutable_variables());
    Add(model.mutable_weights());
#define WEFT_STEP(name, ...) Add(model.mutable_##name());
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  }

  // Returns false if the random choice does not apply to the model.
  bool Damage() {
    switch (random_() % 10) {
      case 0:
        return LoseVariable();
      case 1:
        return ChangeInitial();
      case 2:
        return ChangePort(random_() % 2 == 0 ? model_.mutable_inputs() : model_.mutable_outputs());
      case 3:
        return SwapConstants();
      case 4:
        return SwapConstantOperands();
      case 5:
        return CopyRow();
      default:
        return ChangeWord();
    }
  }

 private:
  struct Table {
    std::byte* first;
    size_t rows, row_bytes;
  };

  template <typename T>
  void Add(flatbuffers::Vector<const T*>* rows) {
    AddTable(rows, sizeof(T));
  }
  template <typename T>
  void Add(flatbuffers::Vector<T>* numbers) {
    AddTable(numbers, sizeof(T));
  }
  template <typename Vector>
  void AddTable(Vector* vector, size_t row_bytes) {
    if (vector == nullptr || vector->size() == 0) return;
    auto* first = const_cast<uint8_t*>(static_cast<const uint8_t*>(vector->Data()));
    tables_.push_back({reinterpret_cast<std::byte*>(first), vector->size(), row_bytes});
  }

  template <typename Rows>
  size_t PickRow(const Rows& rows) {
    return random_() % rows.size();
  }
  template <typename T>
  static T& RowOf(flatbuffers::Vector<const T*>& rows, size_t index) {
    return *rows.GetMutableObject(static_cast<flatbuffers::uoffset_t>(index));
  }

  // Replaces a row by a copy of another row.
  bool LoseVariable() {
    auto* variables = model_.mutable_variables();
    if (variables == nullptr || variables->size() < 2) return false;
    const size_t from = PickRow(*variables), to = PickRow(*variables);
    RowOf(*variables, to) = format::Variable(RowOf(*variables, from));
    return true;
  }

  bool ChangeInitial() {
    auto* variables = model_.mutable_variables();
    if (variables == nullptr || variables->size() == 0) return false;
    format::Variable& variable = RowOf(*variables, PickRow(*variables));
    const bool is_none = random_() % 4 == 0;
    variable.mutate_initial_slot(is_none ? format::kNoSlot : PickConstant());
    return true;
  }

  // Returns another slot with the same address, if there is one.
  bool ChangePort(flatbuffers::Vector<const format::Port*>* ports) {
    if (ports == nullptr || ports->size() == 0) return false;
    format::Port& port = RowOf(*ports, PickRow(*ports));
    if (!IsSlot(port.slot())) return false;
    const format::Slot& slot = *model_.slots()->Get(port.slot());
    std::vector<uint32_t> there;
    for (uint32_t i = 0; i < model_.slots()->size(); ++i) {
      const format::Slot& other = *model_.slots()->Get(i);
      const bool is_there =
          other.region() == slot.region() && other.offset_bytes() == slot.offset_bytes();
      if (is_there && i != port.slot()) there.push_back(i);
    }
    if (there.empty()) return false;
    port.mutate_slot(there[random_() % there.size()]);
    return true;
  }

  // After earlier damage the value can be any number.
  bool IsSlot(uint32_t slot) const { return slot < model_.slots()->size(); }
  bool IsConstant(uint32_t slot) const {
    return IsSlot(slot) && model_.slots()->Get(slot)->region() == format::kWeightsRegion;
  }
  // Returns kNoSlot if there is none.
  uint32_t PickConstant() {
    std::vector<uint32_t> constants;
    for (uint32_t i = 0; i < model_.slots()->size(); ++i) {
      if (IsConstant(i)) constants.push_back(i);
    }
    return constants.empty() ? format::kNoSlot : constants[random_() % constants.size()];
  }

  bool SwapConstants() {
    const uint32_t a = PickConstant(), b = PickConstant();
    if (a == b) return false;
    std::swap(RowOf(*model_.mutable_slots(), a), RowOf(*model_.mutable_slots(), b));
    return true;
  }

  bool SwapConstantOperands() {
    auto* operands = model_.mutable_operands();
    std::vector<uint32_t> constants;
    for (uint32_t i = 0; operands != nullptr && i < operands->size(); ++i) {
      if (IsConstant(operands->Get(i))) constants.push_back(i);
    }
    if (constants.size() < 2) return false;
    const uint32_t a = constants[random_() % constants.size()];
    const uint32_t b = constants[random_() % constants.size()];
    const uint32_t slot = operands->Get(a);
    operands->Mutate(a, operands->Get(b));
    operands->Mutate(b, slot);
    return true;
  }

  const Table& PickTable() { return tables_[random_() % tables_.size()]; }

  bool CopyRow() {
    const Table& table = PickTable();
    std::byte* from = table.first + random_() % table.rows * table.row_bytes;
    std::byte* to = table.first + random_() % table.rows * table.row_bytes;
    std::memmove(to, from, table.row_bytes);
    return true;
  }

  bool ChangeWord() {
    const Table& table = PickTable();
    const size_t words = table.rows * table.row_bytes / sizeof(uint32_t);
    if (words == 0) return false;
    std::byte* at = table.first + random_() % words * sizeof(uint32_t);
    uint32_t word, other;
    std::memcpy(&word, at, sizeof(word));
    std::memcpy(&other, table.first + random_() % words * sizeof(uint32_t), sizeof(other));
    const uint32_t others[] = {0,
                               1,
                               word + 1,
                               word - 1,
                               word + 4,
                               word - 4,
                               word * 2,
                               word / 2,
                               other,
                               other,
                               1u << random_() % 32};
    const size_t kind = random_() % 16;
    word = kind < std::size(others) ? others[kind] : word ^ 1u << random_() % 32;
    std::memcpy(at, &word, sizeof(word));
    return true;
  }

  format::Model& model_;
  std::minstd_rand& random_;
  std::vector<Table> tables_;
};

// Applies one or two kinds of damage; returns nullopt if the random choice does not apply.
inline std::optional<AlignedBytes> DamagedMutant(const AlignedBytes& sound,
                                                 std::minstd_rand& random) {
  AlignedBytes mutant(sound.size());
  std::memcpy(mutant.data(), sound.data(), sound.size());
  PlanDamage damage(*format::GetMutableModel(mutant.data()), random);
  const int count = random() % 4 == 0 ? 2 : 1;
  for (int i = 0; i < count; ++i) {
    if (!damage.Damage()) return std::nullopt;
  }
  if (std::memcmp(mutant.data(), sound.data(), sound.size()) == 0) return std::nullopt;
  return mutant;
}

}  // namespace weft

#endif  // WEFT_TESTS_MODELS_PLAN_DAMAGE_H_
