// SPDX-License-Identifier: Apache-2.0
#include "converter/program/float_layers.h"

#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <variant>

namespace weft::program {
namespace {

// Steps without a float: they move data, or compute with integers only.
template <typename Params>
constexpr bool kIsOfIntegers =
    IsOneOf<Params, format::SelectParams, format::CopyParams, format::FillParams,
            format::GatherParams, format::CompactParams, format::RingParams,
            format::PositionsParams, format::LookupParams, format::UnaryQ8Params,
            format::SoftmaxQ8Params, format::SoftmaxQ16Params, format::NormalizeQ8Params,
            format::LstmQ8Params, format::SvdfQ8Params, format::SignalParams,
            format::AutoScaleParams, format::ChannelGainParams, format::SubtractNoiseParams,
            format::FilterBankParams, format::FixedFourierParams>;

template <typename Params>
bool ComputesFloats(const Params& params) {
  if constexpr (kIsOfIntegers<Params>) {
    return false;
  } else if constexpr (std::is_same_v<Params, format::ConvertParams>) {
    return IsFloat(params.from()) || IsFloat(params.to());
  } else if constexpr (requires { params.codes(); }) {
    if constexpr (std::is_same_v<Params, format::PoolQ8Params>) {
      if (params.op() == format::PoolOp::max) return false;
    }
    return params.codes().results() < format::Results::integer_codes;  // int16 values follow
  } else if constexpr (requires { params.type(); }) {
    return IsFloat(params.type());
  } else {
    return true;
  }
}

}  // namespace

std::vector<std::string> LayersWithFloats(const Program& program) {
  std::vector<std::string> layers;
  std::unordered_set<std::string_view> known;
  ForEachStep(program, [&](const Step& step) {
    const bool has_floats =
        std::visit([](const auto& params) { return ComputesFloats(params); }, step.params);
    if (has_floats && known.insert(step.layer).second) layers.push_back(step.layer);
  });
  return layers;
}

}  // namespace weft::program
