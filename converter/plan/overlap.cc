// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <variant>

#include "converter/plan/plan_passes.h"
#include "runtime/bind/overlapping.h"

namespace weft::plan {
namespace {

bind::OverlapLimits LimitsOf(const program::Step& step) {
  return std::visit(
      [](const auto& params) -> bind::OverlapLimits {
        if constexpr (requires { bind::OverlapLimitsOf(params); })
          return bind::OverlapLimitsOf(params);
        return {};
      },
      step.params);
}

class OverlapFinder {
 public:
  OverlapFinder(const program::Program& program, std::span<const Lifetime> lifetimes)
      : program_(program), lifetimes_(lifetimes) {
    for (size_t i = 0; i < lifetimes.size(); ++i) index_.emplace(lifetimes[i].root, i);
  }

  std::vector<AllowedOverlap> Run() const {
    std::vector<AllowedOverlap> allowed_overlaps;
    ForEachStep(program_, [&](const program::Step& step) {
      if (const std::optional<AllowedOverlap> overlap = OverlapOf(step))
        allowed_overlaps.push_back(*overlap);
    });
    return allowed_overlaps;
  }

 private:
  // Returns the pair of the first input and the first output, if each is a complete value that no
  // other operand of the step uses.
  std::optional<AllowedOverlap> OverlapOf(const program::Step& step) const {
    const bind::OverlapLimits limits = LimitsOf(step);
    if (limits.never()) return std::nullopt;
    const auto x = WholeOf(step.inputs[0]), y = WholeOf(step.outputs[0]);
    if (!x || !y || UsesOf(step, *x) != 1 || UsesOf(step, *y) != 1) return std::nullopt;
    const Lifetime &of_x = lifetimes_[*x], &of_y = lifetimes_[*y];
    // Both are live only at the time of the step itself: x ends and y begins there.
    if (of_x.time.end != of_y.time.begin + 1) return std::nullopt;
    const AllowedOverlap overlap = {*x, *y, std::min<int64_t>(limits.before_bytes, of_y.bytes),
                                    std::min<int64_t>(limits.after_bytes, of_x.bytes)};
    if (overlap.before_bytes == of_y.bytes && overlap.after_bytes == of_x.bytes)
      return std::nullopt;
    return overlap;
  }

  // Index of the lifetime of `value`; nullopt for a part of a value.
  std::optional<size_t> WholeOf(program::ValueId value) const {
    if (value == program::kNone) return std::nullopt;
    const program::Location location = Resolve(program_, value);
    const auto found = index_.find(location.root);
    if (found == index_.end() || !IsCompleteScratch(program_, location, value)) return std::nullopt;
    return found->second;
  }

  int64_t UsesOf(const program::Step& step, size_t lifetime) const {
    const auto is_in = [&](program::ValueId value) {
      return value != program::kNone && Resolve(program_, value).root == lifetimes_[lifetime].root;
    };
    return std::ranges::count_if(step.inputs, is_in) + std::ranges::count_if(step.outputs, is_in);
  }

  const program::Program& program_;
  const std::span<const Lifetime> lifetimes_;
  std::unordered_map<program::ValueId, size_t> index_;
};

}  // namespace

std::vector<AllowedOverlap> OverlapsOf(const program::Program& program,
                                       std::span<const Lifetime> lifetimes) {
  return OverlapFinder(program, lifetimes).Run();
}

}  // namespace weft::plan
