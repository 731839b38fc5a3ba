// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/missing.h"

#include <algorithm>
#include <iterator>

namespace weft::graph {
namespace {

// The reason why an operation does not convert, and the workaround.
struct Reason {
  std::string_view why, must;
};

constexpr Reason kBoxes = {
    "its selection of boxes is not implemented",
    "must be NonMaxSuppression or outside the model: let its boxes and scores be outputs, and "
    "select in the program"};
constexpr Reason kProposals = {
    "its proposal of regions is not implemented",
    "must be outside the model: convert the parts before and after it as two models, and choose "
    "the regions in the program"};
constexpr Reason kPicture = {
    "it converts images of a camera or decoder",
    "must be before the model: convert the image in the program and feed the result"};
constexpr Reason kFixed = {"exporters leave its result as a constant",
                           "must be a constant: it depends only on shapes"};
constexpr Reason kStrings = {"string tensors are not supported", "must be outside the model"};
constexpr Reason kRare = {
    "no exporter of recurrent, audio, sensor or small vision models writes it",
    "must be one that \"weft ops\" lists"};
constexpr Reason kLater = {"it is not implemented", "must be one that \"weft ops\" lists"};
constexpr Reason kLength = {"its number of results is known only at run time",
                            "must be outside the model"};

constexpr MissingOperation Row(std::string_view name, std::string_view words, Reason reason) {
  return {.name = name, .words = words, .reason = reason.why, .must = reason.must};
}

// Sorted by name. An operation that converts has no row: tests/tidy/rules/operations.py refuses it.
constexpr MissingOperation kMissing[] = {
    Row("BinaryConvolution", "", kRare),
    Row("CTCLoss", "", {"it is a loss, for training", "must be left out"}),
    Row("DeformableConvolution", "DeformConv", kRare),
    Row("DeformablePSROIPooling", "", kRare),
    Row("ExperimentalDetectronDetectionOutput", "", kBoxes),
    Row("ExperimentalDetectronGenerateProposalsSingleImage", "", kProposals),
    Row("ExperimentalDetectronPriorGridGenerator", "anchors", kFixed),
    Row("ExperimentalDetectronROIFeatureExtractor", "ROIAlign over a pyramid", kRare),
    Row("ExperimentalDetectronTopKROIs", "", kProposals),
    Row("GenerateProposals", "", kProposals),
    Row("I420toBGR", "", kPicture),
    Row("I420toRGB", "", kPicture),
    Row("MatrixNms", "", kBoxes),
    Row("MulticlassNms", "", kBoxes),
    Row("Multinomial", "sampling",
        {"it draws random numbers",
         "must be outside the model: let the probabilities be an output, and sample in the "
         "program"}),
    Row("NMSRotated", "", kBoxes),
    Row("NV12toBGR", "", kPicture),
    Row("NV12toRGB", "", kPicture),
    Row("Proposal", "", kProposals),
    Row("ROIAlignRotated", "", kRare),
    Row("SparseFillEmptyRows", "", kLength),
    Row("StringTensorPack", "", kStrings),
    Row("StringTensorUnpack", "", kStrings),
};
static_assert(std::ranges::is_sorted(kMissing, {}, &MissingOperation::name));

}  // namespace

std::span<const MissingOperation> MissingOperations() { return kMissing; }

const MissingOperation* FindMissing(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kMissing, name, {}, &MissingOperation::name);
  return found != std::end(kMissing) && found->name == name ? found : nullptr;
}

}  // namespace weft::graph
