// SPDX-License-Identifier: Apache-2.0
#include "converter/program/narrow_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "converter/base/narrow.h"
#include "converter/program/builder.h"
#include "converter/program/constant_products.h"
#include "converter/program/fixed_weights.h"
#include "converter/program/group_weights.h"
#include "converter/program/integer_products.h"
#include "converter/program/integer_values.h"
#include "converter/program/integer_weights.h"
#include "converter/program/narrow_constant.h"
#include "converter/program/quantised_weights.h"
#include "kernels/elementwise/convert.h"

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
void SetWeightType(Step& step, ElementType type) {
  const auto set = [type](auto& params) {
    if constexpr (requires { params.mutate_weights(type); }) params.mutate_weights(type);
  };
  std::visit(set, step.params);
}

std::vector<std::byte> Converted(const std::vector<std::byte>& bytes, ElementType from,
                                 ElementType to) {
  const size_t count = bytes.size() * 8 / static_cast<size_t>(weft::BitsOf(from));
  std::vector<std::byte> converted(count * static_cast<size_t>(weft::BitsOf(to)) / 8);
  const kernels::ConvertShape shape = {Narrow32(count, "weights"),
                                       static_cast<kernels::Element>(from),
                                       static_cast<kernels::Element>(to)};
  kernels::Convert(shape, bytes.data(), converted.data());
  return converted;
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
      : program_(program), precisions_(precisions), faults_(faults) {}

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
  bool KeepIntegers(Constant& constant);
  void ChooseIntegers(Constant& constant, const ProductShape& product);
  void AddIntegers(Constant& constant, const IntegerWeights& weights);
  void SetGroups(Constant& constant, const GroupWeights& weights);
  bool IsNamedFor(const Constant& constant, const WeightType& type) const;
  void DropSmallKinds();
  void Apply();
  void ApplyIntegers();
  const Constant* IntegersOf(const Item& item) const;
  std::set<ValueId> DataOfIntegers() const;
  ValueId NewValue(Value value) {
    program_.values.push_back(std::move(value));
    return static_cast<ValueId>(program_.values.size() - 1);
  }
  template <typename T>
  ValueId NewConstant(ElementType type, std::span<const T> elements);
  ValueId NewScales(const GroupWeights& weights);
  WeightsReport Report() const;
  void ReportFactor(ValueId root, const ConstantFactor& factor, WeightsReport& report) const;

  // Records that something reads `value` other than as weights.
  void Keep(ValueId value) {
    if (value != kNone) kept_.insert(Resolve(program_, value).root);
  }

  Program& program_;
  const Precisions& precisions_;
  Faults& faults_;
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
    factor.matrices.push_back(NewConstant<float>(ElementType::f32, packed.floats));
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
    bytes += IsInteger(constant.type) ? constant.bytes_now : std::ssize(constant.bytes);
  }
  if (bytes < bytes_before) return "";
  return fmt::format("as {} they and their steps would need {} bytes",
                     format::EnumNameElementType(constants_.at(factor.matrices[0]).type), bytes);
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
  for (BlockId block = 0; block < program_.blocks.size(); ++block) {
    std::vector<Item> items = std::exchange(program_.blocks[block].items, {});
    builder.SetBlock(block);
    for (Item& item : items) {
      const auto found = replaced.find(std::get_if<Step>(&item));
      if (found != replaced.end()) {
        EmitParts(builder, *found->second);
      } else {
        builder.Append(std::move(item));
      }
    }
  }
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
  if (KeepIntegers(constant)) return;
  if (constant.precision && IsInteger(constant.precision->type)) {
    const std::optional<ProductShape> product = ProductOf(constant);
    const bool is_nibbles = constant.precision->type == ElementType::i4;
    const bool may = product && (!is_nibbles || product->over == SumsOver::kRows);
    if (may && GainsFromIntegers(*product)) return ChooseIntegers(constant, *product);
    const std::string_view needed =
        is_nibbles
            ? "a dense product or a pointwise convolution of 16 inputs and 16 outputs or more"
            : "a product of 16 inputs and 16 outputs or more, or a depthwise convolution of "
              "3 taps or more";
    const std::string_view type = format::EnumNameElementType(constant.precision->type);
    constant.f32_because = fmt::format("{} needs {}", type, needed);
    if (IsNamedFor(constant, *constant.precision)) {
      faults_.Add(fmt::format("--precision: names layer \"{}\" for {}; must name {}",
                              constant.readers.front()->layer, type, needed));
    }
    constant.precision = std::nullopt;
  }
  const ElementType type = constant.precision.value_or(ElementType::f16).type;
  if (type == ElementType::f32) {
    if (constant.f32_because.empty()) constant.f32_because = kF32Requested;
    return;
  }
  const std::vector<std::byte>& data = *program_.values[constant.root].data;
  constant.bytes = Converted(data, ElementType::f32, type);
  const std::vector<std::byte> widened = Converted(constant.bytes, type, ElementType::f32);
  const std::vector<float> before = FloatsOf(data), after = FloatsOf(widened);
  bool is_exact = widened == data;
  for (size_t i = 0; i < before.size(); ++i) {
    is_exact = is_exact && !std::isnan(before[i]);
    if (!constant.precision || std::isinf(after[i]) == std::isinf(before[i])) continue;
    faults_.Add(
        fmt::format("layer \"{}\": has a weight of {}, too large for {}; must be set to f32 with "
                    "--precision",
                    constant.readers.front()->layer, before[i], format::EnumNameElementType(type)));
    break;
  }
  if (!is_exact && !constant.precision) {
    if (constant.f32_because.empty())
      constant.f32_because = "no type is requested that rounds them";
    return;
  }
  constant.type = type;
  constant.is_rounded = !is_exact;
  constant.noise = NoiseOf(before, after);
}

