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
#include "converter/program/conv_rows.h"
#include "converter/program/fixed_weights.h"
#include "converter/program/group_weights.h"
#include "converter/program/integer_rows.h"
#include "converter/program/integer_values.h"
#include "converter/program/integer_weights.h"
#include "converter/program/integer_windows.h"
#include "converter/program/level_weights.h"
#include "kernels/elementwise/convert.h"

namespace weft::plan {
namespace {

constexpr size_t kWeights = 1;  // operand of every step that has `weights` in its parameters

// Each saves two bytes; a kernel needs 0.8 KB (dense) to 4 KB (conv) on a Cortex-M4F.
constexpr int64_t kLeastWeights = 1024;

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

// A constant of floats that products alone read, each as its weights.
struct Constant {
  ValueId root = kNone;
  std::vector<Step*> readers;
  Precision precision;
  uint32_t RowBits() const { return precision ? precision->row_bits : kWideRows; }
  // What it becomes.
  ElementType type = ElementType::f32;
  bool is_rounded = false;
  std::vector<std::byte> bytes;
  int64_t bytes_before = 0, bytes_now = 0;
  double signal_to_noise_db = std::numeric_limits<double>::infinity();
  // Where it is integers: the values that stand for it, by groups of inputs.
  struct Integers {
    uint32_t first = 0, count = 0;
    ValueId numbers = kNone, scales = kNone, offsets = kNone;
  };
  std::vector<Integers> integers;
  // Where it is integers of 4 bits.
  struct Groups {
    uint32_t blocks = 0;
    ValueId numbers = kNone, scales = kNone, zeros = kNone;
  };
  Groups groups;
};

// In decibels, of the numbers that were finite and are.
double SignalToNoise(std::span<const float> before, std::span<const float> after) {
  double signal = 0, noise = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    const double error = double{after[i]} - before[i];
    if (!std::isfinite(error)) continue;
    signal += double{before[i]} * before[i];
    noise += error * error;
  }
  return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
}

// The product of all readers of the constant, one shape of weights for all.
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
    DropSmallKinds();
    Apply();
    WeightsReport report = Report();
    ApplyIntegers();
    return report;
  }

 private:
  void FindConstants();
  void TakeOperands(Step& step);
  void CheckLayers();
  void Choose(Constant& constant);
  bool RecoverIntegers(Constant& constant);
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

  // Something reads `value`, and not as weights.
  void Keep(ValueId value) {
    if (value != kNone) kept_.insert(Resolve(program_, value).root);
  }

  Program& program_;
  const Precisions& precisions_;
  Faults& faults_;
  std::map<ValueId, Constant> constants_;
  std::set<ValueId> kept_;
  std::set<std::string> layers_;  // that have weights
};

void Narrowing::TakeOperands(Step& step) {
  const bool has_weights = HasWeights(step);
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const ValueId value = step.inputs[i];
    if (value == kNone) continue;
    const Place place = Resolve(program_, value);
    const Value& root = program_.values[place.root];
    const bool is_weights = has_weights && i == kWeights && root.home == Home::kWeights &&
                            place.offset_bytes == 0 && place.moves.empty() &&
                            program_.values[value].type.type == ElementType::f32 &&
                            program_.values[value].bytes == root.bytes;
    if (!is_weights) {
      Keep(value);
      continue;
    }
    Constant& constant = constants_[place.root];
    constant.root = place.root;
    constant.readers.push_back(&step);
    layers_.insert(step.layer);
  }
}

