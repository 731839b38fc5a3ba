// SPDX-License-Identifier: Apache-2.0
// BatchToSpace and SpaceToBatch in ranks 2 to 8. Both are the same mapping, read in two directions:
// element (d, k), of batch block k, is at position d * B + k - crop of the spatial axis. There is
// no intermediate of rank 2N - 1: without crops it is one strided copy (several only above rank 8),
// with crops one copy per part.
#include <algorithm>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {
namespace {

// The blocked side has batch size batch * (product of blocks) and dims `blocked`. The spread side
// has spatial extents multiplied by the blocks, less crops at both ends (for SpaceToBatch: pads,
// which the input lacks).
struct BlockSpec {
  Dims block, crops_begin, crops_end;
  int64_t blocks = 1;  // product of block
};

// The name of each control input, for messages.
struct ControlNames {
  std::string_view begin, end;
};

// Checks that the elements of `what` are at least `min`; reports an error otherwise.
bool CheckControl(NodeScope& scope, std::string_view what, const Dims& values, int64_t min) {
  for (const int64_t value : values) {
    if (value >= min) continue;
    scope.Fault("{} {} holds {}; must be at least {}", what, ToString(values), value, min);
    return false;
  }
  if (values[0] == min) return true;
  scope.Fault("{}[0] is {}; the batch axis must have {}", what, values[0], min);
  return false;
}

std::optional<BlockSpec> ReadBlockSpec(NodeScope& scope, const ControlNames& names) {
  if (scope.rank(0) < 2) {
    scope.Fault("input 0 is {} of rank {}; must have a batch axis and at least one spatial axis",
                ToString(scope.input_type(0)), scope.rank(0));
    return std::nullopt;
  }
  const std::optional<Dims> block = ControlInts(scope, 1, "block_shape", scope.rank(0));
  const std::optional<Dims> begin = ControlInts(scope, 2, names.begin, scope.rank(0));
  const std::optional<Dims> end = ControlInts(scope, 3, names.end, scope.rank(0));
  if (!block || !begin || !end) return std::nullopt;
  bool good = CheckControl(scope, "block_shape", *block, 1);
  good = CheckControl(scope, names.begin, *begin, 0) && good;
  good = CheckControl(scope, names.end, *end, 0) && good;
  if (!good) return std::nullopt;
  BlockSpec spec{*block, *begin, *end};
  for (const int64_t one : spec.block) {
    const std::optional<int64_t> product = CheckedProduct(spec.blocks, one);
    if (!product) {
      scope.Fault("the product of block_shape {} must fit 64 bits", ToString(*block));
      return std::nullopt;
    }
    spec.blocks = *product;
  }
  return spec;
}

constexpr ControlNames kCrops = {"crops_begin", "crops_end"};
constexpr ControlNames kPads = {"pads_begin", "pads_end"};

void InferBatchToSpace(InferScope& scope) {
  const std::optional<BlockSpec> spec = ReadBlockSpec(scope, kCrops);
  if (!spec) return;
  Dims dims = scope.input_dims(0);
  if (dims[0] % spec->blocks != 0) {
    scope.Fault("batch {} is not divisible by block product {}", dims[0], spec->blocks);
  }
  dims[0] /= spec->blocks;
  for (size_t axis = 1; axis < dims.size(); ++axis) {
    const std::optional<int64_t> space = CheckedProduct(dims[axis], spec->block[axis]);
    const std::optional<int64_t> crops = CheckedSum(spec->crops_begin[axis], spec->crops_end[axis]);
    if (!space || !crops || *crops > *space) {
      scope.Fault(
          "axis {} is {} times block {}; the sum of its crops {} and {} must not exceed that", axis,
          dims[axis], spec->block[axis], spec->crops_begin[axis], spec->crops_end[axis]);
      continue;
    }
    dims[axis] = *space - *crops;
  }
  if (!scope.failed()) scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

void InferSpaceToBatch(InferScope& scope) {
  const std::optional<BlockSpec> spec = ReadBlockSpec(scope, kPads);
  if (!spec) return;
  Dims dims = scope.input_dims(0);
  const std::optional<int64_t> batch = CheckedProduct(dims[0], spec->blocks);
  if (!batch) return scope.Fault("batch {} times {} overflows", dims[0], spec->blocks);
  dims[0] = *batch;
  for (size_t axis = 1; axis < dims.size(); ++axis) {
    const auto pads = CheckedSum(spec->crops_begin[axis], spec->crops_end[axis]);
    const auto padded = pads ? CheckedSum(dims[axis], *pads) : std::nullopt;
    if (!padded) {
      scope.Fault("axis {} of extent {} with pads {} and {} overflows 64 bits", axis, dims[axis],
                  spec->crops_begin[axis], spec->crops_end[axis]);
    } else if (*padded % spec->block[axis] != 0) {
      scope.Fault("axis {} of extent {} with pads {} and {} is {}; must be divisible by block {}",
                  axis, dims[axis], spec->crops_begin[axis], spec->crops_end[axis], *padded,
                  spec->block[axis]);
    }
    dims[axis] = padded.value_or(0) / spec->block[axis];
  }
  if (!scope.failed()) scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

// Strides along one spatial axis, in elements.
struct Strides {
  int64_t position;  // blocked side, from d to d + 1
  int64_t batch;     // blocked side, from block k to k + 1
  int64_t space;     // spread side
};

// Positions [first, first + places) and blocks [k, k + blocks) of one axis, as a nest.
Nest Part(const Strides& strides, int64_t block, int64_t crop, int64_t first, int64_t positions,
          int64_t k, int64_t blocks) {
  return {{positions, blocks},
          {strides.position, strides.batch},
          {block * strides.space, strides.space},
          first * strides.position + k * strides.batch,
          (first * block + k - crop) * strides.space};
}

// The parts of an axis that remain after cropping, [crop, crop + length) of places * block. They
// are the rest of the first block, the complete blocks, and the start of the last block; or, if
// there are fewer blocks than parts, one strided part per block index k.
std::vector<Nest> AxisParts(const Strides& strides, int64_t block, int64_t crop, int64_t length) {
  const int64_t last = crop + length;
  std::vector<Nest> parts;
  if (block <= 2 && (crop % block != 0 || last % block != 0)) {
    for (int64_t k = 0; k < block; ++k) {
      const int64_t first_position = (crop - k + block - 1) / block;
      const int64_t last_position = (last - k + block - 1) / block;
      parts.push_back(
          Part(strides, block, crop, first_position, last_position - first_position, k, 1));
    }
    return parts;
  }
  if (crop / block == last / block) {
    parts.push_back(Part(strides, block, crop, crop / block, 1, crop % block, length));
    return parts;
  }
  const int64_t middle = (crop + block - 1) / block;
  if (crop % block != 0) {
    parts.push_back(Part(strides, block, crop, middle - 1, 1, crop % block, block - crop % block));
  }
  parts.push_back(Part(strides, block, crop, middle, last / block - middle, 0, block));
  if (last % block != 0) {
    parts.push_back(Part(strides, block, crop, last / block, 1, 0, last % block));
  }
  return parts;
}

// The movement from the blocked side to the spread side.
Movement Spread(const BlockSpec& spec, const Dims& blocked, const Dims& spread) {
  const Dims blocked_strides = program::DenseStrides(blocked);
  const Dims spread_strides = program::DenseStrides(spread);
  Movement movement = {{Nest{{spread[0]}, {blocked_strides[0]}, {spread_strides[0]}}}};
  int64_t batch_stride = blocked[0] * blocked_strides[0];
  for (size_t axis = 1; axis < blocked.size(); ++axis) {
    batch_stride /= spec.block[axis];
    const Strides strides = {blocked_strides[axis], batch_stride, spread_strides[axis]};
    movement.push_back(AxisParts(strides, spec.block[axis], spec.crops_begin[axis], spread[axis]));
  }
  return movement;
}

void LowerBatchToSpace(LowerScope& scope) {
  const BlockSpec spec = ReadBlockSpec(scope, kCrops).value();
  const Dims& spread = scope.output_type(0).dims;
  MoveToOutput(scope, 0, Spread(spec, scope.input_dims(0), spread), 0);
}

// If pads leave gaps in the output, all of it is zeroed first.
void LowerSpaceToBatch(LowerScope& scope) {
  const BlockSpec spec = ReadBlockSpec(scope, kPads).value();
  const Dims& blocked = scope.output_type(0).dims;
  Movement movement;
  if (ElementCount(scope.input_dims(0)) != 0) {
    movement = Reversed(Spread(spec, blocked, scope.input_dims(0)));
  }
  if (ElementCount(blocked) == ElementCount(scope.input_dims(0))) {
    return MoveToOutput(scope, 0, movement, 0);
  }
  if (!HasByteElements(scope, 0)) return;
  const program::ValueId target = scope.NewOutput(0);
  scope.builder.Fill(target);
  if (!movement.empty()) EmitMovement(scope.builder, scope.input(0), target, movement);
}

void BlockAxes(AxisScope& scope) {
  std::vector<bool> mixed = {true};
  for (size_t axis = 1; axis < scope.in(0).size(); ++axis) {
    bool is_mixed = false;
    for (const auto& [input, neutral] : {std::pair<size_t, int64_t>{1, 1}, {2, 0}, {3, 0}}) {
      const Dims values = scope.Ints(input).value_or(Dims());
      is_mixed = is_mixed || axis >= values.size() || values[axis] != neutral;
    }
    mixed.push_back(is_mixed);
  }
  scope.Same(0, 0, mixed);
  const int64_t in = scope.in(0)[0], out = scope.out(0)[0];
  if (in > 0 && out > 0)
    scope.relation.blocks = {std::max(in / out, int64_t{1}), std::max(out / in, int64_t{1})};
  scope.relation.reason = "moves time steps between batch and space";
}

constexpr Operation kBatchToSpaceRows[] = {
    {"BatchToSpace", 2, 4, 4, InferBatchToSpace, LowerBatchToSpace, Apart(BlockAxes)},
    {"SpaceToBatch", 2, 4, 4, InferSpaceToBatch, LowerSpaceToBatch, Apart(BlockAxes)},
};

}  // namespace

std::span<const Operation> BatchToSpaceOperations() { return kBatchToSpaceRows; }

}  // namespace weft::ops
