// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/missing.h"

#include <algorithm>
#include <iterator>

namespace weft::graph {
namespace {

constexpr std::string_view kSelectsBoxes =
    "must be outside the model: let its boxes and scores be outputs, and select in the program";
constexpr std::string_view kDecodes =
    "must be outside the model: let its input be an output, and decode it in the program";
constexpr std::string_view kPicture =
    "must be before the model: convert the picture in the program and feed the result";
constexpr std::string_view kFixed = "must be a constant: it depends on shapes alone";
constexpr std::string_view kStrings = "must be outside the model: there is no type for strings";

// Sorted by name. An operation that converts has no row: tests/tidy/rules/operations.py refuses it.
constexpr MissingOperation kMissing[] = {
    {"CTCGreedyDecoder", "", kDecodes},
    {"CTCGreedyDecoderSeqLen", "", kDecodes},
    {"CTCLoss", "", "must be left out: a loss belongs to training"},
    {"Col2Im", "fold", ""},
    {"DeformableConvolution", "DeformConv", ""},
    {"DetectionOutput", "the output of SSD", kSelectsBoxes},
    {"EmbeddingBagOffsets", "EmbeddingBag", ""},
    {"EmbeddingBagOffsetsSum", "EmbeddingBag", ""},
    {"EmbeddingBagPacked", "EmbeddingBag", ""},
    {"EmbeddingBagPackedSum", "EmbeddingBag", ""},
    {"EmbeddingSegmentsSum", "embedding_lookup_sparse", ""},
    {"ExperimentalDetectronDetectionOutput", "", kSelectsBoxes},
    {"ExperimentalDetectronGenerateProposalsSingleImage", "", kSelectsBoxes},
    {"ExperimentalDetectronPriorGridGenerator", "anchors", kFixed},
    {"ExperimentalDetectronROIFeatureExtractor", "ROIAlign over a pyramid", ""},
    {"ExperimentalDetectronTopKROIs", "", kSelectsBoxes},
    {"FakeConvert", "quantised to f8", "must be left out: save the model before it is quantised"},
    {"GatherTree", "beam search", "must be outside the model: search in the program"},
    {"GenerateProposals", "", kSelectsBoxes},
    {"I420toBGR", "", kPicture},
    {"I420toRGB", "", kPicture},
    {"MatrixNms", "", kSelectsBoxes},
    {"MulticlassNms", "", kSelectsBoxes},
    {"Multinomial", "sampling",
     "must be outside the model: let the probabilities be an output, and sample in the program"},
    {"NMSRotated", "", kSelectsBoxes},
    {"NV12toBGR", "", kPicture},
    {"NV12toRGB", "", kPicture},
    {"NonMaxSuppression", "NMS", kSelectsBoxes},
    {"NonZero", "nonzero, or indexing by a mask",
     "must be a Select by the mask or a product with it: how many places it finds is known only at "
     "run time"},
    {"PriorBox", "anchors", kFixed},
    {"PriorBoxClustered", "anchors", kFixed},
    {"Proposal", "", kSelectsBoxes},
    {"RandomUniform", "rand, randn or bernoulli",
     "must be an input: make the noise in the program and feed it"},
    {"StringTensorPack", "", kStrings},
    {"StringTensorUnpack", "", kStrings},
    {"Unique", "", "must be outside the model: how many values it finds is known only at run time"},
};
static_assert(std::ranges::is_sorted(kMissing, {}, &MissingOperation::name));

}  // namespace

const MissingOperation* FindMissing(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kMissing, name, {}, &MissingOperation::name);
  return found != std::end(kMissing) && found->name == name ? found : nullptr;
}

}  // namespace weft::graph
