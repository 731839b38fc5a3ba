// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/watch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

constexpr size_t kStepKinds = format::kKindCount - 1;  // without sections

thread_local std::byte* noted[format::kMaxOperands];

template <size_t row>
void NoteAndRun(const format::Model& model, uint32_t param, std::byte* const* operands) {
  std::copy_n(operands, format::kArity[row + 1].operands(), noted);
  AllSteps().entries[row].run(model, param, operands);
}

template <size_t... rows>
std::array<StepEntry, kStepKinds> EntriesOf(std::index_sequence<rows...>) {
  const StepEntry* const all = AllSteps().entries;
  return {StepEntry{all[rows].check, NoteAndRun<rows>}...};
}

}  // namespace

StepTable WatchedSteps() {
  static const std::array<StepEntry, kStepKinds> entries =
      EntriesOf(std::make_index_sequence<kStepKinds>());
  return {entries.data(), static_cast<uint32_t>(entries.size())};
}

Watch::Watch(Engine& engine, See see) : engine_(engine), see_(std::move(see)) {
  profile_.now = [](void*) { return uint64_t{0}; };
  profile_.step = [](void* user, uint32_t step, uint64_t, uint64_t) {
    static_cast<Watch*>(user)->see_(step, noted);
  };
  profile_.user = this;
  engine_.SetProfile(&profile_);
}

Watch::~Watch() { engine_.SetProfile(nullptr); }

}  // namespace weft::cli
