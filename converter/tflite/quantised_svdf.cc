// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "converter/tflite/quantised_recurrent.h"
#include "converter/tflite/recurrent_codes.h"

namespace weft::tflite {

bool QuantisedSvdf(Builder& b) {
  constexpr size_t kData = 0, kFeature = 1, kTime = 2, kBias = 3, kState = 4;
  using Type = schema::ElementType;
  if (!IsByteProduct(b, kFeature)) return false;
  const Tensor &x = b.InputTensor(kData), &feature = b.InputTensor(kFeature);
  const Tensor &time = b.InputTensor(kTime), &state = b.InputTensor(kState);
  const Type type = time.type == Type::i8 ? Type::i8 : Type::i16;
  if (!b.RequireRank(kData, 2) || !b.RequireRank(kTime, 2) ||
      !RequireCodes(b, kData, Type::i8, false) || !RequireCodes(b, kFeature, Type::i8, true) ||
      !RequireCodes(b, kTime, type, true) || !RequireCodes(b, kState, type, false) ||
      !RequireCodesOfOutput(b, Type::i8)) {
    return true;
  }
  const int64_t rank = b.Options<schema::SVDFOptions>().rank(), filters = time.dims[0];
  if (rank < 1 || filters % rank != 0 || feature.dims != Dims{filters, x.dims[1]}) {
    b.Refuse("has rank {}, {} filters, and feature weights {}; must divide the filters", rank,
             filters, ToString(feature.dims));
    return true;
  }
  if (!RequireSums(b, kBias, filters / rank)) return true;
  const std::vector<int64_t> codes = CodesOf(feature);
  std::vector<int64_t> numbers, biases(static_cast<size_t>(filters / rank));
  for (size_t f = 0; f < static_cast<size_t>(filters); ++f) {
    int64_t sum = 0;
    const auto columns = static_cast<size_t>(x.dims[1]);
    for (size_t k = 0; k < columns; ++k) sum += codes[f * columns + k];
    numbers.push_back(-ZeroOf(x) * sum);
  }
  if (b.Has(kBias)) biases = CodesOf(b.InputTensor(kBias));
  numbers.insert(numbers.end(), biases.begin(), biases.end());
  const auto of_numbers = ConstantOf<int32_t>(b, ElementType::i32, {std::ssize(numbers)}, numbers);
  if (!of_numbers) {
    b.Refuse("the sums of its weights and its biases must fit 32 bits");
    return true;
  }
  const Tensor& y = b.OutputTensor(0);
  const float of_x = ScaleOf(x) * ScaleOf(feature) / ScaleOf(state);
  const float of_state = ScaleOf(state) * ScaleOf(time) / ScaleOf(y);
  const Dims dims = {x.dims[0], filters, time.dims[1]};
  // Without its zero point.
  const ir::Source old = CodesOfVariable(b, kState, dims, 0);
  ir::Node& node = b.AddNode("QuantizedSVDF", kOwnVersion,
                             {{"of_x", TextOf(std::array{MultiplierOf(of_x)})},
                              {"of_state", TextOf(std::array{MultiplierOf(of_state)})},
                              {"rank", fmt::format("{}", rank)},
                              {"zero", fmt::format("{}", ZeroOf(y))},
                              {"low", "-128"},
                              {"high", "127"}},
                             {CodesOfInput(b, kData), b.Const(*feature.constant),
                              b.Const(*time.constant), *of_numbers, old},
                             2);
  b.SetState(b.VariableName(kState), {&node, 1});
  SetCodes(b, {&node, 0});
  return true;
}

}  // namespace weft::tflite
