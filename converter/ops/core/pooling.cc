// SPDX-License-Identifier: Apache-2.0
// Pooling over one to three spatial axes. One f32 step pools two axes, a second one the third axis.
// Integer maxima gather each window into a row and reduce the rows. If the indices of the maxima
// are read, windows are gathered into rows and searched.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/core/reduce.h"
#include "converter/ops/core/top.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/look_back.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"
#include "converter/ops/support/window.h"

namespace weft::ops {
namespace {

using format::PoolOp;

// The OpenVINO specification excludes windows that contain only padding.
void CheckPads(InferScope& scope, Window window) {
  for (size_t i = 0; i < window.axis_count; ++i) {
    const WindowAxis& axis = window.axis(i);
    if (axis.pad_end >= 0 && std::max(axis.pad_begin, axis.pad_end) < axis.extent()) continue;
    scope.Fault("spatial axis {} has pads {} and {}; must be from 0 to {}, less than the window", i,
                axis.pad_begin, axis.pad_end, axis.extent() - 1);
  }
}

std::optional<Dims> InferPool(InferScope& scope, std::initializer_list<ElementType> allowed) {
  constexpr size_t kX[] = {0};
  CheckElements(scope, kX, allowed);
  if (scope.rank(0) < 3) {
    scope.Fault("data is {}; must have rank 3, 4 or 5", ToString(scope.input_type(0)));
    return std::nullopt;
  }
  const Dims data = SpecDims(scope);
  const std::optional<Window> window =
      InferWindow(scope, std::span(data).subspan(2), scope.attributes.Ints("kernel"));
  if (!window) return std::nullopt;
  CheckPads(scope, *window);
  Dims out = {data[0], data[1]};
  for (int64_t extent : window->OutDims()) out.push_back(extent);
  return OutputOrder(scope, std::move(out));
}

void InferMean(InferScope& scope) {
  if (std::optional<Dims> dims = InferPool(scope, {ElementType::f32})) {
    scope.SetOutput(0, ElementType::f32, std::move(*dims));
  }
}

std::optional<Dims> InferMaxima(InferScope& scope) {
  std::optional<Dims> dims = InferPool(scope, {ElementType::f32, ElementType::i32, ElementType::i64,
                                               ElementType::i8, ElementType::u8, ElementType::i16});
  if (dims) scope.SetOutput(0, scope.input_element(0), *dims);
  return dims;
}

void InferMax(InferScope& scope) { InferMaxima(scope); }

bool IsRead(const ir::Graph& graph, const ir::Node& node, uint32_t port) {
  const auto reads = [&](const ir::Source& source) {
    return source.node == &node && source.port == port;
  };
  return std::ranges::any_of(graph.nodes, [&](const std::unique_ptr<ir::Node>& reader) {
    return std::ranges::any_of(reader->inputs, reads);
  });
}

constexpr ElementType kNumberType = ElementType::i32;

Window WindowOf(const NodeScope& scope) {
  const Dims data = SpecDims(scope);
  return WindowOf(scope, std::span(data).subspan(2), scope.attributes.Ints("kernel"));
}

void CheckIndices(InferScope& scope) {
  const std::optional<int64_t> elements = ElementCount(scope.input_dims(0));
  if (elements && std::in_range<int32_t>(*elements)) return;
  scope.Fault(
      "output 1 (indices of the maxima) is read and data is {}; must have less than 2^31 "
      "elements",
      ToString(scope.input_type(0)));
}

// Since opset8 output 1 holds the index of each maximum.
void InferIndexed(InferScope& scope) {
  const std::optional<Dims> dims = InferMaxima(scope);
  const ElementType type = IndexTypeOf(scope, "index_element_type");
  scope.NormalAxis(scope.attributes.Int("axis", 0), scope.rank(0));
  if (!dims || scope.failed() || scope.output_count() < 2) return;
  if (IsRead(scope.graph(), scope.node(), 1)) CheckIndices(scope);
  scope.SetOutput(1, type, *dims);
}

// With ceil rounding the last window may end beyond the padding. The OpenVINO specification does
// not define the divisor of a mean that counts padding in this case. OpenVINO divides by the full
// window size if there is any padding, else by the number of elements inside the data.
void CountBeyondPads(Window& window) {
  const auto padded = [](const WindowAxis& axis) { return axis.pad_begin + axis.pad_end > 0; };
  if (!padded(window.z) && !padded(window.y) && !padded(window.x)) return;
  for (WindowAxis* axis : {&window.z, &window.y, &window.x}) {
    axis->pad_end = std::max(axis->pad_end, axis->reach() - axis->in - axis->pad_begin);
  }
}

// Number and memory layout of the maps of a pool step.
struct Pooled {
  int64_t batch = 1, channels = 1;
  format::MapStrides x = {}, y = {};
};

// Each plane as a single-channel image.
Pooled Planes(int64_t planes, const Window& window) {
  return {planes, 1, PlanesOf(1, window.y.in, window.x.in),
          PlanesOf(1, window.y.out, window.x.out)};
}

template <typename Params>
Params PoolParamsOf(PoolOp op, const Pooled& maps, const Window& window) {
  Params params;
  params.mutate_batch(Narrow32(maps.batch, "batch"));
  params.mutate_channels(Narrow32(maps.channels, "channels"));
  WriteWindow(params, window);
  params.mutate_pad_bottom(Narrow32(window.y.pad_end, "pad bottom"));
  params.mutate_pad_right(Narrow32(window.x.pad_end, "pad right"));
  params.mutable_x() = maps.x;
  params.mutable_y() = maps.y;
  params.mutate_op(op);
  return params;
}

// Pools over y and x.
void EmitPool(program::Builder& builder, PoolOp op, const Pooled& maps, const Window& window,
              program::ValueId x, program::ValueId y) {
  builder.Emit(PoolParamsOf<format::PoolParams>(op, maps, window), {x}, {y});
}

bool ChangesNothing(const WindowAxis& axis) { return axis.is_alone() && axis.out == axis.in; }

// Pools the planes first, then the depth. A maximum of maxima is exact; so is a mean of means if
// all windows have the same number of elements.
void EmitVolumePool(program::Builder& builder, PoolOp op, int64_t planes, const Window& window,
                    program::ValueId x, program::ValueId y) {
  const bool keeps_planes = ChangesNothing(window.y) && ChangesNothing(window.x);
  const Pooled flat = Planes(planes * window.z.in, window);
  if (ChangesNothing(window.z)) return EmitPool(builder, op, flat, window, x, y);
  const int64_t area = window.y.out * window.x.out;
  program::ValueId pooled = x;
  if (!keeps_planes) {
    pooled = builder.Scratch({ElementType::f32, {planes, window.z.in, area}});
    EmitPool(builder, op, flat, window, x, pooled);
  }
  const Window deep = {.y = window.z, .x = {.in = area, .out = area}};
  EmitPool(builder, op, Planes(planes, deep), deep, pooled, y);
}

// The maps of data with one or two spatial axes.
Pooled MapsOf(const NodeScope& scope, const Window& window) {
  const Dims data = SpecDims(scope);
  if (!scope.attributes.Has(kXLast)) return Planes(data[0] * data[1], window);
  return {data[0], data[1], LastOf(data[1], window.y.in, window.x.in),
          LastOf(data[1], window.y.out, window.x.out)};
}

void Emit(LowerScope& scope, PoolOp op) {
  const Dims data = SpecDims(scope);
  const program::ValueId y = scope.NewOutput(0);
  Window window = WindowOf(scope);
  if (op == PoolOp::mean_include_pad) CountBeyondPads(window);
  if (window.axis_count < 3) {
    const auto strides_of = scope.attributes.Has(kXLast) ? LastOf : PlanesOf;
    const Pooled maps = {data[0], data[1], strides_of(data[1], window.y.in, window.x.in),
                         strides_of(data[1], window.y.out, window.x.out)};
    return EmitPool(scope.builder, op, maps, window, scope.input(0), y);
  }
  EmitVolumePool(scope.builder, op, data[0] * data[1], window, scope.input(0), y);
}

int64_t WindowCount(const Window& window) { return window.z.out * window.y.out * window.x.out; }
int64_t TapCount(const Window& window) {
  return window.z.kernel * window.y.kernel * window.x.kernel;
}

// The lowest integer of the data's type: the padding value, and the maximum of a window with only
// padding.
int64_t LowestOf(ElementType type) {
  if (type == ElementType::u8) return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - BitsOf(type));
}

// Gathers each window into a row: [planes * windows, taps]. x is f32, i32 or i64; `data` is the
// original type of the data.
program::ValueId WindowRows(program::Builder& builder, program::ValueId x, ElementType data,
                            int64_t planes, Window window) {
  const ElementType type = builder.type(x);
  // Padding in the width of x: a NaN, which ranks below every number, or the lowest integer.
  const uint64_t mask = std::numeric_limits<uint64_t>::max() >> (64 - BitsOf(type));
  const uint64_t bits =
      type == ElementType::f32 ? 0x7FC00000 : static_cast<uint64_t>(LowestOf(data)) & mask;
  const program::ValueId source = Padded(builder, x, planes, bits, window);
  const WindowAxis &z = window.z, &y = window.y, &across = window.x;
  const int64_t row = across.in, plane = y.in * row;
  const Dims dims = {planes, z.out, y.out, across.out, z.kernel, y.kernel, across.kernel};
  const program::ValueId rows = builder.Scratch({type, dims});
  builder.CopyStrided(source, rows, dims,
                      {z.in * plane, z.stride * plane, y.stride * row, across.stride,
                       z.dilation * plane, y.dilation * row, across.dilation},
                      0, program::DenseStrides(dims), 0);
  return rows;
}

// Gathers each window into a row and reduces each row to its maximum. x is i32 or i64.
void EmitIntegerMax(program::Builder& builder, program::ValueId x, ElementType data, int64_t planes,
                    const Window& window, program::ValueId y) {
  const program::ValueId rows = WindowRows(builder, x, data, planes, window);
  const int64_t taps = TapCount(window);
  const ReduceAxis axes[] = {{planes * WindowCount(window), taps, false}, {taps, 1, true}};
  EmitReduce(builder, format::ReduceOp::max, axes, rows, y);
}

// x, or 8-bit and 16-bit integers widened to i32.
program::ValueId Wide(program::Builder& builder, program::ValueId x) {
  return ElementBytes(builder.type(x)) >= 4 ? x : Converted(builder, x, ElementType::i32);
}

// Integer pooling of i8 or i16 data over one or two axes. A maximum keeps the quantisation
// parameters.
void EmitCodes(LowerScope& scope, PoolOp op) {
  const program::ValueId y = scope.NewOutput(0);
  Window window = WindowOf(scope);
  if (op == PoolOp::mean_include_pad) CountBeyondPads(window);
  auto params = PoolParamsOf<format::PoolQ8Params>(op, MapsOf(scope, window), window);
  params.mutate_scale(scope.attributes.Float(kCodeScale, 0));
  params.mutate_x_zero(ByteOf(scope, kInputZero));
  params.mutable_multiplier() = MultiplierIn(scope, kMultiplier);
  format::CodeRange codes = CodesOf(scope);
  if (codes.results() == format::Results::f32) {  // a maximum has no codes
    const bool is_short = scope.input_element(0) == ElementType::i16;
    codes.mutate_results(is_short ? format::Results::shorts : format::Results::codes);
  }
  params.mutable_codes() = codes;
  scope.builder.Emit(params, {scope.input(0)}, {y});
}

void EmitMaxima(LowerScope& scope) {
  const TensorType type = scope.output_type(0);
  if (type.type == ElementType::f32) return Emit(scope, PoolOp::max);
  const bool has_codes = type.type == ElementType::i8 || type.type == ElementType::i16;
  if (has_codes && scope.rank(0) < 5) return EmitCodes(scope, PoolOp::max);
  const program::ValueId y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const Dims& data = scope.input_dims(0);
  const int64_t planes = data[0] * data[1];
  const program::ValueId wide_x = Wide(builder, scope.input(0));
  if (ElementBytes(type.type) >= 4) {
    return EmitIntegerMax(builder, wide_x, type.type, planes, WindowOf(scope), y);
  }
  const program::ValueId wide_y = builder.Scratch({ElementType::i32, type.dims});
  EmitIntegerMax(builder, wide_x, type.type, planes, WindowOf(scope), wide_y);
  EmitConvert(builder, wide_y, y);
}

// The first position of a window that is not padding.
int64_t FirstInside(const WindowAxis& axis, int64_t window) {
  const int64_t begin = window * axis.stride - axis.pad_begin;
  const int64_t skipped = begin < 0 ? (axis.dilation - 1 - begin) / axis.dilation : 0;
  return std::min(begin + skipped * axis.dilation, axis.in - 1);
}

// Element numbers within a plane: the start of each window, the offset of each tap from that start,
// and the first element of each window that is not padding.
struct PlaneNumbers {
  Dims windows, taps, firsts;
};

PlaneNumbers PlaneNumbersOf(const Window& window) {
  const WindowAxis &z = window.z, &y = window.y, &x = window.x;
  PlaneNumbers numbers;
  const auto number = [&](int64_t at_z, int64_t at_y, int64_t at_x) {
    return (at_z * y.in + at_y) * x.in + at_x;
  };
  for (int64_t i = 0; i < WindowCount(window); ++i) {
    numbers.windows.push_back(number(i / x.out / y.out * z.stride - z.pad_begin,
                                     i / x.out % y.out * y.stride - y.pad_begin,
                                     i % x.out * x.stride - x.pad_begin));
    numbers.firsts.push_back(number(FirstInside(z, i / x.out / y.out),
                                    FirstInside(y, i / x.out % y.out), FirstInside(x, i % x.out)));
  }
  for (int64_t i = 0; i < TapCount(window); ++i) {
    numbers.taps.push_back(number(i / x.kernel / y.kernel * z.dilation,
                                  i / x.kernel % y.kernel * y.dilation, i % x.kernel * x.dilation));
  }
  return numbers;
}

// Steps that compute the indices of the maxima.
class IndexSteps {
 public:
  IndexSteps(program::Builder& builder, const Dims& data, ElementType type, const Window& window)
      : builder_(builder),
        data_(data),
        data_type_(type),
        window_(window),
        planes_(data[0] * data[1]),
        dims_{planes_, WindowCount(window)} {}

