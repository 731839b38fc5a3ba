// SPDX-License-Identifier: Apache-2.0
// weft compare --layers: finds the first layer of an IR that differs from expected values.
#include "tests/cli/command_fixture.h"
#include "tests/converter/tflite/model_writer.h"

namespace weft::cli {
namespace {

// out = relu(x + w) * w with w = 10, 20, 30.
constexpr std::string_view kChain = R"(<net name="chain" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="3" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>3</dim></port></output></layer>
<layer id="1" name="w" type="Const" version="opset1"><data element_type="f32" shape="3" offset="0" size="12"/>
<output><port id="0" precision="FP32"><dim>3</dim></port></output></layer>
<layer id="2" name="sum" type="Add" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>3</dim></port><port id="1"><dim>3</dim></port></input>
<output><port id="2" precision="FP32" names="total:0"><dim>3</dim></port></output></layer>
<layer id="3" name="net/relu" type="ReLU" version="opset1">
<input><port id="0"><dim>3</dim></port></input>
<output><port id="1" precision="FP32"><dim>3</dim></port></output></layer>
<layer id="4" name="product" type="Multiply" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>3</dim></port><port id="1"><dim>3</dim></port></input>
<output><port id="2" precision="FP32" names="y"><dim>3</dim></port></output></layer>
<layer id="5" name="r" type="Result" version="opset1"><input><port id="0"><dim>3</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
<edge from-layer="3" from-port="1" to-layer="4" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="4" to-port="1"/>
<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>
</edges>
</net>
)";

class CompareLayersCommand : public CommandTest {
 protected:
  CompareLayersCommand() {
    WriteModel(kChain);
    WriteFloats("x.npy", {3}, {-20, -20, 5});
    std::filesystem::create_directory(Path("must"));
  }
  Outcome Compare(const std::string& more = "") const {
    return Weft("compare model.xml --input x=x.npy --layers must " + more);
  }
};

TEST_F(CompareLayersCommand, AgreesWithAllOfThem) {
  WriteFloats("must/total_0.npy", {3}, {-10, 0, 35});
  WriteFloats("must/net_relu.npy", {3}, {0, 0, 35});
  WriteFloats("must/product.0.npy", {3}, {0, 0, 1050});
  WriteFloats("must/x.npy", {3}, {0, 0, 0});  // an input is not computed
  WriteFloats("must/w.npy", {3}, {0, 0, 0});
  const Outcome outcome = Compare();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "3 layers: equal\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(CompareLayersCommand, NamesTheFirstThatDiffers) {
  WriteFloats("must/sum.npy", {3}, {-10, 0, 35});
  WriteFloats("must/net_relu.npy", {3}, {0, 0.5f, 35});
  WriteFloats("must/y.npy", {3}, {0, 1, 1050});
  const Outcome outcome = Compare();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out,
            "1 layer equal, the last \"sum\"; first layer that differs:\n"
            "layer \"net/relu\" (ReLU): 1 of 3 elements differ; first at [1]: is 0, must be 0.5; "
            "largest difference 0.5 at [1]\n"
            "1 layer after it, of which 1 differ\n");
  const auto json = nlohmann::json::parse(Compare("--json").out);
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["first"], "net/relu");
  ASSERT_EQ(json["layers"].size(), 3u);
  EXPECT_EQ(json["layers"][0]["equal"], true);
  EXPECT_EQ(json["layers"][1]["first"]["is"], "0");
  EXPECT_EQ(json["layers"][1]["first"]["must"], "0.5");
  EXPECT_EQ(Compare("--atol 1.5").code, 0);
  WriteFloats("must/sum.npy", {3}, {-10, 1, 35});
  EXPECT_TRUE(Compare().out.starts_with(
      "0 layers equal; first layer that differs:\nlayer \"sum\" (Add): 1 "))
      << Compare().out;
}

