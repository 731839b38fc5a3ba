// SPDX-License-Identifier: Apache-2.0
// Arithmetic, functions, comparisons, selection and conversions. All broadcast like NumPy. A fused
// activation follows the operator.
#include <algorithm>
#include <cmath>
#include <string>

#include "converter/tflite/builder.h"
#include "converter/tflite/integer_sums.h"
#include "converter/tflite/moved.h"
#include "converter/tflite/quantised.h"
#include "converter/tflite/recurrent_codes.h"
#include "converter/tflite/tensor_data.h"

namespace weft::tflite {
namespace {

void Unary(Builder& b, std::string type, std::string version = "opset1",
           Attributes attributes = {}) {
  b.Set(0, b.Add(std::move(type), std::move(version), std::move(attributes), {b.Input(0)}));
}

void Binary(Builder& b, std::string type,
            schema::Activation activation = schema::Activation::none) {
  const ir::Source y = b.Add(std::move(type), {b.Input(0), b.Input(1)});
  b.Set(0, b.Activated(y, activation));
}

void Clamp(Builder& b, const char* min, const char* max) {
  Unary(b, "Clamp", "opset1", {{"min", min}, {"max", max}});
}

bool HasNumbers(const Builder& b, size_t input) {
  const Tensor& tensor = b.InputTensor(input);
  return IsQuantised(tensor) || tensor.type == schema::ElementType::f32 ||
         tensor.type == schema::ElementType::f16;
}

// Quotients of integers are rounded towards zero.
ir::Source Quotient(Builder& b, const ir::Source& dividend) {
  return b.Add("Divide", "opset1", {{"m_pythondiv", "false"}}, {dividend, b.Input(1)});
}

// The codes of output 0 for codes of input 0, each of i8, i16 or i32, by integers.
ir::Source RescaledCodes(Builder& b, ir::Source codes) {
  const Tensor &from = b.InputTensor(0), &to = b.OutputTensor(0);
  const Multiplier by =
      MultiplierOf(static_cast<double>(ScaleOf(from)) / static_cast<double>(ScaleOf(to)));
  if (by.exponent > kMaxExponent) {
    b.Refuse("output scale is {} and input scale {}; codes must fit 32 bits", ScaleOf(to),
             ScaleOf(from));
  }
  Rescale rescale = {.x_zero = ZeroOf(from), .zero = ZeroOf(to), .above = by, .below = by};
  rescale.gives_shorts = to.type == schema::ElementType::i16;
  if (IsQuantised(to)) rescale.limits = LimitsOf(to.type);
  return Rescaled(b, rescale, codes);
}

// Returns true if the reader converts codes of input 0 to those of output 0 itself: if one of them
// is i32, whose codes are no numbers of the graph.
bool HasLongCodes(const Builder& b) {
  using Type = schema::ElementType;
  const Tensor &from = b.InputTensor(0), &to = b.OutputTensor(0);
  const bool have_scales = from.quantization && from.quantization->is_per_tensor() &&
                           to.quantization && to.quantization->is_per_tensor();
  if (!have_scales) return false;
  const auto is_code = [](Type type) { return type == Type::i8 || type == Type::i16; };
  if (from.type == Type::i32) return is_code(to.type) && !b.rounds_as_litert();
  return to.type == Type::i32 && is_code(from.type);
}

// The value with axes of extent 1 in front (or at the end) up to `rank`.
ir::Source OfRank(Builder& b, size_t input, int64_t rank, bool in_front) {
  const ir::Source x = b.Input(input);
  const int64_t added = rank - b.Rank(input);
  if (added <= 0) return x;
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < added; ++i) axes.push_back(in_front ? i : b.Rank(input) + i);
  return b.Add("Unsqueeze", {x, b.Ints(axes)});
}

// tflite-micro compares codes, also those of different scales.
void Extreme(Builder& b, const char* type) {
  bool has_codes = !b.rounds_as_litert(), is_same = true;
  for (const Tensor* tensor : {&b.InputTensor(0), &b.InputTensor(1), &b.OutputTensor(0)}) {
    has_codes = has_codes && IsQuantised(*tensor) && tensor->type == schema::ElementType::i8 &&
                tensor->quantization->is_per_tensor();
    is_same = is_same && HaveSameCodes(*tensor, b.OutputTensor(0));
  }
  if (has_codes && !is_same) {
    return b.SetPort(0, b.Add(type, {b.PortInput(0), b.PortInput(1)}));
  }
  SetJoined(b, 0, b.Add(type, {b.Input(0), b.Input(1)}));
}

// The first number of ADD_N. tflite-micro adds the negative zero point to a sum of codes, as if it
// were twice that of the first input.
ir::Source FirstTerm(Builder& b) {
  if (!HasSums(b, 1) || ZeroOf(b.InputTensor(0)) == 0) return b.Input(0);
  Tensor first = b.InputTensor(0);
  int64_t& zero = first.quantization->zeros[0];
  zero *= 2;
  if (zero >= -128 && zero <= 127) return NumbersOfPort(b, first, b.PortInput(0));
  const float excess = -ScaleOf(first) * static_cast<float>(ZeroOf(b.InputTensor(0)));
  return b.Add("Add", {b.Input(0), b.Float(excess)});
}

}  // namespace

