// SPDX-License-Identifier: Apache-2.0
// DFT, IDFT, RDFT, IRDFT: each listed axis is one transform of its lines, which includes the
// cropping and zero padding of signal_size.
#include "converter/ops/core/fourier.h"

#include <algorithm>

#include "converter/ops/core/line_transform.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "kernels/fourier/fourier_tables.h"

namespace weft::ops {
using kernels::TwiddlePoint;

LineMatrix ComplexTransform(int64_t size, int64_t given, bool inverse) {
  LineMatrix matrix{2 * given, 2 * size, {}};
  const double scale = inverse ? 1.0 / static_cast<double>(size) : 1.0;
  const double twiddle = inverse ? -1.0 : 1.0;
  for (int64_t k = 0; k < size; ++k) {
    for (const bool imaginary : {false, true}) {
      for (int64_t j = 0; j < given; ++j) {
        const auto [c, s] = TwiddlePoint(j * k, size);
        const double of_real = imaginary ? -twiddle * s : c,
                     of_imaginary = imaginary ? c : twiddle * s;
        matrix.weights.push_back(static_cast<float>(scale * of_real));
        matrix.weights.push_back(static_cast<float>(scale * of_imaginary));
      }
    }
  }
  return matrix;
}

LineMatrix RealTransform(int64_t size, int64_t given) {
  LineMatrix matrix{given, 2 * (size / 2 + 1), {}};
  for (int64_t k = 0; k <= size / 2; ++k) {
    for (const bool imaginary : {false, true}) {
      for (int64_t j = 0; j < given; ++j) {
        const auto [c, s] = TwiddlePoint(j * k, size);
        matrix.weights.push_back(static_cast<float>(imaginary ? -s : c));
      }
    }
  }
  return matrix;
}

LineMatrix InverseRealTransform(int64_t size, int64_t given) {
  LineMatrix matrix{2 * given, size, {}};
  for (int64_t j = 0; j < size; ++j) {
    for (int64_t k = 0; k < given; ++k) {
      const auto [c, s] = TwiddlePoint(j * k, size);
      // other numbers also stand for their conjugates
      const bool is_alone = k == 0 || 2 * k == size;
      const double scale = (is_alone ? 1.0 : 2.0) / static_cast<double>(size);
      matrix.weights.push_back(static_cast<float>(scale * c));
      matrix.weights.push_back(static_cast<float>(scale * -s));
    }
  }
  return matrix;
}

namespace {

enum class FourierKind { kForward, kInverse, kReal, kInverseReal };

constexpr bool ReadsComplex(FourierKind kind) { return kind != FourierKind::kReal; }
constexpr bool WritesComplex(FourierKind kind) { return kind != FourierKind::kInverseReal; }

// Axes in the order of the node, with the size of each transform. The last axis is the one that
// converts real numbers to complex ones or back.
struct FourierSpec {
  std::vector<size_t> axes;
  Dims sizes;
};

// Dims of the numbers, without the axis of real and imaginary part.
Dims NumberDims(const Dims& dims, bool is_complex) {
  return Dims(dims.begin(), dims.end() - is_complex);
}

std::optional<FourierSpec> ReadAxes(InferScope& scope, int64_t rank) {
  const std::optional<Dims> axes = ControlInts(scope, 1, "axes");
  if (!axes) return std::nullopt;
  FourierSpec spec;
  for (const int64_t axis : *axes) {
    const std::optional<int64_t> normal = scope.NormalAxis(axis, rank);
    if (!normal) continue;
    if (std::ranges::count(spec.axes, static_cast<size_t>(*normal)) != 0) {
      scope.Fault("axis {} is listed twice; must be listed once", axis);
    }
    spec.axes.push_back(static_cast<size_t>(*normal));
  }
  if (axes->empty()) scope.Fault("lists no axis; must list at least one");
  return scope.failed() ? std::nullopt : std::optional(spec);
}

// Transform size along an axis of `extent` whose signal_size is -1 or absent.
int64_t FullSize(FourierKind kind, bool is_last, int64_t extent) {
  return kind == FourierKind::kInverseReal && is_last ? 2 * (extent - 1) : extent;
}

void ReadSizes(InferScope& scope, FourierKind kind, const Dims& dims, FourierSpec& spec) {
  const auto count = static_cast<int64_t>(spec.axes.size());
  spec.sizes.assign(spec.axes.size(), -1);
  if (scope.has_input(2)) {
    const std::optional<Dims> sizes = ControlInts(scope, 2, "signal size", count);
    if (!sizes) return;
    spec.sizes = *sizes;
  }
  for (size_t i = 0; i < spec.axes.size(); ++i) {
    const bool is_last = i + 1 == spec.axes.size();
    int64_t& size = spec.sizes[i];
    if (size == -1) size = FullSize(kind, is_last, dims[spec.axes[i]]);
    if (size >= 1) continue;
    scope.Fault("transforms {} numbers along axis {}; must be at least 1", size, spec.axes[i]);
  }
}

std::optional<FourierSpec> ReadFourierSpec(InferScope& scope, FourierKind kind) {
  constexpr size_t kSignal[] = {0};
  CheckElements(scope, kSignal, {ElementType::f32});
  const bool is_complex = ReadsComplex(kind);
  const Dims& dims = scope.input_dims(0);
  if (is_complex && (dims.empty() || dims.back() != 2)) {
    scope.Fault("data is {}; the last axis must have extent 2 (real and imaginary part)",
                ToString(scope.input_type(0)));
    return std::nullopt;
  }
  std::optional<FourierSpec> spec = ReadAxes(scope, scope.rank(0) - is_complex);
  if (spec) ReadSizes(scope, kind, dims, *spec);
  return scope.failed() ? std::nullopt : spec;
}

// The transform along one of the node's axes.
FourierOp OpAlong(FourierKind kind, bool is_last) {
  if (is_last && kind == FourierKind::kReal) return FourierOp::kForwardReal;
  if (is_last && kind == FourierKind::kInverseReal) return FourierOp::kInverseReal;
  const bool is_inverse = kind == FourierKind::kInverse || kind == FourierKind::kInverseReal;
  return is_inverse ? FourierOp::kInverse : FourierOp::kForward;
}

template <FourierKind kind>
void InferFourier(InferScope& scope) {
  const std::optional<FourierSpec> spec = ReadFourierSpec(scope, kind);
  if (!spec) return;
  Dims dims = NumberDims(scope.input_dims(0), ReadsComplex(kind));
  for (size_t i = 0; i < spec->axes.size(); ++i) {
    int64_t& extent = dims[spec->axes[i]];
    const bool is_real = kind == FourierKind::kReal && i + 1 == spec->axes.size();
    const int64_t size = spec->sizes[i];
    CheckTransform(scope, OpAlong(kind, i + 1 == spec->axes.size()), size, extent);
    extent = is_real ? size / 2 + 1 : size;
  }
  if (WritesComplex(kind)) dims.push_back(2);
  scope.SetOutput(0, ElementType::f32, std::move(dims));
}

// The order in which axes are transformed: the axis with real input or output is transformed while
// its data is real, i.e. first or last.
std::vector<size_t> FourierOrder(FourierKind kind, size_t count) {
  std::vector<size_t> order;
  for (size_t i = 0; i + 1 < count; ++i) order.push_back(i);
  order.insert(kind == FourierKind::kReal ? order.begin() : order.end(), count - 1);
  return order;
}

FourierSpec SpecOf(const LowerScope& scope, FourierKind kind) {
  const bool is_complex = ReadsComplex(kind);
  const Dims axes = scope.Ints(1).value();
  FourierSpec spec;
  for (const int64_t axis : axes)
    spec.axes.push_back(WrappedAxis(axis, scope.rank(0) - is_complex));
  spec.sizes = scope.has_input(2) ? scope.Ints(2).value() : Dims(axes.size(), -1);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t extent = scope.input_dims(0)[spec.axes[i]];
    if (spec.sizes[i] == -1) spec.sizes[i] = FullSize(kind, i + 1 == axes.size(), extent);
  }
  return spec;
}

template <FourierKind kind>
void LowerFourier(LowerScope& scope) {
  const FourierSpec spec = SpecOf(scope, kind);
  const program::ValueId y = scope.NewOutput(0);
  if (ElementCount(scope.input_dims(0)) == 0) return scope.builder.Fill(y);
  NumberTensor x{scope.input(0), NumberDims(scope.input_dims(0), ReadsComplex(kind)),
                 ReadsComplex(kind) ? 2 : 1};
  const std::vector<size_t> order = FourierOrder(kind, spec.axes.size());
  for (const size_t i : order) {
    const size_t axis = spec.axes[i];
    const bool is_last = i + 1 == spec.axes.size();
    const int64_t parts = is_last && kind == FourierKind::kInverseReal ? 1 : 2;
    LineTransform transform;
    transform.op = OpAlong(kind, is_last);
    transform.size = spec.sizes[i];
    transform.given = x.dims[axis];
    const auto emit = [&](int64_t rows, int64_t row_stride, program::ValueId from,
                          program::ValueId to) {
      EmitTransform(scope.builder, transform, rows, row_stride, from, to);
    };
    x = EmitAlong(scope.builder, x, axis, OutputsOf(transform), parts, emit,
                  i == order.back() ? y : program::kNone);
  }
}

template <FourierKind kind>
void FourierAxes(AxisScope& scope) {
  std::vector<bool> mixed(scope.in(0).size());
  const int64_t rank = scope.rank(0) - ReadsComplex(kind);
  if (ReadsComplex(kind)) mixed.back() = true;
  for (const int64_t axis : scope.Ints(1).value_or(Dims{})) mixed[WrappedAxis(axis, rank)] = true;
  scope.Same(0, 0, mixed);
  scope.relation.summed = mixed;
  scope.relation.reason = "transforms time";
}

template <FourierKind kind>
constexpr Operation FourierRow(std::string_view name, int opset) {
  return {name, opset, 2, 3, InferFourier<kind>, LowerFourier<kind>, ShapedBy(FourierAxes<kind>)};
}

constexpr Operation kFourierRows[] = {
    FourierRow<FourierKind::kForward>("DFT", 7),
    FourierRow<FourierKind::kInverse>("IDFT", 7),
    FourierRow<FourierKind::kReal>("RDFT", 9),
    FourierRow<FourierKind::kInverseReal>("IRDFT", 9),
};

}  // namespace

std::span<const Operation> FourierOperations() { return kFourierRows; }

}  // namespace weft::ops
