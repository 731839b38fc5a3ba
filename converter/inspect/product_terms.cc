// SPDX-License-Identifier: Apache-2.0
// Terms of products of floats, of convolutions of floats, and of recurrent cells. Kernels compute
// panels of sixteen outputs. For each panel they multiply several rows at the same time, which form
// a tile, and then the rows that remain (kernels/matrix/product-inl.h).
#include "converter/inspect/product_terms.h"

#include <fmt/format.h>

#include <string>

namespace weft::inspect {
namespace {

// Rows of one product, which have the same runs of inputs.
struct FloatRows {
  double times;
  uint32_t rows, outputs;
  double windows, lines;  // sums of a row: `windows` groups of `lines` runs
  uint32_t count;         // inputs of a run
  bool is_strided, is_scattered, is_relu, has_start;
};

// Rows of a tile of complete height, and the remaining ones.
struct Groups {
  double tiles, pairs, singles;  // pairs of remaining rows, with Helium only
  double tiled, others;          // rows of both kinds
};
Groups GroupsOf(const FloatRows& of, uint32_t height) {
  const double tiles = of.times * (of.rows / height), rest = of.rows % height;
  return {tiles, of.times * (rest == 2), of.times * (rest == 1), tiles * height, of.times * rest};
}

// The sums of rows whose inputs or weights have any strides.
void AddStridedSums(Terms& terms, const FloatRows& of, double rows) {
  const double lines = rows * of.windows * of.lines;
  terms.Add("strided windows", rows * of.windows);
  terms.Add("strided lines", lines);
  terms.Add("strided products", lines * of.count);
  if (terms.kernels == KernelSet::kDsp) terms.Add("strided odd lines", lines * (of.count % 2));
}

// The sums of tiles of two rows (DSP) or three rows (Helium).
void AddTileSums(Terms& terms, const FloatRows& of, double tiles) {
  const double lines = tiles * of.windows * of.lines;
  terms.Add("windows of tiles", tiles * of.windows);
  terms.Add("lines of tiles", lines);
  if (terms.kernels == KernelSet::kHelium) {
    terms.Add("pairs of inputs of tiles", lines * (of.count / 2));
    terms.Add("odd inputs of tiles", lines * (of.count % 2));
    return;
  }
  terms.Add("fours of inputs of tiles", lines * ((of.count + 3) / 4));
  terms.Add("products of tiles", lines * of.count);
  for (uint32_t more = 1; more < 4; ++more) {
    terms.Add(fmt::format("lines of tiles with {} more", more), lines * (of.count % 4 == more));
  }
}

// The sums of rows that are multiplied one at a time.
void AddSingleSums(Terms& terms, const FloatRows& of, double rows) {
  const double lines = rows * of.windows * of.lines;
  terms.Add("windows of rows", rows * of.windows);
  terms.Add("lines of rows", lines);
  if (terms.kernels == KernelSet::kHelium) {
    terms.Add("fours of inputs of rows", lines * (of.count / 4));
    terms.Add("rest of inputs of rows", lines * (of.count % 4));
    terms.Add("lines of rows with a rest", lines * (of.count % 4 != 0));
    return;
  }
  terms.Add("products of rows", lines * of.count);
  terms.Add("odd lines of rows", lines * (of.count % 2));
}

// The first sums and the results of rows, and a fused ReLU.
void AddFloatResults(Terms& terms, const FloatRows& of, const Groups& groups) {
  const double full = of.outputs / kPanel, partial = of.outputs % kPanel != 0;
  const double panels = full + partial, rows = groups.tiled + groups.others;
  const bool is_helium = terms.kernels == KernelSet::kHelium;
  // The rest is written one by one (DSP) or in vectors of four.
  const double rest = is_helium ? (of.outputs % kPanel + 3) / 4 : of.outputs % kPanel;
  terms.Add("tiles", groups.tiles * panels);
  terms.Add("pairs", groups.pairs * panels);
  terms.Add("singles", groups.singles * panels);
  terms.Add("partial rows", groups.others * partial);
  if (of.has_start) {
    terms.Add("partial rows with start", rows * partial);
  } else {
    terms.Add("rows without start", rows * panels);
  }
  if (of.is_scattered) {
    terms.Add("outputs of tiles", groups.tiles * of.outputs);
    terms.Add("outputs of pairs", groups.pairs * of.outputs);
    terms.Add("outputs of singles", groups.singles * of.outputs);
  }
  if (!of.is_scattered || !is_helium) terms.Add("rest of outputs", rows * rest);
  if (!of.is_relu) return;
  const double written = of.is_scattered ? panels : full;
  // Sums of tiles have no NaN with a sign, so that fewer instructions are needed.
  const bool is_short = !is_helium && !of.is_strided;
  terms.Add("tiles of relu", is_short ? groups.tiles * written : 0);
  terms.Add("rows of relu", (is_short ? groups.others : rows) * written);
  if (!of.is_scattered) {
    terms.Add("partial rows of relu", rows * partial);
    terms.Add("rest of relu", rows * rest);
  }
}

// Tiles of the kernel have `height` rows.
void AddFloatRows(Terms& terms, const FloatRows& of, uint32_t height) {
  const Groups groups = GroupsOf(of, height);
  const double panels = Panels(of.outputs);
  AddFloatResults(terms, of, groups);
  if (of.count == 0) return;
  if (of.is_strided) {
    AddStridedSums(terms, of, panels * (groups.tiled + groups.others));
  } else if (height == 1) {
    AddSingleSums(terms, of, panels * (groups.tiled + groups.others));
  } else {
    AddTileSums(terms, of, panels * groups.tiles);
    AddSingleSums(terms, of, panels * groups.others);
  }
}

// The taps of a rectangle of a convolution: `windows` times `lines` runs of `count` inputs, as
// ConvTapsOf has them (kernels/matrix/conv-inl.h).
void SetTaps(const format::ConvParams& p, const kernels::Rectangle& at, FloatRows& rows) {
  const kernels::WindowAxis down = Down(p), across = Across(p);
  const kernels::TapSteps taps = kernels::TapsOf(at, down, across, StridesOf(p.x()));
  const uint32_t channels = p.in_channels();
  rows.count = 0;
  if (taps.rows == 0 || channels == 0) return;
  const bool is_line = channels == 1;
  const auto columns = static_cast<uint32_t>(taps.columns);
  const auto lines = static_cast<uint32_t>(taps.rows);
  rows.is_strided = (is_line ? taps.column : p.x().channel()) != 1;
  if (is_line || columns == 1 || taps.column == uint64_t{channels} * p.x().channel()) {
    rows.windows = 1;
    rows.lines = lines;
    rows.count = columns * channels;
  } else {
    rows.windows = lines;
    rows.lines = columns;
    rows.count = channels;
  }
}

// The activation of the rows of a convolution.
void AddConvActivations(Terms& terms, const FloatRows& of, const format::Activation& activation,
                        uint32_t height) {
  if (of.is_scattered) {
    const Groups groups = GroupsOf(of, height);
    const double panels = Panels(of.outputs);
    AddActivations(terms, activation, panels * groups.tiles, kPanel * height);
    AddActivations(terms, activation, panels * groups.pairs, kPanel * 2);
    return AddActivations(terms, activation, panels * groups.singles, kPanel);
  }
  const uint32_t rest = of.outputs % kPanel;
  AddActivations(terms, activation, of.times * of.rows * (of.outputs / kPanel), kPanel);
  AddActivations(terms, activation, of.times * of.rows * (rest != 0), rest);
}

// Returns true if the outputs of a pixel are not contiguous.
bool IsScattered(const format::ConvParams& p) {
  return p.y().channel() != 1 && p.out_channels() != 1;
}

void AddConv(const format::ConvParams& p, Terms& terms) {
  const double times = 1.0 * p.batch() * p.groups(), all_panels = Panels(p.out_channels());
  const uint32_t height = terms.kernels == KernelSet::kHelium ? 3 : 2;
  const bool is_fused = IsPlain(p.activation()) || IsRelu(p.activation());
  FloatRows rows = {times, 0, 0, 0, 0, 0, false, false, IsRelu(p.activation()), terms.Has(2)};
  // A panel with one output is written like one that is contiguous.
  const uint32_t last = p.out_channels() % kPanel == 1 && IsScattered(p) ? 1 : 0;
  terms.Add("steps", 1);
  terms.Add("images", times);
  AddRectangles(terms, p, times * all_panels);
  ForRectangles(p, [&](const kernels::Rectangle& at) {
    rows.rows = at.rows.count() * at.columns.count();
    SetTaps(p, at, rows);
    terms.Add("rows of pixels", times * all_panels * at.rows.count());
    for (const uint32_t outputs : {p.out_channels() - last, last}) {
      if (outputs == 0) continue;
      rows.outputs = outputs;
      rows.is_scattered = IsScattered(p) && outputs != 1;
      AddFloatRows(terms, rows, height);
      if (!is_fused) AddConvActivations(terms, rows, p.activation(), height);
    }
  });
}

// Columns that the kernel gathers first, `columns` at a time and four inner steps at a time.
void AddGathered(Terms& terms, const format::MatmulParams& p, double batch, uint32_t columns) {
  const double chunks = (uint64_t{p.inner()} + 3) / 4, rest = columns % kPanel;
  const double rows = batch * p.rows() * chunks;
  terms.Add("gathered panels", batch);
  terms.Add("gathered chunks", batch * chunks);
  const double steps = batch * p.inner();
  terms.Add("gathered steps", steps);
  if (terms.kernels == KernelSet::kHelium && p.b_column_stride() == 1) {
    terms.Add("fours of gathered weights", steps * (columns / 4));
    terms.Add("rest of gathered weights", steps * (columns % 4));
  } else {
    terms.Add("gathered weights", steps * columns);
  }
  terms.Add("gathered rows", rows);
  terms.Add("first gathered rows", batch * p.rows());
  terms.Add("gathered products", batch * p.rows() * p.inner());
  terms.Add("partial gathered rows", rows * (rest != 0));
  // Sums continue with the results of the chunk before.
  terms.Add("continued partial rows", batch * p.rows() * (chunks - 1) * (rest != 0));
  if (terms.kernels == KernelSet::kDsp) {
    terms.Add("gathered odd products", batch * p.rows() * (p.inner() % 2));
    terms.Add("gathered rest", rows * rest);
  } else {
    terms.Add("gathered tiles", batch * chunks * (p.rows() / 3));
    terms.Add("gathered pairs", batch * chunks * (p.rows() % 3 == 2));
    terms.Add("gathered singles", batch * chunks * (p.rows() % 3 == 1));
    terms.Add("gathered fours of the rest", rows * ((columns % kPanel + 3) / 4));
  }
}

void AddMatmul(const format::MatmulParams& p, double batch, Terms& terms) {
  const bool is_contiguous = p.b_column_stride() == 1;
  uint32_t left = p.columns();
  if (is_contiguous && left >= kPanel) {
    FloatRows rows = {batch, p.rows(), left / kPanel * kPanel, 1, 1, p.inner(), true, false,
                      false, false};
    const uint32_t height = terms.kernels == KernelSet::kHelium ? 3 : 1;
    AddFloatRows(terms, rows, height);
    if (left % kPanel == 0) return;
    rows.outputs = kPanel;  // the last panel is moved back
    terms.Add("moved panels", batch);
    return AddFloatRows(terms, rows, height);
  }
  for (; left != 0; left -= left < kPanel ? left : kPanel) {
    if (left != 1) {
      AddGathered(terms, p, batch, left < kPanel ? left : kPanel);
      continue;
    }
    terms.Add("rows of columns", batch * p.rows());
    terms.Add("products of columns", batch * p.rows() * p.inner());
  }
}

// Integers have four columns at a time, then one. With Helium, contiguous ones of 32 bits have
// vectors of four products, and the compiler unrolls the loop over those of 64 bits four times.
void AddIntegerMatmul(const format::MatmulParams& p, double batch, Terms& terms) {
  const bool is_helium = terms.kernels == KernelSet::kHelium;
  const bool is_wide = is_helium && p.type() == format::ElementType::i64;
  const bool is_run = is_helium && p.type() == format::ElementType::i32 &&
                      p.a_inner_stride() == 1 && p.b_inner_stride() == 1;
  const uint64_t inner = p.inner(), rest = is_wide ? inner % 4 : 0;
  const double products = is_run ? (inner + 3) / 4 : is_wide ? inner / 4 : inner;
  const auto add = [&](const std::string& name, double count) {
    terms.Add(name, count);
    terms.Add("products of " + name, count * products);
    terms.Add("rests of " + name, count * (rest != 0));
    terms.Add("rest of products of " + name, count * rest);
  };
  const double rows = batch * p.rows();
  terms.Add("rows", rows);
  add(is_run ? "fours of runs" : "fours", rows * (p.columns() / 4));
  add(is_run ? "singles of runs" : "singles", rows * (p.columns() % 4));
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
  terms.Add("steps", 1);
  terms.Add("panels", Panels(p.outputs()));
  const bool is_relu = IsRelu(p.activation());
  AddFloatRows(terms,
               {1, p.rows(), p.outputs(), 1, 1, p.inputs(), false, false, is_relu, terms.Has(2)},
               terms.kernels == KernelSet::kHelium ? 3 : 1);
  if (!is_relu) AddActivations(terms, p.activation(), p.rows(), p.outputs());
}
void AddTerms(const format::ConvParams& p, Terms& terms) {
  terms.variant = TermName(p.weights()) + (IsScattered(p) ? " scattered" : "");
  AddConv(p, terms);
}
void AddTerms(const format::MatmulParams& p, Terms& terms) {
  double batch = 1;
  for (uint16_t i = 0; i < p.batch_rank(); ++i) batch *= p.batch_dims()->Get(i);
  const std::string type = TermName(p.type());
  terms.variant = type;
  terms.Add("steps", 1);
  terms.Add("batch", batch);
  if (type == "f32") return AddMatmul(p, batch, terms);
  AddIntegerMatmul(p, batch, terms);
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
