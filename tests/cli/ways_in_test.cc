// SPDX-License-Identifier: Apache-2.0
// Inputs from frameworks: messages for files that are not an IR, weights rounded to f16, and pairs
// of inputs and outputs that become states.
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class OtherFiles : public CommandTest {
 protected:
  // Expects messages of convert and of a command that reads a model.
  void ExpectFault(const std::string& file, const std::string& bytes, const std::string& is,
                   const std::string& command) {
    WriteText(file, bytes);
    const std::string by = command.empty() ? "" : ", as made by: " + command;
    const Outcome converted = Weft("convert '" + file + "'");
    EXPECT_EQ(converted.code, 1) << file;
    EXPECT_EQ(converted.err,
              file + ": is " + is + "; must be the XML of an OpenVINO IR" + by + "\n");
    const Outcome opened = Weft("inspect '" + file + "'");
    EXPECT_EQ(opened.code, 1) << file;
    EXPECT_EQ(opened.err, file + ": is " + is + "; must be a model.weft" + by + "\n");
    EXPECT_EQ(Entries(), (Names{file}));
    std::filesystem::remove(Path(file));
  }
  static std::string Zip(const std::string& members) { return "PK\x03\x04" + members; }
};

TEST_F(OtherFiles, AreAnsweredWithTheCommand) {
  ExpectFault("m.onnx", std::string("\x08\x07\x12\x07pytorch", 11), "an ONNX model",
              "ovc m.onnx --compress_to_fp16=False && weft convert m.xml");
  ExpectFault("a model.onnx", std::string("\x08\x0a\x3a\x10", 4), "an ONNX model",
              "ovc 'a model.onnx' --compress_to_fp16=False && weft convert 'a model.xml'");
  ExpectFault("v3.2-cpu.onnx", std::string("\x08\x0a\x3a\x10", 4), "an ONNX model",
              "ovc v3.2-cpu.onnx --compress_to_fp16=False && weft convert v3.2-cpu.xml");
  const std::string load =
      ", openvino; openvino.save_model(openvino.convert_model(torch.jit.load('m.pt')), 'm.xml', "
      "compress_to_fp16=False)\" && weft convert m.xml";
  ExpectFault("m.pt", Zip("m/data.pkl m/code/__torch__.py m/constants.pkl"),
              "a TorchScript archive", "python3 -c \"import torch" + load);
  const std::string program =
      "openvino.save_model(openvino.convert_model(model, example_input=x), 'm.xml', "
      "compress_to_fp16=False) in the program that has the model's class";
  ExpectFault("m.pth", Zip("m/data.pkl m/data/0"), "a PyTorch archive", program);
  ExpectFault("m.pkl", "\x80\x02}q", "a Python pickle, as PyTorch once saved", program);
  const std::string keras =
      "').export('m')\" && ovc m --compress_to_fp16=False && weft convert m.xml";
  const std::string begin = "python3 -c \"import keras; keras.models.load_model('m";
  ExpectFault("m.keras", Zip("metadata.json config.json model.weights.h5"), "a Keras archive",
              begin + ".keras" + keras);
  ExpectFault("m.h5", "\x89HDF\r\n\x1a\n", "an HDF5 file, as Keras saves", begin + ".h5" + keras);
  ExpectFault("x.npy", "\x93NUMPY", "a NumPy array", "");
  ExpectFault("m.bin", "1234", "the weights of an IR, by its name", "");
}

TEST_F(OtherFiles, TellTensorFlowLiteModels) {
  WriteText("m.tflite", std::string("\x1c\0\0\0TFL3", 8));
  const std::string damaged =
      ": is damaged: an offset or a length is outside of the 8 bytes; must be a TensorFlow Lite "
      "model\n";
  EXPECT_EQ(Weft("convert m.tflite").err, "m.tflite" + damaged);
  std::filesystem::rename(Path("m.tflite"), Path("m.bin"));
  EXPECT_EQ(Weft("convert m.bin").err, "m.bin" + damaged);
  EXPECT_EQ(Weft("convert m.bin --weights w.bin").err,
            "m.bin: is given with weights w.bin; a TensorFlow Lite model has no other file\n");
  EXPECT_EQ(Weft("inspect m.bin").err,
            "m.bin: is a TensorFlow Lite model; must be a model.weft, as made by: weft convert "
            "m.bin\n");
  EXPECT_EQ(Weft("convert absent.tflite").err,
            "absent.tflite: cannot be read: No such file or directory\n");
}

