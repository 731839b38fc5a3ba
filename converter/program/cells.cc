// SPDX-License-Identifier: Apache-2.0
#include "converter/program/cells.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/access_index.h"
#include "converter/program/block_access.h"
#include "converter/program/integer_costs.h"
#include "converter/program/integer_weights.h"
#include "kernels/matrix/pack.h"
#include "kernels/recurrent/cell.h"
#include "runtime/bind/bind.h"

namespace weft::program {
namespace {

constexpr size_t kCellX = 0, kCellWeights = 1;  // inputs of a cell and of dense
constexpr size_t kProductStart = 2;             // of dense

using CellBytes = std::vector<std::byte>;

// Properties of a cell that fusion needs.
struct CellKind {
  uint32_t gates = 0;
  int64_t hidden = 0;
  size_t start = 0;  // the input that holds x * W, or its start once x * W is fused
  bool resets_first = false;
};

std::optional<CellKind> KindOf(const Step& step) {
  if (const auto* lstm = std::get_if<format::LstmCellParams>(&step.params)) {
    return CellKind{4, lstm->hidden(), 4};
  }
  if (const auto* gru = std::get_if<format::GruCellParams>(&step.params)) {
    return CellKind{3, gru->hidden(), 3};
  }
  if (const auto* gru = std::get_if<format::GruResetCellParams>(&step.params)) {
    return CellKind{3, gru->hidden(), 3, true};
  }
  return std::nullopt;
}

template <typename Change>
void ChangeCell(Step& step, const Change& change) {
  if (auto* lstm = std::get_if<format::LstmCellParams>(&step.params)) change(*lstm);
  if (auto* gru = std::get_if<format::GruCellParams>(&step.params)) change(*gru);
  if (auto* gru = std::get_if<format::GruResetCellParams>(&step.params)) change(*gru);
}

bool IsJust(const format::Activation& activation, format::UnaryOp op) {
  return activation.op() == op && !(activation.clip() > 0.0f);
}
bool IsOneRow(uint32_t rows, uint32_t hidden) { return rows == 1 && hidden != 0; }

// Parameters of the cell that a gates step becomes; monostate for any other step.
Params CellParamsOf(const Step& step) {
  if (const auto* lstm = std::get_if<format::LstmGatesParams>(&step.params)) {
    if (IsOneRow(lstm->rows(), lstm->hidden()) && bind::lstm_gates::HasInlineActivations(*lstm)) {
      return format::LstmCellParams(0, lstm->hidden(), 0, ElementType::f32, 0, 0);
    }
  }
  if (const auto* gru = std::get_if<format::GruGatesParams>(&step.params)) {
    if (IsOneRow(gru->rows(), gru->hidden()) && IsJust(gru->f(), format::UnaryOp::sigmoid) &&
        IsJust(gru->g(), format::UnaryOp::tanh)) {
      return format::GruCellParams(0, gru->hidden(), 0, ElementType::f32, 0, 0);
    }
  }
  if (const auto* gru = std::get_if<format::GruUpdateParams>(&step.params)) {
    if (IsOneRow(gru->rows(), gru->hidden()) && IsJust(gru->g(), format::UnaryOp::tanh)) {
      return format::GruResetCellParams(0, gru->hidden(), 0, ElementType::f32, 0, 0);
    }
  }
  return {};
}

bool IsCell(const Step& step) {
  return KindOf(step).has_value() || CellParamsOf(step).index() != 0;
}

bool HasCells(const Block& block) {
  return std::ranges::any_of(block.items, [](const Item& item) {
    const auto* step = std::get_if<Step>(&item);
    return step != nullptr && IsCell(*step);
  });
}

// Returns true if a loop of `trips` iterations can be split into chunks, but not with two phases.
bool HasOddChunks(int64_t trips) {
  for (int64_t divisor = 3; trips % 2 != 0 && divisor * divisor <= trips; divisor += 2) {
    if (trips % divisor == 0) return true;
  }
  return false;
}

bool StaysSeparate(const Program& program, const Step& product, const std::string& gates,
                   const Precisions& precisions) {
  const Precision precision = precisions.Of(product.layer);
  const bool is_named =
      precisions.layers.contains(product.layer) || precisions.layers.contains(gates);
  const Value& weights = program.values[Resolve(program, product.inputs[kCellWeights]).root];
  const ProductShape shape = ShapeOfProduct(std::get<format::DenseParams>(product.params));
  if (!IsScaled(precision) && KeepsIntegers(weights, shape, TypeOf(precision))) return true;
  if (precision && IsInteger(*precision)) {
    return is_named || precision->type != ElementType::i8 || precisions.costs == nullptr ||
           !AreIntegersSlowerThanCell(*precisions.costs, shape, precision->row_bits);
  }
  return product.layer != gates && is_named;
}

// Steps to fuse into a cell: one product, or both products and the gates between them.
struct Match {
  BlockId block = 0;
  std::vector<size_t> taken;  // removed items, products first
  size_t cell = 0;            // item that becomes the cell
  Step fused;                 // without its weights
  // Roots of weights: of the first product, and of the second product or the existing cell.
  ValueId w = kNone, r = kNone;
};

class CellFuser {
 public:
  explicit CellFuser(Program& program)
      : program_(program), uses_(CountsOf(CollectAccesses(program, program.main))) {
    for (const Section& section : program.sections) {
      if (section.loop) loops_.emplace(section.loop->body, &section);
    }
  }