void Narrowing::FindConstants() {
  for (Block& block : program_.blocks) {
    for (Item& item : block.items) {
      auto* step = std::get_if<Step>(&item);
      if (step == nullptr) continue;
      TakeOperands(*step);
      if (LevelWeightsOf(*step) > 0) layers_.insert(step->layer);
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
}

void Narrowing::CheckLayers() {
  CheckLevelWeights(program_, precisions_, faults_);
  for (const auto& [layer, precision] : precisions_.layers) {
    if (layers_.contains(layer)) continue;
    faults_.Add(fmt::format(
        "--precision: names layer \"{}\", which multiplies by no constant; must name one that does",
        layer));
  }
}

void Narrowing::Choose(Constant& constant) {
  constant.precision = precisions_.Of(constant.readers.front()->layer);
  for (const Step* step : constant.readers) {
    if (precisions_.Of(step->layer) != constant.precision) constant.precision = ElementType::f32;
  }
  if (RecoverIntegers(constant)) return;
  if (constant.precision && IsInteger(constant.precision->type)) {
    const std::optional<ProductShape> product = ProductOf(constant);
    const bool is_nibbles = constant.precision->type == ElementType::i4;
    const bool may = product && (!is_nibbles || product->over == SumsOver::kRows);
    if (may && GainsFromIntegers(*product)) return ChooseIntegers(constant, *product);
    if (IsNamedFor(constant, *constant.precision)) {
      faults_.Add(fmt::format(
          "--precision: names layer \"{}\" for {}; must name {}", constant.readers.front()->layer,
          format::EnumNameElementType(constant.precision->type),
          is_nibbles
              ? "a dense product or a pointwise convolution of 16 inputs and 16 outputs or more"
              : "a product of 16 inputs and 16 outputs or more, or a depthwise convolution of "
                "3 taps or more"));
    }
    constant.precision = std::nullopt;
  }
  const ElementType type = constant.precision.value_or(ElementType::f16).type;
  if (type == ElementType::f32) return;
  const std::vector<std::byte>& data = *program_.values[constant.root].data;
  constant.bytes = Converted(data, ElementType::f32, type);
  const std::vector<std::byte> widened = Converted(constant.bytes, type, ElementType::f32);
  const std::vector<float> before = FloatsOf(data), after = FloatsOf(widened);
  bool is_exact = widened == data;
  for (size_t i = 0; i < before.size(); ++i) {
    is_exact = is_exact && !std::isnan(before[i]);
    if (!constant.precision || std::isinf(after[i]) == std::isinf(before[i])) continue;
    faults_.Add(
        fmt::format("layer \"{}\": has a weight of {}, too great for {}; must be given "
                    "--precision with its name and f32",
                    constant.readers.front()->layer, before[i], format::EnumNameElementType(type)));
    break;
  }
  if (!is_exact && !constant.precision) return;
  constant.type = type;
  constant.is_rounded = !is_exact;
  constant.signal_to_noise_db = SignalToNoise(before, after);
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
    faults_.Add(fmt::format(
        "layer \"{}\": has a weight of {}; must be given --precision with its name and f32",
        constant.readers.front()->layer, weight));
    return;
  }
  if (constant.precision->type == ElementType::i4) {
    const GroupWeights weights =
        QuantizeGroups(before, product.inputs, product.outputs, constant.precision->group);
    constant.is_rounded = weights.numbers != before;
    constant.signal_to_noise_db = SignalToNoise(before, weights.numbers);
    return SetGroups(constant, weights);
  }
  const IntegerWeights weights = QuantizeProduct(before, product);
  constant.is_rounded = weights.numbers != before;
  constant.signal_to_noise_db = SignalToNoise(before, weights.numbers);
  AddIntegers(constant, weights);
}

// Those that the file had, where they are still there.
bool Narrowing::RecoverIntegers(Constant& constant) {
  const Value& value = program_.values[constant.root];
  const std::optional<ProductShape> product = ProductOf(constant);
  if (!product || !GainsFromIntegers(*product)) return false;
  if (!MayKeepIntegers(value, TypeOf(constant.precision))) return false;
  const std::vector<float> floats = FloatsOf(*value.data);
  if (product->over == SumsOver::kRows) {
    if (const auto groups = RecoverGroups(floats, product->inputs, product->outputs)) {
      SetGroups(constant, *groups);
      return true;
    }
  }
  if (TypeOf(constant.precision) == ElementType::i4) return false;
  for (const IntegerWeights& weights : RecoverProduct(floats, *product)) {
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
  value.home = Home::kWeights;
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
        is_asked_for ? kLeastWeights : program_.values[root].bytes / int64_t{sizeof(float)};
  }
  for (auto& [root, constant] : constants_) {
    if (IsInteger(constant.type) || count(constant) >= kLeastWeights) continue;
    constant.type = ElementType::f32;
  }
}

// Views of a constant that nothing reads any more become narrow, too.
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

// The integers that an item's product multiplies by, if it does.
const Constant* Narrowing::IntegersOf(const Item& item) const {
  const auto* step = std::get_if<Step>(&item);
  if (step == nullptr || !HasWeights(*step)) return nullptr;
  const auto found = constants_.find(Resolve(program_, step->inputs[kWeights]).root);
  if (found == constants_.end() || !IsInteger(found->second.type)) return nullptr;
  return &found->second;
}

// Each group's product starts from that of those before it.
void EmitGroups(Builder& builder, const IntegerValues& values, const format::DenseParams& product,
                const Constant& constant, ValueId x, ValueId start, ValueId y) {
  const std::vector<Constant::Integers>& groups = constant.integers;
  format::DenseParams part = product;
  for (const Constant::Integers& group : groups) {
    const bool is_last = group.first + group.count == product.inputs();
    part.mutate_inputs(group.count);
    part.mutable_activation() = is_last ? product.activation() : format::Activation();
    part.mutate_y_row_stride(is_last ? product.y_row_stride() : product.outputs());
    const int64_t reach = (int64_t{product.rows()} - 1) * product.x_row_stride() + group.count;
    const ValueId own_x =
        groups.size() == 1 ? x
                           : builder.View(x, int64_t{group.first} * 4, {ElementType::f32, {reach}});
    const ValueId sum =
        is_last ? y : builder.Scratch({ElementType::f32, {product.rows(), product.outputs()}});
    EmitIntegerRows(builder, values, part,
                    {group.numbers, group.scales, group.offsets, constant.RowBits()}, own_x, start,
                    sum);
    start = sum;
    part.mutate_start_row_stride(product.outputs());
  }
}

// One step for all groups.
void EmitNibbles(Builder& builder, const format::DenseParams& product, const Constant& constant,
                 ValueId x, ValueId start, ValueId y) {
  const Constant::Groups& groups = constant.groups;
  const ElementType scales = builder.program().values[groups.scales].type.type;
  const format::DenseI4Params params = InGroups(product, groups.blocks, scales);
  builder.Emit(params, {x, groups.numbers, groups.scales, groups.zeros, start},
               {y, builder.Scratch(ScratchOf(params).type)});
}

void EmitRows(Builder& builder, IntegerValues& values, const Step& step, const ConvRows& rows,
              const Constant& constant) {
  const auto* conv = std::get_if<format::ConvParams>(&step.params);
  ValueId x = step.inputs[0], y = step.outputs[0];
  if (!rows.has_own_x) {
    const Places places = InputPlaces(*conv);
    const auto copied = [&](ValueId source) {
      const ValueId rows_of_x = builder.Scratch({builder.type(source), places.dims});
      builder.CopyStrided(source, rows_of_x, places.dims, places.strides, 0, places.row_strides(),
                          0);
      return rows_of_x;
    };
    x = copied(step.inputs[0]);
    if (const std::optional<IntegerValue> from = values.Of(builder, step.inputs[0])) {
      values.AddCopy(x, {copied(from->integers), from->scale, from->zero});
    }
  }
  const Places results = rows.has_own_y ? Places() : OutputPlaces(*conv);
  if (!rows.has_own_y) y = builder.Scratch({ElementType::f32, results.dims});
  if (constant.type == ElementType::i4) {
    EmitNibbles(builder, rows.product, constant, x, step.inputs[2], y);
  } else {
    EmitGroups(builder, values, rows.product, constant, x, step.inputs[2], y);
  }
  if (rows.has_own_y) return;
  builder.CopyStrided(y, step.outputs[0], results.dims, results.row_strides(), 0, results.strides,
                      0);
}

void EmitInteger(Builder& builder, IntegerValues& values, const Step& step,
                 const Constant& constant) {
  builder.SetLayer(step.layer);
  const auto* dense = std::get_if<format::DenseParams>(&step.params);
  if (dense != nullptr && !step.is_window) {
    return EmitRows(builder, values, step, ConvRows{*dense}, constant);
  }
  const auto* conv = std::get_if<format::ConvParams>(&step.params);
  const std::optional<ConvRows> rows = conv == nullptr ? std::nullopt : ConvRowsOf(*conv);
  if (rows) return EmitRows(builder, values, step, *rows, constant);
  const Constant::Integers& all = constant.integers.front();
  WindowIntegers window = {all.numbers, all.scales, all.offsets, constant.RowBits()};
  const ValueId bias = step.inputs[2], y = step.outputs[0];
  ValueId x = step.inputs[0];
  if (dense != nullptr || conv != nullptr) {
    const auto shorts = all.offsets != kNone
                            ? std::nullopt
                            : ShortsOf(builder, values, x, all.numbers, all.scales, all.count);
    if (shorts) {
      x = shorts->x;
      window.scales = shorts->scales;
      window.of_shorts = true;
    }
  }
  if (dense != nullptr) return EmitWindow(builder, *dense, window, x, bias, y);
  if (conv != nullptr) return EmitWindow(builder, *conv, window, x, bias, y);
  const auto& depthwise = std::get<format::DepthwiseParams>(step.params);
  const format::DepthwiseI8Params params = InIntegers(depthwise);
  builder.Emit(params, {x, all.numbers, all.scales, all.offsets, bias},
               {y, builder.Scratch(ScratchOf(params))});
}

// The roots of what products of integers are made of.
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

WeightsReport Narrowing::Report() const {
  std::map<std::pair<ElementType, bool>, int64_t> bytes;
  WeightsReport report;
  for (const auto& [root, constant] : constants_) {
    bytes[{constant.type, constant.is_rounded}] += constant.bytes_now;
    const bool is_float = constant.type == ElementType::f32;
    report.layers.push_back(
        {constant.readers.front()->layer, constant.type, constant.bytes_before, constant.bytes_now,
         is_float ? std::numeric_limits<double>::infinity() : constant.signal_to_noise_db,
         constant.type == ElementType::i8 ? constant.RowBits() : kWideRows});
  }
  for (auto one = bytes.rbegin(); one != bytes.rend(); ++one) {
    report.types.push_back({one->first.first, one->first.second, one->second});
  }
  AddFixedWeights(program_, report, [&](ValueId root) { return constants_.contains(root); });
  return report;
}

}  // namespace