bool Narrowing::IsNamedFor(const Constant& constant, const WeightType& type) const {
  return std::ranges::any_of(constant.readers, [&](const Step* step) {
    const auto named = precisions_.layers.find(step->layer);
    return named != precisions_.layers.end() && named->second == type;
  });
}

void Narrowing::ChooseIntegers(Constant& constant, const ProductShape& product) {
  const std::vector<float> before = FloatsOf(*program_.values[constant.root].data);
  for (const float weight : before) {
    if (std::isfinite(weight)) continue;
    faults_.Add(fmt::format("layer \"{}\": has a weight of {}; must be set to f32 with --precision",
                            constant.readers.front()->layer, weight));
    return;
  }
  if (constant.precision->type == ElementType::i4) {
    const GroupWeights weights =
        QuantizeGroups(before, product.inputs, product.outputs, constant.precision->group);
    constant.is_rounded = weights.numbers != before;
    constant.noise = NoiseOf(before, weights.numbers);
    return SetGroups(constant, weights);
  }
  const IntegerWeights weights = QuantizeProduct(before, product);
  constant.is_rounded = weights.numbers != before;
  constant.noise = NoiseOf(before, weights.numbers);
  AddIntegers(constant, weights);
}

// Uses the integers of the file, if an output has one scale for all inputs or for groups of inputs.
bool Narrowing::KeepIntegers(Constant& constant) {
  const Value& value = program_.values[constant.root];
  const std::optional<ProductShape> product = ProductOf(constant);
  if (!product || !GainsFromIntegers(*product)) return false;
  if (!MayKeepIntegers(value, TypeOf(constant.precision))) return false;
  const CodedFloats numbers = CodedFloatsOf(value);
  if (product->over == SumsOver::kRows) {
    if (const auto groups = KeptGroups(numbers, product->inputs, product->outputs)) {
      SetGroups(constant, *groups);
      return true;
    }
  }
  if (TypeOf(constant.precision) == ElementType::i4) return false;
  for (const IntegerWeights& weights : KeptProduct(numbers, *product)) {
    AddIntegers(constant, weights);
  }
  return !constant.integers.empty();
}

void Narrowing::AddIntegers(Constant& constant, const IntegerWeights& weights) {
  if (constant.integers.empty()) constant.bytes_now = 0;
  constant.type = ElementType::i8;
  Constant::Integers integers = {weights.first, weights.count};
  integers.numbers = NewConstant<int8_t>(ElementType::i8, weights.packed);
  integers.scales = NewConstant<float>(ElementType::f32, weights.scales);
  if (!weights.offsets.empty()) {
    integers.offsets = NewConstant<float>(ElementType::f32, weights.offsets);
  }
  for (const ValueId value : {integers.numbers, integers.scales, integers.offsets}) {
    if (value != kNone) constant.bytes_now += program_.values[value].bytes;
  }
  constant.integers.push_back(integers);
}

