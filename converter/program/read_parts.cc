// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/block_access.h"
#include "converter/program/builder.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/live_bytes.h"
#include "converter/program/passes.h"
#include "converter/program/strided_reads.h"

namespace weft::program {
namespace {

// Elements [begin, end) of its source from the first to the last that a copy reads.
struct Range {
  int64_t begin, end;
};
Range RangeOf(const format::CopyParams& copy) {
  Range range = {copy.src_offset(), int64_t{copy.src_offset()} + 1};
  for (uint16_t i = 0; i < copy.rank(); ++i) {
    const int64_t way = (int64_t{copy.dims()->Get(i)} - 1) * copy.src_strides()->Get(i);
    (way < 0 ? range.begin : range.end) += way;
  }
  return range;
}

// The copy of `count` elements of the target from element `begin` on, with all other axes complete;
// nullopt if the elements are not slices along the outermost axis.
std::optional<format::CopyParams> SlicesOf(const format::CopyParams& copy, int64_t begin,
                                           int64_t count) {
  const Dims dims = Listed(copy.dims(), copy.rank());
  uint16_t axis = 0;
  while (axis + 1u < dims.size() && dims[axis] == 1) ++axis;
  int64_t slice = 1;
  for (size_t i = axis + 1u; i < dims.size(); ++i) slice *= dims[i];
  if (begin == 0 && count == *ElementCount(dims)) return copy;
  if (dims.empty() || count == 0 || begin % slice != 0 || count % slice != 0) return std::nullopt;
  format::CopyParams part = copy;
  part.mutable_dims()->Mutate(axis, Narrow32(count / slice, "extent"));
  part.mutate_src_offset(
      Narrow32(copy.src_offset() + begin / slice * copy.src_strides()->Get(axis), "offset"));
  return part;
}

// A copy of a part of `root` that is not needed if its readers are replaced.
struct PartCopy {
  size_t item = 0;
  ValueId root = kNone, made = kNone;
  std::map<size_t, Step> readers;  // by item: the replacing step
  size_t last_reader() const { return readers.rbegin()->first; }
};

class PartReader {
 public:
  PartReader(Builder& builder, BlockId block)
      : builder_(builder),
        program_(builder.program()),
        block_(block),
        items_(program_.blocks[block].items),
        accesses_(CollectAccesses(program_, block)) {}

  void Run() {
    std::map<ValueId, std::vector<PartCopy>> parts;  // by root
    std::set<size_t> items;
    for (size_t item = 0; item < items_.size(); ++item) {
      std::optional<PartCopy> part = PartAt(item);
      if (!part) continue;
      items.insert(item);
      parts[part->root].push_back(std::move(*part));
    }
    if (items.empty()) return;
    LiveBytes live(program_, block_, accesses_);
    for (auto& [root, copies] : parts) {
      // Readers that are candidates for removal themselves are left unchanged.
      std::erase_if(copies, [&](const PartCopy& part) {
        return std::ranges::any_of(
            part.readers, [&](const auto& reader) { return items.contains(reader.first); });
      });
      if (!copies.empty() && FitsWithout(root, copies, live)) Take(copies);
    }
    RemoveItems(items_, dropped_);
  }

 private:
  std::optional<PartCopy> PartAt(size_t item);
  bool AddReader(const Access& read, const Step& copy, PartCopy& part) const;
  std::optional<format::CopyParams> PartOf(const format::CopyParams& copy, ValueId operand) const;
  bool IsKept(const PartCopy& part) const;
  bool FitsWithout(ValueId root, const std::vector<PartCopy>& copies, LiveBytes& live) const;
  void Take(const std::vector<PartCopy>& copies);

