// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/file_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "converter/inspect/streamed.h"
#include "runtime/format/listing.h"

namespace weft::inspect {
namespace {

// Readers allocate an entry for each id up to the maximum, so ids must be less than the number of
// slots.
void CheckBuffers(const format::Model& model, std::vector<std::string>& lines) {
  const uint32_t slots = format::RowsOf(model.slots()).count;
  const format::Rows<uint32_t> buffers = format::RowsOf(model.slot_buffers());
  const uint32_t* const invalid =
      std::ranges::find_if(buffers, [slots](uint32_t buffer) { return buffer >= slots; });
  if (invalid == buffers.end()) return;
  lines.push_back(fmt::format(
      "slot {}: its buffer is {}; must be less than {}, the number of slots, so convert again",
      invalid - buffers.begin(), *invalid, slots));
}

void CheckSelfTest(const format::Model& model, std::vector<std::string>& lines) {
  if (model.self_test() == nullptr || format::SelfTestOf(model) != nullptr) return;
  lines.push_back(fmt::format("self test: has {} bytes; must have at least {}",
                              model.self_test()->size(), sizeof(format::SelfTest)));
}

}  // namespace

std::vector<std::string> FileFaults(Bytes file) {
  flatbuffers::Verifier verifier(static_cast<const uint8_t*>(file.data), file.size);
  if (!format::VerifyModelBuffer(verifier)) {
    return {"a field for desktop tools points outside the file; convert again"};
  }
  const format::Model& model = *format::GetModel(file.data);
  std::vector<std::string> lines;
  CheckBuffers(model, lines);
  CheckSelfTest(model, lines);
  for (std::string& line : StreamNoteFaults(model)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace weft::inspect
