// SPDX-License-Identifier: Apache-2.0
// Changes numbers of the listing of a model file, repairs the checksum and leaves the FlatBuffer
// intact, so that most files reach the rules.
#include <cstring>
#include <vector>

#include "runtime/format/listing.h"
#include "tests/fuzz/fuzzer.h"
#include "tests/fuzz/guarded_block.h"

namespace weft::fuzz {
namespace {

// Rows of one table of a file.
struct Table {
  uint8_t* begin;
  uint32_t bytes, row_bytes;
};

template <typename T>
void AddTable(const flatbuffers::Vector<const T*>* rows, std::vector<Table>& tables) {
  if (rows == nullptr || rows->size() == 0) return;
  auto* begin = const_cast<uint8_t*>(rows->Data());
  tables.push_back({begin, static_cast<uint32_t>(rows->size() * sizeof(T)), sizeof(T)});
}
void AddTable(const flatbuffers::Vector<uint32_t>* rows, std::vector<Table>& tables) {
  if (rows == nullptr || rows->size() == 0) return;
  tables.push_back({const_cast<uint8_t*>(rows->Data()), rows->size() * 4, 4});
}
void AddTable(const flatbuffers::Vector<uint8_t>* rows, std::vector<Table>& tables) {
  if (rows == nullptr || rows->size() == 0) return;
  tables.push_back({const_cast<uint8_t*>(rows->Data()), rows->size(), 1});
}

// The tables that every step uses, then those of the parameters of each kind of step.
std::vector<Table> TablesOf(const format::Model& model, size_t* first_params) {
  std::vector<Table> tables;
  AddTable(model.regions(), tables);
  AddTable(model.slots(), tables);
  AddTable(model.dims(), tables);
  AddTable(model.moves(), tables);
  AddTable(model.steps(), tables);
  AddTable(model.operands(), tables);
  AddTable(model.sections(), tables);
  AddTable(model.marks(), tables);
  AddTable(model.inputs(), tables);
  AddTable(model.outputs(), tables);
  AddTable(model.variables(), tables);
  AddTable(model.step_names(), tables);
  AddTable(model.slot_buffers(), tables);
  AddTable(model.streaming(), tables);
  AddTable(model.streamed_ports(), tables);
  AddTable(model.self_test(), tables);
  AddTable(model.weights(), tables);
  *first_params = tables.size();
#define WEFT_STEP(name, ...) AddTable(model.name(), tables);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  return tables;
}

// Returns true if all vectors of the file are inside it and aligned.
bool HasTables(Bytes file) {
  flatbuffers::Verifier verifier(static_cast<const uint8_t*>(file.data), file.size);
  return format::VerifyModelBuffer(verifier);
}

uint32_t Changed(uint32_t word, const Table& table, Random& random) {
  constexpr uint32_t kWords[] = {0,          1,          2,          3,         4,        8,
                                 16,         31,         32,         63,        64,       255,
                                 256,        65535,      65536,      1000,      1u << 29, 1u << 30,
                                 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
  uint32_t other = 0;
  std::memcpy(&other, table.begin + 4 * Below(random, table.bytes / 4), 4);
  switch (Below(random, 10)) {
    case 0:
      return word + 1;
    case 1:
      return word - 1;
    case 2:
      return word + 4 * static_cast<uint32_t>(Below(random, 33)) - 64;
    case 3:
      return word * 2;
    case 4:
      return word / 2;
    case 5:
      return 0 - word;
    case 6:
      return word ^ 1u << Below(random, 32);
    case 7:
      return other;
    case 8:
      return static_cast<uint32_t>(random()) >> Below(random, 31);
    default:
      return PickFrom(random, kWords);
  }
}

void ChangeTable(const Table& table, Random& random) {
  const uint32_t rows = table.bytes / table.row_bytes;
  if (Below(random, 16) == 0) {
    std::memmove(table.begin + table.row_bytes * Below(random, rows),
                 table.begin + table.row_bytes * Below(random, rows), table.row_bytes);
    return;
  }
  if (table.bytes < 4 || Below(random, 8) == 0) {
    table.begin[Below(random, table.bytes)] ^= static_cast<uint8_t>(1u << Below(random, 8));
    return;
  }
  uint8_t* at = table.begin + 4 * Below(random, table.bytes / 4);
  uint32_t word = 0;
  std::memcpy(&word, at, 4);
  word = Changed(word, table, random);
  std::memcpy(at, &word, 4);
}

}  // namespace

void MutateModel(std::string& input, Random& random) {
  if (Below(random, 16) == 0) input[0] = static_cast<char>(random() >> 8);
  const size_t bytes = input.size() - 1;
  GuardedBlock file(bytes, kModelAlignment, false);
  std::memcpy(file.data(), input.data() + 1, bytes);
  if (!HasTables(file.bytes())) {
    if (bytes != 0) input[1 + Below(random, bytes)] ^= static_cast<char>(1 << Below(random, 8));
    return;
  }
  size_t first_params = 0;
  const std::vector<Table> tables = TablesOf(*format::GetModel(file.data()), &first_params);
  if (tables.empty()) return;
  const size_t changes = 1 + Below(random, Below(random, 4) == 0 ? 6 : 2);
  for (size_t i = 0; i < changes; ++i) {
    const bool in_params = first_params < tables.size() && Below(random, 2) == 0;
    ChangeTable(in_params ? tables[first_params + Below(random, tables.size() - first_params)]
                          : PickFrom(random, tables),
                random);
  }
  format::GetMutableModel(file.data())->mutate_checksum(Checksum(file.bytes()));
  std::memcpy(input.data() + 1, file.data(), bytes);
}

}  // namespace weft::fuzz
