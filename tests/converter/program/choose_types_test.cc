// SPDX-License-Identifier: Apache-2.0
#include "converter/program/choose_types.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace weft::program {
namespace {

struct Cost {
  int64_t saved;
  double noise, error;
};
using Costs = std::map<std::string, std::map<std::string, Cost>>;  // of layer and type

// Noise and errors add up.
Measure MeasureOf(const Costs& costs, int* count = nullptr) {
  return [&costs, count](const LayerTypes& types) -> std::optional<Measured> {
    Measured measured{.bytes = 1000};
    for (const auto& [layer, type] : types) {
      const auto& row = costs.at(layer);
      if (!row.contains(type)) return std::nullopt;
      measured.bytes -= row.at(type).saved;
      measured.noise += row.at(type).noise;
      measured.largest += row.at(type).error;
    }
    if (count != nullptr) ++*count;
    return measured;
  };
}

// The narrow types with an error of at most `max`.
LayerTypes Choose(const std::vector<std::string>& layers, double max, const Measure& measure) {
  const auto fits = [max](const Measured& measured) { return measured.largest <= max; };
  return ChooseTypes(layers, NarrowTypes(), fits, measure);
}

TEST(ChooseTypes, TakesWhatSavesMostForItsNoise) {
  const Costs costs = {{"cheap", {{"f16", {100, 1e-9, 0.1}}, {"i8", {150, 1e-8, 0.3}}}},
                       {"costly", {{"f16", {100, 1e-6, 1}}, {"i8", {150, 1e-4, 3}}}}};
  const std::vector<std::string> layers = {"cheap", "costly"};
  EXPECT_EQ(Choose(layers, 0, MeasureOf(costs)), LayerTypes());
  EXPECT_EQ(Choose(layers, 0.2, MeasureOf(costs)), (LayerTypes{{"cheap", "f16"}}));
  EXPECT_EQ(Choose(layers, 0.5, MeasureOf(costs)), (LayerTypes{{"cheap", "i8"}}));
  EXPECT_EQ(Choose(layers, 1.5, MeasureOf(costs)),
            (LayerTypes{{"cheap", "i8"}, {"costly", "f16"}}));
  EXPECT_EQ(Choose(layers, 9, MeasureOf(costs)), (LayerTypes{{"cheap", "i8"}, {"costly", "i8"}}));
}

TEST(ChooseTypes, PassesTypesThatALayerCannotHaveOrThatSaveNothing) {
  const Costs costs = {{"none", {}},
                       {"larger", {{"i8", {-10, 0, 0}}}},
                       {"worse", {{"bf16", {100, 1e-3, 1}}, {"f16", {100, 1e-6, 0.1}}}}};
  EXPECT_EQ(Choose({"larger", "none", "worse"}, 9, MeasureOf(costs)),
            (LayerTypes{{"worse", "f16"}}));
}

// A change that exceeds the bound does not prevent later, smaller ones.
TEST(ChooseTypes, GoesOnBehindAStepThatDoesNotFit) {
  const Costs costs = {{"first", {{"i8", {900, 1e-6, 5}}}}, {"second", {{"i8", {10, 1e-6, 1}}}}};
  EXPECT_EQ(Choose({"first", "second"}, 1, MeasureOf(costs)), (LayerTypes{{"second", "i8"}}));
}

TEST(ChooseTypes, MeasuresEachTypeOnceAndFewSumsOfThem) {
  Costs costs;
  std::vector<std::string> layers;
  for (int i = 10; i < 42; ++i) {
    layers.push_back("layer" + std::to_string(i));
    for (const std::string& type : NarrowTypes()) costs[layers.back()][type] = {i, 1e-6 * i, 1};
  }
  int count = 0;
  EXPECT_EQ(Choose(layers, 1000, MeasureOf(costs, &count)).size(), layers.size());
  EXPECT_LE(count, static_cast<int>(layers.size() * NarrowTypes().size() + 8));
}

TEST(ChooseTypes, KnowsEveryTypeThatRounds) {
  const std::vector<std::string> types = NarrowTypes();
  EXPECT_NE(std::ranges::find(types, "f16"), types.end());
  EXPECT_NE(std::ranges::find(types, "i8"), types.end());
  EXPECT_EQ(std::ranges::find(types, "auto"), types.end());
  EXPECT_EQ(std::ranges::find(types, "i8x8"), types.end()) << "of the bytes of i8";
  EXPECT_EQ(std::ranges::find(types, "f32"), types.end());
}

TEST(ChooseTypes, TriesOnlyTheTypesOfTheCaller) {
  const Costs costs = {{"layer", {{"f16", {100, 1e-9, 0}}, {"i8", {150, 1e-4, 0}}}}};
  const auto fits = [](const Measured& measured) { return measured.noise < 1e-3; };
  EXPECT_EQ(ChooseTypes({"layer"}, {"f16"}, fits, MeasureOf(costs)),
            (LayerTypes{{"layer", "f16"}}));
}

// A layer without a remaining trial keeps its type; the measured changes are still chosen.
TEST(ChooseTypes, StopsAtTheMaximumNumberOfTrials) {
  Costs costs;
  std::vector<std::string> layers;
  for (int i = 0; i < 1000; ++i) {
    layers.push_back(std::to_string(1000 + i));
    costs[layers.back()] = {{"f16", {10, 1e-9, 0}}, {"i8", {20, 1e-8, 0}}};
  }
  int count = 0;
  const LayerTypes types = Choose(layers, 1, MeasureOf(costs, &count));
  EXPECT_LE(count, kMaxTypeTrials);
  EXPECT_FALSE(types.empty());
  EXPECT_TRUE(types.contains(layers.front()));
  EXPECT_FALSE(types.contains(layers.back()));
}

}  // namespace
}  // namespace weft::program
