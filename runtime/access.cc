// SPDX-License-Identifier: Apache-2.0
#include "runtime/access.h"

#include "kernels/elementwise/chain.h"
#include "kernels/fourier/fourier.h"
#include "kernels/matrix/conv_i8.h"
#include "kernels/matrix/conv_q8.h"
#include "kernels/matrix/dense_i4.h"
#include "kernels/matrix/dense_i8.h"
#include "kernels/matrix/depthwise_i8.h"
#include "kernels/matrix/pack.h"
#include "kernels/recurrent/cell.h"
#include "kernels/recurrent/gru_reset_cell.h"
#include "runtime/map_access.h"

namespace weft {
namespace {

using format::ElementType;

constexpr int64_t kI16Bits = 16, kI8Bits = 8;

template <typename DimArray, typename StrideArray>
void ExtendBy(StridedBytes& bytes, int64_t bits, const DimArray& dims, uint32_t rank,
              const StrideArray& strides) {
  for (uint32_t i = 0; i < rank; ++i) Extend(bytes, bits, dims.Get(i), strides.Get(i));
}

template <typename DimArray, typename StrideArray>
StridedBytes Iterated(int64_t bits, int64_t offset, const DimArray& dims, uint32_t rank,
                      const StrideArray& strides) {
  StridedBytes bytes = ElementAt(bits, offset);
  ExtendBy(bytes, bits, dims, rank, strides);
  return bytes;
}

// Contiguous elements. The verifier has bounded the product if no factor is 0; if one is 0,
// wrap-around of the others does not matter.
StridedBytes Contiguous(int64_t bits, std::initializer_list<int64_t> factors) {
  uint64_t count = 1;
  for (const int64_t factor : factors) count *= static_cast<uint64_t>(factor);
  return Strided(bits, 0, {{static_cast<int64_t>(count), 1}});
}

StridedBytes Elements(int64_t bits, uint64_t count) {
  return Contiguous(bits, {static_cast<int64_t>(count)});
}

// A product of dims, as one factor of Contiguous.
template <typename DimArray>
int64_t ProductOf(const DimArray& dims, uint32_t rank) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < rank; ++i) count *= dims.Get(i);
  return static_cast<int64_t>(count);
}

StridedBytes Rows(int64_t rows, int64_t row_stride, int64_t length, int64_t bits = kF32Bits) {
  return Strided(bits, 0, {{rows, row_stride}, {length, 1}});
}

int64_t PaddedOutputs(uint32_t outputs) {
  return static_cast<int64_t>(kernels::PanelCount(outputs)) * kernels::kPanelOutputs;
}

// One overload per kind of step; `operand` is numbered as in the row of ops.inc.
StridedBytes AccessBy(const format::DenseParams& p, uint32_t operand) {
  switch (operand) {
    case 0:
      return Rows(p.rows(), p.x_row_stride(), p.inputs());
    case 1:
      return Contiguous(format::BitsOf(p.weights()), {PaddedOutputs(p.outputs()), p.inputs()});
    case 2:
      return Rows(p.rows(), p.start_row_stride(), p.outputs());
    default:
      return Rows(p.rows(), p.y_row_stride(), p.outputs());
  }
}

// The result of a matrix product. If it is empty, the matrices are not read, and nothing bounds
// their extents.
template <typename Params>
StridedBytes ProductAccess(const Params& p, int64_t bits) {
  return Contiguous(bits, {ProductOf(*p.batch_dims(), p.batch_rank()), p.rows(), p.columns()});
}

StridedBytes AccessBy(const format::MatmulParams& p, uint32_t operand) {
  const uint32_t rank = p.batch_rank();
  const int64_t bits = format::BitsOf(p.type());
  const StridedBytes y = ProductAccess(p, bits);
  if (operand == 2 || y.run_bytes == 0) return y;
  const bool is_a = operand == 0;
  const auto& strides = is_a ? *p.a_batch_strides() : *p.b_batch_strides();
  StridedBytes x = Iterated(bits, 0, *p.batch_dims(), rank, strides);
  Extend(x, bits, is_a ? p.rows() : p.columns(), is_a ? p.a_row_stride() : p.b_column_stride());
  Extend(x, bits, p.inner(), is_a ? p.a_inner_stride() : p.b_inner_stride());
  return x;
}