  // `find` returns the match at an item, if there is one.
  template <typename Find>
  void Collect(const Find& find) {
    for (BlockId block = 0; block < program_.blocks.size(); ++block) {
      if (!HasCells(program_.blocks[block])) continue;
      block_ = block;
      accesses_ = CollectAccesses(program_, block);
      for (size_t item = 0; item < items().size(); ++item) {
        const auto* step = std::get_if<Step>(&items()[item]);
        if (step == nullptr) continue;
        if (std::optional<Match> match = find(*step, item)) matches_.push_back(std::move(*match));
      }
    }
  }

  const Step& TakenIn(const Match& match, size_t item) const {
    return std::get<Step>(program_.blocks[match.block].items[item]);
  }
  std::optional<Match> MatchRecurrent(const Step& gates, size_t item) const;
  std::optional<Match> MatchInput(const Step& cell, size_t item) const;

  // `weights` creates the weights of a match, once for equal ones.
  template <typename Weights>
  void Apply(const Weights& weights);

 private:
  const std::vector<Item>& items() const { return program_.blocks[block_].items; }
  // Number of uses in the entire program; 0 if no block uses the root.
  size_t UsesOf(ValueId root) const {
    const auto found = uses_.find(root);
    return found == uses_.end() ? 0 : found->second;
  }
  const Step* SoleProducerOf(ValueId value, size_t reader, StepKind kind, size_t* item) const;
  const Step* ProductOf(ValueId value, size_t reader, int64_t outputs, size_t* item) const;
  std::optional<Match> MatchResetBefore(const Step& update, size_t item) const;
  std::optional<ValueId> StartOfBoth(const Step& gates, const Step& candidate,
                                     int64_t hidden) const;
  bool IsWrittenBetween(ValueId value, size_t first, size_t last) const;
  bool LiesOver(ValueId input, const Step& step) const;
  bool LosesChunks(const Step& gates) const;
  std::optional<ValueId> CompleteConstant(ValueId value) const;

