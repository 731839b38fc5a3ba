// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/cost.h"

#include <algorithm>
#include <cstdint>

#include "converter/inspect/sections.h"

namespace weft::inspect {
namespace {

// Names used by the columns multiply_adds and moved_bytes of ops.inc.
constexpr format::ReduceOp kL2 = format::ReduceOp::l2;
constexpr format::NormalizeOp kCentre = format::NormalizeOp::centre;

template <typename... Numbers>
double Product(Numbers... numbers) {
  return (1.0 * ... * numbers);
}

// Product of the first `rank` dims.
template <uint16_t N>
double Extent(const flatbuffers::Array<uint32_t, N>* dims, uint32_t rank) {
  double product = 1;
  for (uint16_t i = 0; i < rank; ++i) product *= dims->Get(i);
  return product;
}

// Products of a window along one axis: the number of pairs of a position and a tap inside the
// input.
double TapsInside(int64_t in, int64_t out, int64_t taps, int64_t stride, int64_t dilation,
                  int64_t pad) {
  double pairs = 0;
  for (int64_t tap = 0; tap < taps; ++tap) {
    // Positions p with 0 <= p * stride + tap * dilation - pad < in.
    const int64_t shift = tap * dilation - pad;
    const int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    const int64_t end = in > shift ? (in - shift + stride - 1) / stride : 0;
    pairs += static_cast<double>(std::max<int64_t>(0, std::min(end, out) - first));
  }
  return pairs;
}

// Products of conv and depthwise, per channel.
template <typename Params>
double Taps(const Params& p) {
  return TapsInside(p.in_height(), p.out_height(), p.kernel_height(), p.stride_y(), p.dilation_y(),
                    p.pad_top()) *
         TapsInside(p.in_width(), p.out_width(), p.kernel_width(), p.stride_x(), p.dilation_x(),
                    p.pad_left());
}

// Real products in the transform of one line: of the sums of each odd factor, between the passes,
// of splitting a real line, and of its window.
double FourierProducts(const format::FourierParams& p) {
  const bool is_real = p.op() >= format::FourierOp::forward_real;
  const bool in_pairs = is_real && p.size() % 2 == 0;
  const double points = in_pairs ? p.size() / 2 : p.size();
  double products = (in_pairs ? 2.0 * points : 0.0) + (p.has_window() != 0 ? p.size() : 0.0);
  double rest = points;
  for (const uint8_t factor : *p.factors()) {
    if (factor == 0) break;
    rest /= factor;
    const double others = factor - 1;
    products += points / factor * (factor % 2 != 0 ? others * others : 0.0);
    products += rest > 1 ? points / factor * others * 4 : 0.0;
  }
  return products;
}

// Real products in the transform of one line: of the twiddle factors of each pass, and of joining
// or splitting the pairs.
double FixedFourierProducts(const format::FixedFourierParams& p) {
  const double points = p.size() / 2;
  double products = 2 * points;
  for (double done = 1; done < points; done *= 2) products += points * 3 / 2;
  return products;
}

}  // namespace

#define WEFT_STEP(name, Name, operands, multiply_adds, ...) \
  double MultiplyAdds([[maybe_unused]] const format::Name##Params& p) { return multiply_adds; }
#include "runtime/format/ops.inc"
#undef WEFT_STEP

double MultiplyAdds(const format::Model& model, const format::Step& step) {
  double count = 0;
  VisitParams(model, step, [&](const auto& params) { count = MultiplyAdds(params); });
  return count;
}

double MovedBytes(const format::Model& model, const format::Step& step) {
  [[maybe_unused]] const auto has = [&](uint32_t operand) {
    return format::RowsOf(model.operands())[step.first_operand() + operand] != format::kNoSlot;
  };
  switch (static_cast<format::Kind>(step.kind())) {
#define WEFT_STEP(name, Name, operands, multiply_adds, moved_bytes, ...)               \
  case format::Kind::name: {                                                           \
    [[maybe_unused]] const format::Name##Params& p = *model.name()->Get(step.param()); \
    return moved_bytes;                                                                \
  }
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return 0;
}

}  // namespace weft::inspect
