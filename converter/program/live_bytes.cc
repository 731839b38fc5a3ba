// SPDX-License-Identifier: Apache-2.0
#include "converter/program/live_bytes.h"

#include <algorithm>
#include <numeric>

namespace weft::program {

LiveBytes::LiveBytes(const Program& program, BlockId block, const AccessMap& accesses,
                     InPlace in_place)
    : at_(program.blocks[block].items.size()) {
  if (at_.empty()) return;
  const auto ends_at = [&](int64_t item) {
    return [&accesses, item](ValueId root) {
      return std::ranges::none_of(accesses.at(root),
                                  [&](const Access& access) { return access.item > item; });
    };
  };
  std::vector<int64_t> change(at_.size() + 1);
  for (const auto& [root, list] : accesses) {
    const Value& value = program.values[root];
    if (value.storage != Storage::kScratch || value.block != block) continue;
    const auto [first, last] = std::ranges::minmax(list, {}, &Access::item);
    // A value that no item here writes may be read only after the last item.
    auto begin = static_cast<size_t>(std::clamp<int64_t>(first.item, 0, std::ssize(at_)));
    const bool is_made = first.write && first.step != nullptr && !first.nested;
    if (in_place == InPlace::kShares && is_made && last.item > first.item) {
      const size_t output = static_cast<size_t>(first.operand) - first.step->inputs.size();
      begin += CanOverwriteInput(program, block, *first.step, output, ends_at(first.item)) ? 1 : 0;
    }
    change[begin] += value.bytes;
    change[static_cast<size_t>(std::min<int64_t>(last.item, std::ssize(at_) - 1) + 1)] -=
        value.bytes;
  }
  std::partial_sum(change.begin(), change.end() - 1, at_.begin());
  max_ = *std::ranges::max_element(at_);
}

void LiveBytes::Add(size_t first, size_t last, int64_t bytes) {
  for (size_t item = first; item <= last; ++item) at_[item] += bytes;
}

bool LiveBytes::KeepsTo(size_t first, size_t last) const {
  for (size_t item = first; item <= last; ++item) {
    if (at_[item] > max_) return false;
  }
  return true;
}

int64_t LiveBytes::Max(size_t first, size_t last) const {
  return *std::max_element(at_.begin() + static_cast<ptrdiff_t>(first),
                           at_.begin() + static_cast<ptrdiff_t>(last) + 1);
}

bool CanOverwriteInput(const Program& program, BlockId block, const Step& step, size_t output,
                       const std::function<bool(ValueId root)>& ends) {
  const int64_t bytes = program.values[Resolve(program, step.outputs[output]).root].bytes;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i] == kNone) continue;
    const ValueId root = Resolve(program, step.inputs[i]).root;
    const Value& value = program.values[root];
    const bool is_here = value.storage == Storage::kScratch && value.block == block;
    if (is_here && value.bytes == bytes && ends(root) && MayShare(step, i, output)) return true;
  }
  return false;
}

}  // namespace weft::program
