// SPDX-License-Identifier: Apache-2.0
// Messages about other custom operators; tests/tflite compares their results.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/converter/tflite/custom_operator.h"

namespace weft::tflite {
namespace {

using Type = schema::ElementType;

ModelWriter Buffer(std::vector<int32_t> from, std::vector<int32_t> to, int cycles) {
  return OneOperator("CIRCULAR_BUFFER", {{"x", std::move(from), Type::i8}},
                     {{"y", std::move(to), Type::i8}}, MapOf({{"cycles_max", cycles}}));
}

TEST(TfliteCustom, ReportsCircularBuffers) {
  const std::string shapes = "; must be [1,1,n,depth] and [1,slots,n,depth]";
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 3}, {1, 4, 2, 3}, 1)), "0 faults");
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 3}, {1, 4, 2, 3}, 2)), "0 faults");
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 3}, {1, 4, 2, 3}, 0)), "0 faults");
  EXPECT_EQ(FaultOf(Buffer({1, 2, 2, 3}, {1, 4, 2, 3}, 1)),
            "input 0 is [1,2,2,3] and output 0 [1,4,2,3]" + shapes);
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 3}, {1, 4, 3}, 1)),
            "input 0 is [1,1,2,3] and output 0 [1,4,3]" + shapes);
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 3}, {1, 4, 2, 3}, 65537)),
            "cycles_max is 65537; must be at most 65536");
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 96}, {1, 4, 2, 96}, 0)),
            "cycles_max is 0 for a shape of [1,4,2,96]; must be at least 1");
  ModelWriter model = Buffer({1, 1, 2, 3}, {1, 4, 2, 3}, 1);
  model.tensors[1].scales = {0.1f};
  model.tensors[1].zeros = {0};
  EXPECT_EQ(FaultOf(model),
            "input 0 and output 0 have different codes; must have one type and scale");
}

TEST(TfliteCustom, ReportsTransposedConvolutions) {
  const auto convolution = [](const std::vector<int32_t>& options) {
    return OneOperator("Convolution2DTransposeBias",
                       {{"x", {1, 3, 3, 2}}, {"w", {1, 2, 2, 2}}, {"b", {1}}},
                       {{"y", {1, 6, 6, 1}}}, BytesOf(options));
  };
  const std::string must = "; must be 1 or 2, strides at least 1";
  EXPECT_EQ(FaultOf(convolution({1, 2, 2})), "0 faults");
  EXPECT_EQ(FaultOf(convolution({0, 2, 2})), "padding is 0, strides 2 and 2" + must);
  EXPECT_EQ(FaultOf(convolution({3, 2, 2})), "padding is 3, strides 2 and 2" + must);
  EXPECT_EQ(FaultOf(convolution({2, 0, 2})), "padding is 2, strides 2 and 0" + must);
  EXPECT_EQ(FaultOf(convolution({2, 1, -5})), "padding is 2, strides -5 and 1" + must);
  EXPECT_EQ(FaultOf(convolution({1, 2})), "padding is 0, strides 0 and 0" + must);
}

// Four i8 elements of `coded`; the head of 16 bytes starts with `head`.
ModelWriter Decoded(std::vector<uint8_t> head, const std::vector<uint8_t>& values,
                    std::vector<uint8_t> coded, Type type = Type::i8) {
  head.resize(16);
  head.insert(head.end(), values.begin(), values.end());
  const auto size = static_cast<int32_t>(head.size());
  return OneOperator(
      "TFLM_DECODE",
      {{"c", {1}, Type::u8, std::move(coded)}, {"a", {size}, Type::u8, std::move(head)}},
      {{"y", {4}, type}}, {});
}

