// SPDX-License-Identifier: Apache-2.0
// Integer convolutions, as exported from quantised models after their zero points are subtracted:
// one strided copy of all patches and one product.

#include "converter/ops/core/matmul.h"
#include "converter/ops/support/convolve.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {
namespace {

// Returns true if `strides` are those of a dense tensor of `dims`, ignoring axes of extent 1.
bool IsDense(const Dims& dims, const Dims& strides) {
  const Dims dense = program::DenseStrides(dims);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] != 1 && strides[axis] != dense[axis]) return false;
  }
  return true;
}

}  // namespace

void EmitIntegerConv(program::Builder& builder, int64_t batch, const Filters& filters,
                     Window window, program::ValueId x, program::ValueId weights,
                     program::ValueId y) {
  const ElementType type = builder.type(x);
  const int64_t planes = batch * filters.groups * filters.in_channels;
  x = Padded(builder, x, planes, 0, window);
  const int64_t row = window.x.in, plane = window.y.in * row;
  const Dims dims = {planes, window.y.kernel, window.x.kernel, window.y.out, window.x.out};
  const Dims strides = {plane, window.y.dilation * row, window.x.dilation, window.y.stride * row,
                        window.x.stride};
  const int64_t depth = filters.in_channels * window.y.kernel * window.x.kernel;
  const int64_t positions = window.y.out * window.x.out;
  program::ValueId patches = x;
  if (!IsDense(dims, strides)) {
    patches = builder.Scratch({type, dims});
    builder.CopyStrided(x, patches, dims, strides, 0, program::DenseStrides(dims), 0);
  }
  const Matrix a = MatrixOver({1, filters.groups, filters.out_channels, depth});
  const Matrix b = MatrixOver({batch, filters.groups, depth, positions});
  EmitProduct(builder, ProductOfBatches(b.batch, a, b), weights, patches, y);
}

}  // namespace weft::ops
