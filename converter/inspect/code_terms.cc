// SPDX-License-Identifier: Apache-2.0
// Terms of products of quantised rows: rows of int8 (q8), and rows of floats that the kernels
// quantise (i8, i4).
#include <algorithm>
#include <string>

#include "converter/inspect/product_terms.h"
#include "kernels/matrix/conv_q8.h"
#include "kernels/matrix/dense_i8.h"
#include "kernels/matrix/pack.h"

namespace weft::inspect {
namespace {

constexpr uint32_t kBlock = kernels::kInputBlock;

double Blocks(uint32_t inputs) { return (inputs + kBlock - 1) / kBlock; }

// Rows of quantised values with the same weights, `times` times.
struct CodeRows {
  double times;
  uint32_t rows, inputs, outputs;
  uint32_t x_stride;   // between rows
  bool is_contiguous;  // outputs
  bool is_float, by_integers, is_limited;
  bool has_first, has_start, shares_start;
};

// Writes the results of `rows` rows of one run of `count` outputs, `times` times.
void AddCodes(Terms& terms, const CodeRows& of, const format::Activation& activation, double times,
              uint32_t rows, uint32_t count) {
  const double all = times * rows;
  if (of.is_float || !of.is_contiguous) {
    const uint32_t step = of.is_float ? 8 : of.by_integers ? 2 : 4;
    terms.Add("results", all);
    terms.Add("groups of results", all * (count / step));
    terms.Add("rests of results", all * (count % step));
    terms.Add("results with a rest", all * (count % step != 0));
    if (of.has_start && !of.by_integers) terms.Add("results with start", all * (count / step));
    if (of.has_start && !of.by_integers) terms.Add("rests with start", all * (count % step));
    if (of.is_limited && !of.is_float) terms.Add("limited results", all * (count / step));
    if (!of.is_contiguous) terms.Add("scattered results", all * count);
    if (of.is_float) AddActivations(terms, activation, all, count);
    return;
  }
  if (!of.by_integers) {
    terms.Add("calls of fours", times * (count >= 4));
    terms.Add("rows of codes", all * (count >= 4));
    terms.Add("fours of codes", all * (count / 4));
    if (of.has_start) terms.Add("fours with start", all * (count / 4));
    if (of.has_start) terms.Add("rest with start", all * (count % 4));
    if (of.is_limited) terms.Add("limited fours", all * (count / 4));
    terms.Add("rows of codes with a rest", all * (count % 4 != 0));
    terms.Add("rest of codes", all * (count % 4));
    return;
  }
  const std::string name = rows == 1 ? "integer row" : "integer rows";
  const bool is_shared = rows == 1 || of.shares_start;
  const uint32_t complete = is_shared ? count / 2 * 2 : 0;
  terms.Add(name, times);
  terms.Add("pairs of " + name, times * (complete / 2));
  terms.Add("integer rows with a rest", all * (count != complete));
  terms.Add("rest of integer rows", all * (count - complete));
  if (!of.is_limited) return;
  terms.Add("limited rows", all * (complete != 0));
  terms.Add("limited outputs", all * complete);
}

// Widens `inputs` inputs of `rows` rows.
void AddWidenedRows(Terms& terms, double times, uint32_t rows, uint32_t inputs) {
  const double all = times * rows;
  const uint32_t rest = inputs % kBlock;
  terms.Add("widenings", times);
  terms.Add("widened rows", all);
  terms.Add("widened blocks", all * (inputs / kBlock));
  terms.Add("widened rests", all * (rest != 0));
  terms.Add("fours of widened rests", all * (rest / 4));
  terms.Add("singles of widened rests", all * (rest % 4));
}

// The sums of one run of `outputs` outputs of `rows` rows, at most `max` inputs at a time
// (RowsOfCodes of rows_q8_cortex_m-inl.h).
void AddDspSums(Terms& terms, const CodeRows& of, double times, uint32_t rows, uint32_t outputs,
                uint32_t max) {
  const std::string of_rows = rows == 1 ? " of single rows" : " of three rows";
  const bool is_single = rows == 1, fits = of.inputs <= max;
  const bool is_panel = outputs == kPanel || outputs == kPanel / 2;
  const bool is_direct = is_panel && !is_single && of.has_first && of.inputs != 0 && fits;
  const uint32_t wide = (outputs + kPanel / 2 - 1) / kPanel, before = wide * kPanel;
  const auto width =
      before < outputs ? static_cast<uint32_t>(kernels::PanelWidth(outputs - before)) : 0;
  const bool shares = !is_single && width == kPanel / 2, adds = width != 0 && !shares;
  const bool is_complete = of.has_first && outputs == before + width;
  terms.Add((is_direct ? "direct sums" : "sums") + of_rows, times);
  if (!is_direct && (of.inputs == 0 || adds || (!is_complete && (of.has_first || !is_single)))) {
    terms.Add("cleared rows", times * rows);
    terms.Add("cleared panels", times * rows * (wide + (width != 0)));
    if (of.has_first) terms.Add("rows of first sums", times * rows);
    if (of.has_first) terms.Add("first sums", times * rows * outputs);
  }
  for (uint32_t i = 0; i < of.inputs; i += max) {
    const uint32_t count = std::min(max, of.inputs - i);
    if (!fits) AddWidenedRows(terms, times, rows, count);
    const double blocks = Blocks(count);
    terms.Add("parts of sums", times);
    const bool is_half = !is_single && count <= kBlock / 2;
    const std::string panels = (is_half ? "half panels" : "panels") + of_rows;
    terms.Add(panels, times * wide);
    if (!is_half) terms.Add("blocks" + of_rows, times * wide * blocks);
    if (shares) terms.Add("shared panels", times);
    if (shares) terms.Add("blocks of shared panels", times * blocks);
    if (adds) terms.Add("narrow panels", times * rows);
    terms.Add("fours of narrow panels", adds ? times * rows * (width / 4) : 0);
    terms.Add("blocks of narrow panels", adds ? times * rows * (width / 4) * blocks : 0);
  }
}

// Three rows at a time, then one.
void AddDspRows(Terms& terms, const CodeRows& of, const format::Activation& activation) {
  for (const uint32_t rows : {3u, 1u}) {
    const double times = of.times * (rows == 3 ? of.rows / 3 : of.rows % 3);
    if (times == 0) continue;
    const uint32_t max_inputs = rows == 3 ? 128 : 352;
    const bool fits = of.inputs <= max_inputs;
    const uint32_t max = rows == 1 && fits && of.is_contiguous ? 4 * kPanel : kPanel;
    terms.Add(rows == 3 ? "three rows" : "single rows", times);
    if (fits) AddWidenedRows(terms, times, rows, of.inputs);
    for (uint32_t first = 0; first < of.outputs; first += max) {
      const uint32_t outputs = std::min(max, of.outputs - first);
      AddDspSums(terms, of, times, rows, outputs, max_inputs);
      AddCodes(terms, of, activation, times, rows, outputs);
    }
  }
}

// Rows that form pairs, and others: `outputs` outputs of complete panels, or of one panel.
void AddHeliumPairs(Terms& terms, const CodeRows& of, uint32_t pairs, uint32_t outputs) {
  const bool has_all = of.by_integers || (of.has_first && of.has_start);
  const double fours = of.times * (outputs / 4);
  terms.Add("pairs", of.times);
  terms.Add("runs of pairs", of.times * (has_all || outputs < kPanel ? 1 : outputs / kPanel));
  terms.Add("fours of pairs", fours);
  terms.Add("pairs of fours", fours * pairs);
  terms.Add("blocks of pairs", fours * pairs * Blocks(of.inputs));
}

// Eight outputs at a time of one row.
void AddHeliumRow(Terms& terms, const CodeRows& of, double rows, uint32_t inputs,
                  uint32_t outputs) {
  const bool has_all = of.by_integers || (of.has_first && of.has_start);
  const double eights = rows * (outputs / 8);
  terms.Add("rows", rows);
  terms.Add("runs of rows", rows * (has_all ? 1 : std::max(outputs / kPanel, 1u)));
  terms.Add("eights of rows", eights);
  terms.Add("fours of blocks of rows", eights * (inputs / (4 * kBlock)));
  terms.Add("blocks of rows", eights * Blocks(inputs % (4 * kBlock)));
}

// A panel of one row that has strided results, fewer outputs or no inputs.
void AddHeliumTail(Terms& terms, const CodeRows& of, const format::Activation& activation,
                   double rows, uint32_t outputs) {
  const auto width = static_cast<uint32_t>(kernels::PanelWidth(outputs));
  const bool is_narrow = width != kPanel;
  terms.Add("tails", rows);
  terms.Add("outputs of tails", rows * outputs);
  if (of.has_first) terms.Add("tails with first", rows);
  if (of.has_first) terms.Add("outputs of tails with first", rows * outputs);
  if (of.has_start) terms.Add("tails with start", rows);
  if (of.has_start) terms.Add("outputs of tails with start", rows * outputs);
  if (is_narrow) {
    terms.Add("narrow tails", rows);
    terms.Add("fours of narrow tails", rows * (width / 4));
    terms.Add("blocks of narrow tails", rows * (width / 4) * Blocks(of.inputs));
  }
  CodeRows complete = of;
  complete.has_first = complete.has_start = true;
  AddHeliumRow(terms, complete, rows, is_narrow ? 0 : of.inputs, is_narrow ? 8 : kPanel);
  if (of.is_float) AddActivations(terms, activation, rows, outputs);
}

void AddHeliumRows(Terms& terms, const CodeRows& of, const format::Activation& activation) {
  const bool is_complete = of.inputs != 0 && of.is_contiguous;
  const uint32_t complete = is_complete ? of.outputs / kPanel * kPanel : 0;
  uint32_t paired = 0;
  if (is_complete && of.rows >= 2 && (!of.has_start || of.shares_start)) {
    const uint32_t over = (kBlock - of.inputs % kBlock) % kBlock;
    const uint32_t last = over == 0          ? 0
                          : of.x_stride == 0 ? of.rows
                                             : (over + of.x_stride - 1) / of.x_stride;
    paired = last < of.rows ? (of.rows - last) / 2 * 2 : 0;
  }
  terms.Add("calls", of.times);
  if (complete != 0) {
    if (paired != 0) AddHeliumPairs(terms, of, paired / 2, complete);
    const double rows = of.times * (of.rows - paired);
    if (rows != 0) AddHeliumRow(terms, of, rows, of.inputs, complete);
    // The loop over the rows of floats also runs without an activation.
    if (of.is_float) terms.Add("rows of floats", of.times * of.rows);
    if (of.is_float) AddActivations(terms, activation, of.times * of.rows, complete);
  }
  for (uint32_t first = complete; first < of.outputs; first += kPanel) {
    const uint32_t outputs = std::min(of.outputs - first, kPanel);
    const bool pairs = paired != 0 && outputs % 4 == 0 && outputs != 4 && !of.is_float;
    terms.Add("tail panels", of.times);
    if (pairs) AddHeliumPairs(terms, of, paired / 2, outputs);
    const double rows = of.times * (of.rows - (pairs ? paired : 0));
    if (rows != 0) AddHeliumTail(terms, of, activation, rows, outputs);
  }
}

void AddCodeRows(Terms& terms, const CodeRows& of, const format::Activation& activation) {
  if (of.rows == 0 || of.times == 0) return;
  terms.kernels == KernelSet::kHelium ? AddHeliumRows(terms, of, activation)
                                      : AddDspRows(terms, of, activation);
}

// The fields of rows that depend on the results and on absent operands.
template <typename Params>
CodeRows CodeRowsOf(const Params& p, Terms& terms) {
  CodeRows rows = {};
  const std::string name = TermName(p.codes());
  rows.is_float = name == "f32";
  rows.by_integers = name == "integer_codes";
  rows.is_limited = p.codes().low() != -128 || p.codes().high() != 127;
  rows.has_first = terms.Has(3);
  rows.has_start = terms.Has(4);
  rows.shares_start = true;
  rows.times = 1;
  terms.variant = name;
  return rows;
}

// A copy of a run of `bytes` bytes, `times` times.
void AddCopies(Terms& terms, double times, uint32_t bytes) {
  if (bytes == 0) return;
  terms.Add("copied runs", times);
  if (terms.kernels == KernelSet::kHelium) {
    terms.Add("copied vectors", times * ((bytes + 15) / 16));
  } else if (bytes < 16) {
    terms.Add("copied words", times * (bytes / 4));
    terms.Add("copied bytes", times * (bytes % 4));
  } else {
    terms.Add("long copied runs", times);
    terms.Add("blocks of long runs", times * (bytes / 64));
    terms.Add("words of long runs", times * (bytes % 64 / 4));
    terms.Add("bytes of long runs", times * (bytes % 4));
  }
}
// The same for padding of `count` numbers.
void AddFills(Terms& terms, double times, uint32_t count, uint32_t number_bytes) {
  if (count == 0) return;
  terms.Add("filled runs", times);
  if (terms.kernels == KernelSet::kHelium && number_bytes == 1) {
    terms.Add("filled vectors", times * ((count + 15) / 16));
  } else if (count < 16) {
    terms.Add("filled numbers", times * count);
  } else {
    terms.Add("long filled runs", times);
    terms.Add("numbers of long filled runs", times * count);
  }
}

// Returns true if the taps of a row of a window are contiguous.
template <typename Params>
bool HasLines(const Params& p) {
  return p.kernel_width() == 1 || uint64_t{p.dilation_x()} * p.x().pixel() == p.in_channels();
}

// Patches that are not inside the input, or whose channels are not contiguous.
template <typename Params>
void AddEdgePatches(Terms& terms, const Params& p, const kernels::Rectangle& at, double times,
                    uint32_t bytes) {
  const uint32_t channels = p.in_channels(), line = p.kernel_width() * channels;
  const uint32_t ky = at.ky.count(), kx = at.kx.count();
  terms.Add("edge patches", times);
  // Divisions by dilations other than 1.
  terms.Add("dilated edge patches", times * ((p.dilation_y() != 1) + (p.dilation_x() != 1)));
  if (ky == 0 || kx == 0) return AddFills(terms, times, p.kernel_height() * line, bytes);
  const bool has_runs = channels == 1 || p.x().channel() == 1;
  const uint64_t pixel = kx == 1 ? 0 : uint64_t{p.dilation_x()} * p.x().pixel();
  terms.Add("edge rows", times * ky);
  AddFills(terms, times, at.ky.first * line, bytes);
  AddFills(terms, times * ky, at.kx.first * channels, bytes);
  AddFills(terms, times * ky, (p.kernel_width() - at.kx.end) * channels, bytes);
  AddFills(terms, times, (p.kernel_height() - at.ky.end) * line, bytes);
  if (has_runs && (pixel == channels || kx == 1)) {
    return AddCopies(terms, times * ky, kx * channels * bytes);
  }
  terms.Add("edge taps", times * ky * kx);
  if (has_runs) return AddCopies(terms, times * ky * kx, channels * bytes);
  terms.Add("gathered numbers", times * ky * kx * channels);
}

// Patches of the pixels of a rectangle, `times` of each pixel.
template <typename Params>
void AddPatches(Terms& terms, const Params& p, const kernels::Rectangle& at, double times,
                uint32_t bytes) {
  const uint32_t channels = p.in_channels();
  const bool has_runs = channels == 1 || p.x().channel() == 1, has_lines = HasLines(p);
  const double pixels = times * at.rows.count() * at.columns.count();
  const bool is_inside = at.ky.count() == p.kernel_height() && at.kx.count() == p.kernel_width();
  if (!is_inside || !has_runs || (!has_lines && terms.kernels != KernelSet::kHelium)) {
    return AddEdgePatches(terms, p, at, pixels, bytes);
  }
  const double runs = has_lines ? 1 : p.kernel_width();
  terms.Add("patches", pixels);
  terms.Add("rows of patches", pixels * p.kernel_height());
  AddCopies(terms, pixels * p.kernel_height() * runs,
            channels * bytes * (has_lines ? p.kernel_width() : 1));
}

// Patches of all pixels of a group.
template <typename Params>
void AddAllPatches(Terms& terms, const Params& p, double times, uint32_t bytes) {
  ForRectangles(p, [&](const kernels::Rectangle& at) { AddPatches(terms, p, at, times, bytes); });
}

// Returns true if the stride between rows is that between pixels times the width, as in conv_q8.cc.
bool RowsFollow(const format::ConvQ8Params& p, uint64_t down, uint64_t across) {
  return p.out_width() == 1 || p.out_height() == 1 || down == p.out_width() * across;
}

// Pixels from (row, column) on, `times` times. Patches inside the input are rows already, as many
// as follow in a row of outputs; at edges four patches are gathered (RunPatches of conv_q8.cc).
void AddPixelsInPlace(Terms& terms, const format::ConvQ8Params& p, const CodeRows& rows,
                      uint32_t row, uint32_t pixels) {
  const kernels::WindowAxis down = Down(p), across = Across(p);
  const kernels::IndexRange high = down.Inside(), wide = across.Inside();
  const bool is_column = p.out_width() == 1;
  for (uint32_t column = 0, count = 0; pixels != 0; pixels -= count) {
    const bool is_inside = row - high.first < high.count() && column - wide.first < wide.count();
    CodeRows some = rows;
    if (is_inside) {
      count = std::min(is_column ? high.end - row : wide.end - column, pixels);
      some.inputs = p.kernel_height() * p.kernel_width() * p.in_channels();
      some.x_stride = is_column ? p.stride_y() * p.x().row() : p.stride_x() * p.x().pixel();
      terms.Add("calls in place", rows.times);
      row += is_column ? count : 0;
      column += is_column ? 0 : count;
    } else {
      count = std::min(pixels, 4u);
      terms.Add("gathered calls", rows.times);
    }
    some.rows = count;
    AddCodeRows(terms, some, p.activation());
    for (uint32_t i = 0; i < count && !is_inside; ++i) {
      const kernels::Rectangle at = {
          {row, row + 1}, {column, column + 1}, down.Taps(row), across.Taps(column)};
      AddPatches(terms, p, at, rows.times, 1);
      if (++column == p.out_width()) column = 0, ++row;
    }
    if (column == p.out_width()) column = 0, ++row;
  }
}

// Rows in place, or patches: the DSP extension gathers three at a time, Helium four.
void AddConvQ8(const format::ConvQ8Params& p, CodeRows rows, Terms& terms) {
  if (!HasResults(p)) return;
  const double times = 1.0 * p.batch() * p.groups();
  const bool is_direct = kernels::ConvQ8IsDirect(p),
             is_helium = terms.kernels == KernelSet::kHelium;
  const uint64_t down = uint64_t{p.stride_y()} * p.x().row();
  const uint64_t across = uint64_t{p.stride_x()} * p.x().pixel();
  const bool is_one_run =
      RowsFollow(p, p.y().row(), p.y().pixel()) && (!is_direct || RowsFollow(p, down, across));
  const uint32_t runs = is_one_run ? 1 : p.out_height();
  const uint32_t pixels = is_one_run ? p.out_height() * p.out_width() : p.out_width();
  rows.outputs = p.out_channels();
  rows.is_contiguous = p.y().channel() == 1;
  rows.inputs = p.kernel_height() * p.kernel_width() * p.in_channels();
  terms.Add("groups", times);
  terms.Add("runs", times * runs);
  if (is_direct) {
    rows.times = times * runs;
    rows.rows = pixels;
    const uint64_t step = p.out_width() != 1 ? across : p.out_height() == 1 ? 0 : down;
    rows.x_stride = static_cast<uint32_t>(step);
    return AddCodeRows(terms, rows, p.activation());
  }
  rows.inputs = static_cast<uint32_t>(kernels::PaddedInputs(rows.inputs));
  rows.x_stride = rows.inputs;
  terms.Add("cleared scratch", times * runs * rows.inputs);
  const uint64_t line = uint64_t{p.kernel_width()} * p.in_channels();
  const bool are_rows = (p.in_channels() == 1 || p.x().channel() == 1) && HasLines(p) &&
                        (p.kernel_height() == 1 || uint64_t{p.dilation_y()} * p.x().row() == line);
  if (is_helium && are_rows) {
    rows.times = times;
    for (uint32_t run = 0; run < runs; ++run) AddPixelsInPlace(terms, p, rows, run, pixels);
    return;
  }
  AddAllPatches(terms, p, times, 1);
  const uint32_t gathered = is_helium ? 4 : 3;
  const auto add = [&](double calls, uint32_t count) {
    rows.times = calls;
    rows.rows = count;
    terms.Add("gathered calls", calls);
    AddCodeRows(terms, rows, p.activation());
  };
  add(times * runs * (pixels / gathered), gathered);
  add(times * runs * (pixels % gathered != 0), pixels % gathered);
}

// Rows of floats that are quantised to int16 or int8, and their products.
struct QuantisedRows {
  double times;  // rows of all calls
  uint32_t inputs, outputs;
  bool are_integers;  // not floats
  bool has_start;
};

void AddQuantised(Terms& terms, const QuantisedRows& of) {
  if (of.are_integers) {
    terms.Add("rows of integers", of.times);
    return terms.Add("blocks of integers", of.times * Blocks(of.inputs));
  }
  const uint32_t step = terms.kernels == KernelSet::kHelium ? 4 : 8;
  terms.Add("rows", of.times);
  terms.Add("groups of inputs", of.times * (of.inputs / step));
  terms.Add("rest of inputs", of.times * (of.inputs % step));
  terms.Add("rows with rest of inputs", of.times * (of.inputs % step != 0));
  terms.Add("padding", of.times * (kBlock - 1 - (of.inputs + kBlock - 1) % kBlock));
}

void AddQuantisedDsp(Terms& terms, const QuantisedRows& of) {
  const double blocks = Blocks(of.inputs);
  for (uint32_t first = 0; first < of.outputs; first += 4 * kPanel) {
    const uint32_t outputs = std::min(of.outputs - first, 4 * kPanel);
    const uint32_t wide = (outputs + kPanel / 2 - 1) / kPanel;
    const uint32_t rest = outputs > wide * kPanel ? outputs - wide * kPanel : 0;
    terms.Add("runs", of.times);
    terms.Add("panels", of.times * wide);
    terms.Add("blocks", of.times * wide * blocks);
    if (rest != 0) {
      const double fours = of.times * (rest + 3) / 4 - of.times * ((rest + 3) % 4) / 4;
      terms.Add("narrow panels", of.times);
      terms.Add("fours of narrow panels", fours);
      terms.Add("blocks of narrow panels", fours * blocks);
    }
    terms.Add("eights of outputs", of.times * (outputs / 8));
    terms.Add("rest of outputs", of.times * (outputs % 8));
    terms.Add("runs with a rest", of.times * (outputs % 8 != 0));
    if (of.has_start) terms.Add("outputs with start", of.times * outputs);
  }
}

void AddQuantisedHelium(Terms& terms, const QuantisedRows& of) {
  const uint32_t complete = of.outputs / kPanel * kPanel, rest = of.outputs % kPanel;
  const double blocks = Blocks(of.inputs);
  if (!of.has_start) terms.Add("rows without start", of.times);
  if (!of.has_start) terms.Add("fours without start", of.times * (of.outputs / 4));
  if (!of.has_start) terms.Add("rest without start", of.times * (of.outputs % 4));
  terms.Add("runs of eights", of.times * (complete != 0));
  terms.Add("eights", of.times * (complete / 8));
  terms.Add("blocks of eights", of.times * (complete / 8) * blocks);
  if (rest > 8) {
    terms.Add("last panels", of.times);
    terms.Add("outputs of last panels", of.times * rest);
    terms.Add("eights", of.times * 2);
    terms.Add("blocks of eights", of.times * 2 * blocks);
  } else if (rest != 0) {
    const double fours = rest > 4 ? 2 : 1;
    terms.Add("narrow panels", of.times);
    terms.Add("fours of narrow panels", of.times * fours);
    terms.Add("blocks of narrow panels", of.times * fours * blocks);
  }
}

template <typename Params>
void AddDenseI8(Terms& terms, const Params& p, double rows, uint32_t inputs, uint32_t outputs,
                bool has_start) {
  const QuantisedRows of = {rows, inputs, outputs, p.max() == 0, has_start};
  AddQuantised(terms, of);
  terms.kernels == KernelSet::kHelium ? AddQuantisedHelium(terms, of) : AddQuantisedDsp(terms, of);
  AddActivations(terms, p.activation(), rows, outputs);
}

// The variant by the type of the multiplied rows: only Helium multiplies int8.
template <typename Params>
std::string RowTypeOf(const Params& p, const Terms& terms) {
  const bool are_bytes = terms.kernels == KernelSet::kHelium && p.max() == kernels::kMinMax;
  return are_bytes ? "8" : "16";
}

}  // namespace

void AddTerms(const format::DenseI8Params& p, Terms& terms) {
  terms.variant = RowTypeOf(p, terms);
  terms.Add("steps", 1);
  AddDenseI8(terms, p, p.rows(), p.inputs(), p.outputs(), terms.Has(3));
}
void AddTerms(const format::DenseI4Params& p, Terms& terms) {
  terms.variant = fmt::format("{} {}", p.max() <= 127 ? 8 : 16, TermName(p.scales()));
  const double blocks = Blocks(p.inputs()), panels = Panels(p.outputs());
  const double calls = (p.rows() + kernels::kDenseI8Rows - 1) / kernels::kDenseI8Rows;
  const double groups =
      p.group_blocks() == 0
          ? 1
          : (static_cast<uint32_t>(blocks) + p.group_blocks() - 1) / p.group_blocks();
  const double rows = p.rows();
  const uint32_t rest = p.outputs() % kPanel;
  terms.Add("steps", 1);
  terms.Add("calls", calls);
  terms.Add("calls and panels", calls * panels);
  terms.Add("calls and groups", calls * panels * groups);
  AddQuantised(terms, {rows, p.inputs(), p.outputs(), false, true});
  terms.Add("groups of rows", rows * groups);
  terms.Add("blocks of rows", rows * blocks);
  terms.Add("panels", rows * panels);
  terms.Add("partial panels", rows * (rest != 0));
  terms.Add("rest of outputs", rows * rest);
  terms.Add("groups", rows * panels * groups);
  if (terms.Has(3)) terms.Add("groups with zero points", rows * panels * groups);
  terms.Add("blocks", rows * panels * blocks);
  if (!terms.Has(4)) terms.Add("panels without start", rows * panels);
  AddActivations(terms, p.activation(), rows, p.outputs());
}
void AddTerms(const format::DenseQ8Params& p, Terms& terms) {
  CodeRows rows = CodeRowsOf(p, terms);
  terms.Add("steps", 1);
  rows.rows = p.rows();
  rows.inputs = p.inputs();
  rows.outputs = p.outputs();
  rows.x_stride = p.x_row_stride();
  rows.is_contiguous = true;
  rows.shares_start = p.start_row_stride() == 0;
  AddCodeRows(terms, rows, p.activation());
}
void AddTerms(const format::ConvI8Params& p, Terms& terms) {
  terms.variant = RowTypeOf(p, terms);
  const double times = 1.0 * p.batch() * p.groups();
  const uint32_t inputs = p.kernel_height() * p.kernel_width() * p.in_channels();
  const bool is_line = p.out_height() == 1 || p.out_width() == 1 ||
                       p.y().row() == uint64_t{p.out_width()} * p.y().pixel();
  const uint32_t lines = is_line ? 1 : p.out_height();
  const uint32_t pixels = is_line ? p.out_height() * p.out_width() : p.out_width();
  const uint32_t at_once = kernels::kDenseI8Rows;
  const double all = times * lines * pixels;
  terms.Add("steps", 1);
  terms.Add("groups", times);
  terms.Add("lines", times * lines);
  terms.Add("calls", times * lines * ((pixels + at_once - 1) / at_once));
  AddAllPatches(terms, p, times, p.max() == 0 ? 2 : 4);
  AddDenseI8(terms, p, all, inputs, p.out_channels(), terms.Has(3));
  if (p.y().channel() != 1 && p.out_channels() != 1) {
    terms.Add("scattered channels",
              times * lines * ((pixels + at_once - 1) / at_once) * p.out_channels());
    terms.Add("scattered outputs", all * p.out_channels());
  }
}
void AddTerms(const format::ConvQ8Params& p, Terms& terms) {
  const CodeRows rows = CodeRowsOf(p, terms);
  terms.Add("steps", 1);
  AddConvQ8(p, rows, terms);
}

}  // namespace weft::inspect