TEST_F(CompareLayersCommand, ComparesEveryCall) {
  WriteFloats("x.npy", {2, 3}, {0, 0, 0, 1, 1, 1});
  WriteFloats("must/sum.npy", {2, 3}, {10, 20, 30, 11, 21, 31});
  EXPECT_EQ(Compare().out, "1 layer: equal\n");
  WriteFloats("must/sum.npy", {3}, {10, 20, 30});
  const Outcome outcome = Compare();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("layer \"sum\" (Add): is f32[2,3]; must/sum.npy expects f32[3]\n"),
            std::string::npos)
      << outcome.out;
}

TEST_F(CompareLayersCommand, CastsAndShapes) {
  WriteArray<double>("must/sum.npy", ElementType::f64, {3}, {-10, 0, 35});
  EXPECT_NE(Compare().out.find("expects f64[3] (--cast converts element types)"),
            std::string::npos);
  EXPECT_EQ(Compare("--cast").code, 0);
  EXPECT_EQ(Compare("--cast --shape x=3").code, 0);
  EXPECT_EQ(Compare("--cast --shape q=3").code, 2);
}

TEST_F(CompareLayersCommand, TellsWhatItCannotCompare) {
  const Outcome none = Compare();
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.err,
            "must: has no file for a layer of model.xml; must have files such as y.npy\n");
  WriteFloats("must/nothing.npy", {3}, {0, 0, 0});
  WriteFloats("must/sum.npy", {3}, {-10, 0, 35});
  const Outcome some = Compare();
  EXPECT_EQ(some.code, 0);
  EXPECT_EQ(some.err,
            "warning: must/nothing.npy: is not compared; no layer that the model uses has this "
            "name\n");
  WriteText("must/sum.npy", "no array");
  EXPECT_EQ(Compare().code, 1);
  EXPECT_EQ(Weft("compare model.xml --input x=x.npy --layers absent").err,
            "absent: cannot be read: No such file or directory\n");
  Convert(kChain);
  const Outcome model = Weft("compare model.weft --input x=x.npy --layers must");
  EXPECT_EQ(model.code, 1);
  EXPECT_EQ(model.err, "model.weft: is a model of weft; must be the XML of an OpenVINO IR\n");
}

// Numbers of quantised layers and of moved inputs are compared as codes if the files have codes.
TEST_F(CompareLayersCommand, ComparesCodes) {
  tflite::ModelWriter model = tflite::QuantisedDenseModel();
  model.tensors.push_back(model.tensors[0]);
  model.tensors.back().name = "moved";
  model.operators.insert(model.operators.begin(), {22, {0}, {4}});
  model.operators[1].inputs[0] = 4;
  const std::vector<std::byte> bytes = model.Bytes();
  WriteText("m.tflite", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  WriteArray<int8_t>("x.npy", ElementType::i8, {1, 3}, {20, -30, 50});
  ASSERT_EQ(Weft("convert m.tflite -o m.weft").code, 0);
  ASSERT_EQ(Weft("run m.weft --input audio=x.npy --output-dir out").code, 0);
  std::filesystem::rename(Path("out/keys.npy"), Path("must/y_0.npy"));
  WriteArray<int8_t>("must/moved.npy", ElementType::i8, {1, 3}, {20, -30, 50});
  const std::string call = "compare m.tflite --input audio=x.npy --layers must";
  EXPECT_EQ(Weft(call).out, "2 layers: equal\n") << Weft(call).err;
  WriteArray<int8_t>("must/moved.npy", ElementType::i8, {1, 3}, {20, -28, 50});
  EXPECT_EQ(Weft(call).out,
            "0 layers equal; first layer that differs:\n"
            "layer \"moved\" (Reshape): 1 of 3 elements differ; first at [0,1]: is -30, must be "
            "-28; largest difference 2 at [0,1]\n"
            "1 layer after it, of which 0 differ\n");
}

}  // namespace
}  // namespace weft::cli