// The weights of all groups, in the layout of kernels::PackDenseI8.
StridedBytes PackedI8(int64_t groups, uint32_t outputs, uint32_t inputs) {
  return Contiguous(kI8Bits,
                    {groups, static_cast<int64_t>(kernels::PackedDenseI8Bytes(outputs, inputs))});
}

StridedBytes AccessBy(const format::ConvParams& p, uint32_t operand) {
  switch (operand) {
    case 0:
      return InputMap(p, InputsOfGroups(p));
    case 1:
      return Contiguous(format::BitsOf(p.weights()),
                        {PaddedOutputs(p.out_channels()), p.groups(), p.in_channels(),
                         p.kernel_height(), p.kernel_width()});
    case 2:
      return Contiguous(kF32Bits, {p.groups(), p.out_channels()});
    default:
      return OutputMap(p, OutputsOfGroups(p));
  }
}

template <typename Params>
StridedBytes PackedTaps(const Params& p, int64_t bits) {
  return Contiguous(bits, {PaddedOutputs(p.channels()), p.kernel_height(), p.kernel_width()});
}

StridedBytes AccessBy(const format::DepthwiseParams& p, uint32_t operand) {
  switch (operand) {
    case 0:
      return InputMap(p, p.channels() / p.multiplier());
    case 1:
      return PackedTaps(p, format::BitsOf(p.weights()));
    case 2:
      return Contiguous(kF32Bits, {p.channels()});
    default:
      return OutputMap(p, p.channels());
  }
}

StridedBytes AccessBy(const format::PoolParams& p, uint32_t operand) {
  return operand == 0 ? InputMap(p, p.channels()) : OutputMap(p, p.channels());
}

StridedBytes AccessBy(const format::UnaryParams& p, uint32_t) {
  return Contiguous(format::BitsOf(p.type()), {p.count()});
}

template <typename Params>
StridedBytes AccessOfPair(const Params& p, uint32_t operand, ElementType result) {
  if (operand == 2) return Contiguous(format::BitsOf(result), {ProductOf(*p.dims(), p.rank())});
  const auto& strides = operand == 0 ? *p.a_strides() : *p.b_strides();
  return Iterated(format::BitsOf(p.type()), 0, *p.dims(), p.rank(), strides);
}

StridedBytes AccessBy(const format::BinaryParams& p, uint32_t operand) {
  return AccessOfPair(p, operand, p.type());
}

StridedBytes AccessBy(const format::CompareParams& p, uint32_t operand) {
  return AccessOfPair(p, operand, ElementType::boolean);
}

StridedBytes AccessBy(const format::SelectParams& p, uint32_t operand) {
  const int64_t bits = int64_t{p.element_bytes()} * 8;
  switch (operand) {
    case 0:
      return Iterated(8, 0, *p.dims(), p.rank(), *p.condition_strides());
    case 1:
      return Iterated(bits, 0, *p.dims(), p.rank(), *p.a_strides());
    case 2:
      return Iterated(bits, 0, *p.dims(), p.rank(), *p.b_strides());
    default:
      return Contiguous(bits, {ProductOf(*p.dims(), p.rank())});
  }
}

StridedBytes AccessBy(const format::ReduceParams& p, uint32_t operand) {
  const int64_t bits = format::BitsOf(p.type());
  if (operand == 1) return Contiguous(bits, {ProductOf(*p.dims(), p.kept_rank())});
  return Iterated(bits, 0, *p.dims(), p.kept_rank() + p.reduced_rank(), *p.strides());
}

StridedBytes AccessBy(const format::SoftmaxParams& p, uint32_t) {
  return Contiguous(kF32Bits, {p.outer(), p.axis(), p.inner()});
}

StridedBytes AccessBy(const format::NormalizeParams& p, uint32_t) {
  return Contiguous(kF32Bits, {p.outer(), p.axis(), p.inner()});
}

StridedBytes AccessBy(const format::TopParams& p, uint32_t operand) {
  if (operand == 0) return Contiguous(format::BitsOf(p.type()), {p.outer(), p.axis(), p.inner()});
  return Contiguous(format::BitsOf(operand == 1 ? p.type() : p.index_type()),
                    {p.outer(), p.k(), p.inner()});
}

