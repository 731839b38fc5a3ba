// SPDX-License-Identifier: Apache-2.0
#include "converter/program/integer_values.h"

#include <algorithm>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/program/block_access.h"
#include "converter/program/builder.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/integer_weights.h"

namespace weft::program {
namespace {

constexpr int64_t kFloatBytes = sizeof(float);

// Returns the value of an f32 operand that is a single known number.
std::optional<float> NumberOf(const Program& program, ValueId value) {
  const Location location = Resolve(program, value);
  const Value& root = program.values[location.root];
  if (!root.data || !location.moves.empty() || program.values[value].bytes != kFloatBytes) {
    return std::nullopt;
  }
  return FloatsOf(*root.data)[static_cast<size_t>(location.offset_bytes / kFloatBytes)];
}

// Returns true for a product of each element of a, in order, with an element of b.
bool IsScaling(const format::BinaryParams& params) {
  if (params.op() != format::BinaryOp::multiply || params.type() != ElementType::f32) return false;
  const Dims dims = Listed(params.dims(), params.rank());
  return AreDense(dims, Listed(params.a_strides(), params.rank()));
}

}  // namespace

IntegerValues::IntegerValues(Program& program) : program_(program) {
  for (const auto& [root, accesses] : CollectAccesses(program, program.main)) {
    writes_[root] = static_cast<size_t>(
        std::ranges::count_if(accesses, [](const Access& access) { return access.write; }));
  }
  for (const Block& block : program.blocks) FindIn(block);
}

bool IntegerValues::IsWrittenOnce(ValueId root) const {
  const auto found = writes_.find(root);
  return program_.values[root].storage == Storage::kScratch && found != writes_.end() &&
         found->second == 1;
}

bool IntegerValues::IsWholeAndMadeOnce(ValueId value) const {
  const Location location = Resolve(program_, value);
  return IsCompleteScratch(program_, location, value) && IsWrittenOnce(location.root);
}

void IntegerValues::Add(ValueId numbers, const IntegerValue& value) {
  const Location location = Resolve(program_, value.integers);
  if (!location.moves.empty() || !IsWrittenOnce(location.root)) return;
  const ValueId root = Resolve(program_, numbers).root;
  by_root_.emplace(root, value);
  made_.insert(root);
}

void IntegerValues::AddCopy(ValueId numbers, const IntegerValue& copied) {
  writes_[copied.integers] = 1;
  made_.insert(copied.integers);
  Add(numbers, copied);
}

void IntegerValues::FindIn(const Block& block) {
  std::map<ValueId, ValueId> widened;  // i16 integers by the root of their conversion to f32
  for (const Item& item : block.items) {
    const auto* step = std::get_if<Step>(&item);
    if (step != nullptr && step->outputs.size() == 1 && IsWholeAndMadeOnce(step->outputs[0])) {
      FindNumbers(*step, widened);
    }
  }
}

void IntegerValues::FindNumbers(const Step& step, std::map<ValueId, ValueId>& widened) {
  const ValueId y = step.outputs[0];
  if (const auto* p = std::get_if<format::DequantizeParams>(&step.params)) {
    Add(y, {step.inputs[0], p->scale(), p->zero()});
  } else if (const auto* c = std::get_if<format::ConvertParams>(&step.params)) {
    if (c->from() != ElementType::i16 || c->to() != ElementType::f32) return;
    widened[Resolve(program_, y).root] = step.inputs[0];
  } else if (const auto* b = std::get_if<format::BinaryParams>(&step.params)) {
    const Location location = Resolve(program_, step.inputs[0]);
    const auto found = widened.find(location.root);
    if (found == widened.end() || !IsCompleteScratch(program_, location, step.inputs[0])) return;
    const std::optional<float> scale = NumberOf(program_, step.inputs[1]);
    if (!scale || !IsScaling(*b)) return;
    Add(y, {found->second, *scale, 0});
    made_.insert(location.root);
  }
}

bool IntegerValues::Has(ValueId numbers) const {
  return by_root_.contains(Resolve(program_, numbers).root);
}

std::optional<IntegerValue> IntegerValues::Of(Builder& builder, ValueId numbers) const {
  Location location = Resolve(program_, numbers);
  const auto found = by_root_.find(location.root);
  if (found == by_root_.end()) return std::nullopt;
  IntegerValue value = found->second;
  const ElementType type = builder.type(value.integers);
  const int64_t bytes = ElementBytes(type);
  for (Move& move : location.moves) move.stride_bytes = move.stride_bytes / kFloatBytes * bytes;
  const Dims dims = builder.dims(numbers);
  value.integers = builder.View(value.integers, location.offset_bytes / kFloatBytes * bytes,
                                {type, dims}, std::move(location.moves));
  return value;
}

// Returns the copy if it moves floats and writes all of its target; otherwise null.
const format::CopyParams* IntegerValues::CopyOf(const Item& item) const {
  const auto* step = std::get_if<Step>(&item);
  const auto* copy = step == nullptr ? nullptr : std::get_if<format::CopyParams>(&step->params);
  const bool is_one = copy != nullptr && copy->element_bytes() == kFloatBytes &&
                      IsWholeAndMadeOnce(step->outputs[0]);
  return is_one ? copy : nullptr;
}

// Adds the sources of the copies that write these roots. Returns true if there were new ones.
bool IntegerValues::AddSources(std::set<ValueId>& roots) const {
  const size_t before = roots.size();
  for (const Block& block : program_.blocks) {
    for (const Item& item : block.items) {
      if (CopyOf(item) == nullptr) continue;
      const Step& step = std::get<Step>(item);
      if (!roots.contains(Resolve(program_, step.outputs[0]).root)) continue;
      roots.insert(Resolve(program_, step.inputs[0]).root);
    }
  }
  return roots.size() > before;
}

void IntegerValues::Follow(std::set<ValueId> roots) {
  if (by_root_.empty()) return;
  while (AddSources(roots)) {
  }
  Builder builder(program_);
  RewriteItems(builder, [&](Item& item) {
    if (const format::CopyParams* copy = CopyOf(item)) {
      CopyIntegers(builder, std::get<Step>(item), *copy, roots);
    }
    builder.Append(std::move(item));
  });
}

void IntegerValues::CopyIntegers(Builder& builder, const Step& step, format::CopyParams params,
                                 const std::set<ValueId>& roots) {
  const ValueId root = Resolve(program_, step.outputs[0]).root;
  if (!roots.contains(root)) return;
  const std::optional<IntegerValue> from = Of(builder, step.inputs[0]);
  if (!from) return;
  builder.SetLayer(step.layer);
  const ElementType type = builder.type(from->integers);
  const ValueId copied = builder.Scratch({type, builder.dims(root)});
  params.mutate_element_bytes(Narrow32(ElementBytes(type), "element bytes"));
  const Because reason(builder, step.reason);
  builder.Emit(params, {from->integers}, {copied});
  AddCopy(root, {copied, from->scale, from->zero});
}

bool IntegerValues::DropUnreadOnce() {
  std::set<ValueId> unread;
  const AccessMap accesses = CollectAccesses(program_, program_.main);
  for (const ValueId root : made_) {
    const auto found = accesses.find(root);
    if (found == accesses.end()) continue;
    if (std::ranges::all_of(found->second, &Access::write)) unread.insert(root);
  }
  for (Block& block : program_.blocks) {
    std::erase_if(block.items, [&](const Item& item) {
      const auto* step = std::get_if<Step>(&item);
      return step != nullptr && step->outputs.size() == 1 &&
             unread.contains(Resolve(program_, step->outputs[0]).root);
    });
  }
  return !unread.empty();
}

void IntegerValues::DropUnread() {
  if (made_.empty()) return;
  while (DropUnreadOnce()) {
  }
}

}  // namespace weft::program
