// SPDX-License-Identifier: Apache-2.0
#include "converter/program/narrow_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>
#include <utility>
#include <variant>

#include "converter/program/builder.h"
#include "converter/program/cells.h"
#include "converter/program/constant_products.h"
#include "converter/program/fixed_weights.h"
#include "converter/program/integer_costs.h"
#include "converter/program/integer_products.h"
#include "converter/program/integer_values.h"
#include "converter/program/integer_weights.h"
#include "converter/program/narrow_constant.h"
#include "converter/program/quantised_weights.h"
#include "converter/program/weight_encodings.h"

namespace weft::program {
namespace {

constexpr size_t kWeights = 1;  // operand of every step that has `weights` in its parameters

// Minimum number of weights of a kind of step. Each saves two bytes; a kernel needs 0.8 KB (dense)
// to 4 KB (conv) on a Cortex-M4F.
constexpr int64_t kMinWeights = 1024;

constexpr std::string_view kF32Requested = "f32 is requested";

bool HasWeights(const Step& step) {
  return std::visit(
      [](const auto& params) {
        return requires { params.weights(); };
      },
      step.params);
}
std::string SlowerText(const WeightType& type) {
  return fmt::format("{} would be slower on the target",
                     type.row_bits == kNarrowRows ? "i8x8" : "i8");
}
void SetWeightType(Step& step, ElementType type) {
  const auto set = [type](auto& params) {
    if constexpr (requires { params.mutate_weights(type); }) params.mutate_weights(type);
  };
  std::visit(set, step.params);
}

// Returns true if the kernels do not widen the weights.
bool IsWide(const Constant& constant) {
  return constant.type == ElementType::f32 || IsInteger(constant.type);
}

// Returns the product shape of all readers of the constant; nullopt if they differ.
std::optional<ProductShape> ProductOf(const Constant& constant) {
  const std::optional<ProductShape> first = ShapeOfProduct(*constant.readers.front());
  const bool is_one = std::ranges::all_of(
      constant.readers, [&](const Step* step) { return ShapeOfProduct(*step) == first; });
  return is_one ? first : std::nullopt;
}

class Narrowing {
 public:
  Narrowing(Program& program, const Precisions& precisions, Faults& faults)
      : program_(program), precisions_(precisions), faults_(faults) {
    if (precisions.costs != nullptr) codes_.emplace(program);
  }

  WeightsReport Run() {
    FindConstants();
    CheckLayers();
    for (auto& [root, constant] : constants_) {
      constant.bytes_before = constant.bytes_now = program_.values[root].bytes;
      Choose(constant);
    }
    KeepFactors();
    DropSmallKinds();
    KeepFactors();
    Apply();
    WeightsReport report = Report();
    ReplaceProducts();
    ApplyIntegers();
    return report;
  }

 private:
  void FindConstants();
  void TakeOperands(Step& step);
  void PackFactor(ValueId root, ConstantFactor& factor);
  void KeepFactors();
  std::string WhyFactorStays(const ConstantFactor& factor, int64_t bytes_before) const;
  void ReplaceProducts();
  void CheckLayers();
  void Choose(Constant& constant);
  bool KeepExact(Constant& constant, const CodedFloats& weights, const WeightUse& use,
                 bool as_integers);
  static void Encode(Constant& constant, const WeightEncoding& encoding, EncodedWeights encoded);
  void CheckRequest(Constant& constant, const WeightUse& use);
  bool AreSlower(Constant& constant, const WeightType& type, const WeightUse& use) const;
  void KeepFast(Constant& constant, const WeightUse& use) const;
  bool AreFinite(const Constant& constant, const std::vector<float>& weights);
  void CheckInfinities(const Constant& constant, const std::vector<float>& before,
                       const std::vector<float>& after);
  bool IsNamedFor(const Constant& constant, const WeightType& type) const;
  void DropSmallKinds();
  void Apply();
  void ApplyIntegers();
  const Constant* IntegersOf(const Item& item) const;
  std::set<ValueId> DataOfIntegers() const;
  ValueId NewConstant(const StoredElements& elements);
  WeightsReport Report() const;
  void ReportFactor(ValueId root, const ConstantFactor& factor, WeightsReport& report) const;