std::optional<Precision> PrecisionOf(std::string_view name) {
  if (name == "auto") return Precision();
  if (name == "f32") return Precision(ElementType::f32);
  if (name == "i8") return Precision(ElementType::i8);
  if (name == "i8x8") return Precision(WeightType(ElementType::i8, 0, kNarrowRows));
  if (const auto group = GroupNamed(name)) return Precision(WeightType(ElementType::i4, *group));
#define WEFT_WEIGHTS(name_of_type, ...) \
  if (name == #name_of_type) return Precision(ElementType::name_of_type);
#include "kernels/matrix/weights.inc"
#undef WEFT_WEIGHTS
  return std::nullopt;
}

std::string PrecisionNames() {
  std::string names =
      "auto, f32"
#define WEFT_WEIGHTS(name, ...) ", " #name
#include "kernels/matrix/weights.inc"
#undef WEFT_WEIGHTS
      ", i8, i8x8";
  for (const std::string_view name : kGroupTypes) names.append(", ").append(name);
  return names;
}

std::string TypeText(const LayerWeights& weights) {
  const std::string_view type = format::EnumNameElementType(weights.type);
  return weights.row_bits == kWideRows ? std::string(type)
                                       : fmt::format("{}x{}", type, weights.row_bits);
}

void WeightsReport::Add(LayerWeights layer) {
  const auto found = std::ranges::find_if(
      types, [&](const WeightsOfType& one) { return one.type == layer.type && !one.is_rounded; });
  if (found == types.end()) {
    types.push_back({layer.type, false, layer.bytes});
  } else {
    found->bytes += layer.bytes;
  }
  layers.push_back(std::move(layer));
}

WeightsReport NarrowWeights(Program& program, const Precisions& precisions, Faults& faults) {
  return Narrowing(program, precisions, faults).Run();
}

}  // namespace weft::plan
