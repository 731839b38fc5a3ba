// SPDX-License-Identifier: Apache-2.0
// Terms of windows over each channel: depthwise convolutions of floats, and pools.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "converter/inspect/product_terms.h"
#include "kernels/matrix/depthwise_i8.h"

namespace weft::inspect {
namespace {

std::string PoolLayoutOf(const auto& p) {
  return fmt::format("{}{}{}", p.x().channel() == 1 ? "last" : "first",
                     p.y().channel() == 1 ? "" : " scattered",
                     p.out_height() == 1 && p.kernel_height() == 1 ? " 1d" : "");
}

// Terms of a window over each channel.
template <typename Params>
void AddWindows(const Params& p, Terms& terms) {
  const double full = p.channels() / 16, rest = p.channels() % 16;
  const double fours = p.channels() % 16 / 4, singles = p.channels() % 4;
  const std::array<std::pair<const char*, double>, 7> lanes = {{{"", 1},
                                                                {" full panels", full},
                                                                {" rest", rest},
                                                                {" fours", fours},
                                                                {" singles", singles},
                                                                {" partial panels", rest != 0},
                                                                {" panels", Panels(p.channels())}}};
  terms.Add("steps", 1);
  ForRectangles(p, [&](const kernels::Rectangle& at) {
    const double pixels = 1.0 * at.rows.count() * at.columns.count();
    const double lines = pixels * at.ky.count();
    const bool has_all_taps =
        at.ky.count() == p.kernel_height() && at.kx.count() == p.kernel_width();
    const std::string where = has_all_taps ? "" : "edge ";
    for (const auto& [name, count] : lanes) {
      const double n = p.batch() * count;
      terms.Add(where + "rectangles" + name, n);
      terms.Add(where + "rows" + name, n * at.rows.count());
      terms.Add(where + "pixels" + name, n * pixels);
      terms.Add(where + "lines" + name, n * lines);
      terms.Add(where + "taps" + name, n * lines * at.kx.count());
      terms.Add(where + "odd pixels" + name, n * at.rows.count() * (at.columns.count() % 4));
    }
  });
}

// Lines of pixels with the same taps, which follow the longer side of a rectangle.
struct TapLines {
  double lines, pixels;  // pixels of all lines
  double rows, columns;  // of taps
  uint32_t length;       // pixels of a line
};
TapLines TapLinesOf(const kernels::Rectangle& at, double times) {
  const uint32_t rows = at.rows.count(), columns = at.columns.count();
  const double lines = times * std::min(rows, columns);
  const bool has_taps = at.ky.count() != 0 && at.kx.count() != 0;
  return {lines, times * rows * columns, has_taps ? 1.0 * at.ky.count() : 0,
          has_taps ? 1.0 * at.kx.count() : 0, std::max(rows, columns)};
}

// The sums of `blocks` equal blocks of channels for each line.
void AddTapSums(Terms& terms, const std::string& name, const TapLines& of, double blocks,
                bool is_relu) {
  const double pixels = of.pixels * blocks;
  terms.Add(name, of.lines * blocks);
  terms.Add("pixels of " + name, pixels);
  terms.Add("rows of " + name, pixels * of.rows);
  terms.Add("taps of " + name, pixels * of.rows * of.columns);
  if (is_relu) terms.Add("relu of " + name, pixels);
}

// Blocks of 16, 8 or 4 contiguous channels. The last one is moved back to end with the last
// channel, except for f16 weights with the DSP extension.
void AddBlocksOfChannels(Terms& terms, const TapLines& of, uint32_t channels, bool is_f16,
                         bool is_relu) {
  const bool is_helium = terms.kernels == KernelSet::kHelium, has_taps = of.rows != 0;
  const auto add = [&](uint32_t size, double blocks) {
    AddTapSums(terms, fmt::format("blocks of {}", size), of, blocks, is_relu);
  };
  terms.Add("lines", of.lines);
  if (has_taps && channels >= 4 && (is_helium || !is_f16)) {
    const uint32_t size = channels >= 16 ? 16 : channels >= 8 ? 8 : 4;
    return add(size, (channels + size - 1) / size);
  }
  if (is_helium) return AddTapSums(terms, "few channels", of, (channels + 3) / 4, is_relu);
  uint32_t left = channels;
  for (uint32_t size = 16; has_taps && size >= 4; size /= 2) {
    if (left / size != 0) add(size, left / size);
    left %= size;
  }
  if (left != 0) terms.Add("pixels one by one", of.pixels);
  AddTapSums(terms, "single channels", of, left, is_relu);
}

// Returns true if the channels are processed together, not one at a time.
template <typename Params>
bool AreTogether(const Params& p, uint32_t channels) {
  const bool in_contiguous = channels == p.multiplier() || p.x().channel() == 1;
  return in_contiguous && (channels == 1 || p.y().channel() == 1) && p.multiplier() == 1;
}
template <typename Params>
std::string OrderOf(const Params& p) {
  return AreTogether(p, p.channels()) ? "" : " strided";
}

// Depthwise of floats for some of the channels of a step.
template <typename Params>
void AddDepthwise(const Params& p, uint32_t channels, bool is_f16, Terms& terms) {
  const bool is_relu = IsRelu(p.activation());
  const bool is_last = AreTogether(p, channels);
  AddRectangles(terms, p, p.batch());
  ForRectangles(p, [&](const kernels::Rectangle& at) {
    const TapLines of = TapLinesOf(at, p.batch());
    if (!is_last) {
      AddTapSums(terms, "strided channels", of, channels, false);
      // Clang unrolls the loop over the taps of a row by four.
      if (terms.kernels == KernelSet::kHelium) {
        terms.Add("odd taps of strided channels",
                  of.pixels * channels * of.rows * std::fmod(of.columns, 4));
      }
      return AddActivations(terms, p.activation(), of.pixels * channels, 1);
    }
    AddBlocksOfChannels(terms, of, channels, is_f16, is_relu);
    if (is_relu) return;
    const uint32_t step = at.rows.count() > at.columns.count() ? p.y().row() : p.y().pixel();
    if ((of.length == 1 ? 0 : step) == channels) {
      AddActivations(terms, p.activation(), of.lines, of.length * channels);
    } else {
      AddActivations(terms, p.activation(), of.pixels, channels);
    }
  });
}

// Weights that are widened before their channels are computed.
void AddWidened(const format::DepthwiseI8Params& p, uint32_t channels, Terms& terms) {
  const double taps = 1.0 * p.kernel_height() * p.kernel_width();
  terms.Add("parts", 1);
  terms.Add("widened taps", taps);
  // Helium widens four weights at a time if there are at least twelve.
  const bool is_helium = terms.kernels == KernelSet::kHelium;
  const uint32_t fours = is_helium && channels >= 12 ? channels / 4 : 0;
  const double rest = taps * (channels - 4 * fours);
  terms.Add("fours of widened weights", taps * fours);
  terms.Add("widened weights", rest);
  if (terms.Has(3)) terms.Add("weights with zero points", rest);
  const uint32_t cleared = kPanel - 1 - (channels + kPanel - 1) % kPanel;
  terms.Add("cleared taps", taps * (cleared != 0));
  terms.Add("cleared weights", taps * cleared);
}

}  // namespace

void AddTerms(const format::DepthwiseParams& p, Terms& terms) {
  terms.variant = TermName(p.weights()) + OrderOf(p);
  terms.counts_absent = true;  // a bias needs no more instructions
  terms.Add("steps", 1);
  AddDepthwise(p, p.channels(), p.weights() != format::ElementType::f32, terms);
}
void AddTerms(const format::DepthwiseI8Params& p, Terms& terms) {
  terms.variant = "all" + OrderOf(p);
  terms.Add("steps", 1);
  const uint32_t at_once =
      kernels::DepthwiseI8WidensAll(p) ? p.channels() : kernels::kDepthwiseI8Channels;
  // As in the kernel: complete input channels, or some outputs of one input channel.
  const uint32_t multiplier = p.multiplier();
  const bool is_one = multiplier > at_once;
  const uint32_t max = is_one ? at_once : at_once / multiplier * multiplier;
  for (uint32_t first = 0, count = 0; first < p.channels(); first += count) {
    const uint32_t left = is_one ? multiplier - first % multiplier : p.channels() - first;
    count = std::min(left, max);
    // The first block of a step widens all of its weights.
    if (!terms.is_continued) AddWidened(p, count, terms);
    AddDepthwise(p, count, false, terms);
  }
}
void AddTerms(const format::PoolParams& p, Terms& terms) {
  terms.variant = fmt::format("{} {}", format::EnumNamePoolOp(p.op()), PoolLayoutOf(p));
  AddWindows(p, terms);
}
void AddTerms(const format::PoolQ8Params& p, Terms& terms) {
  terms.variant =
      fmt::format("{} {} {}", format::EnumNamePoolOp(p.op()), TermName(p.codes()), PoolLayoutOf(p));
  AddWindows(p, terms);
}

}  // namespace weft::inspect
