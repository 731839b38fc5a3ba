// SPDX-License-Identifier: Apache-2.0
// Versions that change the meaning of an operation, according to the opset specifications and
// OpenVINO's sources. Each row of the table must account for the next such version: either the
// table has a row for it, or the row sets replaced_in. An older row must never be used for a newer
// meaning.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "converter/ops/operation.h"

namespace weft::ops {
namespace {

struct Version {
  std::string_view name;
  int opset;
};
constexpr Version kMeanings[] = {
    {"AvgPool", 14},
    {"AvgPool", 16},
    {"Gather", 7},
    {"Gather", 8},
    {"GatherND", 8},
    {"Interpolate", 4},
    {"Interpolate", 11},
    {"LSTMCell", 4},
    {"LSTMSequence", 5},
    {"MaxPool", 8},
    {"MaxPool", 14},
    {"MulticlassNms", 9},
    {"MVN", 6},
    {"OneHot", 16},
    {"Pad", 12},
    {"PriorBox", 8},
    {"Proposal", 4},
    {"Range", 4},
    {"ROIAlign", 9},
    {"Softmax", 8},
    {"ScatterElementsUpdate", 12},
    {"Squeeze", 15},
    {"TopK", 3},
    {"TopK", 11},
    {"ScatterNDUpdate", 15},
    {"Broadcast", 3},
    {"Gelu", 7},
    {"DeformableConvolution", 8},
    {"ReadValue", 6},
    {"Assign", 6},
    {"BatchNormInference", 5},
    {"ShapeOf", 3},
    {"DetectionOutput", 8},
};

// Also available as the versions "experimental" and "extension", as of opset6.
constexpr std::string_view kExtensions[] = {"ExperimentalDetectronDetectionOutput",
                                            "ExperimentalDetectronGenerateProposalsSingleImage",
                                            "ExperimentalDetectronPriorGridGenerator",
                                            "ExperimentalDetectronROIFeatureExtractor",
                                            "ExperimentalDetectronTopKROIs",
                                            "GRUCell",
                                            "RNNCell",
                                            "Proposal"};

// Introduced with opset2, but old converters write opset1: their rows start there.
constexpr std::string_view kEarly[] = {"MVN", "ROIPooling", "ReorgYolo"};

bool HasRow(std::string_view name, int opset) {
  return std::ranges::any_of(
      Table(), [&](const Operation& row) { return row.name == name && row.opset == opset; });
}

TEST(Versions, OfANewMeaningHaveARowOrAreRefused) {
  for (const Operation& row : Table()) {
    for (const Version& version : kMeanings) {
      if (version.name != row.name || version.opset <= row.opset) continue;
      const bool refused =
          row.traits.replaced_in > row.opset && row.traits.replaced_in <= version.opset;
      EXPECT_TRUE(refused || HasRow(row.name, version.opset))
          << row.name << "-" << row.opset << " would also match version " << version.opset;
    }
  }
}

TEST(Versions, AreRefusedNowhereElse) {
  for (const Operation& row : Table()) {
    if (row.traits.replaced_in == 0) continue;
    EXPECT_TRUE(std::ranges::any_of(kMeanings, [&](const Version& version) {
      return version.name == row.name && version.opset == row.traits.replaced_in;
    })) << row.name;
    EXPECT_FALSE(HasRow(row.name, row.traits.replaced_in)) << row.name;
  }
}

TEST(Versions, CalledExtensionsAreThoseOfOpenVino) {
  for (const Operation& row : Table()) {
    const bool known = std::ranges::find(kExtensions, row.name) != std::end(kExtensions);
    const bool is_public = row.opset != kPassOnly;  // the others are of readers
    EXPECT_EQ(row.traits.is_extension && is_public, known) << row.name;
  }
}

TEST(Versions, OfEarlyOperationsBeginAtOpset1) {
  for (const std::string_view name : kEarly) {
    const bool known =
        std::ranges::find(Table(), name, &Operation::name) != std::ranges::end(Table());
    EXPECT_TRUE(!known || Find(name, 1) != nullptr) << name;
  }
}

}  // namespace
}  // namespace weft::ops
