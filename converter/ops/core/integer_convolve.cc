// SPDX-License-Identifier: Apache-2.0
// Integer convolutions, as exported from quantised models after their zero points are subtracted:
// one strided copy of all patches and one product.
#include <algorithm>

#include "converter/ops/core/matmul.h"
#include "converter/ops/support/convolve.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {
namespace {

// The extent that the windows of one axis cover: `extent` positions, of which `zeros` precede
// `taken` elements of the data.
struct SeenAxis {
  int64_t extent = 0, zeros = 0, taken = 0;
};

SeenAxis SeenOf(const WindowAxis& axis) {
  SeenAxis seen;
  seen.extent = (axis.out - 1) * axis.stride + axis.extent();
  seen.zeros = std::min(axis.pad_begin, seen.extent);
  seen.taken = std::min(axis.in, seen.extent - seen.zeros);
  return seen;
}

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
                     const Window& window, program::ValueId x, program::ValueId weights,
                     program::ValueId y) {
  const ElementType type = builder.type(x);
  const int64_t planes = batch * filters.groups * filters.in_channels;
  const SeenAxis rows = SeenOf(window.y), columns = SeenOf(window.x);
  Dims plane = {window.y.in, window.x.in};
  const bool whole = rows.zeros == 0 && columns.zeros == 0 && rows.taken == rows.extent &&
                     columns.taken == columns.extent;
  if (!whole) {
    const Dims to = {planes, rows.extent, columns.extent};
    const program::ValueId padded = builder.Scratch({type, to});
    builder.Fill(padded);
    builder.CopyStrided(x, padded, {planes, rows.taken, columns.taken},
                        program::DenseStrides({planes, plane[0], plane[1]}), 0,
                        program::DenseStrides(to), rows.zeros * to[2] + columns.zeros);
    x = padded;
    plane = {rows.extent, columns.extent};
  }
  const Dims dims = {planes, window.y.kernel, window.x.kernel, window.y.out, window.x.out};
  const Dims strides = {plane[0] * plane[1], window.y.dilation * plane[1], window.x.dilation,
                        window.y.stride * plane[1], window.x.stride};
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
