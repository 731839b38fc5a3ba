// SPDX-License-Identifier: Apache-2.0
#include "converter/program/coalesce.h"

#include <utility>

namespace weft::program {

namespace {

bool IsLocal(ValueId root, const AccessIndex& local, const AccessCounts& everywhere) {
  const auto found = everywhere.find(root);
  return local.CountOf(root) == (found == everywhere.end() ? 0 : found->second);
}

Access RangeOf(const Program& program, const Location& location, ValueId value) {
  Access range;
  range.begin_bytes = location.offset_bytes;
  range.end_bytes = location.offset_bytes + program.values[value].bytes;
  range.moves = location.moves;
  return range;
}

bool SameRange(const Access& a, const Access& b) {
  return a.begin_bytes == b.begin_bytes && a.end_bytes == b.end_bytes && a.moves == b.moves;
}

// `access` is a read of the target by the step that first writes the source. Returns true if it
// allows that write once the source is stored in `range` of the target: the step may overwrite
// exactly the bytes that it reads.
bool SharedByItsStep(const Program& program, const Access& access, ValueId source_root,
                     const Access& range) {
  if (access.nested || access.step == nullptr || access.write) return false;
  for (size_t output = 0; output < access.step->outputs.size(); ++output) {
    const ValueId value = access.step->outputs[output];
    if (value == kNone) continue;
    const Location location = Resolve(program, value);
    if (location.root != source_root || !location.moves.empty()) continue;
    Access written = RangeOf(program, location, value);
    written.begin_bytes += range.begin_bytes;
    written.end_bytes += range.begin_bytes;
    written.moves = range.moves;
    if (SameRange(access, written) &&
        MayShare(*access.step, static_cast<size_t>(access.operand), output)) {
      return true;
    }
  }
  return false;
}

// Returns true if `access` is the read of a plain copy that fills the source from the same bytes of
// the target. Such a copy does nothing once the source is stored there.
bool FillsFromTarget(const Program& program, const Access& access, const Location& source,
                     const Location& target, int64_t bytes) {
  if (access.nested || access.step == nullptr || access.write) return false;
  if (!IsPlainCopy(program, *access.step)) return false;
  const Location from = Resolve(program, access.step->inputs[0]);
  const Location to = Resolve(program, access.step->outputs[0]);
  return from.root == target.root && from.offset_bytes == target.offset_bytes &&
         from.moves == target.moves && to.root == source.root && to.offset_bytes == 0 &&
         to.moves.empty() && program.values[access.step->outputs[0]].bytes == bytes;
}

}  // namespace

bool SourceFitsTarget(const Program& program, const Step& copy, int64_t item,
                      const AccessIndex& local, const AccessCounts& everywhere) {
  const Location source = Resolve(program, copy.inputs[0]);
  const Location target = Resolve(program, copy.outputs[0]);
  if (source.root == target.root || !IsCompleteScratch(program, source, copy.inputs[0]) ||
      program.values[target.root].storage == Storage::kWeights ||
      !IsLocal(source.root, local, everywhere)) {
    return false;
  }
  const ItemExtent extent = local.ExtentOf(source.root);
  if (extent.last_write > item) return false;
  // A caller's input cannot live in state, which holds its own value until it is read.
  if (extent.first == kBeforeRun && program.values[target.root].storage == Storage::kState)
    return false;
  const Access range = RangeOf(program, target, copy.outputs[0]);
  // From the source's first write to the copy nothing touches the target; from then on to the
  // source's last read nothing writes it.
  using Kind = AccessIndex::Kind;
  if (local.Any(target.root, range, extent.first + 1, item - 1, Kind::kAny) ||
      local.Any(target.root, range, item + 1, extent.last, Kind::kWrite)) {
    return false;
  }
  const auto forbids = [&](const Access& access) {
    return !SharedByItsStep(program, access, source.root, range) &&
           !FillsFromTarget(program, access, source, target, range.end_bytes - range.begin_bytes);
  };
  return extent.first == item ||
         !local.Any(target.root, range, extent.first, extent.first, Kind::kAny, forbids);
}

namespace {

// The reverse case: returns true if the target, a complete value first written by this copy, can be
// stored in the bytes of the source.
bool TargetFitsSource(const Program& program, const Step& copy, int64_t item,
                      const AccessIndex& local, const AccessCounts& everywhere) {
  const Location source = Resolve(program, copy.inputs[0]);
  const Location target = Resolve(program, copy.outputs[0]);
  if (source.root == target.root || !IsCompleteScratch(program, target, copy.outputs[0]) ||
      program.values[source.root].storage != Storage::kScratch ||
      !IsLocal(target.root, local, everywhere) || !IsLocal(source.root, local, everywhere)) {
    return false;
  }
  const ItemExtent extent = local.ExtentOf(target.root);
  if (extent.first != item) return false;
  const bool rewritten = extent.last_write > item;
  const Access range = RangeOf(program, source, copy.inputs[0]);
  return !local.Any(source.root, range, item + 1, kAfterRun,
                    rewritten ? AccessIndex::Kind::kAny : AccessIndex::Kind::kWrite);
}

// Makes `value` a direct part of its root: chains of merged values grow long.
void Shorten(Program& program, ValueId value) {
  if (value == kNone) return;
  std::vector<ValueId> path;
  for (ValueId id = value; program.values[id].parent != kNone; id = program.values[id].parent) {
    path.push_back(id);
  }
  if (path.size() < 2) return;
  path.pop_back();  // is a direct part of its root already
  for (; !path.empty(); path.pop_back()) {
    Value& view = program.values[path.back()];
    const Value& around = program.values[view.parent];
    view.offset_bytes += around.offset_bytes;
    view.moves.insert(view.moves.end(), around.moves.begin(), around.moves.end());
    view.parent = around.parent;
  }
}

void ShortenAll(Program& program) {
  for (ValueId value = 0; value < program.values.size(); ++value) Shorten(program, value);
}

// Processes one block, and updates both access maps as roots merge.
class BlockCoalescer {
 public:
  BlockCoalescer(Program& program, BlockId block, AccessCounts& everywhere)
      : program_(program),
        block_(block),
        everywhere_(everywhere),
        local_(CollectAccesses(program, block)) {}