TEST_F(OtherFiles, TellWhatIsNotATensorFlowLiteModel) {
  const auto fault = [&](std::string_view text) {
    WriteText("m.tflite", text);
    return Weft("convert m.tflite").err;
  };
  EXPECT_EQ(fault(""), "m.tflite: is an empty file; must be a TensorFlow Lite model\n");
  EXPECT_EQ(fault("<?xml version=\"1.0\"?><net name=\"x\">"),
            "m.tflite: is an OpenVINO IR; must be renamed to .xml\n");
  EXPECT_EQ(fault("<html>"), "m.tflite: is XML; must be a TensorFlow Lite model\n");
  EXPECT_EQ(fault("\x93NUMPY"), "m.tflite: is a NumPy array; must be a TensorFlow Lite model\n");
  EXPECT_EQ(fault("1234"),
            "m.tflite: is a file without \"TFL3\" at byte 4; must be a TensorFlow Lite model\n");
}

TEST_F(OtherFiles, TellModelsFromIrs) {
  Convert(kSum);
  EXPECT_EQ(Weft("convert model.weft").err,
            "model.weft: is a model of weft; must be the XML of an OpenVINO IR\n");
  EXPECT_EQ(Weft("run model.xml").err,
            "model.xml: is an OpenVINO IR; must be a model.weft, as made by: weft convert "
            "model.xml\n");
  std::filesystem::create_directory(Path("saved"));
  WriteText("saved/saved_model.pb", "x");
  EXPECT_EQ(Weft("convert saved").err,
            "saved: is a TensorFlow SavedModel; must be the XML of an OpenVINO IR, as made by: ovc "
            "saved --compress_to_fp16=False && weft convert saved.xml\n");
  EXPECT_EQ(Weft("convert absent.onnx").err,
            "absent.onnx: cannot be read: No such file or directory\n");
  EXPECT_EQ(Weft("convert absent.bin").err,
            "absent.bin: cannot be read: No such file or directory\n");
}

// y = x + w, with w in f16 in the file.
constexpr std::string_view kHalf = R"(<net name="half" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="3" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>3</dim></port></output></layer>
<layer id="1" name="w" type="Const" version="opset1"><data element_type="f16" shape="3" offset="0" size="6"/>
<output><port id="0" precision="FP16"><dim>3</dim></port></output></layer>
<layer id="2" name="c" type="Convert" version="opset1"><data destination_type="f32"/>
<input><port id="0"><dim>3</dim></port></input>
<output><port id="1" precision="FP32"><dim>3</dim></port></output></layer>
<layer id="3" name="y" type="Add" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>3</dim></port><port id="1"><dim>3</dim></port></input>
<output><port id="2" precision="FP32" names="y"><dim>3</dim></port></output></layer>
<layer id="4" name="r" type="Result" version="opset1"><input><port id="0"><dim>3</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="1" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="2" from-port="1" to-layer="3" to-port="1"/>
<edge from-layer="3" from-port="2" to-layer="4" to-port="0"/>
</edges>
</net>
)";

TEST_F(OtherFiles, WeightsOfTheirsThatAreF16AreTold) {
  WriteText("model.xml", kHalf);
  WriteText("model.bin", std::string_view("\x00\x3c\x00\x40\x00\x42", 6));  // 1, 2, 3
  const Outcome converted = Weft("convert model.xml");
  EXPECT_EQ(converted.code, 0);
  EXPECT_TRUE(converted.err.starts_with("note: model.xml: 3 weights are f16 in the IR; ovc "))
      << converted.err;
  WriteFloats("x.npy", {3}, {0, 0, 0});
  WriteFloats("same.npy", {3}, {1, 2, 3});
  WriteFloats("other.npy", {3}, {1, 2, 3.001f});
  const std::string call = "compare model.weft --input x=x.npy --expect y=";
  EXPECT_EQ(Weft(call + "same.npy").err, "");
  // A .tflite file has the weights of the framework.
  const Outcome tflite =
      Weft("convert '" WEFT_FIXTURES_DIR "/tflite/products/weights_f16/model.tflite' -o t.weft");
  EXPECT_EQ(tflite.err, "");
  EXPECT_EQ(tflite.code, 0);
  const Outcome differs = Weft(call + "other.npy");
  EXPECT_EQ(differs.code, 1);
  EXPECT_TRUE(differs.err.starts_with("note: model.weft: weights were f16 in the IR; ovc "))
      << differs.err;
  EXPECT_EQ(nlohmann::json::parse(Weft(call + "other.npy --json").out)["f16_weights"], true);
  Convert(kSum);
  WriteFloats("x.npy", {2, 3}, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(Weft("compare model.weft --input x=x.npy --expect y=x.npy").err, "");
}

class States : public CommandTest {
 protected:
  void ExpectFault(const std::string& states, int code, const std::string& words) {
    const Outcome outcome = Weft("convert model.xml --state " + states);
    EXPECT_EQ(outcome.code, code) << states;
    EXPECT_EQ(outcome.err, words + "\n");
    EXPECT_EQ(Entries(), (Names{"model.bin", "model.xml"}));
  }
};

TEST_F(States, KeepAnOutputAsTheNextInput) {
  WriteModel(kPair);
  ASSERT_EQ(Weft("convert model.xml --state b=net/sum:0").code, 0);
  const auto json = nlohmann::json::parse(Weft("inspect model.weft --json").out);
  EXPECT_EQ(json["inputs"].size(), 1u);
  EXPECT_EQ(json["outputs"].size(), 0u);
  ASSERT_EQ(json["variables"].size(), 1u);
  EXPECT_EQ(json["variables"][0]["name"], "b");
}

// y = x + h, hn = y: a running sum with a separate output.
TEST_F(States, AddUpOverCalls) {
  std::string xml(kPair);
  const std::string result = R"(<layer id="4" name="hn" type="Result" version="opset1">
<input><port id="0"><dim>2</dim></port></input></layer>
</layers>)";
  xml.replace(xml.find("</layers>"), 9, result);
  xml.replace(xml.find("</edges>"), 8,
              "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"4\" to-port=\"0\"/>\n</edges>");
  WriteModel(xml);
  ASSERT_EQ(Weft("convert model.xml --state 1=hn").code, 0) << Weft("convert model.xml").err;
  WriteArray<int64_t>("a.npy", ElementType::i64, {3, 2}, {1, 10, 2, 20, 3, 30});
  const Outcome outcome = Weft("run model.weft --input a=a.npy");
  EXPECT_EQ(outcome.out, "net/sum:0 i64[3,2]\n[[1, 10],\n [3, 30],\n [6, 60]]\n") << outcome.err;
}