  Program& program_;
  const AccessCounts uses_;
  std::map<BlockId, const Section*> loops_;  // by their bodies, until they are planned
  BlockId block_ = 0;
  AccessMap accesses_;
  std::vector<Match> matches_;
};

// Returns the root of weights if `value` is all of it.
std::optional<ValueId> CellFuser::CompleteConstant(ValueId value) const {
  const Location location = Resolve(program_, value);
  const Value& root = program_.values[location.root];
  const bool is_whole = root.storage == Storage::kWeights && root.data != nullptr &&
                        location.offset_bytes == 0 && location.moves.empty() &&
                        program_.values[value].bytes == root.bytes;
  return is_whole ? std::optional(location.root) : std::nullopt;
}

bool CellFuser::IsWrittenBetween(ValueId value, size_t first, size_t last) const {
  return IsWritten(accesses_, Resolve(program_, value).root, static_cast<int64_t>(first) + 1,
                   static_cast<int64_t>(last) - 1);
}

// Returns true if an output of the step shares the root of the input.
bool CellFuser::LiesOver(ValueId input, const Step& step) const {
  const ValueId root = Resolve(program_, input).root;
  return std::ranges::any_of(
      step.outputs, [&](ValueId output) { return Resolve(program_, output).root == root; });
}

// A cell needs two phases if its h' is in no scan output, while separate steps write h' over h.
// With an odd number of iterations, two phases would prevent hoisting the input product in chunks,
// which saves more than the cell.
bool CellFuser::LosesChunks(const Step& gates) const {
  const auto found = loops_.find(block_);
  if (found == loops_.end()) return false;
  const Section& section = *found->second;
  if (section.is_open() || !HasOddChunks(section.max_trips)) return false;
  const std::vector<ValueId>& results = program_.blocks[block_].results;
  return std::ranges::none_of(section.loop->scans, [&](const Loop::Scan& scan) {
    return Resolve(program_, results[scan.result]) == Resolve(program_, gates.outputs[0]);
  });
}

// Returns the step that writes `value`, if only the step at `reader` reads it.
const Step* CellFuser::SoleProducerOf(ValueId value, size_t reader, StepKind kind,
                                      size_t* item) const {
  const auto writer = SoleWriter(program_, accesses_, value, static_cast<int64_t>(reader));
  if (!writer || UsesOf(Resolve(program_, value).root) != 2) return nullptr;
  const auto* step = std::get_if<Step>(&items()[*writer]);
  if (step == nullptr || step->kind() != kind) return nullptr;
  *item = *writer;
  return step;
}

// Returns the product that computes `value` as one row of `outputs` outputs, if only the step at
// `reader` reads it. The product must be able to run at `reader`, whose outputs must not overlap
// its operands.
const Step* CellFuser::ProductOf(ValueId value, size_t reader, int64_t outputs,
                                 size_t* item) const {
  size_t writer = 0;
  const Step* product = SoleProducerOf(value, reader, StepKind::kDense, &writer);
  if (product == nullptr) return nullptr;
  const auto& params = std::get<format::DenseParams>(product->params);
  if (params.rows() != 1 || params.outputs() != outputs) return nullptr;
  if (!IsJust(params.activation(), format::UnaryOp::identity)) return nullptr;
  if (product->inputs[kProductStart] == kNone || !CompleteConstant(product->inputs[kCellWeights]))
    return nullptr;
  const auto& step = std::get<Step>(items()[reader]);
  for (const ValueId input : {product->inputs[kCellX], product->inputs[kProductStart]}) {
    if (IsWrittenBetween(input, writer, reader) || LiesOver(input, step)) return nullptr;
  }
  *item = writer;
  return product;
}

std::optional<Match> CellFuser::MatchRecurrent(const Step& gates, size_t item) const {
  Step cell = gates;
  cell.params = CellParamsOf(gates);
  const std::optional<CellKind> kind = KindOf(cell);
  if (!kind || LosesChunks(gates)) return std::nullopt;
  if (kind->resets_first) return MatchResetBefore(gates, item);
  const bool is_lstm = gates.kind() == StepKind::kLstmGates;
  size_t at = 0;
  const Step* product =
      ProductOf(gates.inputs[is_lstm ? 0 : 1], item, kind->gates * kind->hidden, &at);
  if (product == nullptr) return std::nullopt;
  const auto& params = std::get<format::DenseParams>(product->params);
  if (params.inputs() != kind->hidden || params.weights() != ElementType::f32) return std::nullopt;
  const ValueId h = product->inputs[kCellX], start = product->inputs[kProductStart];
  if (is_lstm) {
    cell.inputs = {kNone, kNone, h, gates.inputs[1], start};
  } else {
    if (Resolve(program_, h) != Resolve(program_, gates.inputs[2])) return std::nullopt;
    cell.inputs = {kNone, kNone, h, gates.inputs[0], start};
  }
  return Match{
      block_, {at}, item, std::move(cell), *CompleteConstant(product->inputs[kCellWeights]), kNone};
}

// Returns the value whose first two parts `gates` adds as start of z and r, and whose third part
// `candidate` adds; nullopt if there is no such value.
std::optional<ValueId> CellFuser::StartOfBoth(const Step& gates, const Step& candidate,
                                              int64_t hidden) const {
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  const ValueId first = gates.inputs[kProductStart];
  const ValueId whole = program_.values[first].parent;
  if (whole == kNone) return std::nullopt;
  const Location begin = Resolve(program_, first);
  if (begin != Resolve(program_, whole) || program_.values[whole].bytes < 3 * hidden * kFloat) {
    return std::nullopt;
  }
  Location after = begin;
  after.offset_bytes += 2 * hidden * kFloat;
  const bool is_after = after == Resolve(program_, candidate.inputs[kProductStart]);
  return is_after ? std::optional(whole) : std::nullopt;
}

// Matches dense, gru_reset, dense and this update.
std::optional<Match> CellFuser::MatchResetBefore(const Step& update, size_t item) const {
  Step cell = update;
  cell.params = CellParamsOf(update);
  const int64_t hidden = KindOf(cell)->hidden;
  const ValueId h = update.inputs[2];
  size_t at_candidate = 0, at_reset = 0, at_gates = 0, at_z = 0;
  const Step* candidate = ProductOf(update.inputs[0], item, hidden, &at_candidate);
  if (candidate == nullptr) return std::nullopt;
  const Step* reset =
      SoleProducerOf(candidate->inputs[kCellX], at_candidate, StepKind::kGruReset, &at_reset);
  if (reset == nullptr ||
      SoleProducerOf(update.inputs[1], item, StepKind::kGruReset, &at_z) != reset) {
    return std::nullopt;
  }
  const auto& reset_params = std::get<format::GruResetParams>(reset->params);
  if (reset_params.rows() != 1 || reset_params.hidden() != hidden ||
      !IsJust(reset_params.f(), format::UnaryOp::sigmoid) ||
      Resolve(program_, reset->inputs[1]) != Resolve(program_, h)) {
    return std::nullopt;
  }
  const Step* gates = ProductOf(reset->inputs[0], at_reset, 2 * hidden, &at_gates);
  if (gates == nullptr || Resolve(program_, gates->inputs[kCellX]) != Resolve(program_, h)) {
    return std::nullopt;
  }
  for (const Step* product : {gates, candidate}) {
    const auto& params = std::get<format::DenseParams>(product->params);
    if (params.inputs() != hidden || params.weights() != ElementType::f32) return std::nullopt;
  }
  const std::optional<ValueId> start = StartOfBoth(*gates, *candidate, hidden);
  if (!start) return std::nullopt;
  for (const ValueId input : {h, *start}) {
    if (IsWrittenBetween(input, at_gates, item) || LiesOver(input, update)) return std::nullopt;
  }
  cell.inputs = {kNone, kNone, h, *start};
  cell.outputs.push_back(reset->outputs[1]);
  return Match{block_,
               {at_gates, at_candidate, at_reset},
               item,
               std::move(cell),
               *CompleteConstant(gates->inputs[kCellWeights]),
               *CompleteConstant(candidate->inputs[kCellWeights])};
}

std::optional<Match> CellFuser::MatchInput(const Step& cell, size_t item) const {
  const std::optional<CellKind> kind = KindOf(cell);
  if (!kind || cell.inputs[kCellX] != kNone) return std::nullopt;
  size_t at = 0;
  const Step* product = ProductOf(cell.inputs[kind->start], item, kind->gates * kind->hidden, &at);
  const std::optional<ValueId> r = CompleteConstant(cell.inputs[kCellWeights]);
  if (product == nullptr || !r) return std::nullopt;
  const auto& params = std::get<format::DenseParams>(product->params);
  Step fused = cell;
  bool is_alike = false;
  ChangeCell(fused, [&](auto& of) {
    // Weights with scales stay in two steps: their scales would have to be joined.
    is_alike = of.weights() == params.weights() && of.weights() != ElementType::i8;
    of.mutate_inputs(params.inputs());
  });
  if (!is_alike) return std::nullopt;
  fused.inputs[kCellX] = product->inputs[kCellX];
  fused.inputs[kind->start] = product->inputs[kProductStart];
  return Match{
      block_, {at}, item, std::move(fused), *CompleteConstant(product->inputs[kCellWeights]), *r};
}

template <typename Weights>
void CellFuser::Apply(const Weights& weights) {
  std::map<std::pair<ValueId, ValueId>, size_t> readers;
  for (const Match& match : matches_) ++readers[{match.w, match.r}];
  // Weights with other readers would be stored twice in the file.
  std::erase_if(matches_, [&](const Match& match) {
    const size_t count = readers.at({match.w, match.r});
    return UsesOf(match.w) != count || (match.r != kNone && UsesOf(match.r) != count);
  });
  std::map<std::pair<ValueId, ValueId>, ValueId> fused_weights;
  std::map<BlockId, std::set<size_t>> leaving;
  for (Match& match : matches_) {
    const auto [known, fresh] = fused_weights.try_emplace({match.w, match.r}, kNone);
    if (fresh) known->second = weights(match);
    match.fused.inputs[kCellWeights] = known->second;
    program_.blocks[match.block].items[match.cell] = std::move(match.fused);
    leaving[match.block].insert(match.taken.begin(), match.taken.end());
  }
  for (const auto& [block, taken] : leaving) RemoveItems(program_.blocks[block].items, taken);
}

// Number of weights of a cell for one input.
uint64_t RowOf(const CellKind& kind) {
  const uint32_t hidden = Narrow32(kind.hidden, "units");
  if (!kind.resets_first) return kernels::CellRow(kind.gates, hidden);
  return kernels::CellRow(kernels::kGruResetGates, hidden) + kernels::CellRow(1, hidden);
}

// A constant of cell weights for `depth` inputs.
ValueId AddWeights(Program& program, ValueId like, const CellKind& kind, int64_t depth,
                   CellBytes bytes) {
  Value value;
  const uint64_t row = RowOf(kind);
  value.type = {program.values[like].type.type, {depth, static_cast<int64_t>(row)}};
  value.bytes = static_cast<int64_t>(bytes.size());
  value.storage = Storage::kWeights;
  value.name = program.values[like].name;
  value.block = program.values[like].block;
  value.data = std::make_shared<const CellBytes>(std::move(bytes));
  return program.Add(std::move(value));
}

// Packs the weights of a cell; each part provides the weights of some inputs.
class CellPacker {
 public:
  CellPacker(const CellKind& kind, int64_t inputs, size_t element_bytes)
      : kind_(kind), element_bytes_(element_bytes) {
    shape_.inputs = Narrow32(inputs, "inputs");
    shape_.hidden = Narrow32(kind.hidden, "units");
    bytes_.resize(RowOf(kind) * (uint64_t{shape_.inputs} + shape_.hidden) * element_bytes);
  }