  Builder& builder_;
  Program& program_;
  const BlockId block_;
  std::vector<Item>& items_;
  const AccessMap accesses_;
  std::set<size_t> dropped_;
};

// Returns a copy to a dense, separate target that all of its readers can do without.
std::optional<PartCopy> PartReader::PartAt(size_t item) {
  const auto* copy = std::get_if<Step>(&items_[item]);
  const auto* params = copy == nullptr ? nullptr : std::get_if<format::CopyParams>(&copy->params);
  if (params == nullptr || IsPlainCopy(program_, *copy)) return std::nullopt;
  const Dims dims = Listed(params->dims(), params->rank());
  const Location from = Resolve(program_, copy->inputs[0]),
                 to = Resolve(program_, copy->outputs[0]);
  const Value &root = program_.values[from.root], &made = program_.values[to.root];
  const bool is_dense = params->dst_offset() == 0 &&
                        Listed(params->dst_strides(), params->rank()) == DenseStrides(dims) &&
                        *ElementCount(dims) * params->element_bytes() == made.bytes;
  const bool is_here = from.moves.empty() && root.storage == Storage::kScratch &&
                       root.block == block_ && made.block == block_ && from.root != to.root;
  if (!is_dense || !is_here || !IsCompleteScratch(program_, to, copy->outputs[0]))
    return std::nullopt;
  PartCopy part = {item, from.root, to.root, {}};
  for (const Access& access : accesses_.at(to.root)) {
    if (access.write && access.item == static_cast<int64_t>(item)) continue;
    if (!AddReader(access, *copy, part)) return std::nullopt;
  }
  return !part.readers.empty() && IsKept(part) ? std::optional(std::move(part)) : std::nullopt;
}

bool PartReader::AddReader(const Access& read, const Step& copy, PartCopy& part) const {
  const bool is_step = read.step != nullptr && !read.nested && !read.write && read.operand >= 0 &&
                       read.item > static_cast<int64_t>(part.item) && read.item != kAfterRun;
  if (!is_step || !read.moves.empty()) return false;
  const auto item = static_cast<size_t>(read.item);
  const Step& step = part.readers.try_emplace(item, *read.step).first->second;
  const auto input = static_cast<size_t>(read.operand);
  const std::optional<format::CopyParams> source =
      PartOf(std::get<format::CopyParams>(copy.params), step.inputs[input]);
  if (!source) return false;
  std::optional<Step> reading = ReadingThrough(*source, step, input);
  if (reading) part.readers[item] = std::move(*reading);
  return reading.has_value();
}

// The part of the copy that an operand of a reader reads.
std::optional<format::CopyParams> PartReader::PartOf(const format::CopyParams& copy,
                                                     ValueId operand) const {
  const Value& value = program_.values[operand];
  const int64_t bytes = copy.element_bytes();
  const Location at = Resolve(program_, operand);
  if (ElementBytes(value.type.type) != bytes || at.offset_bytes % bytes != 0) return std::nullopt;
  return SlicesOf(copy, at.offset_bytes / bytes, value.bytes / bytes);
}

// Returns true if nothing writes the root before the last reader of the part.
bool PartReader::IsKept(const PartCopy& part) const {
  return !IsWritten(accesses_, part.root, static_cast<int64_t>(part.item) + 1,
                    static_cast<int64_t>(part.last_reader()));
}

// Without these copies the root is live until the last of their readers. Restores `live` and
// returns false if that needs too many bytes.
bool PartReader::FitsWithout(ValueId root, const std::vector<PartCopy>& copies,
                             LiveBytes& live) const {
  const size_t first = copies.front().item;
  size_t after = 0;
  for (const PartCopy& part : copies) after = std::max(after, part.last_reader());
  const auto before =
      static_cast<size_t>(std::ranges::max(accesses_.at(root), {}, &Access::item).item);
  const auto change = [&](int64_t sign) {
    for (const PartCopy& part : copies) {
      live.Add(part.item, part.last_reader(), -sign * program_.values[part.made].bytes);
    }
    if (before < after) live.Add(before + 1, after, sign * program_.values[root].bytes);
  };
  change(1);
  const bool fits = live.KeepsTo(first, after);
  if (!fits) change(-1);
  return fits;
}

// Processes the copies one at a time, because two may share a reader.
void PartReader::Take(const std::vector<PartCopy>& copies) {
  for (const PartCopy& candidate : copies) {
    std::optional<PartCopy> part = PartAt(candidate.item);
    if (!part) continue;
    const Step& copy = std::get<Step>(items_[part->item]);
    const format::CopyParams params = std::get<format::CopyParams>(copy.params);
    const ValueId source = copy.inputs[0];
    const ElementType type = program_.values[part->made].type.type;
    for (auto& [item, reader] : part->readers) {
      for (ValueId& input : reader.inputs) {
        if (input == kNone || Resolve(program_, input).root != part->made) continue;
        const auto [begin, end] = RangeOf(*PartOf(params, input));
        input =
            builder_.View(source, begin * int64_t{params.element_bytes()}, {type, {end - begin}});
      }
      std::get<Step>(items_[item]) = std::move(reader);
    }
    dropped_.insert(part->item);
  }
}

}  // namespace

void ReadParts(Program& program) {
  Builder builder(program);
  for (BlockId block = 0; block < program.blocks.size(); ++block) {
    builder.SetBlock(block);
    PartReader(builder, block).Run();
  }
}

}  // namespace weft::program