  // Records that something reads `value` other than as weights.
  void Keep(ValueId value) {
    if (value != kNone) kept_.insert(Resolve(program_, value).root);
  }

  Program& program_;
  const Precisions& precisions_;
  Faults& faults_;
  std::optional<IntegerValues> codes_;  // of the data; set if integers may be slower
  std::map<ValueId, Constant> constants_;
  std::map<ValueId, ConstantFactor> factors_;  // by root; their matrices are also in constants_
  std::set<ValueId> kept_;
  std::set<std::string> layers_;  // layers with weights
};

void Narrowing::TakeOperands(Step& step) {
  const bool has_weights = HasWeights(step);
  std::optional<ConstantProduct> product = ConstantProductOf(program_, step);
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const ValueId value = step.inputs[i];
    if (value == kNone || (product && i == product->constant)) continue;
    const Location location = Resolve(program_, value);
    const Value& root = program_.values[location.root];
    const bool is_weights = has_weights && i == kWeights && root.storage == Storage::kWeights &&
                            location.offset_bytes == 0 && location.moves.empty() &&
                            program_.values[value].type.type == ElementType::f32 &&
                            program_.values[value].bytes == root.bytes;
    if (!is_weights) {
      Keep(value);
      continue;
    }
    Constant& constant = constants_[location.root];
    constant.root = location.root;
    constant.readers.push_back(&step);
    layers_.insert(step.layer);
  }
  if (!product) return;
  layers_.insert(step.layer);
  const ValueId root = Resolve(program_, step.inputs[product->constant]).root;
  factors_[root].products.push_back({&step, *std::move(product), {}});
}

// Packs each matrix of the constant, so that the layer's product can use narrow weights.
void Narrowing::PackFactor(ValueId root, ConstantFactor& factor) {
  factor.f32_because = kept_.contains(root) || constants_.contains(root)
                           ? "another step also reads them"
                           : WhyNotPacked(factor);
  const auto stays_f32 = [&](const ConstantFactor::Replaced& one) {
    return precisions_.Of(one.matmul->layer) == ElementType::f32;
  };
  if (std::ranges::any_of(factor.products, stays_f32)) factor.f32_because = kF32Requested;
  constants_.erase(root);
  if (!factor.f32_because.empty()) return;
  const CodedFloats numbers = CodedFloatsOf(program_.values[root]);
  for (size_t i = 0; i < factor.shape().offsets.size(); ++i) {
    CodedFloats packed = PackMatrix(numbers, factor.shape(), i);
    factor.matrices.push_back(NewConstant(Stored<float>(ElementType::f32, packed.floats)));
    program_.values.back().quantisation = std::move(packed.quantisation);
  }
  AddParts(factor);
  for (ConstantFactor::Replaced& one : factor.products) {
    for (Step& part : one.parts) {
      Constant& constant = constants_[part.inputs[kWeights]];
      constant.root = part.inputs[kWeights];
      constant.readers.push_back(&part);
    }
  }
}

void Narrowing::FindConstants() {
  for (Block& block : program_.blocks) {
    for (Item& item : block.items) {
      auto* step = std::get_if<Step>(&item);
      if (step == nullptr) continue;
      TakeOperands(*step);
      if (QuantisedWeightsOf(*step) > 0) layers_.insert(step->layer);
    }
    for (const ValueId result : block.results) Keep(result);
  }
  for (const Section& section : program_.sections) {
    Keep(section.trip);
    Keep(section.first_condition);
  }
  for (const Port& port : program_.outputs) {
    Keep(port.value);
    Keep(port.length);
  }
  for (const Variable& variable : program_.variables) Keep(variable.initial);
  for (const ValueId root : kept_) constants_.erase(root);
  for (auto& [root, factor] : factors_) PackFactor(root, factor);
}

std::string Narrowing::WhyFactorStays(const ConstantFactor& factor, int64_t bytes_before) const {
  int64_t bytes = AddedStepBytes(factor);
  for (const ValueId matrix : factor.matrices) {
    const Constant& constant = constants_.at(matrix);
    if (constant.type == ElementType::f32) return constant.f32_because;
    bytes += constant.bytes_now;
  }
  // With --streaming=1 the product has one column and is a dense step with packed f32 weights.
  // A requested type must round the same weights there.
  const bool is_dense_elsewhere =
      factor.matrices.size() == 1 && constants_.at(factor.matrices[0]).precision.has_value();
  if (is_dense_elsewhere || bytes < bytes_before) return "";
  return fmt::format("as {} they and their steps would need {} bytes",
                     format::EnumNameElementType(constants_.at(factor.matrices[0]).type.type),
                     bytes);
}

// Keeps the factors that would not become smaller.
void Narrowing::KeepFactors() {
  for (auto& [root, factor] : factors_) {
    if (factor.matrices.empty()) continue;
    factor.f32_because = WhyFactorStays(factor, program_.values[root].bytes);
    if (factor.f32_because.empty()) continue;
    for (const ValueId matrix : factor.matrices) constants_.erase(matrix);
    factor.matrices.clear();
  }
  for (const auto& [root, factor] : factors_) {
    if (!factor.matrices.empty()) continue;
    for (const ConstantFactor::Replaced& one : factor.products) {
      const auto named = precisions_.layers.find(one.matmul->layer);
      if (named == precisions_.layers.end() || !named->second) continue;
      if (*named->second == ElementType::f32) continue;
      faults_.Add(fmt::format(
          "--precision: names layer \"{}\" for {}, but its weights stay f32: {}; "
          "must name f32",
          one.matmul->layer, format::EnumNameElementType(named->second->type), factor.f32_because));
    }
  }
}

void Narrowing::ReplaceProducts() {
  std::map<const Step*, const ConstantFactor::Replaced*> replaced;
  for (const auto& [root, factor] : factors_) {
    if (factor.matrices.empty()) continue;
    for (const ConstantFactor::Replaced& one : factor.products) replaced[one.matmul] = &one;
  }
  if (replaced.empty()) return;
  Builder builder(program_);
  RewriteItems(builder, [&](Item& item) {
    const auto found = replaced.find(std::get_if<Step>(&item));
    if (found != replaced.end()) {
      EmitParts(builder, *found->second);
    } else {
      builder.Append(std::move(item));
    }
  });
}

void Narrowing::CheckLayers() {
  CheckQuantisedWeights(program_, precisions_, faults_);
  for (const auto& [layer, precision] : precisions_.layers) {
    if (layers_.contains(layer)) continue;
    faults_.Add(fmt::format(
        "--precision: names layer \"{}\", which has no constant weights; must name one that has",
        layer));
  }
}

void Narrowing::Choose(Constant& constant) {
  constant.precision = precisions_.Of(constant.readers.front()->layer);
  for (const Step* step : constant.readers) {
    if (precisions_.Of(step->layer) == constant.precision) continue;
    constant.precision = ElementType::f32;
    constant.f32_because = "layers that share them are given different types";
  }
  const CodedFloats weights = CodedFloatsOf(program_.values[constant.root]);
  const std::optional<ProductShape> shape = ProductOf(constant);
  const WeightUse use = {shape ? &*shape : nullptr, constant.readers};
  if (KeepExact(constant, weights, use, /*as_integers=*/true)) return;
  CheckRequest(constant, use);
  KeepFast(constant, use);
  if (KeepExact(constant, weights, use, /*as_integers=*/false)) return;
  if (!constant.precision || *constant.precision == ElementType::f32) {
    if (!constant.f32_because.empty()) return;
    constant.f32_because =
        constant.precision ? kF32Requested : "no type is requested that rounds them";
    return;
  }
  const WeightEncoding& encoding = EncodingOf(*constant.precision);
  const bool has_codes = !IsFloat(encoding.type.type);
  if (has_codes && !AreFinite(constant, weights.floats)) return;
  EncodedWeights rounded = encoding.round(weights, use, *constant.precision);
  if (encoding.multiply == nullptr) CheckInfinities(constant, weights.floats, rounded.floats);
  constant.is_rounded = rounded.floats != weights.floats;
  constant.noise = NoiseOf(weights.floats, rounded.floats);
  Encode(constant, encoding, std::move(rounded));
}

// Uses the encoding of the fewest bits that holds the weights exactly and that the request allows.
// A request for integers allows integers of fewer bits. Integers of the file that would make
// the target slower become the same floats.
bool Narrowing::KeepExact(Constant& constant, const CodedFloats& weights, const WeightUse& use,
                          bool as_integers) {
  const auto is_allowed = [&](const WeightEncoding& encoding) {
    if ((encoding.multiply != nullptr) != as_integers) return false;
    if (!constant.precision) {
      return encoding.is_default && (precisions_.keeps_scaled || !IsScaled(encoding.type));
    }
    const WeightType& type = *constant.precision;
    return as_integers && IsInteger(type) &&
           weft::BitsOf(encoding.type.type) <= weft::BitsOf(type.type);
  };
  for (const WeightEncoding& encoding : WeightEncodings() | std::views::reverse) {
    if (!is_allowed(encoding) || !encoding.suits(use)) continue;
    std::optional<EncodedWeights> kept = encoding.keep(weights, use);
    if (!kept) continue;
    if (as_integers && AreSlower(constant, encoding.type, use)) continue;
    Encode(constant, encoding, *std::move(kept));
    return true;
  }
  return false;
}

void Narrowing::Encode(Constant& constant, const WeightEncoding& encoding, EncodedWeights encoded) {
  constant.type = encoding.type;
  constant.bytes_now = encoded.bytes();
  constant.encoded = std::move(encoded);
  constant.encoded.floats = {};
}

// Drops the request of a type that the product cannot have.
void Narrowing::CheckRequest(Constant& constant, const WeightUse& use) {
  if (!constant.precision) return;
  const WeightEncoding& encoding = EncodingOf(*constant.precision);
  if (encoding.suits(use)) return;
  const std::string_view type =
      IsScaled(encoding.type) ? "i8x32" : format::EnumNameElementType(encoding.type.type);
  const bool is_fast_cell =
      precisions_.costs != nullptr && CanReverseWeights(*constant.readers.front());
  constant.f32_because = is_fast_cell ? SlowerText(*constant.precision)
                                      : fmt::format("{} needs {}", type, encoding.products);
  if (IsNamedFor(constant, *constant.precision)) {
    faults_.Add(fmt::format("--precision: names layer \"{}\" for {}; must name {}",
                            constant.readers.front()->layer, type, encoding.products));
  }
  constant.precision = std::nullopt;
}

// Returns true, and sets the reason, if integers of the file would make the layer slower and no
// request names them. Data that are integers themselves need not be quantised.
bool Narrowing::AreSlower(Constant& constant, const WeightType& type, const WeightUse& use) const {
  const auto reads_codes = [&](const Step* step) { return codes_->Has(step->inputs[0]); };
  if (precisions_.costs == nullptr || IsNamedFor(constant, type) ||
      std::ranges::any_of(constant.readers, reads_codes) ||
      !AreExactIntegersSlower(*precisions_.costs, use)) {
    return false;
  }
  constant.f32_because = SlowerText(type);
  return true;
}

// Withdraws a request of i8 or i8x8 for all layers if it would make this one slower.
void Narrowing::KeepFast(Constant& constant, const WeightUse& use) const {
  if (precisions_.costs == nullptr || !constant.precision) return;
  const WeightType type = *constant.precision;
  if (type.type != ElementType::i8 || !IsInteger(type) || IsNamedFor(constant, type)) return;
  if (!AreIntegersSlower(*precisions_.costs, use, type.row_bits)) return;
  constant.f32_because = SlowerText(type);
  constant.precision = std::nullopt;
}

bool Narrowing::AreFinite(const Constant& constant, const std::vector<float>& weights) {
  for (const float weight : weights) {
    if (std::isfinite(weight)) continue;
    faults_.Add(fmt::format("layer \"{}\": has a weight of {}; must be set to f32 with --precision",
                            constant.readers.front()->layer, weight));
    return false;
  }
  return true;
}

// Reports a weight that became infinite.
void Narrowing::CheckInfinities(const Constant& constant, const std::vector<float>& before,
                                const std::vector<float>& after) {
  for (size_t i = 0; i < before.size(); ++i) {
    if (std::isinf(after[i]) == std::isinf(before[i])) continue;
    faults_.Add(
        fmt::format("layer \"{}\": has a weight of {}, too large for {}; must be set to f32 with "
                    "--precision",
                    constant.readers.front()->layer, before[i],
                    format::EnumNameElementType(constant.precision->type)));
    return;
  }
}

bool Narrowing::IsNamedFor(const Constant& constant, const WeightType& type) const {
  return std::ranges::any_of(constant.readers, [&](const Step* step) {
    const auto named = precisions_.layers.find(step->layer);
    return named != precisions_.layers.end() && named->second == type;
  });
}

ValueId Narrowing::NewConstant(const StoredElements& elements) {
  if (elements.bytes.empty()) return kNone;
  Value value;
  value.bytes = std::ssize(elements.bytes);
  value.type = {elements.type, {value.bytes * 8 / weft::BitsOf(elements.type)}};
  value.storage = Storage::kWeights;
  value.data = std::make_shared<const std::vector<std::byte>>(elements.bytes);
  return program_.Add(std::move(value));
}

void Narrowing::DropSmallKinds() {
  std::map<std::pair<StepKind, bool>, int64_t> counts;
  const auto count = [&](const Constant& constant) -> int64_t& {
    return counts[{constant.readers.front()->kind(), IsScaled(constant.type)}];
  };
  for (const auto& [root, constant] : constants_) {
    if (IsWide(constant)) continue;
    const bool is_asked_for = constant.precision.has_value();
    count(constant) +=
        is_asked_for ? kMinWeights : program_.values[root].bytes / int64_t{sizeof(float)};
  }
  for (auto& [root, constant] : constants_) {
    if (IsWide(constant)) continue;
    if (count(constant) >= kMinWeights) continue;
    constant.f32_because = fmt::format("they save less than a kernel of {} for {} needs",
                                       Name(constant.readers.front()->kind()),
                                       format::EnumNameElementType(constant.type.type));
    constant.type = ElementType::f32;
    constant.bytes_now = constant.bytes_before;
  }
}

// Views of a constant become narrow as well, although nothing reads them any longer.
void Narrowing::Apply() {
  for (size_t i = 0; i < program_.values.size(); ++i) {
    const auto found = constants_.find(Resolve(program_, static_cast<ValueId>(i)).root);
    if (found == constants_.end() || IsWide(found->second)) continue;
    const ElementType type = found->second.type.type;
    const int64_t divisor = weft::BitsOf(ElementType::f32) / weft::BitsOf(type);
    Value& value = program_.values[i];
    value.type.type = type;
    value.bytes /= divisor;
    value.offset_bytes /= divisor;
  }
  for (auto& [root, constant] : constants_) {
    std::vector<EncodedWeights::Part> parts = std::exchange(constant.encoded.parts, {});
    if (constant.type == ElementType::f32) continue;
    if (!IsInteger(constant.type)) {
      Value& value = program_.values[root];
      if (IsScaled(constant.type)) {  // scales, then codes
        value.bytes = std::ssize(parts[0].numbers.bytes);
        value.type.dims = {value.bytes};
      }
      value.data =
          std::make_shared<const std::vector<std::byte>>(std::move(parts[0].numbers.bytes));
      for (Step* step : constant.readers) {
        SetWeightType(*step, constant.type.type);
        if (IsScaled(constant.type)) step->inputs[kWeights] = root;  // a view would lack the scales
      }
      continue;
    }
    for (const EncodedWeights::Part& part : parts) {
      constant.parts.push_back({part.first, part.count, NewConstant(part.numbers),
                                NewConstant(part.scales), NewConstant(part.offsets)});
    }
  }
}

// Returns the integer weights of an item's product; null if it has none.
const Constant* Narrowing::IntegersOf(const Item& item) const {
  const auto* step = std::get_if<Step>(&item);
  if (step == nullptr || !HasWeights(*step)) return nullptr;
  const auto found = constants_.find(Resolve(program_, step->inputs[kWeights]).root);
  if (found == constants_.end() || !IsInteger(found->second.type)) return nullptr;
  return &found->second;
}

// Returns the roots of the data of all products with integer weights.
std::set<ValueId> Narrowing::DataOfIntegers() const {
  std::set<ValueId> roots;
  for (const Block& block : program_.blocks) {
    for (const Item& item : block.items) {
      if (IntegersOf(item) == nullptr) continue;
      roots.insert(Resolve(program_, std::get<Step>(item).inputs[0]).root);
    }
  }
  return roots;
}

void Narrowing::ApplyIntegers() {
  const std::set<ValueId> data = DataOfIntegers();
  if (data.empty()) return;
  IntegerValues values(program_);
  values.Follow(data);
  Builder builder(program_);
  RewriteItems(builder, [&](Item& item) {
    const Constant* constant = IntegersOf(item);
    if (constant != nullptr) {
      EmitInteger(builder, values, std::get<Step>(item), *constant);
    } else {
      builder.Append(std::move(item));
    }
  });
  values.DropUnread();
}

// Adds one row for each type that the matrices became.
void Narrowing::ReportFactor(ValueId root, const ConstantFactor& factor,
                             WeightsReport& report) const {
  if (factor.matrices.empty()) {
    if (program_.values[root].bytes < kMinListedBytes) return;
    LayerWeights row;
    row.layer = factor.products.front().matmul->layer;
    row.bytes_before = row.bytes = program_.values[root].bytes;
    row.signal_to_noise_db = RoundingNoise().decibels();
    row.f32_because = factor.f32_because;
    return report.Add(std::move(row));
  }
  std::map<std::pair<ElementType, bool>, std::vector<const Constant*>> by_type;
  for (const ValueId matrix : factor.matrices) {
    const Constant& constant = constants_.at(matrix);
    by_type[{constant.type.type, IsScaled(constant.type)}].push_back(&constant);
  }
  for (const auto& [type, constants] : by_type) {
    LayerWeights row = WeightsRowOf(constants);
    row.bytes_before =
        program_.values[root].bytes * std::ssize(constants) / std::ssize(factor.matrices);
    report.layers.push_back(std::move(row));
  }
}

WeightsReport Narrowing::Report() const {
  std::map<std::pair<ElementType, bool>, int64_t> bytes;
  std::set<ValueId> matrices;
  for (const auto& [root, factor] : factors_) {
    matrices.insert(factor.matrices.begin(), factor.matrices.end());
  }
  WeightsReport report;
  for (const auto& [root, constant] : constants_) {
    bytes[{constant.type.type, constant.is_rounded}] += constant.bytes_now;
    if (!matrices.contains(root)) report.layers.push_back(WeightsRowOf({&constant}));
  }
  for (auto one = bytes.rbegin(); one != bytes.rend(); ++one) {
    report.types.push_back({one->first.first, one->first.second, one->second});
  }
  for (const auto& [root, factor] : factors_) ReportFactor(root, factor, report);
  AddFixedWeights(program_, report, [&](ValueId root) {
    return constants_.contains(root) || factors_.contains(root);
  });
  return report;
}

}  // namespace

WeightsReport NarrowWeights(Program& program, const Precisions& precisions, Faults& faults) {
  return Narrowing(program, precisions, faults).Run();
}

}  // namespace weft::program
