// SPDX-License-Identifier: Apache-2.0
// The integers and booleans of reduce.
#include <limits>

#include "kernels/integer.h"
#include "kernels/reduce/reduce.h"
#include "kernels/strided_iterator.h"
#include "kernels/variants.h"

namespace weft::kernels {
namespace {

// Every integer type is reduced in 64 bits; truncating the result to 32 bits wraps around
// correctly.
int64_t ReadAs(Element type, const void* x, ptrdiff_t index) {
  switch (type) {
    case Element::kI32:
      return static_cast<const int32_t*>(x)[index];
    case Element::kI64:
      return static_cast<const int64_t*>(x)[index];
    default:
      return static_cast<const uint8_t*>(x)[index] != 0;
  }
}

void WriteAs(Element type, int64_t value, void* y, size_t index) {
  switch (type) {
    case Element::kI32:
      static_cast<int32_t*>(y)[index] = static_cast<int32_t>(value);
      return;
    case Element::kI64:
      static_cast<int64_t*>(y)[index] = value;
      return;
    default:
      static_cast<uint8_t*>(y)[index] = static_cast<uint8_t>(value);
  }
}

int64_t NeutralInteger(ReduceOp op, Element type) {
  const bool is_narrow = type == Element::kI32;
  switch (op) {
    case ReduceOp::kMax:
      return is_narrow ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
    case ReduceOp::kMin:
      return is_narrow ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
    case ReduceOp::kProduct:
    case ReduceOp::kLogicalAnd:
      return 1;
    default:
      return 0;
  }
}

int64_t StepInteger(ReduceOp op, int64_t sum, int64_t x) {
  switch (op) {
    case ReduceOp::kMax:
      return x > sum ? x : sum;
    case ReduceOp::kMin:
      return x < sum ? x : sum;
    case ReduceOp::kProduct:
      return WrappingMultiply(sum, x);
    case ReduceOp::kLogicalAnd:
      return sum & x;
    case ReduceOp::kLogicalOr:
      return sum | x;
    case ReduceOp::kL1:
      return WrappingAdd(sum, x < 0 ? WrappingSubtract(int64_t{0}, x) : x);
    default:
      return WrappingAdd(sum, x);
  }
}

}  // namespace

void ReduceIntegers(const ReduceShape& shape, size_t element_count, const void* x, void* y) {
  size_t index = 0;
  StridedIterator<uint32_t, 1> kept(shape.kept_rank, shape.dims, {shape.strides});
  do {
    int64_t sum = NeutralInteger(shape.op, shape.type);
    if (element_count != 0) {
      StridedIterator<uint32_t, 1> reduced(shape.reduced_rank, shape.dims + shape.kept_rank,
                                           {shape.strides + shape.kept_rank});
      do {
        sum = StepInteger(shape.op, sum, ReadAs(shape.type, x, kept.offset(0) + reduced.offset(0)));
      } while (reduced.Next());
    }
    if (shape.op == ReduceOp::kMean) sum = Quotient(sum, static_cast<int64_t>(element_count));
    WriteAs(shape.type, sum, y, index++);
  } while (kept.Next());
}

}  // namespace weft::kernels

const char weft_variant_reduce_integers = 0;
