// SPDX-License-Identifier: Apache-2.0
// --region NAME=BYTES:weights: the copies that inspect lists, the C source, and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

constexpr const char* kGruModel = WEFT_SOURCE_DIR "/tests/size/models/gru.xml";

class RegionWeights : public CommandTest {
 protected:
  // Converts the GRU, and returns the JSON of the conversion.
  nlohmann::json Converted(const std::string& file, const std::string& options) const {
    const Outcome outcome =
        Weft(std::string("convert ") + kGruModel + " --json -o " + file + " " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
  nlohmann::json Facts(const std::string& file) const {
    return nlohmann::json::parse(Weft("inspect --json " + file).out);
  }
};

TEST_F(RegionWeights, ListsCopiesWithBytes) {
  const nlohmann::json converted =
      Converted("fast.weft", "--region dtcm=64K:weights --c-source fast.c");
  const nlohmann::json facts = Facts("fast.weft");
  const int64_t weights = converted["scratch_bytes_by_region"][0]["weight_bytes"];
  EXPECT_GT(weights, 10000);
  int64_t sum = 0, end = 0;
  for (const nlohmann::json& copy : facts["weight_copies"]) {
    EXPECT_EQ(copy["region"], facts["weight_copies"][0]["region"]);
    sum += copy["bytes"].get<int64_t>();
    end = std::max(end, copy["offset"].get<int64_t>() + copy["bytes"].get<int64_t>());
  }
  EXPECT_EQ(sum, weights);
  EXPECT_LE(end, facts["needs"]["scratch_bytes"].get<int64_t>());
  EXPECT_LE(facts["needs"]["scratch_bytes"].get<int64_t>(), 65536);
  EXPECT_TRUE(facts["variables"].empty());
  EXPECT_EQ(facts["state_layout"], "");
  const std::string text = Weft("inspect fast.weft").out;
  EXPECT_NE(text.find(" bytes in scratch, copied at Open\n"), std::string::npos) << text;
  const std::string budget = Weft("inspect --budget fast.weft").out;
  EXPECT_NE(budget.find(std::to_string(weights) + " bytes of weights are kept between runs"),
            std::string::npos)
      << budget;
  EXPECT_EQ(Weft("verify fast.weft").code, 0);
  EXPECT_NE(Text("fast.c").find("section(\".bss.dtcm\")"), std::string::npos);
  EXPECT_NE(Text("fast.h").find("weights between runs"), std::string::npos);
}

// The recurrent weights are read in each of the 100 iterations, so they come first, before buffers.
TEST_F(RegionWeights, CopiesTheWeightsOfLoopsFirst) {
  const nlohmann::json all = Converted("all.weft", "--region dtcm=64K:weights");
  nlohmann::json largest;
  const nlohmann::json facts = Facts("all.weft");
  for (const nlohmann::json& copy : facts["weight_copies"]) {
    if (largest.is_null() || copy["bytes"] > largest["bytes"]) largest = copy;
  }
  const int64_t bytes = largest["bytes"];
  const auto copied = [&](int64_t region) {
    Converted("some.weft", "--region dtcm=" + std::to_string(region) + ":weights");
    const nlohmann::json some = Facts("some.weft");
    for (const nlohmann::json& copy : some["weight_copies"]) {
      if (copy["name"] == largest["name"] && copy["bytes"] == bytes) return true;
    }
    return false;
  };
  EXPECT_FALSE(copied(0));
  EXPECT_FALSE(copied(bytes - 1));
  EXPECT_TRUE(copied(all["scratch_bytes"]));
}

TEST_F(RegionWeights, ChangesNothingWithoutTheWord) {
  Converted("a.weft", "--region dtcm=16K");
  EXPECT_TRUE(Facts("a.weft")["weight_copies"].empty());
  Converted("b.weft", "--region dtcm=16K:weights");
  EXPECT_FALSE(Facts("b.weft")["weight_copies"].empty());
  std::vector<float> x;
  for (int i = 0; i < 100 * 32; ++i) x.push_back(0.01f * static_cast<float>(i * 37 % 199 - 99));
  WriteFloats("x.npy", {1, 100, 32}, x);
  EXPECT_EQ(Weft("compare b.weft a.weft --input 0=x.npy --atol 0 --rtol 0").code, 0);
}

TEST_F(RegionWeights, RefusesOtherWords) {
  for (const char* wrong : {"a=64K:", "a=:weights", "a=64K:weight", "a=64K:weights:weights",
                            "a=64Kweights", "a:weights=64K", "a=64K:Weights"}) {
    const Outcome outcome =
        Weft(std::string("convert ") + kGruModel + " -o m.weft --region " + wrong);
    EXPECT_EQ(outcome.code, 2) << wrong;
    EXPECT_NE(outcome.err.find("or NAME=BYTES:weights"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(
      Weft(std::string("convert ") + kGruModel + " -o m.weft --region a=1 --region a=2:weights")
          .code,
      2);
}

// Another model would overwrite the copies.
TEST_F(RegionWeights, AreNotLinkedWithOtherModels) {
  Converted("fast.weft", "--region dtcm=64K:weights");
  Converted("plain.weft", "");
  const Outcome outcome = Weft("link fast.weft plain.weft -o all.c");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("so convert without --region"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace weft::cli
