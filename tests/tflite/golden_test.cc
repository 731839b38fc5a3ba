// SPDX-License-Identifier: Apache-2.0
// Converts every stored .tflite model, runs it and compares its outputs with LiteRT's reference
// kernels. Floats must be within the case's tolerance, integers equal. Codes (i8, u8, i16) may
// differ where codes.txt says so: that file has the number and the size of the differences of each
// case. WEFT_PIN_CODES=1 rewrites it; the author of the change must review every line that changes.
#include "tests/conformance/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "converter/tflite/unsupported.h"
#include "runtime/format/listing.h"

namespace weft {
namespace {

const std::filesystem::path kModels = WEFT_FIXTURES_DIR "/tflite";
const std::filesystem::path kPinned = WEFT_SOURCE_DIR "/tests/tflite/codes.txt";

// Codes that differ from the expected ones.
struct Differences {
  size_t codes = 0, differ = 0;
  int64_t largest = 0;
};

template <typename T>
void Count(const std::byte* actual, const std::byte* expected, size_t bytes, Differences& counts) {
  for (size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T is, must;
    std::memcpy(&is, actual + i, sizeof(T));
    std::memcpy(&must, expected + i, sizeof(T));
    const int64_t difference = std::abs(int64_t{is} - int64_t{must});
    ++counts.codes;
    counts.differ += difference != 0;
    counts.largest = std::max(counts.largest, difference);
  }
}

// The lines of codes.txt by case.
std::map<std::string, std::string> Pinned() {
  std::map<std::string, std::string> lines;
  std::ifstream file(kPinned);
  for (std::string line; std::getline(file, line);) lines[line.substr(0, line.find(':'))] = line;
  return lines;
}

class Tflite : public GoldenCase {
 protected:
  Tflite() : GoldenCase(kModels) {}

  void CompareOutput(const std::byte* actual, ElementType type, const std::byte* expected,
                     size_t bytes, Tolerance tolerance) override {
    if (type == ElementType::i8) return Count<int8_t>(actual, expected, bytes, counts_);
    if (type == ElementType::u8) return Count<uint8_t>(actual, expected, bytes, counts_);
    if (type == ElementType::i16) return Count<int16_t>(actual, expected, bytes, counts_);
    if (type == ElementType::boolean) return Count<uint8_t>(actual, expected, bytes, counts_);
    Compare(actual, type, expected, bytes, tolerance);
  }

  // The case's line of codes.txt; empty if no code differs.
  std::string Line() const {
    if (counts_.differ == 0) return "";
    return fmt::format("{}: {} of {} codes differ, by at most {}", GetParam(), counts_.differ,
                       counts_.codes, counts_.largest);
  }

  static void SetUpTestSuite() { pinned_ = Pinned(); }
  static void TearDownTestSuite() {
    if (std::getenv("WEFT_PIN_CODES") == nullptr) return;
    std::ofstream file(kPinned);
    for (const auto& [name, line] : pinned_) file << line << '\n';
  }

  Differences counts_;
  static std::map<std::string, std::string> pinned_;
};

std::map<std::string, std::string> Tflite::pinned_;

TEST_P(Tflite, Agrees) {
  RunAndCompare();
  if (HasFailure()) return;
  const auto found = pinned_.find(GetParam());
  const std::string pinned = found == pinned_.end() ? "" : found->second;
  if (std::getenv("WEFT_PIN_CODES") == nullptr) {
    EXPECT_EQ(Line(), pinned);
  } else if (Line().empty()) {
    pinned_.erase(GetParam());
  } else {
    pinned_[GetParam()] = Line();
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Tflite, testing::ValuesIn(CaseNamesIn(kModels)), TestNameOf);

TEST(TfliteCases, IncludeEveryOperator) {
  std::set<std::string> missing;
  for (const tflite::OperatorRow& row : tflite::Operators()) missing.emplace(row.name);
  for (const std::string& name : CaseNamesIn(kModels)) {
    const auto facts = nlohmann::json::parse(std::ifstream(kModels / name / "case.json"));
    for (const auto& used : facts.at("operators")) missing.erase(used.get<std::string>());
  }
  EXPECT_EQ(missing, std::set<std::string>());
}

// Cases of int16 codes that convert from or to floats.
bool HasFloatPorts(const std::string& name) {
  return name == "shorts/quantize_f32" || name == "shorts/dequantize" ||
         name == "shorts/sum_of_floats";
}

// Layers that only move codes keep the layers around them in integers, and int16 layers are
// integers.
TEST(TfliteCodes, ReadNoFloats) {
  for (const std::string& name : CaseNamesIn(kModels)) {
    const bool is_of_shorts = name.starts_with("shorts/") && !HasFloatPorts(name);
    if (!name.starts_with("quantised_movement/") && !is_of_shorts) continue;
    pipeline::ConvertOptions options;
    options.model = kModels / name / "model.tflite";
    Faults faults;
    const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
    ASSERT_TRUE(converted.has_value()) << name;
    // A pool of int16 codes may only move them.
    if (!is_of_shorts) {
      EXPECT_GE(converted->requantised.by_integers, 1U) << name;
    }
    EXPECT_TRUE(converted->float_layers.empty()) << name;
    for (const format::Slot& slot :
         format::RowsOf(format::GetModel(converted->file.data())->slots())) {
      EXPECT_NE(slot.type(), format::ElementType::f32) << name;
    }
  }
}

// Layers that change codes are integers, even if only layers in f32 read them.
TEST(TfliteCodes, AreIntegersBeforeFloats) {
  for (const auto& [name, count] :
       {std::pair("i8_before_log_softmax", 1U), std::pair("i8_before_dequantize", 0U)}) {
    pipeline::ConvertOptions options;
    options.model = kModels / "readers" / name / "model.tflite";
    Faults faults;
    const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
    ASSERT_TRUE(converted.has_value()) << name;
    EXPECT_EQ(converted->float_layers.size(), count) << name;
  }
}

TEST(TfliteShapes, MustHoldTheUpdate) {
  for (const char* const name : {"dynamic_update_slice_20_2x4", "dynamic_update_slice_1_2x4",
                                 "dynamic_update_slice_known_5_2x4"}) {
    pipeline::ConvertOptions options;
    options.model = kModels / "unknown_extents" / name / "model.tflite";
    options.shapes["x0"] = {1, 4};
    Faults faults;
    EXPECT_FALSE(pipeline::Convert(options, faults).has_value()) << name;
    ASSERT_EQ(faults.lines().size(), 1U) << name;
    EXPECT_NE(faults.lines()[0].find("update has shape [2,4]; must fit in [1,4]"),
              std::string::npos)
        << faults.lines()[0];
  }
}

// Keras 3 writes recurrent layers as loops that write each output into a list.
TEST(TfliteLoops, OfKerasAreCells) {
  using format::Kind;
  for (const auto& [name, kind] :
       {std::pair("keras_gru", Kind::gru_cell), std::pair("keras_lstm", Kind::lstm_cell)}) {
    pipeline::ConvertOptions options;
    options.model = kModels / "control" / name / "model.tflite";
    Faults faults;
    const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
    ASSERT_TRUE(converted.has_value()) << name;
    std::map<Kind, int> counts;
    for (const format::Step& step :
         format::RowsOf(format::GetModel(converted->file.data())->steps())) {
      ++counts[static_cast<Kind>(step.kind())];
    }
    EXPECT_EQ(counts[kind], 1) << name;
    EXPECT_EQ(counts[Kind::copy], 0) << name;
  }
}

}  // namespace
}  // namespace weft
