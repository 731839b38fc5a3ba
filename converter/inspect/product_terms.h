// SPDX-License-Identifier: Apache-2.0
// Parts of the terms of products, convolutions and windows (terms.h).
#ifndef WEFT_CONVERTER_INSPECT_PRODUCT_TERMS_H_
#define WEFT_CONVERTER_INSPECT_PRODUCT_TERMS_H_

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "converter/inspect/term_names.h"
#include "converter/inspect/terms.h"
#include "kernels/matrix/rectangles.h"

namespace weft::inspect {

constexpr uint32_t kPanel = 16;

inline double Panels(uint32_t outputs) { return (uint64_t{outputs} + kPanel - 1) / kPanel; }

kernels::WindowAxis Down(const auto& p) {
  return {p.in_height(), p.out_height(), p.kernel_height(),
          p.stride_y(),  p.dilation_y(), p.pad_top()};
}
kernels::WindowAxis Across(const auto& p) {
  return {p.in_width(), p.out_width(),  p.kernel_width(),
          p.stride_x(), p.dilation_x(), p.pad_left()};
}
inline kernels::MapStrides StridesOf(const format::MapStrides& map) {
  return {map.image(), map.row(), map.pixel(), map.channel()};
}

// Returns true if the step has results. Without them, its numbers of pixels have no limit.
template <typename Params>
bool HasResults(const Params& p) {
  if constexpr (requires { p.out_channels(); }) {
    return p.batch() != 0 && p.groups() != 0 && p.out_channels() != 0;
  } else {
    return p.batch() != 0 && p.channels() != 0;
  }
}

// Calls with(rectangle) for each rectangle of a window that has results.
template <typename Params, typename With>
void ForRectangles(const Params& p, const With& with) {
  if (!HasResults(p)) return;
  const kernels::WindowAxis down = Down(p), across = Across(p);
  kernels::Rectangles rectangles(down, across);
  while (const kernels::Rectangle* at = rectangles.Next()) with(*at);
}

// Terms of the loop over the rectangles of a window, which runs `times` times. Divisions by strides
// and dilations other than 1 need more instructions.
template <typename Params>
void AddRectangles(Terms& terms, const Params& p, double times) {
  terms.Add("windows", times);
  terms.Add("windows with stride", times * ((p.stride_y() != 1) + (p.stride_x() != 1)));
  ForRectangles(p, [&](const kernels::Rectangle& at) {
    terms.Add("rectangles", times);
    terms.Add("rectangles with taps", times * (at.ky.count() != 0 && at.kx.count() != 0));
    terms.Add("dilated rectangles", times * (p.dilation_x() != 1));
    terms.Add("padded rectangles", times * (at.kx.first != 0));
    if (at.columns.first != 0) return;
    terms.Add("rows of rectangles", times);
    terms.Add("dilated rows of rectangles", times * (p.dilation_y() != 1));
    terms.Add("padded rows of rectangles", times * (at.ky.first != 0));
  });
}

inline bool IsRelu(const format::Activation& activation) { return TermName(activation) == "relu"; }
inline bool IsPlain(const format::Activation& activation) {
  return TermName(activation) == "identity";
}

// Terms of `spans` calls of an activation with `length` results each (ActivateSpan of
// kernels/elementwise/activation-inl.h). All kinds of steps share their numbers. Helium computes
// four results at a time and the others one by one.
inline void AddSpans(Terms& terms, const format::Activation& activation, double spans,
                     double length) {
  if (IsPlain(activation)) return;
  const std::string name = TermName(activation) + ": ";
  terms.Add(name + "spans", spans);
  if (terms.kernels == KernelSet::kDsp) return terms.Add(name + "results", spans * length);
  const auto results = static_cast<uint64_t>(length);
  terms.Add(name + "spans with fours", spans * (results >= 4));
  terms.Add(name + "fours", spans * (results / 4));
  terms.Add(name + "spans with rest", spans * (results % 4 != 0));
  terms.Add(name + "rest", spans * (results % 4));
}

// The same for calls in the loop of a product, which needs more instructions for each call.
inline void AddActivations(Terms& terms, const format::Activation& activation, double spans,
                           double length) {
  if (!IsPlain(activation)) terms.Add("activations", spans);
  AddSpans(terms, activation, spans, length);
}

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_PRODUCT_TERMS_H_
