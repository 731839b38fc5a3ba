// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "converter/plan/loops/counted.h"
#include "converter/plan/loops/fuse.h"
#include "converter/plan/loops/loop_passes.h"

namespace weft::plan {

namespace {

// Returns the number of matrices on the first axis of the batch of a product; 1 for other items.
int64_t MatricesOf(const program::Item& item) {
  const auto* step = std::get_if<program::Step>(&item);
  const auto* params = step ? std::get_if<format::MatmulParams>(&step->params) : nullptr;
  if (params == nullptr) return 1;
  for (uint32_t i = 0; i < params->batch_rank(); ++i) {
    if (params->batch_dims()->Get(i) != 1) return params->batch_dims()->Get(i);
  }
  return 1;
}

// Replaces two products by loops, and fuses these. Returns false, and changes nothing, if they
// cannot be fused.
bool FuseProducts(program::Program& program, program::BlockId block, size_t first, size_t second) {
  const int64_t trips = MatricesOf(program.blocks[block].items[first]);
  program::Program trial = program;
  if (!LoopOfStep(trial, block, first, trips, false)) return false;
  if (!LoopOfStep(trial, block, second, trips, false)) return false;
  FuseLoopsAndSteps(trial, block);
  if (CountedLoopsIn(trial, block).size() != CountedLoopsIn(program, block).size() + 1)
    return false;
  program = std::move(trial);
  return true;
}

// Fuses the first two consecutive products from item `first` on that can be. Returns the number of
// items that follow them; nullopt if there are none.
std::optional<size_t> FuseTwoProducts(program::Program& program, program::BlockId block,
                                      size_t from) {
  std::optional<size_t> last;
  for (size_t item = from; item < program.blocks[block].items.size(); ++item) {
    const std::vector<program::Item>& items = program.blocks[block].items;
    const int64_t matrices = MatricesOf(items[item]);
    if (matrices < 2) continue;
    const size_t after = items.size() - item - 1;
    if (last && MatricesOf(items[*last]) == matrices && FuseProducts(program, block, *last, item))
      return after;
    last = item;
  }
  return std::nullopt;
}

}  // namespace

bool RunByBatch(program::Program& program) {
  bool has_fused = false;
  const size_t blocks = program.blocks.size();
  for (program::BlockId block = 0; block < blocks; ++block) {
    size_t from = 0;
    while (const auto after = FuseTwoProducts(program, block, from)) {
      has_fused = true;
      from = program.blocks[block].items.size() - *after;
    }
  }
  return has_fused;
}

}  // namespace weft::plan
