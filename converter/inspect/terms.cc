// SPDX-License-Identifier: Apache-2.0
// Terms of elementwise steps, reductions and copies.
#include "converter/inspect/terms.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "converter/inspect/product_terms.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/term_names.h"
#include "converter/inspect/traverse.h"
#include "kernels/elementwise/chain.h"
#include "runtime/bind/overlapping.h"

namespace weft::inspect {
namespace {

// Terms of `count` elements in one run.
void AddElements(Terms& terms, double rows, uint32_t count) {
  terms.Add("rows", rows);
  terms.Add("elements", rows * count);
  terms.Add("fours", rows * (count / 4));
  terms.Add("rest of fours", rows * (count % 4));
  terms.Add("rests", rows * (count % 4 != 0));
}

// "0", "1" or "n".
std::string StrideName(int64_t stride) { return stride == 0 ? "0" : stride == 1 ? "1" : "n"; }

// Terms of a loop over `dims`, whose innermost axes are joined if all strides allow it.
template <typename Dims, typename... Strides>
void AddLoops(Terms& terms, uint32_t rank, const Dims* dims, const Strides*... strides) {
  uint32_t inner = 1, axis = rank;
  const auto joins = [&](const auto* of, uint32_t next) {
    const int64_t own = of->Get(static_cast<uint16_t>(rank - 1));
    return int64_t{of->Get(static_cast<uint16_t>(next))} == own * inner;
  };
  for (; axis > 0; --axis) {
    if (axis < rank && !(... && joins(strides, axis - 1))) break;
    inner *= dims->Get(static_cast<uint16_t>(axis - 1));
  }
  double rows = 1;
  for (uint32_t i = 0; i < axis; ++i) rows *= dims->Get(static_cast<uint16_t>(i));
  if (rank != 0) {
    ((terms.variant +=
      " " + StrideName(inner == 1 ? 1 : strides->Get(static_cast<uint16_t>(rank - 1)))),
     ...);
  }
  if (axis > 1) {
    terms.variant += " deep";
    terms.Add("axes", axis);
    const uint32_t lines = dims->Get(static_cast<uint16_t>(axis - 1));
    if (lines != 0) terms.Add("planes", rows / lines);
  }
  terms.Add("steps", 1);
  AddElements(terms, rows, inner);
}

// Terms of a loop over `rows` rows of `count` elements.
void AddCount(Terms& terms, const std::string& variant, uint32_t count, double rows = 1) {
  terms.variant = variant;
  terms.Add("steps", 1);
  AddElements(terms, rows, count);
}

}  // namespace

void AddTerms(const format::UnaryParams& p, Terms& terms) {
  const std::string type = TermName(p.type());
  if (type != "f32") return AddCount(terms, type + " " + TermName(p.activation()), p.count());
  terms.variant = type;
  terms.Add("steps", 1);
  AddSpans(terms, p.activation(), 1, p.count());
}
void AddTerms(const format::BinaryParams& p, Terms& terms) {
  terms.variant = TermName(p.type()) + " " + format::EnumNameBinaryOp(p.op());
  AddLoops(terms, p.rank(), p.dims(), p.a_strides(), p.b_strides());
}
void AddTerms(const format::CompareParams& p, Terms& terms) {
  terms.variant = TermName(p.type()) + " " + format::EnumNameCompareOp(p.op());
  AddLoops(terms, p.rank(), p.dims(), p.a_strides(), p.b_strides());
}
void AddTerms(const format::SelectParams& p, Terms& terms) {
  terms.variant = fmt::format("{}", p.element_bytes());
  AddLoops(terms, p.rank(), p.dims(), p.condition_strides(), p.a_strides(), p.b_strides());
}
void AddTerms(const format::BinaryQ8Params& p, Terms& terms) {
  // Kernels have a faster form for sums that shift to the right, and for all values of 8 bits.
  const bool shifts = p.multiplier().exponent() < 0;
  const bool clips = p.codes().low() != -128 || p.codes().high() != 127;
  terms.variant = fmt::format("{} {}{}{}", TermName(p.codes()), format::EnumNameBinaryOp(p.op()),
                              shifts ? " shifted" : "", clips ? " clipped" : "");
  AddLoops(terms, p.rank(), p.dims(), p.a_strides(), p.b_strides());
}
void AddTerms(const format::CopyParams& p, Terms& terms) {
  terms.variant = fmt::format("{}", p.element_bytes());
  AddLoops(terms, p.rank(), p.dims(), p.src_strides(), p.dst_strides());
}
void AddTerms(const format::ChainParams& p, Terms& terms) {
  terms.variant = p.staged() != 0 ? "staged" : "plain";
  double count = 1;
  uint32_t inner = 1;
  for (uint16_t i = 0; i < p.rank(); ++i) count *= p.dims()->Get(i);
  if (p.rank() != 0) inner = p.dims()->Get(static_cast<uint16_t>(p.rank() - 1));
  const double rows = inner == 0 ? 0 : count / inner, blocks = (count + 63) / 64;
  uint32_t staged = 0;
  for (uint32_t bits = p.staged(); bits != 0; bits &= bits - 1) ++staged;
  terms.Add("steps", 1);
  terms.Add("constants", p.constants());
  terms.Add("blocks", blocks);
  terms.Add("blocks and instructions", blocks * p.instructions());
  terms.Add("instructions", p.instructions());
  terms.Add("staged rows", staged * rows);
  terms.Add("staged elements", staged * count);
  for (uint16_t i = 0; i < p.instructions(); ++i) {
    const uint8_t op = p.code()->Get(static_cast<uint16_t>(4 * i));
    const std::string name =
        op >= kernels::kChainBinary
            ? format::EnumNameBinaryOp(static_cast<format::BinaryOp>(op - kernels::kChainBinary))
            : format::EnumNameUnaryOp(static_cast<format::UnaryOp>(op));
    terms.Add("elements of " + name, count);
  }
}
void AddTerms(const format::ReduceParams& p, Terms& terms) {
  const uint32_t rank = p.kept_rank() + p.reduced_rank();
  double kept = 1, reduced = 1;
  for (uint16_t i = 0; i < rank; ++i) (i < p.kept_rank() ? kept : reduced) *= p.dims()->Get(i);
  const auto stride = [&](uint32_t end) {
    return end == 0 ? "-" : StrideName(p.strides()->Get(static_cast<uint16_t>(end - 1)));
  };
  terms.variant = fmt::format(
      "{} {} {} {}{} {}{}", TermName(p.type()), format::EnumNameReduceOp(p.op()),
      format::EnumNameReduceOrder(p.order()), stride(p.kept_rank()), p.kept_rank() > 1 ? "+" : "",
      p.reduced_rank() == 0 ? "-" : stride(rank), p.reduced_rank() > 1 ? "+" : "");
  terms.Add("steps", 1);
  terms.Add("kept", kept);
  terms.Add("elements", kept * reduced);
  const double last = p.reduced_rank() == 0 ? 1 : p.dims()->Get(static_cast<uint16_t>(rank - 1));
  const double kept_last =
      p.kept_rank() == 0 ? 1 : p.dims()->Get(static_cast<uint16_t>(p.kept_rank() - 1));
  if (last != 0) terms.Add("reduced lines", kept * reduced / last);
  if (kept_last != 0) terms.Add("kept lines", kept / kept_last * reduced);
}
void AddTerms(const format::SoftmaxParams& p, Terms& terms) {
  terms.variant = fmt::format("{}{}{}", p.logarithm() != 0 ? "log" : "plain",
                              p.causal() != 0 ? " causal" : "", p.inner() == 1 ? "" : " inner");
  terms.Add("steps", 1);
  terms.Add("outer", p.outer());
  terms.Add("lines", 1.0 * p.outer() * p.inner());
  terms.Add("slices", 1.0 * p.outer() * p.axis());
  AddElements(terms, 1.0 * p.outer() * p.inner(), p.axis());
}
void AddTerms(const format::NormalizeParams& p, Terms& terms) {
  terms.variant =
      fmt::format("{}{}", format::EnumNameNormalizeOp(p.op()), p.inner() == 1 ? "" : " inner");
  terms.Add("steps", 1);
  terms.Add("outer", p.outer());
  terms.Add("slices", 1.0 * p.outer() * p.axis());
  AddElements(terms, 1.0 * p.outer() * p.inner(), p.axis());
}
void AddTerms(const format::FillParams& p, Terms& terms) {
  AddCount(terms, fmt::format("{}", p.element_bytes()), p.count());
}
void AddTerms(const format::ConvertParams& p, Terms& terms) {
  AddCount(terms, TermName(p.from()) + " " + TermName(p.to()), p.count());
}
void AddTerms(const format::QuantizeParams& p, Terms& terms) { AddCount(terms, "all", p.count()); }
void AddTerms(const format::DequantizeParams& p, Terms& terms) {
  AddCount(terms, "all", p.count());
}
void AddTerms(const format::LookupParams& p, Terms& terms) { AddCount(terms, "all", p.count()); }
void AddTerms(const format::UnaryQ8Params& p, Terms& terms) {
  AddCount(terms,
           fmt::format("{} {} {}", format::EnumNameCodeFunction(p.op()), TermName(p.from()),
                       TermName(p.to())),
           p.count());
}
void AddTerms(const format::SoftmaxQ8Params& p, Terms& terms) {
  AddCount(terms, "all", p.length(), p.rows());
}
void AddTerms(const format::SoftmaxQ16Params& p, Terms& terms) {
  AddCount(terms, "all", p.length(), p.rows());
}
void AddTerms(const format::NormalizeQ8Params& p, Terms& terms) {
  AddCount(terms, "all", p.length(), p.rows());
}
void AddTerms(const format::GatherParams& p, Terms& terms) {
  terms.variant = fmt::format("{} {}{}", p.element_bytes(), TermName(p.index_type()),
                              p.inner() == 1 ? " single" : "");
  terms.Add("steps", 1);
  terms.Add("lines", 1.0 * p.batch() * p.outer());
  AddElements(terms, 1.0 * p.batch() * p.outer() * p.indices(), p.inner());
}
void AddTerms(const format::RingParams& p, Terms& terms) {
  terms.variant = fmt::format("{} {}", p.element_bytes(), format::EnumNameRingOrder(p.order()));
  const double steps = 1.0 * p.taps() * p.length();
  terms.Add("steps", 1);
  terms.Add("outer", p.outer());
  terms.Add("taps", 1.0 * p.outer() * p.taps());
  terms.Add("read lines", p.outer() * steps);
  terms.Add("read elements", p.outer() * steps * p.inner());
  terms.Add("read steps", steps);
  terms.Add("read columns", steps * p.inner());
  terms.Add("positions", p.positions());
  terms.Add("written lines", 1.0 * p.outer() * p.positions());
  terms.Add("written elements", 1.0 * p.outer() * p.positions() * p.inner());
}
void AddTerms(const format::RingMatmulParams&, Terms&) {}
void AddTerms(const format::LstmGatesParams& p, Terms& terms) {
  AddCount(terms, TermName(p.f()) + " " + TermName(p.g()) + " " + TermName(p.h()), p.hidden(),
           p.rows());
}
void AddTerms(const format::GruGatesParams& p, Terms& terms) {
  AddCount(terms, TermName(p.f()) + " " + TermName(p.g()), p.hidden(), p.rows());
}
void AddTerms(const format::GruResetParams& p, Terms& terms) {
  AddCount(terms, TermName(p.f()), p.hidden(), p.rows());
}
void AddTerms(const format::GruUpdateParams& p, Terms& terms) {
  AddCount(terms, TermName(p.g()), p.hidden(), p.rows());
}
void AddTerms(const format::SnakeParams& p, Terms& terms) {
  terms.variant = p.inner() == 1 ? "all" : "inner";
  terms.Add("steps", 1);
  AddElements(terms, 1.0 * p.outer() * p.channels(), p.inner());
}
// Terms of one pass of a Fourier transform (kernels/fourier/fourier-inl.h), for `lines` lines.
void AddPass(Terms& terms, double lines, uint32_t factor, uint32_t rest, uint32_t columns) {
  std::string name = fmt::format("radix {}{}", factor, rest == 1 ? " last" : "");
  if (factor == 4 && columns == 1 && rest != 1) {  // vectors along the rows
    terms.Add("first radix 4", lines);
    terms.Add("fours of first radix 4", lines * (rest / 4));
    terms.Add("rests of first radix 4", lines * (rest % 4));
    return;
  }
  terms.Add(name, lines);
  terms.Add("rows of " + name, lines * rest);
  terms.Add("fours of " + name, lines * rest * (columns / 4));
  terms.Add("rests of " + name, lines * rest * (columns % 4));
}

void AddTerms(const format::FourierParams& p, Terms& terms) {
  const bool is_real =
      p.op() == format::FourierOp::forward_real || p.op() == format::FourierOp::inverse_real;
  const bool in_pairs = is_real && p.size() % 2 == 0;
  const uint32_t points = in_pairs ? p.size() / 2 : p.size();
  terms.variant = !is_real ? "complex" : in_pairs ? "pairs" : "odd";
  const std::string ends = fmt::format("{}{}", format::EnumNameFourierOp(p.op()),
                                       p.has_window() != 0 ? " with window" : "");
  terms.Add("steps", 1);
  terms.Add("lines of " + ends, p.lines());
  terms.Add("fours of " + ends, 1.0 * p.lines() * (points / 4));
  terms.Add("rests of " + ends, 1.0 * p.lines() * (points % 4));
  if (in_pairs) {  // numbers that are separated or joined in pairs
    const uint32_t pairs = points == 0 ? 0 : (points + 1) / 2 - 1;
    terms.Add("fours of pairs", 1.0 * p.lines() * (pairs / 4));
    terms.Add("rests of pairs", 1.0 * p.lines() * (pairs % 4));
  }
  uint32_t rest = points, columns = 1;
  for (uint16_t i = 0; i < 12 && p.factors()->Get(i) != 0; ++i) {
    const uint32_t factor = p.factors()->Get(i);
    rest /= factor;
    AddPass(terms, p.lines(), factor, rest, columns);
    columns *= factor;
  }
}
// Steps whose instructions depend mainly on their data, and steps without measurements.
void AddTerms(const format::TopParams&, Terms&) {}
void AddTerms(const format::SuppressParams&, Terms&) {}
void AddTerms(const format::DetectParams&, Terms&) {}
void AddTerms(const format::RegionParams&, Terms&) {}
void AddTerms(const format::CompactParams&, Terms&) {}
void AddTerms(const format::PositionsParams&, Terms&) {}
void AddTerms(const format::SignalParams&, Terms&) {}
void AddTerms(const format::AutoScaleParams&, Terms&) {}
void AddTerms(const format::ChannelGainParams&, Terms&) {}
void AddTerms(const format::SubtractNoiseParams&, Terms&) {}
void AddTerms(const format::FilterBankParams&, Terms&) {}
void AddTerms(const format::FixedFourierParams&, Terms&) {}

namespace {

// Adds the terms of a step whose operands do not overlap.
template <typename Params>
void AddAllTerms(const Params& params, std::optional<int64_t> /*before*/, Terms& terms) {
  AddTerms(params, terms);
}

// Adds the terms of the blocks of a step whose y starts `before` floats before x
// (runtime/bind/overlapping.h).
#define WEFT_OVERLAPPING_STEP(name, Name)                                                    \
  void AddAllTerms(const format::Name##Params& params, std::optional<int64_t> before,        \
                   Terms& terms) {                                                           \
    bind::MapGeometry geometry;                                                              \
    if (!before || !HasResults(params) || !bind::RunsInBlocks(params, *before, &geometry)) { \
      return AddTerms(params, terms);                                                        \
    }                                                                                        \
    bind::OverlapBlocks blocks(geometry, *before < 0);                                       \
    format::Name##Params part = params;                                                      \
    for (bind::OverlapBlock block; blocks.Next(&block); terms.is_continued = true) {         \
      bind::SetBlock(block, part);                                                           \
      AddTerms(part, terms);                                                                 \
    }                                                                                        \
  }
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP

// How many floats before operand 0 the first result starts, if both are in the same region.
std::optional<int64_t> StartBeforeInput(const format::Model& model, const format::Step& step) {
  const uint32_t* row = format::RowsOf(model.operands()).data + step.first_operand();
  const uint32_t inputs = format::kArity[step.kind()].inputs;
  if (inputs == 0 || row[0] == format::kNoSlot || row[inputs] == format::kNoSlot) return {};
  const format::Slot *x = model.slots()->Get(row[0]), *y = model.slots()->Get(row[inputs]);
  if (x->region() != y->region() || x->move_count() != 0 || y->move_count() != 0) return {};
  return (int64_t{x->offset_bytes()} - int64_t{y->offset_bytes()}) / int64_t{sizeof(float)};
}

}  // namespace

KernelSet KernelsOf(std::string_view core) {
  return core == "cortex-m55" ? KernelSet::kHelium : KernelSet::kDsp;
}

Terms TermsOf(const format::Model& model, const format::Step& step, KernelSet kernels) {
  Terms terms;
  terms.kernels = kernels;
  const uint32_t count = format::kArity[step.kind()].operands();
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t slot = format::RowsOf(model.operands())[step.first_operand() + i];
    if (slot == format::kNoSlot) terms.absent |= 1u << i;
  }
  const std::optional<int64_t> before = StartBeforeInput(model, step);
  VisitParams(model, step, [&](const auto& params) { AddAllTerms(params, before, terms); });
  if (terms.variant.empty()) return terms;
  terms.variant = fmt::format("{} {}", KindName(step.kind()), terms.variant);
  // Absent operands choose other code.
  for (uint32_t i = 0; i < count && !terms.counts_absent; ++i) {
    if ((terms.absent >> i & 1) != 0) terms.variant += fmt::format(" without {}", i);
  }
  return terms;
}

Terms EngineTermsOf(const format::Model& model) {
  const Sum executions = SumOf(model, [](uint32_t) { return 1; });
  const auto steps = format::RowsOf(model.steps());
  Terms terms;
  terms.variant = "engine";
  terms.Add("runs", 1);
  terms.Add("models with sections", format::RowsOf(model.sections()).count != 0);
  for (uint32_t i = 0; i < steps.count; ++i) {
    const double times = executions.times[i];
    if (steps[i].kind() == 0) {
      terms.Add("sections", times);
      const Trips trips = TripsOf(model, steps[i].param());
      terms.Add("iterations", times * trips.count);
      continue;
    }
    terms.Add("steps", times);
    const uint32_t count = format::kArity[steps[i].kind()].operands();
    for (uint32_t k = 0; k < count; ++k) {
      const uint32_t slot = format::RowsOf(model.operands())[steps[i].first_operand() + k];
      terms.Add("operands", times);
      if (slot == format::kNoSlot) continue;
      const uint32_t moves = model.slots()->Get(slot)->move_count();
      terms.Add("moving operands", times * (moves != 0));
      terms.Add("moves", times * moves);
    }
  }
  return terms;
}

}  // namespace weft::inspect
