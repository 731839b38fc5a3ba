// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/quantised_recurrent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "converter/tflite/lstm.h"
#include "converter/tflite/recurrent_codes.h"

namespace weft::tflite {
namespace {

// Gates in the order of the step: forget, input, cell, output. The file has input before forget.
constexpr size_t kForget = 0, kInput = 1, kCandidate = 2, kIntegerGates = 4;
constexpr std::array<size_t, kIntegerGates> kInFile = {1, 0, 2, 3};
// Inputs of the operator, by the first gate of the file.
constexpr size_t kX = 0, kW = 1, kR = 5, kPeepholes = 9, kBiases = 12, kProjection = 16,
                 kHidden = 18, kCell = 19, kNorms = 20;
constexpr size_t kOfHidden = 4;  // the intermediate with the scale before the projection
constexpr size_t kOldIntermediates = 12;

// The exponent of a power of two; nullopt for another number.
std::optional<int64_t> PowerOf(float scale) {
  int exponent = 0;
  return std::frexp(scale, &exponent) == 0.5f ? std::optional<int64_t>(exponent - 1) : std::nullopt;
}

class IntegerLstm {
 public:
  explicit IntegerLstm(Builder& b) : b_(b) {}

  void Run() {
    if (!Check()) return;
    Sources weights = {Rows(kW), Rows(kR), Numbers()};
    if (weights[2].node == nullptr) return;
    if (is_projected_) {
      const Sources projection = Projection();
      if (projection.empty()) return;
      weights.insert(weights.end(), projection.begin(), projection.end());
    }
    const ir::Source h =
        CodesOfVariable(b_, kHidden, b_.InputTensor(kHidden).dims, ZeroOf(b_.InputTensor(kHidden)));
    const ir::Source c = CodesOfVariable(b_, kCell, b_.InputTensor(kCell).dims, 0);
    ir::Source x = CodesOfInput(b_, kX);
    if (is_time_major_) x = b_.Transposed(x, kSwap);
    const SequenceResult results = steps_ == 1 ? OneStep(x, h, c, weights) : Loop(x, h, c, weights);
    b_.SetState(b_.VariableName(kHidden), results.hidden);
    b_.SetState(b_.VariableName(kCell), results.cell);
    SetCodes(b_, is_time_major_ ? b_.Transposed(results.y, kSwap) : results.y);
  }

 private:
  static constexpr std::array<int64_t, 3> kSwap = {1, 0, 2};
  static constexpr int64_t kMaxOfLitert = -9;  // the exponent of the scale of a cell
  static constexpr int64_t kMaxSum = std::numeric_limits<int32_t>::max();

  bool Check();
  bool CheckStates();
  bool CheckProjection();
  bool RequireLength(size_t input);
  // The gate of the file has this input.
  size_t Of(size_t first, size_t gate) const { return first + kInFile[gate]; }
  bool Has(size_t first, size_t gate) const { return b_.Has(Of(first, gate)); }
  const Tensor& At(size_t first, size_t gate) const { return b_.InputTensor(Of(first, gate)); }
  // Peepholes have no entry for the cell.
  size_t PeepholeOf(size_t gate) const { return kPeepholes + (gate == 3 ? 2 : kInFile[gate]); }

  ir::Source Rows(size_t first);
  ir::Source Numbers();
  void AddProductNumbers(std::vector<int64_t>& numbers, size_t first, int64_t zero);
  Attributes AttributesOf() const;
  Sources Projection();
  Attributes AttributesOfProjection() const;
  // The tensor with the scale of the cell's outputs.
  const Tensor& Hidden() const {
    const Tensor* tensor = is_micro_ ? nullptr : Intermediate(kOfHidden);
    return tensor != nullptr ? *tensor : b_.InputTensor(kHidden);
  }
  void AddMultipliers(Attributes& attributes) const;
  float GateScale(size_t gate) const;
  // A quantised intermediate tensor, or null.
  const Tensor* Intermediate(size_t position) const;
  int64_t CellClip() const;