StridedBytes AccessBy(const format::FourierParams& p, uint32_t operand) {
  kernels::FourierShape shape;
  shape.size = p.size();
  for (uint32_t i = 0; i < kernels::kMaxFourierFactors; ++i) shape.factors[i] = p.factors()->Get(i);
  shape.op = static_cast<kernels::FourierOp>(p.op());
  shape.has_window = p.has_window() != 0;
  const auto rows = [&](int64_t stride, uint64_t floats) {
    return Rows(p.lines(), stride, static_cast<int64_t>(floats));
  };
  switch (operand) {
    case 0:
      return rows(p.x_line_stride(), FourierInputs(shape));
    case 1:
      return Elements(kF32Bits, FourierTableFloats(shape));
    case 2:
      return rows(p.y_line_stride(), FourierOutputs(shape));
    default:
      return Elements(kF32Bits, FourierScratchFloats(shape));
  }
}

StridedBytes AccessBy(const format::SuppressParams& p, uint32_t operand) {
  switch (operand) {
    case 0:
      return Contiguous(kF32Bits, {p.batch(), p.boxes(), 4});
    case 1:
      return Contiguous(kF32Bits, {p.batch(), p.classes(), p.boxes()});
    case 4:
      return Contiguous(32, {1});
    case 5:
      return Contiguous(32, {p.boxes(), p.decay() != 0 ? 2 : 1});
    default:
      return Contiguous(32, {p.batch(), p.classes(), p.max(), 3});
  }
}

StridedBytes AccessBy(const format::DetectParams& p, uint32_t operand) {
  switch (operand) {
    case 0:
      return Contiguous(kF32Bits, {p.batch(), p.priors(), p.box_classes(), 4});
    case 1:
      return Contiguous(kF32Bits, {p.batch(), p.priors(), p.classes()});
    case 2:
      return Contiguous(kF32Bits, {p.batch(), p.rows(), 7});
    default:
      return Contiguous(32, {int64_t{p.priors()} + p.kept()});
  }
}

StridedBytes AccessBy(const format::RegionParams& p, uint32_t operand) {
  switch (operand) {
    case 0:
      return Contiguous(kF32Bits, {p.batch(), p.channels(), p.height(), p.width()});
    case 1:
      return Contiguous(kF32Bits, {p.regions(), 4});
    case 2:
      return Contiguous(format::BitsOf(p.index_type()), {p.regions()});
    default:
      // own_mean has the same number of elements because each bin has its own channels.
      if (p.op() == format::RegionOp::own_mean) {
        return Contiguous(kF32Bits, {p.regions(), p.channels()});
      }
      return Contiguous(kF32Bits, {p.regions(), p.channels(), p.pooled_height(), p.pooled_width()});
  }
}

StridedBytes AccessBy(const format::CopyParams& p, uint32_t operand) {
  const int64_t bits = int64_t{p.element_bytes()} * 8;
  if (operand == 0) return Iterated(bits, p.src_offset(), *p.dims(), p.rank(), *p.src_strides());
  return Iterated(bits, p.dst_offset(), *p.dims(), p.rank(), *p.dst_strides());
}

StridedBytes AccessBy(const format::FillParams& p, uint32_t) {
  return Contiguous(int64_t{p.element_bytes()} * 8, {p.count()});
}

StridedBytes AccessBy(const format::GatherParams& p, uint32_t operand) {
  const int64_t bits = int64_t{p.element_bytes()} * 8;
  switch (operand) {
    case 0:
      return Contiguous(bits, {p.batch(), p.outer(), p.axis(), p.inner()});
    case 1:
      return Contiguous(format::BitsOf(p.index_type()), {p.batch(), p.indices()});
    default:
      return Contiguous(bits, {p.batch(), p.outer(), p.indices(), p.inner()});
  }
}

StridedBytes AccessBy(const format::CompactParams& p, uint32_t operand) {
  if (operand == 1) return Contiguous(32, {1});
  return Contiguous(int64_t{p.element_bytes()} * 8, {p.outer(), p.max(), p.inner()});
}

StridedBytes AccessBy(const format::RingParams& p, uint32_t operand) {
  const int64_t bits = int64_t{p.element_bytes()} * 8;
  switch (operand) {
    case 0:
      return Contiguous(bits, {p.outer(), p.positions(), p.inner()});
    case 2:
    case 5:
      return Contiguous(32, {1});
    case 3:
      return Contiguous(bits, {p.outer(), p.taps(), p.length(), p.inner()});
    default:
      return Contiguous(bits, {p.past(), p.outer(), p.inner()});
  }
}