  // Index of the maximum within each row; the first one if several are equal.
  program::ValueId Taps(program::ValueId rows) {
    const program::ValueId taps = Made();
    maxima_ = builder_.Scratch({builder_.type(rows), dims_});
    EmitTop(builder_, {.outer = dims_[0] * dims_[1], .axis = TapCount(window_)}, rows, maxima_,
            taps);
    return taps;
  }

  // Converts tap indices to element numbers, counted over the axes of the data from `axis` on.
  program::ValueId Numbers(program::ValueId taps, size_t axis) {
    const PlaneNumbers in_plane = PlaneNumbersOf(window_);
    const program::ValueId offsets = Made();
    EmitGather(builder_, {1, 1, TapCount(window_), 1, dims_[0] * dims_[1]}, Known(in_plane.taps),
               taps, offsets);
    program::ValueId numbers = Of(format::BinaryOp::add, offsets, in_plane.windows, {1, dims_[1]});
    const int64_t plane = ProductOf(data_, 2, data_.size());
    if (!window_.stays_inside()) {  // only NaN: the index may be in the padding
      numbers = Of(format::BinaryOp::maximum, numbers, {0}, {1, 1});
      numbers = Of(format::BinaryOp::minimum, numbers, {plane - 1}, {1, 1});
      if (builder_.type(maxima_) != ElementType::f32) numbers = Inside(numbers, in_plane.firsts);
    }
    if (axis < 2) {
      Dims firsts;
      const int64_t counted = axis == 0 ? planes_ : data_[1];
      for (int64_t i = 0; i < planes_; ++i) firsts.push_back(i % counted * plane);
      numbers = Of(format::BinaryOp::add, numbers, firsts, {planes_, 1});
    } else if (axis > 2) {
      const int64_t counted = ProductOf(data_, axis, data_.size());
      numbers = Of(format::BinaryOp::floor_mod, numbers, {counted}, {1, 1});
    }
    return numbers;
  }

