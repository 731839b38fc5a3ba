// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/coalesce.h"

#include <algorithm>

namespace weft::plan {

bool IsPlainCopy(const Program& program, const Step& step) {
  const auto* params = std::get_if<format::CopyParams>(&step.params);
  if (params == nullptr || params->rank() != 1 || params->src_offset() != 0 ||
      params->dst_offset() != 0 || params->src_strides()->Get(0) != 1 ||
      params->dst_strides()->Get(0) != 1) {
    return false;
  }
  const int64_t bytes = static_cast<int64_t>(params->dims()->Get(0)) * params->element_bytes();
  return bytes == program.values[step.inputs[0]].bytes &&
         bytes == program.values[step.outputs[0]].bytes;
}

namespace {

const std::vector<Access>& Of(const AccessMap& accesses, ValueId root) {
  static const std::vector<Access> kNothing;
  const auto it = accesses.find(root);
  return it == accesses.end() ? kNothing : it->second;
}

bool IsWholeScratch(const Program& program, const Place& place, ValueId value) {
  const Value& root = program.values[place.root];
  return root.home == Home::kScratch && place.offset_bytes == 0 && place.moves.empty() &&
         root.bytes == program.values[value].bytes;
}

bool IsLocal(ValueId root, const AccessMap& local, const AccessMap& everywhere) {
  return Of(local, root).size() == Of(everywhere, root).size();
}

Access RangeOf(const Program& program, const Place& place, ValueId value) {
  Access range;
  range.begin_bytes = place.offset_bytes;
  range.end_bytes = place.offset_bytes + program.values[value].bytes;
  range.moves = place.moves;
  return range;
}

// Does `access`, a read of the target by the step that first writes the source, allow that write?
bool SharedByItsStep(const Access& access, const std::vector<Access>& source_accesses) {
  if (access.nested || access.step == nullptr || access.write) return false;
  return std::any_of(source_accesses.begin(), source_accesses.end(), [&](const Access& source) {
    if (source.step != access.step || !source.write) return false;
    const size_t inputs = access.step->inputs.size();
    return MayShare(*access.step, static_cast<size_t>(access.operand),
                    static_cast<size_t>(source.operand) - inputs);
  });
}

// Is `access` the read of a plain copy that fills the source from the very bytes of the target?
// Such a copy has nothing to do once the source lives there.
bool FillsFromTarget(const Program& program, const Access& access, const Place& source,
                     const Place& target, int64_t bytes) {
  if (access.nested || access.step == nullptr || access.write) return false;
  if (!IsPlainCopy(program, *access.step)) return false;
  const Place from = Resolve(program, access.step->inputs[0]);
  const Place to = Resolve(program, access.step->outputs[0]);
  return from.root == target.root && from.offset_bytes == target.offset_bytes &&
         from.moves == target.moves && to.root == source.root && to.offset_bytes == 0 &&
         to.moves.empty() && program.values[access.step->outputs[0]].bytes == bytes;
}

struct Extent {
  int64_t first = kAfterRun, last = kBeforeRun, last_write = kBeforeRun;
};

Extent ExtentOf(const std::vector<Access>& accesses) {
  Extent extent;
  for (const Access& access : accesses) {
    extent.first = std::min(extent.first, access.item);
    extent.last = std::max(extent.last, access.item);
    if (access.write) extent.last_write = std::max(extent.last_write, access.item);
  }
  return extent;
}

}  // namespace

bool SourceFitsTarget(const Program& program, const Step& copy, int64_t item,
                      const AccessMap& local, const AccessMap& everywhere) {
  const Place source = Resolve(program, copy.inputs[0]);
  const Place target = Resolve(program, copy.outputs[0]);
  if (source.root == target.root || !IsWholeScratch(program, source, copy.inputs[0]) ||
      program.values[target.root].home == Home::kWeights ||
      !IsLocal(source.root, local, everywhere)) {
    return false;
  }
  const std::vector<Access>& source_accesses = Of(local, source.root);
  const Extent extent = ExtentOf(source_accesses);
  if (extent.last_write > item) return false;
  // A caller's input cannot live in state, which holds its own value until it is read.
  if (extent.first == kBeforeRun && program.values[target.root].home == Home::kState) return false;
  const Access range = RangeOf(program, target, copy.outputs[0]);
  for (const Access& access : Of(local, target.root)) {
    if (access.item == item || !Overlap(access, range)) continue;
    if (access.item < extent.first) continue;
    if (access.item < item) {
      if (access.item > extent.first) return false;
      if (!SharedByItsStep(access, source_accesses) &&
          !FillsFromTarget(program, access, source, target, range.end_bytes - range.begin_bytes)) {
        return false;
      }
    } else if (access.write && extent.last >= access.item) {
      return false;
    }
  }
  return true;
}

namespace {

// The mirror image: the target, a whole value born with this copy, may live in the source's place.
bool TargetFitsSource(const Program& program, const Step& copy, int64_t item,
                      const AccessMap& local, const AccessMap& everywhere) {
  const Place source = Resolve(program, copy.inputs[0]);
  const Place target = Resolve(program, copy.outputs[0]);
  if (source.root == target.root || !IsWholeScratch(program, target, copy.outputs[0]) ||
      program.values[source.root].home != Home::kScratch ||
      !IsLocal(target.root, local, everywhere) || !IsLocal(source.root, local, everywhere)) {
    return false;
  }
  const Extent extent = ExtentOf(Of(local, target.root));
  if (extent.first != item) return false;
  const bool rewritten = extent.last_write > item;
  const Access range = RangeOf(program, source, copy.inputs[0]);
  for (const Access& access : Of(local, source.root)) {
    if (access.item <= item || !Overlap(access, range)) continue;
    if (rewritten || access.write) return false;
  }
  return true;
}

// Passes over one block, keeping both maps true as roots merge.
class BlockCoalescer {
 public:
  BlockCoalescer(Program& program, BlockId block, AccessMap& everywhere)
      : program_(program),
        block_(block),
        everywhere_(everywhere),
        local_(CollectAccesses(program, block)) {}

