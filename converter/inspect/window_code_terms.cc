// SPDX-License-Identifier: Apache-2.0
// Terms of depthwise convolutions of quantised values.
#include <algorithm>
#include <string>

#include "converter/inspect/product_terms.h"

namespace weft::inspect {
namespace {

// Channels of a block with the DSP extension, and the maximum number of taps.
constexpr uint32_t kGroup = 4, kMaxGroupTaps = 16;

bool IsFloat(const format::CodeRange& codes) { return TermName(codes) == "f32"; }
bool AreIntegers(const format::CodeRange& codes) { return TermName(codes) == "integer_codes"; }

// Requantises or converts `spans` runs of `count` sums.
void AddSums(const format::DepthwiseQ8Params& p, Terms& terms, double spans, uint32_t count) {
  const bool has_first = terms.Has(3), has_start = terms.Has(4);
  const bool by_integers = AreIntegers(p.codes());
  if (has_first && !by_integers) terms.Add("outputs with first", spans * count);
  if (has_start && !by_integers) terms.Add("outputs with start", spans * count);
  if (terms.kernels == KernelSet::kHelium && !IsFloat(p.codes())) {
    terms.Add("spans", spans);
    return terms.Add("vectors of spans", spans * ((count + 3) / 4));
  }
  // With the DSP extension, floats are written eight at a time, codes four.
  const uint32_t step = terms.kernels == KernelSet::kDsp && IsFloat(p.codes()) ? 8 : 4;
  const uint32_t whole = has_first && !by_integers ? 0 : count / step * step;
  const bool is_limited = p.codes().low() != -128 || p.codes().high() != 127;
  if (is_limited && !IsFloat(p.codes())) terms.Add("limited fours", spans * (whole / step));
  terms.Add("spans", spans);
  terms.Add("groups of spans", spans * (whole / step));
  terms.Add("rests of spans", spans * (count - whole));
  terms.Add("spans with a rest", spans * (count != whole));
}

// One pixel at a time: taps inside and outside the input, a panel of channels at a time.
void AddPixels(const format::DepthwiseQ8Params& p, const kernels::Rectangle& at, Terms& terms) {
  const double pixels = 1.0 * p.batch() * at.rows.count() * at.columns.count();
  const uint32_t height = p.kernel_height(), width = p.kernel_width();
  uint32_t ky = at.ky.count(), kx = at.kx.count();
  if (ky == 0 || kx == 0) ky = kx = 0;
  const bool is_contiguous = p.multiplier() == 1 && p.x().channel() == 1;
  // Regions of taps and their rows: inside, above, below, left and right of the input.
  double regions = 0, rows = 0, taps = 0;
  const auto add = [&](double high, double wide) {
    if (high == 0 || wide == 0) return;
    regions += 1, rows += high, taps += high * wide;
  };
  const double gathered = is_contiguous ? 0 : 1.0 * ky * kx;
  if (ky == 0) {
    add(height, width);
  } else {
    if (is_contiguous) {
      add(ky, kx);
    } else {
      regions = rows = taps = gathered;
    }
    add(at.ky.first, width);
    add(ky, at.kx.first);
    add(ky, width - at.kx.end);
    add(height - at.ky.end, width);
  }
  terms.Add("pixels", pixels);
  for (uint32_t channel = 0; channel < p.channels(); channel += kPanel) {
    const uint32_t count = std::min(p.channels() - channel, kPanel);
    terms.Add("panels of pixels", pixels);
    terms.Add("regions", pixels * regions);
    terms.Add("gathered taps", pixels * gathered);
    terms.Add("gathered numbers", pixels * gathered * count);
    const auto vectors = [&](const std::string& name, double amount) {
      terms.Add(name, pixels * regions * amount);
      terms.Add("rows of " + name, pixels * rows * amount);
      terms.Add("taps of " + name, pixels * taps * amount);
    };
    vectors("fours", count / 4);
    vectors("singles", count % 4);
    terms.Add("panels at edges", ky == height && kx == width ? 0 : pixels);
    AddSums(p, terms, pixels, count);
    if (IsFloat(p.codes())) AddActivations(terms, p.activation(), pixels, count);
  }
}

// Groups of four channels of all pixels of a rectangle, whose taps form pairs.
void AddGroups(const format::DepthwiseQ8Params& p, const kernels::Rectangle& at, Terms& terms) {
  const uint32_t rows = at.rows.count(), columns = at.columns.count();
  const double groups = 1.0 * p.batch() * ((p.channels() + kGroup - 1) / kGroup);
  const double pixels = groups * rows * columns;
  const uint32_t all = p.kernel_height() * p.kernel_width();
  const uint32_t inside = at.ky.count() * at.kx.count(), pairs = (inside + 1) / 2;
  terms.Add("rows of window", 1.0 * p.batch() * p.kernel_height());
  terms.Add("taps inside", 1.0 * p.batch() * inside);
  terms.Add("groups", groups);
  terms.Add("pairs of groups", groups * pairs);
  if (p.x_zero() != 0) terms.Add("groups with a zero", groups);
  if (p.x_zero() != 0) terms.Add("taps outside", groups * (all - inside));
  terms.Add("runs of groups", groups * std::min(rows, columns));
  terms.Add("pairs of pixels", pixels * pairs);
  terms.Add("fives of pixels", pixels * ((pairs + 4) / 5));
}

// An axis of the lines of kernels/matrix/depthwise_q8_lines_cortex_m-inl.h.
bool IsLineAxis(const kernels::WindowAxis& axis) {
  return axis.dilation == 1 && axis.stride <= 2 && axis.input != 0 && axis.pad < 3 &&
         uint64_t{axis.output - 1} * axis.stride < uint64_t{axis.input} + axis.pad;
}

// Four channels at a time of all pixels of an image with a window of 3 x 3.
void AddLines(const format::DepthwiseQ8Params& p, Terms& terms) {
  const bool are_rows = p.out_width() >= p.out_height();
  const kernels::WindowAxis down = are_rows ? Down(p) : Across(p);
  const kernels::WindowAxis across = are_rows ? Across(p) : Down(p);
  const double groups = 1.0 * p.batch() * ((p.channels() + kGroup - 1) / kGroup);
  const uint32_t max = across.stride == 1 ? 32 : 16;
  terms.Add("groups of lines", groups);
  double outside = 0;  // rows of taps outside the input, over all lines
  for (uint32_t row = 0; row < down.output; ++row) {
    for (uint32_t tap = 0; tap < 3; ++tap)
      outside += row * down.stride - down.pad + tap >= down.input;
  }
  for (uint32_t first = 0; first < across.output; first += max) {
    const uint32_t count = std::min(max, across.output - first);
    const uint32_t before = first == 0 ? across.pad : 0;
    const uint32_t from = first == 0 ? 0 : first * across.stride - across.pad;
    const uint32_t columns = (count - 1) * across.stride + 3;
    const uint32_t inside = std::min(columns - before, across.input - from);
    terms.Add("padded columns", groups * (columns - inside));
    terms.Add("lines", groups * down.output);
    terms.Add("widened columns", groups * down.output * inside);
    terms.Add("padded rows", groups * outside);
    terms.Add("columns of padded rows", groups * outside * inside);
    terms.Add("outputs of lines", groups * down.output * count);
  }
}

// Blocks of 16 or 8 channels of all pixels of a rectangle with Helium.
void AddHeliumBlocks(const format::DepthwiseQ8Params& p, const kernels::Rectangle& at,
                     Terms& terms) {
  uint32_t rows = at.rows.count(), columns = at.columns.count();
  const bool swaps = columns < rows;
  if (swaps) std::swap(rows, columns);
  const uint32_t all = p.kernel_height() * p.kernel_width();
  const bool has_taps = at.ky.count() != 0 && at.kx.count() != 0;
  const uint32_t ky = has_taps ? at.ky.count() : 0, kx = has_taps ? at.kx.count() : 0;
  const uint32_t x_step = swaps ? p.stride_y() * p.x().row() : p.stride_x() * p.x().pixel();
  const uint32_t y_step = swaps ? p.y().row() : p.y().pixel();
  const bool doubles =
      p.channels() == 8 && columns > 1 && has_taps && x_step == 8 && y_step == 8 && all <= 9;
  const bool is_wide = doubles || p.channels() >= 16;
  const uint32_t size = p.channels() >= 16 ? 16 : 8;
  const double blocks = 1.0 * p.batch() * ((p.channels() + size - 1) / size);
  const std::string name = is_wide ? "wide blocks" : "narrow blocks";
  const double runs = blocks * rows * (doubles && columns % 2 != 0 ? 2 : 1);
  const double pixels = blocks * rows * (doubles ? columns / 2 + columns % 2 : columns);
  const bool is_rectified =
      is_wide && AreIntegers(p.codes()) && p.codes().low() >= p.codes().zero();
  terms.Add(name, blocks);
  if (doubles) terms.Add("doubled blocks", blocks);
  if (doubles) terms.Add("doubled taps", blocks * all);
  if (p.x_zero() != 0 && ky * kx != all) {
    terms.Add(name + " with taps outside", blocks);
    terms.Add("rows outside of " + name, blocks * (ky + 1));
    terms.Add("taps outside of " + name, blocks * (all - ky * kx));
  }
  terms.Add("runs of " + name, runs);
  terms.Add((is_rectified ? "rectified pixels of " : "pixels of ") + name, pixels);
  if (is_wide && kx == 3) {
    terms.Add("rows of triples", blocks * ky);
    terms.Add("pixels of triples", pixels);
    terms.Add("triples", pixels * ky);
    return;
  }
  terms.Add("rows of " + name, pixels * ky);
  terms.Add("taps of " + name, pixels * ky * kx);
}

}  // namespace

void AddTerms(const format::DepthwiseQ8Params& p, Terms& terms) {
  terms.variant = TermName(p.codes());
  terms.counts_absent = true;
  terms.Add("steps", 1);
  const bool has_groups =
      p.multiplier() == 1 && p.x().channel() == 1 && p.y().channel() == 1 && !IsFloat(p.codes());
  const bool is_helium = terms.kernels == KernelSet::kHelium;
  const bool has_lines = !is_helium && has_groups && AreIntegers(p.codes()) &&
                         p.kernel_height() == 3 && p.kernel_width() == 3 &&
                         p.channels() >= kGroup && IsLineAxis(Down(p)) && IsLineAxis(Across(p));
  if (has_lines) return AddLines(p, terms);
  const bool is_group =
      is_helium ? p.channels() >= 8
                : p.channels() >= kGroup && p.kernel_height() * p.kernel_width() <= kMaxGroupTaps;
  AddRectangles(terms, p, p.batch());
  ForRectangles(p, [&](const kernels::Rectangle& at) {
    if (!has_groups || !is_group) return AddPixels(p, at, terms);
    is_helium ? AddHeliumBlocks(p, at, terms) : AddGroups(p, at, terms);
  });
}

}  // namespace weft::inspect