 private:
  // Padding is the lowest integer. If it is the maximum of a window, all elements are equal. The
  // index is then that of the first element that is not padding.
  program::ValueId Inside(program::ValueId numbers, const Dims& firsts) {
    const ElementType type = builder_.type(maxima_);
    const program::ValueId is_lowest = builder_.Scratch({ElementType::boolean, dims_});
    const program::ValueId y = Made();
    EmitCompare(builder_, format::CompareOp::equal, {maxima_, dims_},
                {IntegerWeights(builder_, type, {LowestOf(data_type_)}), {1, 1}}, is_lowest);
    EmitSelect(builder_, {is_lowest, dims_}, {Known(firsts), {1, dims_[1]}}, {numbers, dims_},
               {y, dims_});
    return y;
  }
  program::ValueId Made() { return builder_.Scratch({kNumberType, dims_}); }
  program::ValueId Known(const Dims& numbers) {
    return IntegerWeights(builder_, kNumberType, numbers);
  }
  program::ValueId Of(format::BinaryOp op, program::ValueId x, const Dims& numbers,
                      const Dims& dims) {
    const program::ValueId y = Made();
    EmitBinary(builder_, op, {x, dims_}, {Known(numbers), dims}, y);
    return y;
  }

  program::Builder& builder_;
  const Dims data_;
  const ElementType data_type_;
  const Window window_;
  const int64_t planes_;
  const Dims dims_;  // one number per window
  program::ValueId maxima_ = program::kNone;
};

void EmitIndices(LowerScope& scope) {
  const TensorType type = scope.output_type(1);
  program::Builder& builder = scope.builder;
  const Dims data = scope.input_dims(0);
  const Window window = WindowOf(scope);
  const program::ValueId rows = WindowRows(builder, Wide(builder, scope.input(0)),
                                           scope.input_element(0), data[0] * data[1], window);
  IndexSteps steps(builder, data, scope.input_element(0), window);
  const size_t axis = WrappedAxis(scope.attributes.Int("axis", 0), scope.rank(0));
  const program::ValueId numbers = steps.Numbers(steps.Taps(rows), axis);
  if (type.type == kNumberType) return scope.SetOutput(1, builder.View(numbers, 0, type));
  EmitConvert(builder, numbers, scope.NewOutput(1));
}

void LowerMax(LowerScope& scope) {
  EmitMaxima(scope);
  if (scope.node().outputs.size() > 1 && scope.IsUsed(1)) EmitIndices(scope);
}

void LowerMean(LowerScope& scope) {
  const bool exclude = scope.attributes.Bool("exclude-pad", false);
  Emit(scope, exclude ? PoolOp::mean_exclude_pad : PoolOp::mean_include_pad);
}

void InferByteMean(InferScope& scope) {
  const ElementType type = HasShorts(scope) ? ElementType::i16 : ElementType::i8;
  if (std::optional<Dims> dims = InferPool(scope, {type})) {
    scope.SetOutput(0, type, std::move(*dims));
  }
}

void LowerByteMean(LowerScope& scope) {
  const bool exclude = scope.attributes.Bool("exclude-pad", false);
  EmitCodes(scope, exclude ? PoolOp::mean_exclude_pad : PoolOp::mean_include_pad);
}

// The lowest number of the type.
double MinOf(ElementType type) {
  if (type == ElementType::f32) return -std::numeric_limits<double>::infinity();
  return type == ElementType::u8 ? 0 : -std::ldexp(1.0, static_cast<int>(BitsOf(type)) - 1);
}

// Time cannot be split if the indices of maxima are read, because they count over the complete
// tensor.
void PoolingAxes(AxisScope& scope) {
  if (scope.node().outputs.size() > 1 && IsRead(scope.graph(), scope.node(), 1)) {
    scope.relation.reason = "counts its indices along time";
    return;
  }
  WindowAxes(scope, scope.attributes.Ints("kernel"), true);
  const Window window = WindowOf(scope);
  const bool is_mean = scope.node().operation->name == "AvgPool";
  for (size_t i = 0; i < window.axis_count; ++i) {
    std::optional<Windows> windows = WindowsOf(scope, window, i);
    const bool fills = scope.attributes.Has(PadFillOf(static_cast<int64_t>(i) + 2));
    const bool excludes = is_mean && !fills && scope.attributes.Bool("exclude-pad", false);
    if (windows && (!excludes || windows->begin[i] == 0)) {
      if (!fills && !is_mean) windows->fill = MinOf(scope.input_element(0));
      if (excludes) windows->fill.reset();
      scope.relation.windows.push_back(*std::move(windows));
    }
    std::optional<Delay> delay = LookBackOf(scope, window, i);
    if (!delay) continue;
    if (excludes && delay->past > 0) {
      scope.relation.reason = "averages over fewer elements at the start of the sequence";
      continue;
    }
    if (!is_mean && !fills) delay->fill = MinOf(scope.input_element(0));
    scope.relation.delays.push_back(std::move(*delay));
  }
}

// Applies to the f32 step without indices; indices of maxima count in the order of the OpenVINO
// specification.
void PoolingPermutation(PermuteScope& scope) {
  const bool numbers = scope.node().outputs.size() > 1 && IsRead(scope.graph(), scope.node(), 1);
  if (scope.input_element(0) != ElementType::f32 || numbers) return;
  scope.permutation.attributes = {{kXLast, "1"}, {kYLast, "1"}};
  scope.permutation.last_is = LastIs::kBetter;
  SamePermutation(scope);
}

constexpr Traits kPooling = {.axes = PoolingAxes, .permutation = PoolingPermutation};
constexpr Traits kMaxima = Picking(kPooling);

constexpr Operation kPoolingRows[] = {
    {"MaxPool", 1, 1, 1, InferMax, LowerMax, kMaxima},
    {"MaxPool", 8, 1, 1, InferIndexed, LowerMax, kMaxima},
    {"MaxPool", 14, 1, 1, InferIndexed, LowerMax, kMaxima},
    {"AvgPool", 1, 1, 1, InferMean, LowerMean, kPooling},
    {"AvgPool", 14, 1, 1, InferMean, LowerMean, kPooling},
    {"AvgPool", 16, 1, 1, InferMean, LowerMean, kPooling},
    {"QuantizedAvgPool", kPassOnly, 1, 1, InferByteMean, LowerByteMean},
};

}  // namespace

std::span<const Operation> PoolingOperations() { return kPoolingRows; }

}  // namespace weft::ops
