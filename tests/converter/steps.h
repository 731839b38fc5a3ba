// SPDX-License-Identifier: Apache-2.0
// Queries for tests: the steps of a lowered program in order, their parameters by kind, and the
// text of messages.
#ifndef WEFT_TESTS_CONVERTER_STEPS_H_
#define WEFT_TESTS_CONVERTER_STEPS_H_

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "converter/program/program.h"

namespace weft {

// For EXPECT_PRED2, which prints both texts.
inline bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns the steps of the main block, without those of sections.
inline std::vector<program::Step> Steps(const program::Program& program) {
  std::vector<program::Step> steps;
  for (const program::Item& item : program.blocks[program.main].items) {
    if (const auto* step = std::get_if<program::Step>(&item)) steps.push_back(*step);
  }
  return steps;
}

inline std::vector<program::StepKind> Kinds(const program::Program& program) {
  std::vector<program::StepKind> kinds;
  for (const program::Step& step : Steps(program)) kinds.push_back(step.kind());
  return kinds;
}

// Returns the parameters of step `index`. If the step has another kind, the test fails, and the
// result has default values.
template <typename Params>
Params ParamsAt(const program::Program& program, size_t index = 0) {
  const std::vector<program::Step> steps = Steps(program);
  if (index < steps.size() && std::holds_alternative<Params>(steps[index].params)) {
    return std::get<Params>(steps[index].params);
  }
  ADD_FAILURE() << "step " << index << " of " << steps.size() << " is of another kind";
  return {};
}

// The first `count` elements of an array in a parameter struct.
template <typename Array>
Dims First(const Array* array, uint32_t count) {
  Dims values;
  for (uint32_t i = 0; i < count; ++i) values.push_back(array->Get(static_cast<uint16_t>(i)));
  return values;
}

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_STEPS_H_
