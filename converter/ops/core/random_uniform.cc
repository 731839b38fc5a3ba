// SPDX-License-Identifier: Apache-2.0
// RandomUniform with seeds: the numbers of the first run are computed at conversion and stored as a
// constant. The random words come from Philox or the Mersenne twister, according to the attribute
// `alignment`, which also selects the conversion from words to numbers.
#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/base/parse_number.h"
#include "converter/base/random_words.h"
#include "converter/ops/families.h"
#include "converter/ops/support/movement.h"
#include "kernels/elementwise/convert.h"

namespace weft::ops {
namespace {

constexpr size_t kDrawnShape = 0, kMinDrawn = 1, kMaxDrawn = 2;

// Returns nullopt if the attribute is not an unsigned 64-bit number.
std::optional<uint64_t> SeedOf(const NodeScope& scope, std::string_view name) {
  return ParseNumber<uint64_t>(scope.attributes.Text(name, "0"));
}

constexpr std::string_view kGlobalSeed = "global_seed", kOwnSeed = "op_seed";

void CheckSeeds(InferScope& scope) {
  bool is_zero = true;
  for (const std::string_view name : {kGlobalSeed, kOwnSeed}) {
    const std::optional<uint64_t> seed = SeedOf(scope, name);
    is_zero = is_zero && seed == 0;
    if (seed) continue;
    scope.Fault("{} is \"{}\"; must be a number from 0 to {}", name,
                scope.attributes.Text(name, ""), std::numeric_limits<uint64_t>::max());
  }
  if (!is_zero) return;
  scope.Fault(
      "global_seed and op_seed are 0, so that each run draws new numbers; must have a seed, or be "
      "an input that the application fills with random numbers");
}

bool IsLikePytorch(const NodeScope& scope) {
  constexpr std::string_view kAlignments[] = {"tensorflow", "pytorch"};
  return scope.attributes.Choice("alignment", "tensorflow", kAlignments) == "pytorch";
}

std::optional<ElementType> ReadDrawnType(InferScope& scope) {
  constexpr std::string_view kDrawnTypes[] = {"f32", "f16", "bf16", "i32", "i64"};
  scope.RequireAttributes({"output_type"});
  return ParseElementType(scope.attributes.Choice("output_type", "f32", kDrawnTypes));
}

// A half-open interval [min, end).
template <typename T>
struct Interval {
  T min, end;
};

Interval<int64_t> IntegerInterval(const NodeScope& scope) {
  return {scope.Ints(kMinDrawn)->front(), scope.Ints(kMaxDrawn)->front()};
}

Interval<float> FloatInterval(const NodeScope& scope) {
  return {static_cast<float>(scope.Numbers(kMinDrawn)->front()),
          static_cast<float>(scope.Numbers(kMaxDrawn)->front())};
}

bool CheckLimit(InferScope& scope, size_t i, std::string_view name, ElementType type) {
  // Inputs of any float type are f32 at this point.
  const ElementType wanted = IsFloat(type) ? ElementType::f32 : type;
  if (scope.input_element(i) != wanted) {
    scope.Fault("input {} ({}) is {} and output_type is {}; both must be of one type", i, name,
                scope.input_type_name(i), Name(type));
  } else if (scope.constant(i) == nullptr) {
    scope.FaultComputed(i, name, ": draw from 0 to 1 and scale the result");
  } else if (ElementCount(scope.input_dims(i)) != 1) {
    scope.Fault("input {} ({}) is {}; must be one number", i, name, ToString(scope.input_type(i)));
  } else {
    return true;
  }
  return false;
}

void CheckLimits(InferScope& scope, ElementType type) {
  const bool min = CheckLimit(scope, kMinDrawn, "minval", type);
  const bool max = CheckLimit(scope, kMaxDrawn, "maxval", type);
  if (!min || !max || IsFloat(type)) return;
  const Interval<int64_t> interval = IntegerInterval(scope);
  if (interval.min < interval.end) return;
  scope.Fault("minval is {} and maxval {}; maxval must be above minval", interval.min,
              interval.end);
}

void InferRandomUniform(InferScope& scope) {
  const std::optional<Dims> dims = ControlInts(scope, kDrawnShape, "output shape");
  const std::optional<ElementType> type = ReadDrawnType(scope);
  IsLikePytorch(scope);
  CheckSeeds(scope);
  if (type) CheckLimits(scope, *type);
  if (!dims || !type || scope.failed()) return;
  scope.SetOutput(0, *type, *dims);
}

// Conversion of random words to elements.

// One word per element.
template <typename T, typename Make>
std::vector<T> Drawn(size_t count, const DrawWords& words, const Make& make) {
  std::vector<T> drawn;
  while (drawn.size() < count) {
    for (const uint32_t word : words()) drawn.push_back(make(word));
  }
  drawn.resize(count);
  return drawn;
}

// Two words per element.
template <typename T, typename Make>
std::vector<T> DrawnOfPairs(size_t count, const DrawWords& words, const Make& make) {
  std::vector<T> drawn;
  while (drawn.size() < count) {
    const RandomWords four = words();
    drawn.push_back(make(four[0], four[1]));
    drawn.push_back(make(four[2], four[3]));
  }
  drawn.resize(count);
  return drawn;
}

int FractionBits(ElementType type) {
  return type == ElementType::f32 ? 23 : (type == ElementType::f16 ? 10 : 7);
}

template <typename T>
std::vector<std::byte> BytesOf(const std::vector<T>& elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> ConvertedBytes(const std::vector<float>& numbers, ElementType to) {
  std::vector<std::byte> bytes(numbers.size() * static_cast<size_t>(ElementBytes(to)));
  kernels::Convert({Narrow32(numbers.size(), "count"), kernels::Element::kF32,
                    static_cast<kernels::Element>(to)},
                   numbers.data(), bytes.data());
  return bytes;
}

// Rounds to the nearest number of the type.
std::vector<float> RoundedTo(std::vector<float> numbers, ElementType type) {
  if (type == ElementType::f32) return numbers;
  const std::vector<std::byte> narrow = ConvertedBytes(numbers, type);
  kernels::Convert({Narrow32(numbers.size(), "count"), static_cast<kernels::Element>(type),
                    kernels::Element::kF32},
                   narrow.data(), numbers.data());
  return numbers;
}

// Numbers in [0, 1). TensorFlow uses the low bits of a word as the fraction of a number in [1, 2),
// PyTorch as a fraction with one more bit.
std::vector<float> DrawnFractions(size_t count, const DrawWords& words, ElementType type,
                                  bool like_pytorch) {
  const int bits = FractionBits(type) + (like_pytorch ? 1 : 0);
  const uint32_t mask = (uint32_t{1} << bits) - 1;
  const float unit = 1.0f / static_cast<float>(uint32_t{1} << bits);
  return Drawn<float>(count, words,
                      [=](uint32_t word) { return static_cast<float>(word & mask) * unit; });
}

// TensorFlow rounds to the type after each operation, PyTorch only the interval length and the
// result.
std::vector<float> DrawnFloats(size_t count, const DrawWords& words, ElementType type,
                               bool like_pytorch, const Interval<float>& interval) {
  const float length = RoundedTo({interval.end - interval.min}, type)[0];
  std::vector<float> numbers = DrawnFractions(count, words, type, like_pytorch);
  for (float& number : numbers) number *= length;
  if (!like_pytorch) numbers = RoundedTo(std::move(numbers), type);
  for (float& number : numbers) number += interval.min;
  return numbers;
}

std::vector<int32_t> DrawnI32(size_t count, const DrawWords& words,
                              const Interval<int64_t>& interval) {
  const int64_t length = interval.end - interval.min;
  return Drawn<int32_t>(count, words, [=](uint32_t word) {
    return Narrow<int32_t>(word % length + interval.min, "a number drawn");
  });
}

// TensorFlow uses the first word of a pair as the low half, PyTorch as the high half. PyTorch uses
// a single word if both limits are below 2^32.
std::vector<int64_t> DrawnI64(size_t count, const DrawWords& words, bool like_pytorch,
                              const Interval<int64_t>& interval) {
  const auto min = static_cast<uint64_t>(interval.min);
  const uint64_t length = static_cast<uint64_t>(interval.end) - min;
  const auto number = [=](uint64_t bits) { return static_cast<int64_t>(bits % length + min); };
  constexpr int64_t kMaxOfWord = std::numeric_limits<uint32_t>::max();
  if (like_pytorch && std::max(interval.min, interval.end) <= kMaxOfWord) {
    return Drawn<int64_t>(count, words, [=](uint32_t word) { return number(word); });
  }
  return DrawnOfPairs<int64_t>(count, words, [=](uint32_t first, uint32_t second) {
    const uint64_t high = like_pytorch ? first : second, low = like_pytorch ? second : first;
    return number(high << 32 | low);
  });
}

std::vector<std::byte> DrawnBytes(const LowerScope& scope, const DrawWords& words) {
  const TensorType& type = scope.output_type(0);
  const auto count = static_cast<size_t>(ElementCount(type.dims).value_or(0));
  const bool like_pytorch = IsLikePytorch(scope);
  if (IsFloat(type.type)) {
    return ConvertedBytes(DrawnFloats(count, words, type.type, like_pytorch, FloatInterval(scope)),
                          type.type);
  }
  const Interval<int64_t> interval = IntegerInterval(scope);
  if (type.type == ElementType::i32) return BytesOf(DrawnI32(count, words, interval));
  return BytesOf(DrawnI64(count, words, like_pytorch, interval));
}

void LowerRandomUniform(LowerScope& scope) {
  const uint64_t seed = SeedOf(scope, kGlobalSeed).value();
  const DrawWords words = IsLikePytorch(scope) ? TwisterWords(seed)
                                               : PhiloxWords(seed, SeedOf(scope, kOwnSeed).value());
  scope.Warn("draws its numbers at conversion: every run uses those of the first run");
  scope.SetOutput(0, scope.builder.Weights(scope.output_type(0), DrawnBytes(scope, words)));
}

constexpr Traits kDraws = {.draws = true, .typed_by = "output_type", .steering = Steering::kShape};

constexpr Operation kRandomUniformRows[] = {
    {"RandomUniform", 8, 3, 3, InferRandomUniform, LowerRandomUniform, kDraws},
};

}  // namespace

std::span<const Operation> RandomUniformOperations() { return kRandomUniformRows; }

}  // namespace weft::ops