  SequenceResult OneStep(ir::Source x, ir::Source h, ir::Source c, const Sources& weights);
  SequenceResult Loop(ir::Source x, ir::Source h, ir::Source c, const Sources& weights);

  Builder& b_;
  bool is_micro_ = true, is_coupled_ = false, has_peepholes_ = false, has_norm_ = false;
  bool is_projected_ = false, is_time_major_ = false, has_shorts_ = false;
  bool sums_fit_ = true;  // of int16 data in 32 bits
  int64_t steps_ = 0, cells_ = 0, power_ = 0;
  std::vector<size_t> gates_;  // those with weights
};

bool IntegerLstm::Check() {
  const auto& options = b_.Options<schema::UnidirectionalSequenceLSTMOptions>();
  using Type = schema::ElementType;
  if (b_.op().intermediates.size() == kOldIntermediates) {
    b_.Refuse("is an LSTM with an int8 cell; must have an int16 cell");
    return false;
  }
  has_shorts_ = b_.InputTensor(kX).type == Type::i16;
  const Type type = has_shorts_ ? Type::i16 : Type::i8;
  if (!b_.RequireRank(kX, 3) || !RequireCodes(b_, kX, type, false)) return false;
  if (!RequireCodes(b_, kCell, Type::i16, false)) return false;
  is_coupled_ = !b_.Has(Of(kW, kInput));
  has_norm_ = b_.Has(Of(kNorms, kForget));
  has_peepholes_ = b_.Has(PeepholeOf(kForget));
  is_projected_ = b_.Has(kProjection);
  is_micro_ = !is_coupled_ && !has_norm_ && !has_peepholes_ && !is_projected_;
  // LiteRT supports no other plain layers.
  const bool litert_has = !has_shorts_ && PowerOf(ScaleOf(b_.InputTensor(kCell))) <= kMaxOfLitert;
  if (b_.rounds_as_litert() && litert_has) is_micro_ = false;
  if (has_shorts_ && !is_micro_) {
    b_.Refuse(
        "has int16 data and coupled gates, peepholes, a projection or layer normalisation; must "
        "have none");
    return false;
  }
  for (size_t gate = 0; gate < kIntegerGates; ++gate) {
    if (gate == kInput && is_coupled_) continue;
    gates_.push_back(gate);
    if (!RequireCodes(b_, Of(kW, gate), Type::i8, true)) return false;
    if (!RequireCodes(b_, Of(kR, gate), Type::i8, true)) return false;
    if (has_norm_ && !RequireCodes(b_, Of(kNorms, gate), Type::i16, true)) return false;
    if (has_peepholes_ && gate != kCandidate &&
        !RequireCodes(b_, PeepholeOf(gate), Type::i16, true)) {
      return false;
    }
  }
  is_time_major_ = options.time_major();
  steps_ = b_.InputTensor(kX).dims[is_time_major_ ? 0 : 1];
  return CheckStates() && (!is_projected_ || CheckProjection()) &&
         RequireCodesOfOutput(b_, b_.InputTensor(kX).type);
}

bool IntegerLstm::CheckStates() {
  if (!RequireCodes(b_, kHidden, b_.InputTensor(kX).type, false)) return false;
  if (has_shorts_ && (ZeroOf(b_.InputTensor(kX)) != 0 || ZeroOf(b_.InputTensor(kHidden)) != 0)) {
    b_.Refuse("the zero points of int16 data must be 0");
    return false;
  }
  const Tensor& cell = b_.InputTensor(kCell);
  const std::optional<int64_t> power = PowerOf(ScaleOf(cell));
  const int64_t max = is_micro_ ? 0 : kMaxOfLitert;
  if (!power || *power < -15 || *power > max || ZeroOf(cell) != 0) {
    b_.Refuse("the scale of its cell is {} with zero {}; must be a power of two up to 2^{}",
              ScaleOf(cell), ZeroOf(cell), max);
    return false;
  }
  if (!b_.RequireRank(kCell, 2) || !b_.RequireRank(kHidden, 2)) return false;
  power_ = *power;
  cells_ = cell.dims[1];
  if (cells_ < 1 || b_.InputTensor(kHidden).dims[1] < 1) {
    b_.Refuse("has {} cells and {} outputs; must have at least 1 of each", cells_,
              b_.InputTensor(kHidden).dims[1]);
    return false;
  }
  for (const size_t gate : gates_) {
    if (!RequireSums(b_, Of(kBiases, gate), cells_)) return false;
    if ((has_norm_ && !RequireLength(Of(kNorms, gate))) ||
        (has_peepholes_ && gate != kCandidate && !RequireLength(PeepholeOf(gate)))) {
      return false;
    }
    const bool fits = At(kW, gate).dims == Dims{cells_, b_.InputTensor(kX).dims[2]} &&
                      At(kR, gate).dims == Dims{cells_, b_.InputTensor(kHidden).dims[1]};
    if (fits) continue;
    b_.Refuse("its weights do not have {} rows of the lengths of x and h", cells_);
    return false;
  }
  return true;
}

bool IntegerLstm::RequireLength(size_t input) {
  if (ElementCount(b_.InputTensor(input).dims) == cells_) return true;
  b_.Refuse("input {} has shape {}; must have {} elements, one for each cell", input,
            ToString(b_.InputTensor(input).dims), cells_);
  return false;
}

bool IntegerLstm::CheckProjection() {
  if (!RequireCodes(b_, kProjection, schema::ElementType::i8, true)) return false;
  const int64_t outputs = b_.InputTensor(kHidden).dims[1];
  if (!RequireSums(b_, kProjection + 1, outputs)) return false;
  if (b_.InputTensor(kProjection).dims == Dims{outputs, cells_}) return true;
  b_.Refuse("its projection does not have a row of {} weights for each output", cells_);
  return false;
}

// The weights, mantissas, initial sums and exponents of the projection.
Sources IntegerLstm::Projection() {
  const Tensor& weights = b_.InputTensor(kProjection);
  const Tensor &hidden = Hidden(), &h = b_.InputTensor(kHidden);
  const std::vector<int64_t> codes = CodesOf(weights);
  const auto outputs = static_cast<size_t>(weights.dims[0]);
  std::vector<int64_t> firsts(outputs);
  if (b_.Has(kProjection + 1)) firsts = CodesOf(b_.InputTensor(kProjection + 1));
  firsts.resize(outputs);
  for (size_t i = 0; i < codes.size(); ++i) {
    firsts[i / (codes.size() / outputs)] += ZeroOf(hidden) * codes[i];
  }
  const Multiplier by = MultiplierOf(ScaleOf(weights) * ScaleOf(hidden) / ScaleOf(h));
  const Dims dims = {weights.dims[0]};
  const std::vector<int64_t> mantissas(outputs, by.mantissa), exponents(outputs, by.exponent);
  Sources made = {b_.Const(*weights.constant)};
  for (const std::vector<int64_t>* numbers : {&mantissas, &std::as_const(firsts), &exponents}) {
    const auto constant = ConstantOf<int32_t>(b_, ElementType::i32, dims, *numbers);
    if (!constant) {
      b_.Refuse("the sums of its projection must fit 32 bits");
      return {};
    }
    made.push_back(*constant);
  }
  return made;
}

Attributes IntegerLstm::AttributesOfProjection() const {
  const Tensor& h = b_.InputTensor(kHidden);
  const float clip = b_.Options<schema::UnidirectionalSequenceLSTMOptions>().proj_clip();
  const int64_t limit =
      clip > 0 ? static_cast<int64_t>(std::min(clip / ScaleOf(h), 127.0f)) : int64_t{0};
  return {{"zero", fmt::format("{}", ZeroOf(h))},
          {"low", fmt::format("{}", limit > 0 ? -limit : -128)},
          {"high", fmt::format("{}", limit > 0 ? limit : 127)},
          {"by_integers", "true"}};
}

// The rows of all gates.
ir::Source IntegerLstm::Rows(size_t first) {
  std::vector<std::byte> bytes;
  for (const size_t gate : gates_) {
    const auto& of_gate = At(first, gate).constant->bytes;
    bytes.insert(bytes.end(), of_gate.begin(), of_gate.end());
  }
  const int64_t rows = std::ssize(gates_) * cells_;
  return b_.Const({ElementType::i8, {rows, At(first, kForget).dims[1]}}, std::move(bytes));
}

// The initial value of each row's sum: its bias minus the part of the zero point.
void IntegerLstm::AddProductNumbers(std::vector<int64_t>& numbers, size_t first, int64_t zero) {
  for (const size_t gate : gates_) {
    const std::vector<int64_t> codes = CodesOf(At(first, gate));
    const bool is_biased = first == kW && !has_norm_ && Has(kBiases, gate);
    std::vector<int64_t> biases(static_cast<size_t>(cells_));
    if (is_biased) biases = CodesOf(At(kBiases, gate));
    const size_t columns = codes.size() / biases.size();
    for (size_t row = 0; row < biases.size(); ++row) {
      int64_t sum = 0, magnitudes = 0;
      for (size_t k = 0; k < columns; ++k) {
        sum += codes[row * columns + k];
        magnitudes += std::abs(codes[row * columns + k]);
      }
      numbers.push_back(biases[row] - zero * sum);
      const int64_t largest = 32768 * magnitudes + std::abs(biases[row]);
      if (has_shorts_ && largest > kMaxSum) sums_fit_ = false;
    }
  }
}

ir::Source IntegerLstm::Numbers() {
  std::vector<int64_t> numbers;
  const auto append = [&](const Tensor& tensor) {
    const std::vector<int64_t> codes = CodesOf(tensor);
    numbers.insert(numbers.end(), codes.begin(), codes.end());
  };
  AddProductNumbers(numbers, kW, ZeroOf(b_.InputTensor(kX)));
  AddProductNumbers(numbers, kR, ZeroOf(b_.InputTensor(kHidden)));
  for (const size_t gate : gates_) {
    if (has_peepholes_ && gate != kCandidate) append(b_.InputTensor(PeepholeOf(gate)));
  }
  for (const size_t first : {kNorms, kBiases}) {
    if (!has_norm_) break;
    for (const size_t gate : gates_) append(At(first, gate));
  }
  const Dims dims = {std::ssize(numbers)};
  std::optional<ir::Source> made;
  if (sums_fit_) made = ConstantOf<int32_t>(b_, ElementType::i32, dims, numbers);
  if (!made) b_.Refuse("the sums of its weights and biases must fit 32 bits");
  return made.value_or(ir::Source{nullptr, 0});
}

float IntegerLstm::GateScale(size_t gate) const {
  const Tensor* tensor = has_norm_ ? Intermediate(kInFile[gate]) : nullptr;
  return tensor == nullptr ? 0x1p-12f : ScaleOf(*tensor);
}

// States are in the main graph.
const Tensor* IntegerLstm::Intermediate(size_t position) const {
  const std::vector<int32_t>& ids = b_.op().intermediates;
  if (position >= ids.size() || ids[position] == kLeftOut) return nullptr;
  const Tensor& tensor = b_.model().subgraphs[0].tensors[static_cast<size_t>(ids[position])];
  return tensor.quantization ? &tensor : nullptr;
}

void IntegerLstm::AddMultipliers(Attributes& attributes) const {
  std::array<Multiplier, kIntegerGates> of_x, of_h, of_c, of_norm;
  std::vector<int64_t> min_variances(kIntegerGates);
  const float x = ScaleOf(b_.InputTensor(kX)), h = ScaleOf(b_.InputTensor(kHidden));
  for (const size_t gate : gates_) {
    const float w = ScaleOf(At(kW, gate)), r = ScaleOf(At(kR, gate)), scale = GateScale(gate);
    of_x[gate] =
        MultiplierOf(is_micro_ ? double{x} * double{w} / double{scale} : double{w * x / scale});
    of_h[gate] =
        MultiplierOf(is_micro_ ? double{h} * double{r} / double{scale} : double{r * h / scale});
    if (has_peepholes_ && gate != kCandidate) {
      const float cell = ScaleOf(b_.InputTensor(kCell));
      of_c[gate] = MultiplierOf(cell * ScaleOf(b_.InputTensor(PeepholeOf(gate))) / scale);
    }
    if (has_norm_) {
      const float norm = ScaleOf(At(kNorms, gate));
      of_norm[gate] = MultiplierOf(norm);
      min_variances[gate] = std::max<int64_t>(1, static_cast<int64_t>(10000 * double{norm}));
    }
  }
  attributes["of_x"] = TextOf(of_x);
  attributes["of_h"] = TextOf(of_h);
  if (has_peepholes_) attributes["of_c"] = TextOf(of_c);
  if (has_norm_) {
    attributes["of_norm"] = TextOf(of_norm);
    attributes["min_variance"] = ListText(min_variances);
  }
}

int64_t IntegerLstm::CellClip() const {
  const float clip = b_.Options<schema::UnidirectionalSequenceLSTMOptions>().cell_clip();
  if (!(clip > 0)) return 0;
  return static_cast<int64_t>(std::min(clip / ScaleOf(b_.InputTensor(kCell)), 32767.0f));
}

Attributes IntegerLstm::AttributesOf() const {
  const Tensor& hidden = Hidden();
  const double scale = ScaleOf(hidden);
  const double factor =
      is_micro_ ? 0x1p-30 / scale : double{static_cast<float>(0x1p-15 / scale * 0x1p-15)};
  Attributes attributes = {
      {"result", TextOf(std::array{MultiplierOf(factor)})},
      {"zero", fmt::format("{}", is_projected_ ? -ZeroOf(hidden) : ZeroOf(hidden))},
      {"cell_clip", fmt::format("{}", CellClip())},
      {"cell_power", fmt::format("{}", power_)},
      {"rounding", is_micro_ ? "micro" : "litert"},
      {"coupled", is_coupled_ ? "true" : "false"}};
  AddMultipliers(attributes);
  return attributes;
}

SequenceResult IntegerLstm::OneStep(ir::Source x, ir::Source h, ir::Source c,
                                    const Sources& weights) {
  const ir::Source row = b_.Squeezed(x, 1);
  ir::Node& cell = b_.AddNode("QuantizedLSTMCell", kOwnVersion, AttributesOf(),
                              {row, h, c, weights[0], weights[1], weights[2]}, 2);
  ir::Source next = {&cell, 0};
  if (is_projected_) {
    next = b_.Add("QuantizedMatMul", kOwnVersion, AttributesOfProjection(),
                  {next, weights[3], weights[4], weights[5], weights[6]});
  }
  return {b_.Unsqueezed(next, 1), next, {&cell, 1}};
}

SequenceResult IntegerLstm::Loop(ir::Source x, ir::Source h, ir::Source c, const Sources& weights) {
  const ElementType type = CodeTypeOf(b_.InputTensor(kX));
  const Dims& of_h = b_.InputTensor(kHidden).dims;
  const TensorType chunk = {type, {of_h[0], 1, b_.InputTensor(kX).dims[2]}};
  return LoopOverSteps(
      b_, {x, h, c},
      {chunk, TensorType{type, of_h}, TensorType{ElementType::i16, b_.InputTensor(kCell).dims}},
      false, [&](ir::Source part, ir::Source old_h, ir::Source old_c) {
        Sources inside;
        for (const ir::Source& one : weights) inside.push_back(b_.Const(*one.node->constant));
        return OneStep(part, old_h, old_c, inside);
      });
}

}  // namespace

bool QuantisedLstm(Builder& b) {
  if (!IsByteProduct(b, kW + 1)) return false;
  IntegerLstm(b).Run();
  return true;
}

}  // namespace weft::tflite
