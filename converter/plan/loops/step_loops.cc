// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "converter/plan/loops/loop_passes.h"
#include "converter/program/builder.h"
#include "converter/program/row_parts.h"

namespace weft::plan {

namespace {

// Returns the axis along which a result consists of `parts` consecutive parts.
std::optional<int64_t> AxisOfParts(const Dims& dims, int64_t parts) {
  const auto first = std::ranges::find_if(dims, [](int64_t dim) { return dim != 1; });
  if (first == dims.end() || *first % parts != 0) return std::nullopt;
  return std::distance(dims.begin(), first);
}

class StepLoopMaker {
 public:
  StepLoopMaker(program::Program& program, program::BlockId block, program::Step step,
                program::RowPart part, int64_t trips)
      : builder_(program),
        block_(block),
        step_(std::move(step)),
        part_(std::move(part)),
        trips_(trips) {}

  program::SectionId Run(int64_t axis, bool backward) {
    builder_.SetLayer(step_.layer);
    program::Loop loop;
    loop.body = builder_.NewBlock();
    const program::ValueId whole = step_.outputs[0];
    for (size_t i = 0; i < step_.inputs.size(); ++i) {
      const program::OperandParts& parts = part_.operands[i];
      if (parts.bytes == 0) continue;
      const program::ValueId chunk = Chunk(loop.body, step_.inputs[i], parts);
      loop.sliced.push_back(
          {Rows(step_.inputs[i], parts), chunk, parts.outer == 1 ? 0 : 1, 1, 0, backward});
      step_.inputs[i] = chunk;
    }
    step_.outputs[0] = Chunk(loop.body, whole, part_.operands[step_.inputs.size()]);
    step_.params = part_.params;
    loop.scans.push_back({0, whole, axis, backward});
    const program::SectionId id = builder_.NewSection();
    program::Program& program = builder_.program();
    program.blocks[loop.body].results = {step_.outputs[0]};
    program.blocks[loop.body].items.emplace_back(std::move(step_));
    program::Section& section = program.sections[id];
    section.layer = builder_.layer();
    section.trip_count = section.max_trips = trips_;
    section.loop = std::move(loop);
    return id;
  }

 private:
  TensorType TypeOf(program::ValueId value, Dims dims) const {
    return {builder_.value(value).type.type, std::move(dims)};
  }

  program::ValueId Chunk(program::BlockId body, program::ValueId of,
                         const program::OperandParts& parts) {
    builder_.SetBlock(body);
    const int64_t element_bytes = ElementBytes(builder_.value(of).type.type);
    return builder_.Scratch(TypeOf(of, {parts.outer * parts.bytes / element_bytes}));
  }

  // A view of the operand with an axis of iterations.
  program::ValueId Rows(program::ValueId value, const program::OperandParts& parts) {
    builder_.SetBlock(block_);
    Dims dims = {trips_, parts.bytes / ElementBytes(builder_.value(value).type.type)};
    if (parts.outer != 1) dims.insert(dims.begin(), parts.outer);
    return builder_.View(value, 0, TypeOf(value, std::move(dims)));
  }

  program::Builder builder_;
  const program::BlockId block_;
  program::Step step_;
  const program::RowPart part_;
  const int64_t trips_;
};

}  // namespace

std::optional<program::SectionId> LoopOfStep(program::Program& program, program::BlockId block,
                                             size_t item, int64_t trips, bool backward) {
  const program::Step step = std::get<program::Step>(program.blocks[block].items[item]);
  if (step.outputs.size() != 1) return std::nullopt;
  const program::Value& whole = program.values[step.outputs[0]];
  if (whole.parent != program::kNone || whole.storage != program::Storage::kScratch ||
      whole.block != block)
    return std::nullopt;
  const std::optional<int64_t> axis = AxisOfParts(whole.type.dims, trips);
  std::optional<program::RowPart> part = axis ? RowPartOf(program, step, trips) : std::nullopt;
  if (!part) return std::nullopt;
  const program::SectionId id =
      StepLoopMaker(program, block, step, *std::move(part), trips).Run(*axis, backward);
  program.blocks[block].items[item] = program::SectionEntry{id};
  return id;
}

}  // namespace weft::plan