  // Copies inputs [first, first + count) of gates [begin, end) from the panels of a product with
  // `count` inputs.
  void TakePanels(const CellBytes& panels, int64_t first, int64_t count, uint32_t begin,
                  uint32_t end) {
    ForAll(begin, end, count, [&](uint32_t gate, uint32_t unit, uint64_t k) {
      const uint64_t output = uint64_t{gate - begin} * shape_.hidden + unit;
      const uint64_t panel = output / kernels::kPanelOutputs,
                     lane = output % kernels::kPanelOutputs;
      Take(panels, (panel * static_cast<uint64_t>(count) + k) * kernels::kPanelOutputs + lane, gate,
           unit, static_cast<uint64_t>(first) + k);
    });
  }

  // Copies the recurrent inputs from a cell without other inputs.
  void TakeRecurrent(const CellBytes& recurrent) {
    kernels::CellShape alone = shape_;
    alone.inputs = 0;
    ForAll(0, kind_.gates, shape_.hidden, [&](uint32_t gate, uint32_t unit, uint64_t k) {
      Take(recurrent, At(alone, gate, unit, k), gate, unit, shape_.inputs + k);
    });
  }

  CellBytes Done() { return std::move(bytes_); }

 private:
  template <typename Do>
  void ForAll(uint32_t begin, uint32_t end, int64_t count, const Do& take) const {
    for (uint32_t gate = begin; gate < end; ++gate) {
      for (uint32_t unit = 0; unit < shape_.hidden; ++unit) {
        for (uint64_t k = 0; k < static_cast<uint64_t>(count); ++k) take(gate, unit, k);
      }
    }
  }
  uint64_t At(const kernels::CellShape& shape, uint32_t gate, uint32_t unit, uint64_t k) const {
    return kind_.resets_first ? kernels::GruResetWeightAt(shape, gate, unit, k)
                              : kernels::CellWeightAt(shape, kind_.gates, gate, unit, k);
  }
  void Take(const CellBytes& from, uint64_t at, uint32_t gate, uint32_t unit, uint64_t k) {
    const uint64_t to = At(shape_, gate, unit, k);
    std::memcpy(bytes_.data() + to * element_bytes_, from.data() + at * element_bytes_,
                element_bytes_);
  }

