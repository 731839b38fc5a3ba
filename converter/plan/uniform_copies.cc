// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <variant>

#include "converter/plan/plan_passes.h"

namespace weft::plan {

namespace {

// Returns the bits of every element that a plain copy of a constant moves, low word first; nullopt
// if the elements differ.
std::optional<std::array<uint32_t, 2>> BitsOfAll(const program::Program& program,
                                                 const program::Step& copy) {
  const program::Location source = Resolve(program, copy.inputs[0]);
  const program::Value& root = program.values[source.root];
  if (root.storage != program::Storage::kWeights || !source.moves.empty()) return std::nullopt;
  const std::byte* const first = root.data->data() + source.offset_bytes;
  const std::byte* const end = first + program.values[copy.inputs[0]].bytes;
  const uint32_t element_bytes = std::get<format::CopyParams>(copy.params).element_bytes();
  if (!std::equal(first + element_bytes, end, first)) return std::nullopt;
  std::array<uint32_t, 2> bits = {};
  std::memcpy(bits.data(), first, element_bytes);
  return bits;
}

}  // namespace

void FillUniformCopies(program::Program& program) {
  ForEachStep(program, [&](program::Step& step) {
    if (!IsPlainCopy(program, step)) return;
    const std::optional<std::array<uint32_t, 2>> bits = BitsOfAll(program, step);
    if (!bits) return;
    const auto& copy = std::get<format::CopyParams>(step.params);
    step.params =
        format::FillParams(copy.dims()->Get(0), copy.element_bytes(), (*bits)[0], (*bits)[1]);
    step.inputs.clear();
  });
}

}  // namespace weft::plan