void Add(Builder& b) { Binary(b, "Add", b.Options<schema::AddOptions>().activation()); }
void Sub(Builder& b) { Binary(b, "Subtract", b.Options<schema::SubOptions>().activation()); }
void Mul(Builder& b) { Binary(b, "Multiply", b.Options<schema::MulOptions>().activation()); }
void Pow(Builder& b) { Binary(b, "Power"); }
void SquaredDifference(Builder& b) { Binary(b, "SquaredDifference"); }
void FloorMod(Builder& b) { Binary(b, "FloorMod"); }

void Div(Builder& b) {
  b.Set(0, b.Activated(Quotient(b, b.Input(0)), b.Options<schema::DivOptions>().activation()));
}

// The dividend without the remainder of FLOOR_MOD is a multiple of the divisor. The quotient of
// floats may be rounded up to an integer that is too large: 0.5 / 0.1 is 5 in f32, but 0.1 is more
// than a tenth. Numbers without a remainder, such as infinity, have the quotient's floor.
void FloorDiv(Builder& b) {
  const ir::Source x = b.Input(0);
  if (!HasNumbers(b, 0)) {
    return b.Set(0, b.Add("Divide", "opset1", {{"m_pythondiv", "true"}}, {x, b.Input(1)}));
  }
  const ir::Source remainder = b.Add("FloorMod", {x, b.Input(1)});
  const ir::Source quotient = Quotient(b, b.Add("Subtract", {x, remainder}));
  const ir::Source whole = b.Add("Round", "opset5", {{"mode", "half_to_even"}}, {quotient});
  const ir::Source is_number = b.Add("Equal", {whole, whole});
  b.Set(0, b.Add("Select", {is_number, whole, b.Add("Floor", {Quotient(b, x)})}));
}

void Maximum(Builder& b) { Extreme(b, "Maximum"); }
void Minimum(Builder& b) { Extreme(b, "Minimum"); }

void AddN(Builder& b) {
  if (b.input_count() > 2 && HasSums(b, b.input_count())) {
    ir::Source sum = Term(b, 0);
    for (size_t i = 1; i < b.input_count(); ++i) {
      sum = b.Add("Add", {sum, Term(b, i)});
    }
    return SetFromTerms(b, sum);
  }
  ir::Source sum = FirstTerm(b);
  for (size_t i = 1; i < b.input_count(); ++i) sum = b.Add("Add", {sum, b.Input(i)});
  b.Set(0, sum);
}

void Relu(Builder& b) { Unary(b, "Relu"); }
void Relu6(Builder& b) { Clamp(b, "0", "6"); }
void ReluN1To1(Builder& b) { Clamp(b, "-1", "1"); }
void Relu0To1(Builder& b) { Clamp(b, "0", "1"); }

void LeakyRelu(Builder& b) {
  const ir::Source slope = b.Floats({1}, {{b.Options<schema::LeakyReluOptions>().alpha()}});
  b.Set(0, b.Add("PRelu", {b.Input(0), slope}));
}

// The last axis of the slopes is that of x; PRelu of the IR would map a vector to axis 1.
void PRelu(Builder& b) { b.Set(0, b.Add("PRelu", {b.Input(0), OfRank(b, 1, b.Rank(0), true)})); }

void Elu(Builder& b) { Unary(b, "Elu", "opset1", {{"alpha", "1"}}); }
void HardSwish(Builder& b) { Unary(b, "HSwish", "opset4"); }

void Gelu(Builder& b) {
  const bool approximate = b.Options<schema::GeluOptions>().approximate();
  Unary(b, "Gelu", "opset7", {{"approximation_mode", approximate ? "tanh" : "erf"}});
}

void Logistic(Builder& b) { Unary(b, "Sigmoid"); }
void Tanh(Builder& b) { Unary(b, "Tanh"); }
void Exp(Builder& b) { Unary(b, "Exp"); }
void Log(Builder& b) { Unary(b, "Log"); }
void Sqrt(Builder& b) { Unary(b, "Sqrt"); }
void Abs(Builder& b) { Unary(b, "Abs"); }
void Neg(Builder& b) { Unary(b, "Negative"); }
void Sin(Builder& b) { Unary(b, "Sin"); }
void Cos(Builder& b) { Unary(b, "Cos"); }
void Floor(Builder& b) { Unary(b, "Floor"); }
void Ceil(Builder& b) { Unary(b, "Ceiling"); }
void Sign(Builder& b) { Unary(b, "Sign"); }
void Round(Builder& b) { Unary(b, "Round", "opset5", {{"mode", "half_to_even"}}); }

void Rsqrt(Builder& b) { b.Set(0, b.Add("Power", {b.Input(0), b.Float(-0.5f)})); }

void Square(Builder& b) {
  const ir::Source x = b.Input(0);
  b.Set(0, b.Add("Multiply", {x, x}));
}

