// SPDX-License-Identifier: Apache-2.0
#include "converter/program/requantised.h"

#include <type_traits>
#include <variant>

namespace weft::program {
namespace {

// The results of a step that computes codes or numbers from sums; f32 for other steps.
template <typename Params>
format::Results ResultsOf(const Params& params) {
  if constexpr (std::is_same_v<Params, format::SoftmaxQ8Params> ||
                std::is_same_v<Params, format::SoftmaxQ16Params> ||
                std::is_same_v<Params, format::NormalizeQ8Params> ||
                std::is_same_v<Params, format::UnaryQ8Params>) {
    return format::Results::integer_codes;
  } else if constexpr (std::is_same_v<Params, format::PoolQ8Params>) {
    if (params.op() == format::PoolOp::max) return format::Results::f32;
    return params.codes().results();
  } else if constexpr (requires { params.codes(); }) {
    return params.codes().results();
  } else {
    return format::Results::f32;
  }
}

}  // namespace

Requantised RequantisedSteps(const Program& program) {
  Requantised counts;
  ForEachStep(program, [&](const Step& step) {
    const format::Results results =
        std::visit([](const auto& params) { return ResultsOf(params); }, step.params);
    const bool has_integers =
        results == format::Results::integer_codes || results == format::Results::shorts;
    if (has_integers) ++counts.by_integers;
    if (results == format::Results::codes) counts.by_floats.push_back(step.layer);
  });
  return counts;
}

}  // namespace weft::program
