// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/compare.h"

#include "kernels/elementwise/compare_block.h"

namespace weft::kernels {

__attribute__((weak)) TypedBlock CompareOfIntegers(CompareOp op, Element type);

namespace {

TypedBlock Choose(CompareOp op, Element type) {
  if (type == Element::kF32) return {CompareOf<float>(op), 4};
  return &CompareOfIntegers == nullptr ? TypedBlock() : CompareOfIntegers(op, type);
}

}  // namespace

bool CompareKnows(Element type) { return Choose(CompareOp::kEqual, type).function != nullptr; }

void Compare(const CompareShape& shape, const void* a, const void* b, void* y) {
  const TypedBlock row = Choose(shape.op, shape.type);
  if (row.function == nullptr) return;
  const BroadcastOperand operands[] = {{a, shape.a_strides, row.element_bytes},
                                       {b, shape.b_strides, row.element_bytes}};
  ForBlocks(shape.rank, shape.dims, operands, 2, y, 1, row.function);
}

void CompareOne(CompareOp op, Element type, const void* a, const void* b, void* y) {
  const TypedBlock row = Choose(op, type);
  const void* const x[] = {a, b};
  if (row.function != nullptr) row.function(x, y, 1);
}

}  // namespace weft::kernels