StridedBytes AccessBy(const format::RingMatmulParams& p, uint32_t operand) {
  if (operand == 3) return Contiguous(32, {1});
  const StridedBytes y = ProductAccess(p, kF32Bits);
  if (operand == 4 || y.run_bytes == 0) return y;
  const auto batch = [&p](const auto& strides) {
    return Iterated(kF32Bits, 0, *p.batch_dims(), p.batch_rank(), strides);
  };
  const bool is_along_columns = p.along() == format::RingAlong::columns;
  const int64_t held = int64_t{is_along_columns ? p.columns() : p.inner()} - p.positions();
  const auto with_matrix = [&](StridedBytes bytes, int64_t positions, int64_t inner_stride,
                               int64_t column_stride) {
    Extend(bytes, kF32Bits, is_along_columns ? positions : p.columns(), column_stride);
    Extend(bytes, kF32Bits, is_along_columns ? p.inner() : positions, inner_stride);
    return bytes;
  };
  switch (operand) {
    case 0: {
      StridedBytes a = batch(*p.a_batch_strides());
      Extend(a, kF32Bits, p.rows(), p.a_row_stride());
      Extend(a, kF32Bits, p.inner(), p.a_inner_stride());
      return a;
    }
    case 1:
      return with_matrix(batch(*p.past_batch_strides()), held, p.past_inner_stride(),
                         p.past_column_stride());
    default:
      return with_matrix(batch(*p.x_batch_strides()), p.positions(), p.x_inner_stride(),
                         p.x_column_stride());
  }
}

StridedBytes AccessBy(const format::PositionsParams& p, uint32_t operand) {
  if (operand == 2) return Contiguous(32, {p.batch()});
  if (operand == 1)
    return Contiguous(format::BitsOf(p.index_type()), {p.batch(), p.rank(), p.max()});
  return Contiguous(format::BitsOf(p.type()), {ProductOf(*p.dims(), p.rank()), p.batch()});
}

StridedBytes AccessBy(const format::ConvertParams& p, uint32_t operand) {
  return Contiguous(format::BitsOf(operand == 0 ? p.from() : p.to()), {p.count()});
}

StridedBytes AccessBy(const format::LstmGatesParams& p, uint32_t operand) {
  if (operand == 0) return Rows(p.rows(), p.pre_row_stride(), 4 * int64_t{p.hidden()});
  return Contiguous(kF32Bits, {p.rows(), p.hidden()});
}

StridedBytes AccessBy(const format::GruGatesParams& p, uint32_t operand) {
  if (operand == 0) return Rows(p.rows(), p.x_row_stride(), 3 * int64_t{p.hidden()});
  if (operand == 1) return Rows(p.rows(), p.r_row_stride(), 3 * int64_t{p.hidden()});
  return Contiguous(kF32Bits, {p.rows(), p.hidden()});
}

StridedBytes AccessBy(const format::GruResetParams& p, uint32_t operand) {
  if (operand == 0) return Rows(p.rows(), p.pre_row_stride(), 2 * int64_t{p.hidden()});
  return Contiguous(kF32Bits, {p.rows(), p.hidden()});
}

StridedBytes AccessBy(const format::GruUpdateParams& p, uint32_t operand) {
  if (operand == 0) return Rows(p.rows(), p.pre_row_stride(), p.hidden());
  return Contiguous(kF32Bits, {p.rows(), p.hidden()});
}

// Operands of a cell with `gates` gates, whose first operands are x, weights and h. `is_start` is
// true for its start operands.
template <typename Params>
StridedBytes AccessByCell(const Params& p, uint32_t operand, uint32_t gates, bool is_start) {
  if (operand == 0) return Contiguous(kF32Bits, {p.inputs()});
  if (operand == 1) {
    const uint64_t row = kernels::CellRow(gates, p.hidden());
    return Contiguous(format::BitsOf(p.weights()),
                      {static_cast<int64_t>(row), int64_t{p.inputs()} + p.hidden()});
  }
  return Contiguous(kF32Bits, {is_start ? int64_t{gates} : 1, p.hidden()});
}

StridedBytes AccessBy(const format::LstmCellParams& p, uint32_t operand) {
  return AccessByCell(p, operand, 4, operand == 4);
}

StridedBytes AccessBy(const format::GruCellParams& p, uint32_t operand) {
  return AccessByCell(p, operand, 3, operand == 3 || operand == 4);
}

