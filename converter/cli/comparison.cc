// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "converter/base/elements.h"
#include "converter/cli/array_text.h"
#include "converter/cli/terminal.h"
#include "converter/emit/model_file.h"

namespace weft::cli {
namespace {

struct Agreement {
  bool agree;
  double difference;
};

void AddNoise(double is, double must, Comparison& result) {
  if (!std::isfinite(is) || !std::isfinite(must)) return;
  result.signal += must * must;
  result.noise += (is - must) * (is - must);
}

Agreement CompareReals(double is, double must, const Tolerance& tolerance) {
  if (std::isnan(is) && std::isnan(must)) return {true, 0};
  if (is == must) return {true, 0};
  if (!std::isfinite(is) || !std::isfinite(must))
    return {false, std::numeric_limits<double>::infinity()};
  const double difference = std::abs(is - must);
  return {difference <= std::max(tolerance.absolute, tolerance.relative * std::abs(must)),
          difference};
}

Dims IndexOf(int64_t element, const Dims& dims) {
  Dims index(dims.size());
  for (size_t axis = dims.size(); axis-- > 0;) {
    index[axis] = element % dims[axis];
    element /= dims[axis];
  }
  return index;
}

}  // namespace

Comparison Compare(const Array& is, const Array& must, const Tolerance& tolerance) {
  Comparison result;
  const ElementType type = is.type.type;
  result.count = ElementCount(is.type.dims).value_or(0);
  const auto count = static_cast<size_t>(result.count);
  for (size_t i = 0; i < count; ++i) {
    Agreement agreement{};
    if (IsFloat(type)) {
      const double a = RealAt(type, is.bytes, i), b = RealAt(type, must.bytes, i);
      if (tolerance.finite_only && !std::isfinite(b)) continue;
      agreement = CompareReals(a, b, tolerance);
      AddNoise(a, b, result);
    } else {
      const int64_t a = IntegerAt(type, is.bytes, i), b = IntegerAt(type, must.bytes, i);
      agreement = {a == b, std::abs(static_cast<double>(a) - static_cast<double>(b))};
    }
    if (agreement.difference > result.largest_difference) {
      result.largest_difference = agreement.difference;
      result.largest_index = IndexOf(static_cast<int64_t>(i), is.type.dims);
    }
    if (agreement.agree) continue;
    if (result.mismatch_count++ > 0) continue;
    result.first = Mismatch{IndexOf(static_cast<int64_t>(i), is.type.dims), ElementText(is, i),
                            ElementText(must, i)};
  }
  return result;
}

std::string ComparisonText(const Comparison& comparison) {
  if (!comparison.first) {
    return fmt::format("equal, {} elements, largest difference {:.3g}", Grouped(comparison.count),
                       comparison.largest_difference);
  }
  return fmt::format(
      "{} of {} elements differ; first at {}: is {}, must be {}; largest difference {:.3g} at {}",
      Grouped(comparison.mismatch_count), Grouped(comparison.count),
      ToString(comparison.first->index), comparison.first->is, comparison.first->must,
      comparison.largest_difference, ToString(comparison.largest_index));
}

std::optional<double> SignalToNoise(const Comparison& comparison) {
  if (comparison.noise == 0 || comparison.signal == 0) return std::nullopt;
  return 10 * std::log10(comparison.signal / comparison.noise);
}

nlohmann::ordered_json ComparisonJson(const Comparison& comparison) {
  nlohmann::ordered_json json = {{"equal", comparison.mismatch_count == 0},
                                 {"elements", comparison.count},
                                 {"mismatches", comparison.mismatch_count},
                                 {"largest_difference", nullptr}};
  // JSON has no infinity.
  if (std::isfinite(comparison.largest_difference)) {
    json["largest_difference"] = comparison.largest_difference;
  } else {
    json["largest_difference"] = "inf";
  }
  if (const auto decibels = SignalToNoise(comparison)) json["signal_to_noise_db"] = *decibels;
  if (!comparison.first) return json;
  json["first"] = {{"index", comparison.first->index},
                   {"is", comparison.first->is},
                   {"must", comparison.first->must}};
  json["largest_at"] = comparison.largest_index;
  return json;
}

bool HasF16Weights(const format::Model& model) {
  const flatbuffers::String* generator = model.generator();
  return generator != nullptr && generator->str().ends_with(emit::kF16Weights);
}

}  // namespace weft::cli
