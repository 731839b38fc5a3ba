// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/near.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <variant>

#include "runtime/bind/near.h"

namespace weft::plan {
namespace {

bind::NearLimits LimitsOf(const Step& step) {
  return std::visit(
      [](const auto& params) -> bind::NearLimits {
        if constexpr (requires { bind::NearLimitsOf(params); }) return bind::NearLimitsOf(params);
        return {};
      },
      step.params);
}

class NearFinder {
 public:
  NearFinder(const Program& program, std::span<const Lifetime> lifetimes)
      : program_(program), lifetimes_(lifetimes) {
    for (size_t i = 0; i < lifetimes.size(); ++i) index_.emplace(lifetimes[i].root, i);
  }

  std::vector<Near> Run() const {
    std::vector<Near> nears;
    for (const Block& block : program_.blocks) {
      for (const Item& item : block.items) {
        const auto* step = std::get_if<Step>(&item);
        if (step == nullptr) continue;
        if (const std::optional<Near> near = NearOf(*step)) nears.push_back(*near);
      }
    }
    return nears;
  }

 private:
  // Returns the pair of the first input and the first output, if each is a complete value that no
  // other operand of the step uses.
  std::optional<Near> NearOf(const Step& step) const {
    const bind::NearLimits limits = LimitsOf(step);
    if (limits.never()) return std::nullopt;
    const auto x = WholeOf(step.inputs[0]), y = WholeOf(step.outputs[0]);
    if (!x || !y || UsesOf(step, *x) != 1 || UsesOf(step, *y) != 1) return std::nullopt;
    const Lifetime &of_x = lifetimes_[*x], &of_y = lifetimes_[*y];
    // Both are live only at the time of the step itself: x ends and y begins there.
    if (of_x.time.end != of_y.time.begin + 1) return std::nullopt;
    const Near near = {*x, *y, std::min<int64_t>(limits.before_bytes, of_y.bytes),
                       std::min<int64_t>(limits.after_bytes, of_x.bytes)};
    if (near.before_bytes == of_y.bytes && near.after_bytes == of_x.bytes) return std::nullopt;
    return near;
  }

  // Index of the lifetime of `value`; nullopt for a part of a value.
  std::optional<size_t> WholeOf(ValueId value) const {
    if (value == kNone) return std::nullopt;
    const Place place = Resolve(program_, value);
    const auto found = index_.find(place.root);
    if (found == index_.end() || !IsCompleteScratch(program_, place, value)) return std::nullopt;
    return found->second;
  }

  int64_t UsesOf(const Step& step, size_t lifetime) const {
    const auto is_in = [&](ValueId value) {
      return value != kNone && Resolve(program_, value).root == lifetimes_[lifetime].root;
    };
    return std::ranges::count_if(step.inputs, is_in) + std::ranges::count_if(step.outputs, is_in);
  }

  const Program& program_;
  const std::span<const Lifetime> lifetimes_;
  std::unordered_map<ValueId, size_t> index_;
};

}  // namespace

std::vector<Near> NearsOf(const Program& program, std::span<const Lifetime> lifetimes) {
  return NearFinder(program, lifetimes).Run();
}

}  // namespace weft::plan