// The weights of z and r are stored before those of the candidate.
StridedBytes AccessBy(const format::GruResetCellParams& p, uint32_t operand) {
  if (operand == 1) {
    return Elements(format::BitsOf(p.weights()), kernels::GruResetWeights(p.inputs(), p.hidden()));
  }
  return AccessByCell(p, operand, 3, operand == 3);
}

// Bits of an element of x: f32, or i16 if `max` is 0 (dense_i8.h).
int64_t BitsOfRows(uint32_t max) { return max != 0 ? kF32Bits : kI16Bits; }

StridedBytes AccessBy(const format::DenseI8Params& p, uint32_t operand) {
  switch (operand) {
    case 0:
      return Rows(p.rows(), p.x_row_stride(), p.inputs(), BitsOfRows(p.max()));
    case 1:
      return PackedI8(1, p.outputs(), p.inputs());
    case 2:
      return Contiguous(kF32Bits, {PaddedOutputs(p.outputs())});
    case 3:
      return Rows(p.rows(), p.start_row_stride(), p.outputs());
    case 4:
      return Rows(p.rows(), p.y_row_stride(), p.outputs());
    default:
      return Elements(kI16Bits, kernels::DenseI8ScratchShorts(p.rows(), p.inputs()));
  }
}

StridedBytes AccessBy(const format::ConvI8Params& p, uint32_t operand) {
  const uint32_t inputs = p.kernel_height() * p.kernel_width() * p.in_channels();
  const uint32_t pixels = kernels::ConvI8Pixels(p.out_height(), p.out_width());
  switch (operand) {
    case 0:
      return InputMap(p, InputsOfGroups(p), BitsOfRows(p.max()));
    case 1:
      return PackedI8(p.groups(), p.out_channels(), inputs);
    case 2:
      return Contiguous(kF32Bits, {p.groups(), PaddedOutputs(p.out_channels())});
    case 3:
      return Contiguous(kF32Bits, {p.groups(), p.out_channels()});
    case 4:
      return OutputMap(p, OutputsOfGroups(p));
    case 5:
      return Elements(
          kF32Bits, kernels::ConvI8PatchFloats(pixels, inputs, p.out_channels(), p.y().channel()));
    default:
      return Elements(kI16Bits, kernels::DenseI8ScratchShorts(pixels, inputs));
  }
}

StridedBytes AccessBy(const format::DepthwiseI8Params& p, uint32_t operand) {
  switch (operand) {
    case 0:
      return InputMap(p, p.channels() / p.multiplier());
    case 1:
      return PackedTaps(p, kI8Bits);
    case 2:
    case 3:
      return Contiguous(kF32Bits, {PaddedOutputs(p.channels())});
    case 4:
      return Contiguous(kF32Bits, {p.channels()});
    case 5:
      return OutputMap(p, p.channels());
    default:
      return Elements(kF32Bits, kernels::DepthwiseI8ScratchFloats(
                                    kernels::DepthwiseI8WidensAll(p), p.channels(),
                                    p.kernel_height() * p.kernel_width()));
  }
}

StridedBytes AccessBy(const format::DenseI4Params& p, uint32_t operand) {
  constexpr int64_t kU8Bits = 8;
  const auto groups = static_cast<int64_t>(kernels::GroupCount(p.inputs(), p.group_blocks()));
  switch (operand) {
    case 0:
      return Rows(p.rows(), p.x_row_stride(), p.inputs());
    case 1:
      return Elements(kU8Bits, kernels::PackedDenseU4Bytes(p.outputs(), p.inputs()));
    case 2:
      return Contiguous(format::BitsOf(p.scales()), {PaddedOutputs(p.outputs()), groups});
    case 3:
      return Contiguous(kU8Bits, {PaddedOutputs(p.outputs()), groups});
    case 4:
      return Rows(p.rows(), p.start_row_stride(), p.outputs());
    case 5:
      return Rows(p.rows(), p.y_row_stride(), p.outputs());
    default:
      return Elements(kI16Bits,
                      kernels::DenseI4ScratchShorts(p.rows(), p.inputs(), p.group_blocks()));
  }
}

StridedBytes AccessBy(const format::QuantizeParams& p, uint32_t operand) {
  return Contiguous(operand == 0 ? kF32Bits : kI8Bits, {p.count()});
}

StridedBytes AccessBy(const format::DequantizeParams& p, uint32_t operand) {
  return Contiguous(operand == 0 ? kI8Bits : kF32Bits, {p.count()});
}

