// SPDX-License-Identifier: Apache-2.0
// Terms of products, convolutions, pools and recurrent cells. Kernels compute panels of sixteen
// outputs, for up to four rows at a time; what remains is a separate term.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "converter/inspect/term_names.h"
#include "converter/inspect/terms.h"
#include "kernels/matrix/rectangles.h"

namespace weft::inspect {
namespace {

constexpr double kPanel = 16;

double Panels(uint32_t outputs) { return (outputs + 15) / 16; }

// How the kernel reads weights, which decides what else its loops depend on.
enum class Weights { kPacked, kIntegers, kAnyStride };

// Terms of `rows` rows, each of `outputs` sums over `lines` runs of `inputs` numbers, `times`
// times.
void AddRows(Terms& terms, Weights weights, double times, uint32_t rows, double lines,
             uint32_t inputs, uint32_t outputs) {
  const double panels = Panels(outputs), full = outputs / 16, rest = outputs % 16;
  const double partial = rest != 0;
  const double ragged = outputs % 4 != 0;  // vectors of four store the others
  const std::array<std::pair<const char*, double>, 4> groups = {{{"fours", rows / 4},
                                                                 {"threes", rows % 4 == 3},
                                                                 {"pairs", rows % 4 == 2},
                                                                 {"singles", rows % 4 == 1}}};
  for (const auto& [name, count] : groups) {
    const auto add = [&](const char* what, double amount) {
      terms.Add(std::string(name) + what, times * count * amount);
    };
    add("", 1);
    add(" panels", panels);
    add(" full panels", full);
    add(" partial panels", partial);
    add(" rest of outputs", rest);
    add(" lines", panels * lines);
    if (weights == Weights::kIntegers) {
      const double blocks = lines * ((inputs + 15) / 16);
      add(" blocks", panels * blocks);
      add(" ragged panels", ragged);
      add(" blocks of ragged panels", ragged * blocks);
      add(" ragged rest of outputs", ragged * rest);
      continue;
    }
    add(" lines with 1 more", panels * lines * (inputs % 4 == 1));
    add(" lines with 2 more", panels * lines * (inputs % 4 == 2));
    add(" lines with 3 more", panels * lines * (inputs % 4 == 3));
    add(" fours of inputs", panels * lines * ((inputs + 3) / 4));
    add(" products", panels * lines * inputs);
    if (weights == Weights::kPacked) continue;
    add(" products of partial panels", partial * lines * inputs);
    add(" products of the rest", rest * lines * inputs);
  }
}

// Terms of an activation, which the kernels apply to finished rows.
void AddActivation(Terms& terms, const format::Activation& activation, double rows,
                   uint32_t outputs) {
  const std::string name = TermName(activation);
  if (name == "identity") return;
  if (name != "relu" && name != "clamp") terms.variant += " function";
  terms.Add("rows of " + name, rows);
  terms.Add("panels of " + name, rows * Panels(outputs));
  terms.Add("outputs of " + name, rows * outputs);
}

template <typename Params>
void AddDense(const Params& p, Weights weights, Terms& terms) {
  AddActivation(terms, p.activation(), p.rows(), p.outputs());
  terms.Add("steps", 1);
  terms.Add("panels", Panels(p.outputs()));
  terms.Add("rows", p.rows());
  terms.Add("inputs", 1.0 * p.rows() * p.inputs());
  terms.Add("input blocks", 1.0 * p.rows() * ((p.inputs() + 15) / 16));
  AddRows(terms, weights, 1, p.rows(), 1, p.inputs(), p.outputs());
}

kernels::WindowAxis Down(const auto& p) {
  return {p.in_height(), p.out_height(), p.kernel_height(),
          p.stride_y(),  p.dilation_y(), p.pad_top()};
}
kernels::WindowAxis Across(const auto& p) {
  return {p.in_width(), p.out_width(),  p.kernel_width(),
          p.stride_x(), p.dilation_x(), p.pad_left()};
}

std::string LayoutOf(const auto& p) {
  return fmt::format("{}{}{}", p.x().channel() == 1 ? "last" : "first",
                     p.y().channel() == 1 ? "" : " scattered",
                     p.out_height() == 1 && p.kernel_height() == 1 ? " 1d" : "");
}

// Terms of the rectangles of a convolution of floats.
template <typename Params>
void AddConv(const Params& p, Terms& terms) {
  const kernels::WindowAxis down = Down(p), across = Across(p);
  const double times = 1.0 * p.batch() * p.groups();
  const bool joins = p.in_channels() == 1 || (p.x().channel() == 1 && p.dilation_x() == 1 &&
                                              p.x().pixel() == p.in_channels());
  terms.Add("steps", 1);
  AddActivation(terms, p.activation(), times * p.out_height() * p.out_width(), p.out_channels());
  terms.Add("images", times);
  terms.Add("images and panels", times * Panels(p.out_channels()));
  kernels::Rectangles rectangles(down, across);
  while (const kernels::Rectangle* at = rectangles.Next()) {
    const uint32_t pixels = at->rows.count() * at->columns.count();
    const uint32_t columns = at->kx.count();
    const double lines = joins ? at->ky.count() : 1.0 * at->ky.count() * columns;
    terms.Add("rectangles", times);
    terms.Add("rectangles and panels", times * Panels(p.out_channels()));
    AddRows(terms, Weights::kPacked, times, pixels, lines,
            joins ? columns * p.in_channels() : p.in_channels(), p.out_channels());
  }
}

// Terms of a convolution that copies each patch into a row, with its padding.
template <typename Params>
void AddPatches(const Params& p, Terms& terms) {
  const double times = 1.0 * p.batch() * p.groups();
  const uint32_t pixels = p.out_height() * p.out_width();
  const uint32_t inputs = p.kernel_height() * p.kernel_width() * p.in_channels();
  terms.Add("steps", 1);
  AddActivation(terms, p.activation(), times * p.out_height() * p.out_width(), p.out_channels());
  terms.Add("images", times);
  terms.Add("images and panels", times * Panels(p.out_channels()));
  terms.Add("lines of patches", times * pixels * p.kernel_height());
  terms.Add("taps of patches", times * pixels * p.kernel_height() * p.kernel_width());
  terms.Add("patches", times * pixels * inputs);
  AddRows(terms, Weights::kIntegers, times, pixels, 1, inputs, p.out_channels());
}

// Terms of a window over each channel.
template <typename Params>
void AddWindows(const Params& p, Terms& terms) {
  const kernels::WindowAxis down = Down(p), across = Across(p);
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
  kernels::Rectangles rectangles(down, across);
  while (const kernels::Rectangle* at = rectangles.Next()) {
    const double pixels = 1.0 * at->rows.count() * at->columns.count();
    const double lines = pixels * at->ky.count();
    const bool has_all_taps =
        at->ky.count() == p.kernel_height() && at->kx.count() == p.kernel_width();
    const std::string where = has_all_taps ? "" : "edge ";
    for (const auto& [name, count] : lanes) {
      const double n = p.batch() * count;
      terms.Add(where + "rectangles" + name, n);
      terms.Add(where + "rows" + name, n * at->rows.count());
      terms.Add(where + "pixels" + name, n * pixels);
      terms.Add(where + "lines" + name, n * lines);
      terms.Add(where + "taps" + name, n * lines * at->kx.count());
      terms.Add(where + "odd pixels" + name, n * at->rows.count() * (at->columns.count() % 4));
    }
  }
}

template <typename Params>
void AddDepthwise(const Params& p, Terms& terms) {
  AddWindows(p, terms);
  AddActivation(terms, p.activation(), 1.0 * p.batch() * p.out_height() * p.out_width(),
                p.channels());
}

std::string WindowVariant(const auto& p) {
  return fmt::format("{}{} {}x{}{}{}", LayoutOf(p), p.channels() % 4 == 0 ? " fours" : "",
                     std::min(p.kernel_height(), 6u), std::min(p.kernel_width(), 6u),
                     p.stride_x() == 1 ? "" : " strided", p.dilation_x() == 1 ? "" : " dilated");
}

template <typename Params>
void AddCell(const Params& p, Terms& terms) {
  const double columns = 1.0 * p.inputs() + p.hidden();
  const double units = p.hidden() / 16, rest = p.hidden() % 16;
  terms.variant = TermName(p.weights()) + (p.inputs() == 0 ? " without x" : "");
  terms.Add("steps", 1);
  terms.Add("units", units);
  terms.Add("rest", rest);
  terms.Add("rests", rest != 0);
  terms.Add("products of units", units * columns);
  terms.Add("products of the rest", rest * columns);
  terms.Add("products of rests", (rest != 0) * columns);
  terms.Add("odd units", units * (p.inputs() % 2 + p.hidden() % 2));
  const double fours = p.hidden() % 16 / 4, singles = p.hidden() % 4;
  terms.Add("fours of the rest", fours);
  terms.Add("singles of the rest", singles);
  terms.Add("partial fours", singles != 0);
  terms.Add("products of fours", fours * columns);
  terms.Add("eights of the rest", p.hidden() % 16 / 8);
  terms.Add("products of eights", p.hidden() % 16 / 8 * columns);
  terms.Add("products of singles", singles * columns);
  terms.Add("products of partial fours", (singles != 0) * columns);
}

}  // namespace

void AddTerms(const format::DenseParams& p, Terms& terms) {
  terms.variant = TermName(p.weights());
  AddDense(p, Weights::kPacked, terms);
}
void AddTerms(const format::DenseI8Params& p, Terms& terms) {
  terms.variant = fmt::format("{}", p.max() <= 127 ? 8 : 16);
  AddDense(p, Weights::kIntegers, terms);
}
void AddTerms(const format::DenseI4Params& p, Terms& terms) {
  terms.variant = fmt::format("{} {}", p.max() <= 127 ? 8 : 16, TermName(p.scales()));
  AddDense(p, Weights::kIntegers, terms);
  const double blocks = (p.inputs() + 15) / 16;
  const double groups =
      p.group_blocks() == 0 ? 1 : (blocks + p.group_blocks() - 1) / p.group_blocks();
  terms.Add("groups", Panels(p.outputs()) * groups);
  terms.Add("rows and groups", p.rows() * Panels(p.outputs()) * groups);
}
void AddTerms(const format::DenseQ8Params& p, Terms& terms) {
  // Helium stores panels of 4, 8 and 12 outputs as it stores full ones.
  const uint32_t outputs = p.outputs();
  const char* rest = outputs % 16 == 0  ? " full"
                     : outputs % 8 == 0 ? " eights"
                     : outputs % 4 == 0 ? " fours"
                                        : "";
  terms.variant = TermName(p.codes()) + rest;
  AddDense(p, Weights::kIntegers, terms);
}
void AddTerms(const format::ConvParams& p, Terms& terms) {
  terms.variant = fmt::format("{} {}", TermName(p.weights()), LayoutOf(p));
  AddConv(p, terms);
}
void AddTerms(const format::ConvI8Params& p, Terms& terms) {
  terms.variant = fmt::format("{} {}", p.max() <= 127 ? 8 : 16, LayoutOf(p));
  AddPatches(p, terms);
  terms.Add("inputs",
            1.0 * p.batch() * p.groups() * p.in_height() * p.in_width() * p.in_channels());
}
void AddTerms(const format::ConvQ8Params& p, Terms& terms) {
  const bool is_direct = p.kernel_height() == 1 && p.kernel_width() == 1;
  terms.variant =
      fmt::format("{} {}{}", TermName(p.codes()), LayoutOf(p), is_direct ? " direct" : "");
  AddPatches(p, terms);
}
void AddTerms(const format::DepthwiseParams& p, Terms& terms) {
  terms.variant = fmt::format("{} {}{}", TermName(p.weights()), WindowVariant(p),
                              p.multiplier() == 1 ? "" : " multiplied");
  AddDepthwise(p, terms);
}
void AddTerms(const format::DepthwiseI8Params& p, Terms& terms) {
  terms.variant = fmt::format("{}{}", WindowVariant(p), p.multiplier() == 1 ? "" : " multiplied");
  AddDepthwise(p, terms);
  terms.Add("weights", kPanel * Panels(p.channels()) * p.kernel_height() * p.kernel_width());
}
void AddTerms(const format::DepthwiseQ8Params& p, Terms& terms) {
  terms.variant = fmt::format("{} {}{}", TermName(p.codes()), WindowVariant(p),
                              p.multiplier() == 1 ? "" : " multiplied");
  AddDepthwise(p, terms);
}
void AddTerms(const format::PoolParams& p, Terms& terms) {
  terms.variant = fmt::format("{} {}", format::EnumNamePoolOp(p.op()), LayoutOf(p));
  AddWindows(p, terms);
}
void AddTerms(const format::PoolQ8Params& p, Terms& terms) {
  terms.variant =
      fmt::format("{} {} {}", format::EnumNamePoolOp(p.op()), TermName(p.codes()), LayoutOf(p));
  AddWindows(p, terms);
}
void AddTerms(const format::MatmulParams& p, Terms& terms) {
  double batch = 1;
  for (uint16_t i = 0; i < p.batch_rank(); ++i) batch *= p.batch_dims()->Get(i);
  terms.variant =
      fmt::format("{} {}{}{}{}", TermName(p.type()), p.a_inner_stride() == 1 ? "rows" : "",
                  p.b_column_stride() == 1 ? " columns" : "",
                  p.b_inner_stride() == 1 ? " inner" : "", p.columns() < kPanel ? " narrow" : "");
  terms.Add("steps", 1);
  terms.Add("batch", batch);
  terms.Add("batch and panels", batch * Panels(p.columns()));
  terms.Add("weights", batch * p.inner() * p.columns());
  terms.Add("padded weights", batch * p.inner() * Panels(p.columns()) * kPanel);
  AddRows(terms, Weights::kAnyStride, batch, p.rows(), 1, p.inner(), p.columns());
}
void AddTerms(const format::LstmCellParams& p, Terms& terms) { AddCell(p, terms); }
void AddTerms(const format::GruCellParams& p, Terms& terms) { AddCell(p, terms); }
void AddTerms(const format::GruResetCellParams& p, Terms& terms) { AddCell(p, terms); }
void AddTerms(const format::LstmQ8Params& p, Terms& terms) {
  terms.variant = fmt::format("{} {} {}{}{}", format::EnumNameRounding(p.rounding()),
                              TermName(p.type()), p.coupled(), p.peepholes(), p.norm());
  const double panels = Panels(p.cells()), rows = p.rows();
  terms.Add("steps", 1);
  terms.Add("rows", rows);
  terms.Add("rows and panels", rows * panels);
  terms.Add("cells", rows * p.cells());
  terms.Add("outputs", rows * p.outputs());
  terms.Add("blocks", rows * panels * ((p.inputs() + 15) / 16 + (p.outputs() + 15) / 16));
  terms.Add("products", rows * panels * (1.0 * p.inputs() + p.outputs()));
  terms.Add("output panels", rows * Panels(p.outputs()));
  terms.Add("projected", rows * Panels(p.outputs()) * ((p.cells() + 15) / 16));
}
void AddTerms(const format::SvdfQ8Params& p, Terms& terms) {
  const double filters = 1.0 * p.units() * p.rank(), rows = p.rows();
  terms.variant = TermName(p.state()) + " " + TermName(p.codes());
  terms.Add("steps", 1);
  terms.Add("rows", rows);
  terms.Add("units", rows * p.units());
  terms.Add("filters", rows * filters);
  terms.Add("panels", rows * Panels(p.units() * p.rank()));
  terms.Add("blocks", rows * Panels(p.units() * p.rank()) * ((p.inputs() + 15) / 16));
  terms.Add("products", rows * Panels(p.units() * p.rank()) * p.inputs());
  terms.Add("memory", rows * filters * p.memory());
}

}  // namespace weft::inspect