void Narrowing::SetGroups(Constant& constant, const GroupWeights& weights) {
  constant.type = ElementType::i4;
  constant.groups.blocks = weights.group_blocks;
  constant.groups.numbers = NewConstant<uint8_t>(ElementType::u4, weights.packed);
  constant.groups.scales = NewScales(weights);
  if (!weights.zeros.empty()) {
    constant.groups.zeros = NewConstant<uint8_t>(ElementType::u8, weights.zeros);
  }
  constant.bytes_now = 0;
  for (const ValueId value :
       {constant.groups.numbers, constant.groups.scales, constant.groups.zeros}) {
    if (value != kNone) constant.bytes_now += program_.values[value].bytes;
  }
}

ValueId Narrowing::NewScales(const GroupWeights& weights) {
  if (!weights.has_half_scales) return NewConstant<float>(ElementType::f32, weights.scales);
  std::vector<uint16_t> halves(weights.scales.size());
  const kernels::ConvertShape shape = {Narrow32(halves.size(), "scales"), kernels::Element::kF32,
                                       kernels::Element::kF16};
  kernels::Convert(shape, weights.scales.data(), halves.data());
  return NewConstant<uint16_t>(ElementType::f16, halves);
}

template <typename T>
ValueId Narrowing::NewConstant(ElementType type, std::span<const T> elements) {
  const std::span<const std::byte> bytes = std::as_bytes(elements);
  Value value;
  value.type = {type, {std::ssize(bytes) * 8 / weft::BitsOf(type)}};
  value.bytes = std::ssize(bytes);
  value.storage = Storage::kWeights;
  value.data = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  return NewValue(std::move(value));
}

void Narrowing::DropSmallKinds() {
  std::map<StepKind, int64_t> counts;
  const auto count = [&](const Constant& constant) -> int64_t& {
    return counts[constant.readers.front()->kind()];
  };
  for (const auto& [root, constant] : constants_) {
    if (constant.type == ElementType::f32 || IsInteger(constant.type)) continue;
    const bool is_asked_for = constant.precision.has_value();
    count(constant) +=
        is_asked_for ? kMinWeights : program_.values[root].bytes / int64_t{sizeof(float)};
  }
  for (auto& [root, constant] : constants_) {
    if (constant.type == ElementType::f32 || IsInteger(constant.type)) continue;
    if (count(constant) >= kMinWeights) continue;
    constant.f32_because = fmt::format("they save less than a kernel of {} for {} needs",
                                       Name(constant.readers.front()->kind()),
                                       format::EnumNameElementType(constant.type));
    constant.type = ElementType::f32;
  }
}

// Views of a constant become narrow as well, although nothing reads them any longer.
void Narrowing::Apply() {
  for (size_t i = 0; i < program_.values.size(); ++i) {
    const auto found = constants_.find(Resolve(program_, static_cast<ValueId>(i)).root);
    if (found == constants_.end() || found->second.bytes.empty()) continue;
    const ElementType type = found->second.type;
    if (type == ElementType::f32) continue;
    const int64_t divisor = weft::BitsOf(ElementType::f32) / weft::BitsOf(type);
    Value& value = program_.values[i];
    value.type.type = type;
    value.bytes /= divisor;
    value.offset_bytes /= divisor;
  }
  for (auto& [root, constant] : constants_) {
    if (constant.type == ElementType::f32 || IsInteger(constant.type)) continue;
    constant.bytes_now = program_.values[root].bytes;
    program_.values[root].data =
        std::make_shared<const std::vector<std::byte>>(std::move(constant.bytes));
    for (Step* step : constant.readers) SetWeightType(*step, constant.type);
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
  for (BlockId block = 0; block < program_.blocks.size(); ++block) {
    std::vector<Item> items = std::exchange(program_.blocks[block].items, {});
    builder.SetBlock(block);
    for (Item& item : items) {
      const Constant* constant = IntegersOf(item);
      if (constant != nullptr) {
        EmitInteger(builder, values, std::get<Step>(item), *constant);
      } else {
        builder.Append(std::move(item));
      }
    }
  }
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
  std::map<ElementType, std::vector<const Constant*>> by_type;
  for (const ValueId matrix : factor.matrices) {
    const Constant& constant = constants_.at(matrix);
    by_type[constant.type].push_back(&constant);
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
    bytes[{constant.type, constant.is_rounded}] += constant.bytes_now;
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
