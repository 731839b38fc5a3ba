// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "converter/plan/plan_passes.h"
#include "converter/program/access_index.h"
#include "converter/program/block_access.h"

namespace weft::plan {

namespace {

// A plain copy of an entire variable or of a part of it.
struct StateCopy {
  int64_t item = 0;
  program::Location source;
  program::ValueId target = program::kNone;
};

class BlockChainer {
 public:
  BlockChainer(program::Program& program, program::BlockId block)
      : program_(program), items_(program.blocks[block].items), block_(block) {}

  void Run() {
    for (size_t item = 0; item < items_.size(); ++item) {
      auto* step = std::get_if<program::Step>(&items_[item]);
      if (step == nullptr || !IsPlainCopy(program_, *step)) continue;
      const program::Location source = Resolve(program_, step->inputs[0]);
      if (program_.values[source.root].storage != program::Storage::kState) continue;
      const StateCopy copy = {static_cast<int64_t>(item), source, step->outputs[0]};
      if (const std::optional<program::ValueId> earlier = EarlierTarget(copy)) {
        step->inputs[0] = *earlier;
        accesses_.reset();
      } else {
        copies_.push_back(copy);
      }
    }
  }

 private:
  // Returns the target of an earlier copy of the same bytes that neither has changed since.
  std::optional<program::ValueId> EarlierTarget(const StateCopy& copy) {
    for (const StateCopy& earlier : copies_) {
      if (earlier.source != copy.source || !IsCompleteScratch(earlier.target) ||
          program_.values[earlier.target].bytes != program_.values[copy.target].bytes) {
        continue;
      }
      if (!IsWritten(earlier.source, earlier.target, earlier.item + 1, copy.item - 1) &&
          !IsWritten(Resolve(program_, earlier.target), earlier.target, earlier.item + 1,
                     copy.item - 1)) {
        return earlier.target;
      }
    }
    return std::nullopt;
  }

  bool IsCompleteScratch(program::ValueId value) const {
    return program_.values[value].parent == program::kNone &&
           program_.values[value].storage == program::Storage::kScratch;
  }

  // Returns true if an item in [first, last] writes to bytes of `value`, which is at `location`.
  bool IsWritten(const program::Location& location, program::ValueId value, int64_t first,
                 int64_t last) {
    if (!accesses_) accesses_.emplace(CollectAccesses(program_, block_));
    program::Access range;
    range.begin_bytes = location.offset_bytes;
    range.end_bytes = location.offset_bytes + program_.values[value].bytes;
    range.moves = location.moves;
    return accesses_->Any(location.root, range, first, last, program::AccessIndex::Kind::kWrite);
  }

  program::Program& program_;
  std::vector<program::Item>& items_;
  const program::BlockId block_;
  std::vector<StateCopy> copies_;
  std::optional<program::AccessIndex> accesses_;  // built on first use
};

}  // namespace

void ChainCopies(program::Program& program) {
  for (program::BlockId block = 0; block < program.blocks.size(); ++block) {
    BlockChainer(program, block).Run();
  }
}

}  // namespace weft::plan