  CellKind kind_;
  kernels::CellShape shape_;
  size_t element_bytes_;
  CellBytes bytes_;
};

size_t WeightBytes(const Program& program, ValueId weights) {
  return static_cast<size_t>(weft::BitsOf(program.values[weights].type.type) / 8);
}

ValueId RecurrentWeights(Program& program, const Match& match) {
  const CellKind kind = *KindOf(match.fused);
  CellPacker packer(kind, 0, WeightBytes(program, match.w));
  const uint32_t first = kind.resets_first ? kernels::kGruResetGates : kind.gates;
  packer.TakePanels(*program.values[match.w].data, 0, kind.hidden, 0, first);
  if (kind.resets_first) {
    packer.TakePanels(*program.values[match.r].data, 0, kind.hidden, first, kind.gates);
  }
  return AddWeights(program, match.w, kind, kind.hidden, packer.Done());
}

ValueId JoinedWeights(Program& program, const Match& match) {
  const CellKind kind = *KindOf(match.fused);
  int64_t inputs = 0;
  Step fused = match.fused;
  ChangeCell(fused, [&](const auto& of) { inputs = of.inputs(); });
  CellPacker packer(kind, inputs, WeightBytes(program, match.r));
  packer.TakePanels(*program.values[match.w].data, 0, inputs, 0, kind.gates);
  packer.TakeRecurrent(*program.values[match.r].data);
  return AddWeights(program, match.r, kind, inputs + kind.hidden, packer.Done());
}

}  // namespace

bool CanReverseWeights(const Step& step) { return KindOf(step).has_value(); }
void ReverseWeights(Step& step) {
  ChangeCell(step, [](auto& cell) { cell.mutate_backward(1); });
}

void FuseCells(Program& program, const Precisions& precisions) {
  if (std::ranges::none_of(program.blocks, HasCells)) return;
  CellFuser fuser(program);
  fuser.Collect([&](const Step& s, size_t item) -> std::optional<Match> {
    std::optional<Match> match = fuser.MatchRecurrent(s, item);
    const auto stays_apart = [&](size_t taken) {
      const Step& step = fuser.TakenIn(*match, taken);
      return step.kind() == StepKind::kDense && StaysSeparate(program, step, s.layer, precisions);
    };
    if (match && std::ranges::any_of(match->taken, stays_apart)) return std::nullopt;
    return match;
  });
  fuser.Apply([&](const Match& match) { return RecurrentWeights(program, match); });
}

void JoinCellInputs(Program& program) {
  if (std::ranges::none_of(program.blocks, HasCells)) return;
  CellFuser fuser(program);
  fuser.Collect([&](const Step& s, size_t item) { return fuser.MatchInput(s, item); });
  fuser.Apply([&](const Match& match) { return JoinedWeights(program, match); });
}

}  // namespace weft::program
