// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/once.h"

#include <utility>
#include <variant>

#include "converter/ops/track.h"
#include "converter/program/fuse_tail.h"

namespace weft::ops {
namespace {

using plan::Builder;
using plan::kNone;
using plan::ValueId;

// Which addition becomes a product's start depends on what moves with the iteration and on who
// reads the results, and it decides how sums round. So slices move along a section that is never
// entered, and every result is read once, until the tails are fused; steps around the body must
// not be fused with its own then.
class Alone {
 public:
  Alone(Builder& builder, const LoopSpec& spec) : builder_(builder), spec_(spec) {}

  std::vector<ValueId> Lower(const LowerBody& body) {
    const plan::SectionId section = builder_.NewSection();
    for (const SlicedInput& input : spec_.sliced) {
      iteration_.slices.push_back(SliceOf(builder_, input, 1, section));
    }
    if (spec_.iteration) {
      const auto bytes = static_cast<size_t>(ElementBytes(spec_.iteration->type));
      iteration_.index = builder_.Weights(*spec_.iteration, std::vector<std::byte>(bytes));
    }
    for (const CarriedState& state : spec_.carried) iteration_.states.push_back(state.initial);
    const plan::BlockId outside = builder_.block(), inside = builder_.NewBlock();
    builder_.SetBlock(inside);
    std::vector<ValueId> results = body(iteration_);
    const size_t readers = ReadResults(results, inside);
    plan::FuseTails(builder_.program(), inside);
    builder_.SetBlock(outside);
    MoveItems(inside, outside, readers);
    for (const ValueId slice : iteration_.slices) builder_.program().values[slice].moves.clear();
    // Sections of the body keep their numbers.
    std::vector<plan::Section>& sections = builder_.program().sections;
    if (sections.size() == section + size_t{1}) sections.pop_back();
    return results;
  }

 private:
  // Returns how many items that adds; a result without elements needs none.
  size_t ReadResults(const std::vector<ValueId>& results, plan::BlockId inside) {
    const size_t before = builder_.program().blocks[inside].items.size();
    const auto read = [&](size_t result) {
      builder_.Copy(results[result], builder_.Scratch(builder_.value(results[result]).type));
    };
    for (const CarriedState& state : spec_.carried) read(state.result);
    for (const ScanOutput& scan : spec_.scans) read(scan.result);
    for (const LastValue& last : spec_.lasts) read(last.result);
    return builder_.program().blocks[inside].items.size() - before;
  }

  // All but the readers at the end.
  void MoveItems(plan::BlockId from, plan::BlockId to, size_t readers) {
    std::vector<plan::Item>& items = builder_.program().blocks[from].items;
    std::vector<plan::Item>& target = builder_.program().blocks[to].items;
    items.resize(items.size() - readers);
    for (plan::Item& item : items) {
      if (auto* step = std::get_if<plan::Step>(&item)) step->tails_are_fused = true;
      target.push_back(std::move(item));
    }
    items.clear();
  }

  Builder& builder_;
  const LoopSpec& spec_;
  Iteration iteration_;
};

}  // namespace

LoopResults LowerOnce(Builder& builder, const LoopSpec& spec, const LowerBody& body) {
  const std::vector<ValueId> results = Alone(builder, spec).Lower(body);
  LoopResults out;
  for (const ScanOutput& scan : spec.scans) {
    ValueId whole = results[scan.result];
    if (scan.whole != kNone) {
      whole = builder.View(scan.whole, scan.base_bytes, scan.type);
      builder.Copy(results[scan.result], whole);
    }
    out.scans.push_back(builder.View(whole, 0, scan.type));
  }
  for (const LastValue& last : spec.lasts) out.lasts.push_back(results[last.result]);
  return out;
}

}  // namespace weft::ops