StridedBytes AccessBy(const format::LookupParams& p, uint32_t operand) {
  return Contiguous(kI8Bits, {operand == 1 ? 256 : int64_t{p.count()}});
}

StridedBytes AccessBy(const format::DenseQ8Params& p, uint32_t operand) {
  switch (operand) {
    case 0:
      return Rows(p.rows(), p.x_row_stride(), p.inputs(), kI8Bits);
    case 1:
      return PackedI8(1, p.outputs(), p.inputs());
    case 4:
      return Rows(p.rows(), p.start_row_stride(), p.outputs());
    case 5:
      return Rows(p.rows(), p.y_row_stride(), p.outputs(), format::BitsOf(p.codes().type()));
    default:
      return Contiguous(kF32Bits, {p.outputs()});
  }
}

StridedBytes AccessBy(const format::ConvQ8Params& p, uint32_t operand) {
  const uint32_t inputs = p.kernel_height() * p.kernel_width() * p.in_channels();
  const int64_t outputs = int64_t{p.groups()} * p.out_channels();
  switch (operand) {
    case 0:
      return InputMap(p, InputsOfGroups(p), kI8Bits);
    case 1:
      return PackedI8(p.groups(), p.out_channels(), inputs);
    case 5:
      return OutputMap(p, OutputsOfGroups(p), format::BitsOf(p.codes().type()));
    case 6: {  // a patch for each pixel of an image, as many as there is room for
      const uint64_t all = kernels::ConvQ8ScratchBytes(kernels::ConvQ8IsDirect(p), inputs);
      const uint64_t pixels = uint64_t{p.out_height()} * p.out_width();
      const uint64_t patches = pixels < kernels::kPatches ? pixels : kernels::kPatches;
      return Contiguous(kI8Bits, {static_cast<int64_t>(all / kernels::kPatches * patches)});
    }
    default:
      return Contiguous(kF32Bits, {outputs});
  }
}

StridedBytes AccessBy(const format::DepthwiseQ8Params& p, uint32_t operand) {
  switch (operand) {
    case 0:
      return InputMap(p, p.channels() / p.multiplier(), kI8Bits);
    case 1:
      return PackedTaps(p, kI8Bits);
    case 5:
      return OutputMap(p, p.channels(), format::BitsOf(p.codes().type()));
    default:
      return Contiguous(kF32Bits, {p.channels()});
  }
}

StridedBytes AccessBy(const format::PoolQ8Params& p, uint32_t operand) {
  return operand == 0 ? InputMap(p, p.channels(), kI8Bits) : OutputMap(p, p.channels(), kI8Bits);
}

StridedBytes AccessBy(const format::BinaryQ8Params& p, uint32_t operand) {
  if (operand == 2) return Contiguous(kI8Bits, {ProductOf(*p.dims(), p.rank())});
  return Iterated(kI8Bits, 0, *p.dims(), p.rank(), operand == 0 ? *p.a_strides() : *p.b_strides());
}

StridedBytes AccessBy(const format::SnakeParams& p, uint32_t operand) {
  if (operand == 1 || operand == 2) return Contiguous(kF32Bits, {p.channels()});
  return Contiguous(kF32Bits, {p.outer(), p.channels(), p.inner()});
}

StridedBytes AccessBy(const format::ChainParams& p, uint32_t operand) {
  if (operand == kernels::kChainInputs) {
    return Contiguous(kF32Bits, {ProductOf(*p.dims(), p.rank())});
  }
  StridedBytes x = ElementAt(kF32Bits, 0);
  for (uint32_t i = 0; i < p.rank(); ++i) {
    const uint32_t at = operand * kernels::kChainRank + i;
    Extend(x, kF32Bits, p.dims()->Get(i), p.strides()->Get(at));
  }
  return x;
}

}  // namespace

StridedBytes AccessOf(const format::Model& model, const format::Step& step, uint32_t operand) {
  switch (static_cast<format::Kind>(step.kind())) {
#define WEFT_STEP(name, ...) \
  case format::Kind::name:   \
    return AccessBy(*model.name()->Get(step.param()), operand);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return {};
}

#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define WEFT_STEP(name, Name, ...)                                              \
  StridedBytes AccessOf(const format::Name##Params& params, uint32_t operand) { \
    return AccessBy(params, operand);                                           \
  }
#include "runtime/format/ops.inc"
#undef WEFT_STEP
#endif

}  // namespace weft