void Equal(Builder& b) { Binary(b, "Equal"); }
void NotEqual(Builder& b) { Binary(b, "NotEqual"); }
void Less(Builder& b) { Binary(b, "Less"); }
void LessEqual(Builder& b) { Binary(b, "LessEqual"); }
void Greater(Builder& b) { Binary(b, "Greater"); }
void GreaterEqual(Builder& b) { Binary(b, "GreaterEqual"); }
void LogicalAnd(Builder& b) { Binary(b, "LogicalAnd"); }
void LogicalOr(Builder& b) { Binary(b, "LogicalOr"); }
void LogicalNot(Builder& b) { Unary(b, "LogicalNot"); }

void SelectV2(Builder& b) {
  SetJoined(b, 1, b.Add("Select", {b.Input(0), b.Input(1), b.Input(2)}));
}

// A vector of conditions selects rows.
void Select(Builder& b) {
  const ir::Source condition = OfRank(b, 0, b.Rank(0) == 1 ? b.Rank(1) : 0, false);
  SetJoined(b, 1, b.Add("Select", {condition, b.Input(1), b.Input(2)}));
}

// Both runtimes convert the codes of a quantised tensor as if they were plain integers.
void Cast(Builder& b) {
  const Tensor &from = b.InputTensor(0), &to = b.OutputTensor(0);
  const auto type = IrTypeOf(to.type);
  if (!type) {
    return b.Refuse("output has type {}; must be a type that weft supports",
                    schema::EnumNameElementType(to.type));
  }
  if (IsComplex(from.type)) {
    return b.Set(
        0, b.Converted(b.Add("Gather", "opset8", {}, {b.Input(0), b.Int(0), b.Int(-1)}), *type));
  }
  ir::Source x = IsQuantised(from) ? CodesOfPort(b, from, b.Input(0)) : b.Input(0);
  if (from.type == schema::ElementType::u64 && IsFloat(*type)) {
    return b.Refuse("casts u64 to a float; must be a CAST to i64 before");
  }
  if (from.type == schema::ElementType::u32 && (IsFloat(*type) || *type == ElementType::i64)) {
    x = b.Add("BitwiseAnd", "opset13", {}, {b.Converted(x, ElementType::i64), b.Int(0xFFFFFFFF)});
  }
  const bool is_float =
      !IsQuantised(from) && (HasNumbers(b, 0) || from.type == schema::ElementType::f64);
  if (is_float && IsUnsigned(to.type)) x = b.Converted(x, ElementType::i64);
  const ir::Source y = b.Converted(x, *type);
  b.Set(0, IsQuantised(to) ? NumbersOfPort(b, to, y) : y);
}

// Input() and Set() convert between codes and numbers.
void Quantize(Builder& b) {
  const Tensor &from = b.InputTensor(0), &to = b.OutputTensor(0);
  const bool has_scale = from.quantization && from.quantization->is_per_tensor();
  const bool is_long = HasLongCodes(b);
  if (!(IsQuantised(to) || is_long) || (from.quantization && !has_scale)) {
    return b.Refuse(
        "quantises {} to {}; must have one scale, and an output of type i8, u8 or i16, or i32 for "
        "an input of type i8 or i16",
        schema::EnumNameElementType(from.type), schema::EnumNameElementType(to.type));
  }
  if (is_long) {
    const bool is_from_long = from.type == schema::ElementType::i32;
    const ir::Source codes = is_from_long ? b.Input(0) : CodesOfPort(b, from, b.Input(0));
    return b.SetPort(0, RescaledCodes(b, codes));
  }
  if (from.type == schema::ElementType::f32) return b.Set(0, QuantisedFloats(b, to, b.Input(0)));
  b.SetMoved(0, NumbersOfInput(b, 0));
}

void Dequantize(Builder& b) {
  const ir::Source x = NumbersOfInput(b, 0);
  b.Set(0, b.InputTensor(0).quantization ? x : b.Converted(x, ElementType::f32));
}

void ZerosLike(Builder& b) {
  const ir::Source shape = b.Add("ShapeOf", "opset3", {{"output_type", "i64"}}, {b.Input(0)});
  b.Set(0, b.Broadcasted(ZeroLike(b, b.InputTensor(0)), shape));
}

// The range is moved so that 0 is a multiple of the step.
void FakeQuant(Builder& b) {
  const auto& options = b.Options<schema::FakeQuantOptions>();
  const int bits = options.num_bits();
  if (bits < 2 || bits > 16 || !(options.min() <= 0 && options.max() >= 0) ||
      options.min() == options.max()) {
    return b.Refuse("num_bits is {}, range {} to {}; must be 2 to 16 bits and a range with 0", bits,
                    options.min(), options.max());
  }
  const float least = options.narrow_range() ? 1 : 0;
  const float most = static_cast<float>((1 << bits) - 1);
  const float scale = (options.max() - options.min()) / (most - least);
  const float zero = std::clamp(std::round(least - options.min() / scale), least, most);
  const ir::Source low = b.Float((least - zero) * scale), high = b.Float((most - zero) * scale);
  b.Set(0, b.Add("FakeQuantize", "opset1", {{"levels", std::to_string(int(most - least) + 1)}},
                 {b.Input(0), low, high, low, high}));
}

}  // namespace weft::tflite