TEST(TfliteCustom, ReportsCompressedConstants) {
  constexpr uint8_t kTable = 0, kHuffman = 1, kPruned = 2;
  const std::vector<uint8_t> table = {kTable, 1, 0, 0, 1, 2, 3};
  EXPECT_EQ(FaultOf(Decoded(table, {7, 8, 9}, {0b00011000})), "0 faults");
  EXPECT_EQ(FaultOf(Decoded(table, {7, 8, 9}, {0b00011011})),
            "element 3 has an index after the end of its table");
  EXPECT_EQ(FaultOf(Decoded({kTable, 1, 0, 0, 1, 3, 3}, {7, 8, 9}, {0})),
            "has 1 bytes of data; its 4 elements need more");
  EXPECT_EQ(FaultOf(Decoded({kTable, 1, 0, 0, 1, 0, 3}, {7}, {0})),
            "its data has indices of 0 bits; must be 1 to 7");
  EXPECT_EQ(FaultOf(Decoded({kTable, 2, 0, 0, 1, 2, 3}, {7}, {0})),
            "its data is of version 2.1; must be 1.1");
  EXPECT_EQ(FaultOf(Decoded({127, 1, 0, 0, 1}, {7}, {0})),
            "its data has encoding 127; must be 0 to 2");
  EXPECT_EQ(FaultOf(Decoded({kPruned, 1, 0, 0, 1}, {7}, {0b01000000})), "0 faults");
  EXPECT_EQ(FaultOf(Decoded({kPruned, 1, 0, 0, 1}, {7}, {0b01010000})),
            "element 3 is after the last of its values");
  const std::vector<uint8_t> codes = {7, 0x88, 8, 0x88};  // 0 is 7, 1 is 8
  EXPECT_EQ(FaultOf(Decoded({kHuffman, 1, 0, 0, 1, 0}, codes, {0b01010000})), "0 faults");
  EXPECT_EQ(FaultOf(Decoded({kHuffman, 1, 0, 0, 1, 0}, {0, 0}, {0})),
            "element 0 has a code that is not in its tables");
  EXPECT_EQ(FaultOf(Decoded({kHuffman, 1, 0, 0, 1, 0}, codes, {0}, Type::i16)),
            "has elements of i16; must be i8, or i16 with a table of 32 bits");
  ModelWriter model = Decoded(table, {7, 8, 9}, {0});
  model.tensors[0].data.clear();
  model.inputs = {0};
  EXPECT_EQ(FaultOf(model), "its inputs are not constants; must be pairs of constants");
}

ModelWriter Detection(std::map<std::string, double> options, int32_t classes = 3) {
  options.merge(std::map<std::string, double>{{"max_detections", 5},
                                              {"num_classes", 2},
                                              {"nms_score_threshold", 0.25},
                                              {"nms_iou_threshold", 0.5},
                                              {"max_classes_per_detection", 1},
                                              {"y_scale", 10},
                                              {"x_scale", 10},
                                              {"h_scale", 5},
                                              {"w_scale", 5}});
  return OneOperator("TFLite_Detection_PostProcess",
                     {{"b", {1, 9, 4}}, {"s", {1, 9, classes}}, {"a", {9, 4}}},
                     {{"y", {1, 5, 4}}, {"c", {1, 5}}, {"d", {1, 5}}, {"n", {1}}}, MapOf(options));
}

TEST(TfliteCustom, ReportsDetections) {
  EXPECT_EQ(FaultOf(Detection({})), "0 faults");
  EXPECT_EQ(FaultOf(Detection({{"use_regular_nms", 1}})), "0 faults");
  EXPECT_EQ(FaultOf(Detection({}, 2)), "0 faults");
  EXPECT_EQ(FaultOf(Detection({}, 4)),
            "boxes are [1,9,4], scores [1,9,4] and anchors [9,4]; must be [1,n,4], [1,n,classes] "
            "with or without one for the background, and [n,4] for 2 classes");
  EXPECT_EQ(FaultOf(Detection({{"nms_iou_threshold", 1.5}})),
            "nms_iou_threshold is 1.5; must be above 0 and at most 1");
  EXPECT_EQ(FaultOf(Detection({{"max_detections", 0}})),
            "max_detections is 0; must be from 1 to 1048576");
  EXPECT_EQ(FaultOf(Detection({{"max_classes_per_detection", 7}})),
            "max_classes_per_detection is 7; must be 1, or use_regular_nms must be true");
  EXPECT_EQ(FaultOf(Detection({{"use_regular_nms", 1}, {"detections_per_class", 0}})),
            "detections_per_class is 0; must be from 1 to 1048576");
  EXPECT_EQ(FaultOf(Detection({{"num_classes", 1.5}})),
            "has no option num_classes; must have an integer");
}

}  // namespace
}  // namespace weft::tflite