  void DropCopies() {
    for (int64_t item = 0; item < static_cast<int64_t>(items().size()); ++item) {
      const Step* step = std::get_if<Step>(&items()[static_cast<size_t>(item)]);
      if (step == nullptr || !IsPlainCopy(program_, *step)) continue;
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

  bool OutputFitsInput(const Step& step, int64_t item, size_t input, size_t output) const {
    if (step.inputs[input] == kNone || step.outputs[output] == kNone ||
        !MayShare(step, input, output)) {
      return false;
    }
    const ValueId from = step.inputs[input], to = step.outputs[output];
    const Place source = Resolve(program_, from);
    const Place target = Resolve(program_, to);
    if (source.root == target.root || !source.moves.empty() ||
        !IsWholeScratch(program_, target, to) ||
        program_.values[source.root].home != Home::kScratch ||
        program_.values[from].bytes != program_.values[to].bytes ||
        !IsLocal(source.root, local_, everywhere_) || !IsLocal(target.root, local_, everywhere_) ||
        ExtentOf(Of(local_, target.root)).first != item) {
      return false;
    }
    const Access range = RangeOf(program_, source, from);
    const std::vector<Access>& accesses = Of(local_, source.root);
    return std::none_of(accesses.begin(), accesses.end(), [&](const Access& access) {
      if (!Overlap(access, range)) return false;
      if (access.item != item) return access.item > item;
      const bool itself = access.operand == static_cast<int32_t>(input);
      return !itself &&
             (access.write || !MayShare(step, static_cast<size_t>(access.operand), output));
    });
  }

  // `child`'s root becomes a part of where `home` lies.
  void Merge(ValueId child, ValueId home) {
    const ValueId root = Resolve(program_, child).root;
    const Place place = Resolve(program_, home);
    Value& value = program_.values[root];
    value.parent = place.root;
    value.offset_bytes = place.offset_bytes;
    value.moves = place.moves;
    value.home = program_.values[place.root].home;
    Reroot(local_, root, place);
    Reroot(everywhere_, root, place);
  }

  static void Reroot(AccessMap& accesses, ValueId root, const Place& place) {
    std::vector<Access> moved = std::move(accesses[root]);
    accesses.erase(root);
    for (Access& access : moved) {
      access.begin_bytes += place.offset_bytes;
      access.end_bytes += place.offset_bytes;
      access.moves.insert(access.moves.end(), place.moves.begin(), place.moves.end());
    }
    std::vector<Access>& target = accesses[place.root];
    target.insert(target.end(), moved.begin(), moved.end());
  }

  Program& program_;
  const BlockId block_;
  AccessMap& everywhere_;
  AccessMap local_;
};

// Copies from a place to itself.
void RemoveIdentities(Program& program) {
  for (Block& block : program.blocks) {
    std::erase_if(block.items, [&](const Item& item) {
      const Step* step = std::get_if<Step>(&item);
      if (step == nullptr || !IsPlainCopy(program, *step)) return false;
      const Place from = Resolve(program, step->inputs[0]);
      const Place to = Resolve(program, step->outputs[0]);
      return from.root == to.root && from.offset_bytes == to.offset_bytes && from.moves == to.moves;
    });
  }
}

}  // namespace

void Coalesce(Program& program) {
  AccessMap everywhere = CollectAccesses(program, program.main);
  for (BlockId block = 0; block < program.blocks.size(); ++block) {
    BlockCoalescer(program, block, everywhere).DropCopies();
  }
  RemoveIdentities(program);
  everywhere = CollectAccesses(program, program.main);
  for (BlockId block = 0; block < program.blocks.size(); ++block) {
    BlockCoalescer(program, block, everywhere).WriteInPlace();
  }
}

}  // namespace weft::plan
