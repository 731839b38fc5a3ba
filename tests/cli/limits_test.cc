// SPDX-License-Identifier: Apache-2.0
// Models that exceed the limits of the file format: exit code 1, one line with location, value and
// limit, and no output files.
#include <limits>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

// A state of two elements that doubles. The .bin contains the trip count, followed by the
// condition.
constexpr std::string_view kEndlessLoop = R"(<net name="loop" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="trips" type="Const" version="opset1"><data element_type="i64" shape="" offset="0" size="8"/>
<output><port id="0" precision="I64"/></output></layer>
<layer id="2" name="begins" type="Const" version="opset1"><data element_type="boolean" shape="" offset="8" size="1"/>
<output><port id="0" precision="BOOL"/></output></layer>
<layer id="3" name="again" type="Loop" version="opset5">
<port_map><input external_port_id="2" internal_layer_id="0"/><output external_port_id="3" internal_layer_id="2"/></port_map>
<back_edges><edge from-layer="2" to-layer="0"/></back_edges>
<body><layers>
<layer id="0" name="state" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="twice" type="Add" version="opset1">
<input><port id="0"><dim>2</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="next" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="0" from-port="0" to-layer="1" to-port="1"/>
<edge from-layer="1" from-port="2" to-layer="2" to-port="0"/>
</edges></body>
<input><port id="0"/><port id="1"/><port id="2"><dim>2</dim></port></input>
<output><port id="3" precision="FP32" names="y"><dim>2</dim></port></output></layer>
<layer id="4" name="result" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="1" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="2" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="0" from-port="0" to-layer="3" to-port="2"/>
<edge from-layer="3" from-port="3" to-layer="4" to-port="0"/>
</edges>
</net>
)";

class Limits : public CommandTest {
 protected:
  void WriteLoop(int64_t trips) const {
    WriteText("model.xml", kEndlessLoop);
    std::string weights(9, '\1');
    std::memcpy(weights.data(), &trips, sizeof trips);
    WriteText("model.bin", weights);
  }
};

TEST_F(Limits, RefuseATripCountThatTheFileCannotHold) {
  constexpr int64_t kTwo32 = int64_t{1} << 32;
  for (const int64_t trips : {kTwo32 / 2, kTwo32 - 2, kTwo32 - 1, kTwo32, kTwo32 + 7,
                              (kTwo32 << 8) + 7, std::numeric_limits<int64_t>::max() - 1}) {
    WriteLoop(trips);
    const Outcome outcome = Weft("convert model.xml -o m.weft");
    EXPECT_EQ(outcome.code, 1) << trips;
    EXPECT_EQ(outcome.err, "model.xml:9: layer 3 \"again\" (Loop): trip count is " +
                               std::to_string(trips) + "; must be at most 2147483647\n");
    EXPECT_EQ(Entries(), (Names{"model.bin", "model.xml"}));
  }
  WriteLoop(kTwo32 / 2 - 1);
  EXPECT_EQ(Weft("convert model.xml -o m.weft").code, 0);
}

std::string SumOf(const std::string& rows) {
  std::string xml(kSum);
  for (size_t at; (at = xml.find("<dim>2</dim>")) != std::string::npos;) {
    xml.replace(at, 12, "<dim>" + rows + "</dim>");
  }
  xml.replace(xml.find("shape=\"2,3\""), 11, "shape=\"" + rows + ",3\"");
  return xml;
}

// The sizes are rejected during planning, before memory is allocated.
TEST_F(Limits, RefuseMemoryThatTheFileCannotHold) {
  for (const char* rows : {"2000000000", "4294967296", "99999999999"}) {
    WriteModel(SumOf(rows));
    const Outcome outcome = Weft("convert model.xml -o m.weft");
    EXPECT_EQ(outcome.code, 1) << rows;
    EXPECT_EQ(outcome.err.find("model.xml:3: layer 0 \"x_layer\" (Parameter): "), 0u)
        << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  WriteModel(SumOf("200000000"));
  EXPECT_EQ(Weft("convert model.xml -o m.weft").err,
            "plan: scratch needs 2400000000 bytes and state 0; each must be at most 2147483647\n");
  EXPECT_EQ(Entries(), (Names{"model.bin", "model.xml"}));
}

TEST_F(Limits, RefuseAnAttributeWrittenTwice) {
  std::string xml(kSum);
  xml.replace(xml.find("shape=\"3\""), 9, "shape=\"3\" shape=\"4\"");
  WriteModel(xml);
  const Outcome outcome = Weft("convert model.xml -o m.weft");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "model.xml:5: <data> has attribute \"shape\" twice; must have it once\n");
}

}  // namespace
}  // namespace weft::cli