  void DropCopies() {
    for (int64_t item = 0; item < static_cast<int64_t>(items().size()); ++item) {
      const Step* step = std::get_if<Step>(&items()[static_cast<size_t>(item)]);
      if (step == nullptr || !IsPlainCopy(program_, *step)) continue;
      ShortenOperands(*step);
      if (SourceFitsTarget(program_, *step, item, local_, everywhere_)) {
        Merge(step->inputs[0], step->outputs[0]);
      } else if (TargetFitsSource(program_, *step, item, local_, everywhere_)) {
        Merge(step->outputs[0], step->inputs[0]);
      }
    }
  }

  void WriteInPlace() {
    for (int64_t item = 0; item < static_cast<int64_t>(items().size()); ++item) {
      const Step* step = std::get_if<Step>(&items()[static_cast<size_t>(item)]);
      if (step == nullptr) continue;
      ShortenOperands(*step);
      for (size_t output = 0; output < step->outputs.size(); ++output) {
        for (size_t input = 0; input < step->inputs.size(); ++input) {
          if (OutputFitsInput(*step, item, input, output)) {
            Merge(step->outputs[output], step->inputs[input]);
            break;
          }
        }
      }
    }
  }

 private:
  std::vector<Item>& items() { return program_.blocks[block_].items; }

  void ShortenOperands(const Step& step) {
    for (const ValueId input : step.inputs) Shorten(program_, input);
    for (const ValueId output : step.outputs) Shorten(program_, output);
  }

  bool OutputFitsInput(const Step& step, int64_t item, size_t input, size_t output) const {
    if (step.inputs[input] == kNone || step.outputs[output] == kNone ||
        !MayShare(step, input, output)) {
      return false;
    }
    const ValueId from = step.inputs[input], to = step.outputs[output];
    const Location source = Resolve(program_, from);
    const Location target = Resolve(program_, to);
    if (source.root == target.root || !source.moves.empty() ||
        !IsCompleteScratch(program_, target, to) ||
        program_.values[source.root].storage != Storage::kScratch ||
        program_.values[from].bytes != program_.values[to].bytes ||
        !IsLocal(source.root, local_, everywhere_) || !IsLocal(target.root, local_, everywhere_) ||
        local_.ExtentOf(target.root).first != item) {
      return false;
    }
    const Access range = RangeOf(program_, source, from);
    // Another operand with exactly these bytes may be overwritten too; a partial overlap may not.
    const auto forbids = [&](const Access& access) {
      const bool itself = std::cmp_equal(access.operand, input);
      return !itself && (access.write || !SameRange(access, range) ||
                         !MayShare(step, static_cast<size_t>(access.operand), output));
    };
    using Kind = AccessIndex::Kind;
    return !local_.Any(source.root, range, item + 1, kAfterRun, Kind::kAny) &&
           !local_.Any(source.root, range, item, item, Kind::kAny, forbids);
  }

  // Makes the root of `child` a part of the buffer that holds `storage`.
  void Merge(ValueId child, ValueId storage) {
    const ValueId root = Resolve(program_, child).root;
    const Location location = Resolve(program_, storage);
    Value& value = program_.values[root];
    value.parent = location.root;
    value.offset_bytes = location.offset_bytes;
    value.moves = location.moves;
    value.storage = program_.values[location.root].storage;
    local_.Merge(root, location);
    everywhere_[location.root] += everywhere_[root];
    everywhere_.erase(root);
  }

  Program& program_;
  const BlockId block_;
  AccessCounts& everywhere_;
  AccessIndex local_;
};

// Removes copies whose source and target are the same bytes.
void RemoveIdentities(Program& program) {
  for (Block& block : program.blocks) {
    std::erase_if(block.items, [&](const Item& item) {
      const Step* step = std::get_if<Step>(&item);
      if (step == nullptr || !IsPlainCopy(program, *step)) return false;
      const Location from = Resolve(program, step->inputs[0]);
      const Location to = Resolve(program, step->outputs[0]);
      return from.root == to.root && from.offset_bytes == to.offset_bytes && from.moves == to.moves;
    });
  }
}

}  // namespace

void DropCopies(Program& program) {
  AccessCounts everywhere = CountsOf(CollectAccesses(program, program.main));
  for (BlockId block = 0; block < program.blocks.size(); ++block) {
    BlockCoalescer(program, block, everywhere).DropCopies();
  }
  ShortenAll(program);
  RemoveIdentities(program);
}

void WriteInPlace(Program& program) {
  AccessCounts everywhere = CountsOf(CollectAccesses(program, program.main));
  for (BlockId block = 0; block < program.blocks.size(); ++block) {
    BlockCoalescer(program, block, everywhere).WriteInPlace();
  }
  ShortenAll(program);
}

void Coalesce(Program& program) {
  DropCopies(program);
  WriteInPlace(program);
}

}  // namespace weft::program
