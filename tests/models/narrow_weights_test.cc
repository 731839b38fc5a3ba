// SPDX-License-Identifier: Apache-2.0
// Narrow weight types must not change results: every conformance case is lowered with weights
// rounded to a type and stored in this type, and with the same rounded numbers stored as f32.
#include "converter/program/narrow_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "converter/base/scaled_weights.h"
#include "converter/pipeline.h"
#include "converter/program/coalesce.h"
#include "converter/program/passes.h"
#include "kernels/elementwise/convert.h"
#include "tests/models/program_outputs.h"
#include "tests/rounds.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

std::optional<program::Program> Lowered(const fs::path& model,
                                        const program::Precision& precision) {
  pipeline::ConvertOptions options;
  options.model = model;
  options.max_iterations = 64;
  options.precisions.all = precision;
  Faults faults;  // the conformance tests check refusals
  return pipeline::LowerModel(options, faults);
}

// Returns the type of a step's weights, f32 for steps without weights.
ElementType WeightTypeOf(const program::Step& step) {
  return std::visit(
      [](const auto& params) {
        if constexpr (requires { params.weights(); }) return params.weights();
        return ElementType::f32;
      },
      step.params);
}

// For int8 weights of a step with scales.
template <typename Params>
void WidenScaledOf(const Params& params, program::Value& value) {
  const std::vector<float> floats = WidenScaled(*value.data, ScaledPartsOf(params));
  const auto bytes = std::as_bytes(std::span(floats));
  value.bytes = std::ssize(bytes);
  value.type = {ElementType::f32, {std::ssize(floats)}};
  value.data = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
}

void Widen(const program::Step& step, program::Value& value, ElementType from) {
  if (from == ElementType::i8) {
    const auto widen = [&](const auto& params) {
      if constexpr (requires { ScaledPartsOf(params); }) WidenScaledOf(params, value);
    };
    return std::visit(widen, step.params);
  }
  std::vector<std::byte> floats(value.data->size() * 2);
  const auto count = static_cast<uint32_t>(floats.size() / sizeof(float));
  kernels::Convert({count, static_cast<kernels::Element>(from), kernels::Element::kF32},
                   value.data->data(), floats.data());
  value.bytes = static_cast<int64_t>(floats.size());
  value.type.type = ElementType::f32;
  value.data = std::make_shared<const std::vector<std::byte>>(std::move(floats));
}

// Returns the program with all weights as f32, and the number of constants that were narrow.
size_t WidenWeights(program::Program& program) {
  std::set<program::ValueId> roots;
  for (program::Block& block : program.blocks) {
    for (program::Item& item : block.items) {
      auto* step = std::get_if<program::Step>(&item);
      if (step == nullptr || WeightTypeOf(*step) == ElementType::f32) continue;
      const program::ValueId root = program::Resolve(program, step->inputs[1]).root;
      if (roots.insert(root).second) Widen(*step, program.values[root], WeightTypeOf(*step));
      step->inputs[1] = root;
      const auto widen = [](auto& params) {
        if constexpr (requires { params.weights(); }) params.mutate_weights(ElementType::f32);
      };
      std::visit(widen, step->params);
    }
  }
  return roots.size();
}

TEST(NarrowWeights, ChangeNoBitOfAnyModel) {
  int models = 0;
  size_t narrow_models = 0, scaled_models = 0, exact_models = 0;
  for (const auto& entry : fs::recursive_directory_iterator(WEFT_FIXTURES_DIR "/cases")) {
    if (entry.path().filename() != "model.xml" || !IsRound(models++)) continue;
    SCOPED_TRACE(entry.path().parent_path().string());
    for (const char* type : {"f16", "bf16", "i8x32"}) {
      const program::Precision precision = program::PrecisionOf(type).value();
      std::optional<program::Program> narrow = Lowered(entry.path(), precision);
      if (!narrow) continue;
      program::Program wide = *narrow;
      if (WidenWeights(wide) == 0) break;
      narrow_models += 1;
      scaled_models += precision->type == ElementType::i8 ? 1 : 0;
      program::Coalesce(*narrow);
      program::Coalesce(wide);
      const std::vector<std::byte> must = Outputs(wide);
      EXPECT_EQ(Outputs(*narrow), must) << type;
      EXPECT_EQ(Outputs(*narrow, {}, true), must) << "outputs over inputs";
    }
    // Without --precision, weights must be exact.
    const std::optional<program::Program> by_default = Lowered(entry.path(), std::nullopt);
    if (!by_default) continue;
    program::Program widened = *by_default;
    if (WidenWeights(widened) == 0) continue;
    exact_models += 1;
    EXPECT_EQ(Outputs(*by_default), Outputs(Lowered(entry.path(), ElementType::f32).value()));
  }
  EXPECT_GT(narrow_models, Rounds(1500));
  EXPECT_GT(scaled_models, Rounds(500));
  EXPECT_GE(exact_models, Rounds(17));
}

bool HasIntegers(const program::Program& program) {
  return std::ranges::any_of(program.blocks, [](const program::Block& block) {
    return std::ranges::any_of(block.items, [](const program::Item& item) {
      const auto* step = std::get_if<program::Step>(&item);
      return step != nullptr && (step->kind() == program::StepKind::kDenseI8 ||
                                 step->kind() == program::StepKind::kDenseI4);
    });
  });
}

TEST(IntegerWeights, GiveTheSameBitsWhereverTheirProductsStand) {
  int models = 0;
  size_t integer_models = 0;
  for (const auto& entry : fs::recursive_directory_iterator(WEFT_FIXTURES_DIR "/cases")) {
    if (entry.path().filename() != "model.xml" || !IsRound(models++)) continue;
    SCOPED_TRACE(entry.path().parent_path().string());
    for (const char* type : {"i8", "i8x8", "i4:32"}) {
      const std::optional<program::Program> integers =
          Lowered(entry.path(), program::PrecisionOf(type).value());
      if (!integers || !HasIntegers(*integers)) continue;
      integer_models += 1;
      const std::vector<std::byte> must = Outputs(*integers);
      for (const int64_t rows : {2, 64}) {
        program::Program hoisted = *integers;
        program::Hoist(hoisted, rows);
        program::Coalesce(hoisted);
        EXPECT_EQ(Outputs(hoisted), must) << type << ", " << rows;
      }
    }
  }
  EXPECT_GT(integer_models, Rounds(120));
}

}  // namespace
}  // namespace weft