TEST_F(States, MayBeReadByNoLayer) {
  std::string xml(kPair);
  xml.replace(xml.find("</layers>"), 9,
              R"(<layer id="4" name="h" type="Parameter" version="opset1">
<data shape="2" element_type="i64"/>
<output><port id="0" precision="I64" names="h"><dim>2</dim></port></output></layer>
<layer id="5" name="hn" type="Result" version="opset1">
<input><port id="0"><dim>2</dim></port></input></layer>
</layers>)");
  xml.replace(xml.find("</edges>"), 8,
              "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"5\" to-port=\"0\"/>\n</edges>");
  WriteModel(xml);
  ASSERT_EQ(Weft("convert model.xml --state h=hn").err, "");
  const auto json = nlohmann::json::parse(Weft("inspect model.weft --json").out);
  EXPECT_EQ(json["inputs"].size(), 2u);
  ASSERT_EQ(json["variables"].size(), 1u);
  EXPECT_EQ(json["variables"][0]["name"], "h");
}

TEST_F(States, AreRefusedWithTheReason) {
  WriteModel(kPair);
  ExpectFault("b", 2, "weft convert: --state: is \"b\"; must be INPUT=OUTPUT, such as h0=hn");
  ExpectFault("c=net/sum:0", 2,
              "--state: input \"c\": is not in the model; must be one of \"a\" i64[2], \"b\" "
              "i64[2]");
  ExpectFault("b=net/sun:0", 2,
              "--state: output \"net/sun:0\": is not in the model; did you mean "
              "\"net/sum:0\"? must be one of \"net/sum:0\"");
  ExpectFault("a=net/sum:0 b=net/sum:0", 2,
              "--state: input \"b\": is in two pairs, or its output is; must be in one pair");
  ExpectFault("a=net/sum:0 --value b=1", 2,
              "--state: removes every input and output; must leave at least one");
  std::string open(kPair);
  open.replace(open.find("shape=\"2\""), 9, "shape=\"?\"");
  open.replace(open.find("<dim>2</dim>"), 12, "<dim>-1</dim>");
  WriteModel(open);
  ExpectFault("a=net/sum:0", 2,
              "--state: input \"a\": is i64[?]; must have a fixed shape (--shape)");
  WriteModel(kCounter);
  const Outcome own = Weft("convert model.xml -o m.weft --streaming");
  EXPECT_EQ(own.code, 1);
  EXPECT_NE(own.err.find("(the model has states: it may already run step by step)\n"),
            std::string::npos)
      << own.err;
  const Outcome types = Weft("convert '" WEFT_SOURCE_DIR
                             "/examples/dtmf/model/dtmf.xml' -o m.weft --state audio=keys");
  EXPECT_EQ(types.code, 2);
  EXPECT_NE(types.err.find("--state audio=keys: input \"audio\" is f32[1,80] and output \"keys\" "
                           "is f32[1,17]; both must be equal\n"),
            std::string::npos)
      << types.err;
}

}  // namespace
}  // namespace weft::cli
