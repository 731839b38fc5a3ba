// SPDX-License-Identifier: Apache-2.0
// Runs the `weft` executable in a separate folder and checks exit code, stdout, stderr and the
// folder.
#ifndef WEFT_TESTS_CLI_COMMAND_FIXTURE_H_
#define WEFT_TESTS_CLI_COMMAND_FIXTURE_H_

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "converter/cli/npy.h"

namespace weft::cli {

// Models of the tests. The sum is y = x + w with w = 10, 20, 30. The counter adds x to a variable
// and returns the total. The pair has two inputs, and an output whose name is not a valid file
// name.
inline constexpr std::string_view kSum = R"(<net name="sum" version="11">
<layers>
<layer id="0" name="x_layer" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>
<output><port id="0" precision="FP32" names="x,alias"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="w" type="Const" version="opset1"><data element_type="f32" shape="3" offset="0" size="12"/>
<output><port id="0" precision="FP32"><dim>3</dim></port></output></layer>
<layer id="2" name="sum" type="Add" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>2</dim><dim>3</dim></port><port id="1"><dim>3</dim></port></input>
<output><port id="2" precision="FP32" names="y"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="3" name="y_layer" type="Result" version="opset1">
<input><port id="0"><dim>2</dim><dim>3</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges>
</net>
)";

inline constexpr std::string_view kCounter = R"(<net name="counter" version="11">
<layers>
<layer id="0" name="x_layer" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>2</dim></port></output></layer>
<layer id="1" name="zero" type="Const" version="opset1"><data element_type="f32" shape="2" offset="12" size="8"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="read" type="ReadValue" version="opset6">
<data variable_id="total" variable_type="f32" variable_shape="2"/>
<input><port id="0"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="3" name="add" type="Add" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>2</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="FP32" names="total"><dim>2</dim></port></output></layer>
<layer id="4" name="assign" type="Assign" version="opset6">
<data variable_id="total" variable_type="f32" variable_shape="2"/>
<input><port id="0"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="5" name="result" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="1" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="2" from-port="1" to-layer="3" to-port="1"/>
<edge from-layer="3" from-port="2" to-layer="4" to-port="0"/>
<edge from-layer="3" from-port="2" to-layer="5" to-port="0"/>
</edges>
</net>
)";

inline constexpr std::string_view kPair = R"(<net name="pair" version="11">
<layers>
<layer id="0" name="a" type="Parameter" version="opset1"><data shape="2" element_type="i64"/>
<output><port id="0" precision="I64" names="a"><dim>2</dim></port></output></layer>
<layer id="1" name="b" type="Parameter" version="opset1"><data shape="2" element_type="i64"/>
<output><port id="0" precision="I64" names="b"><dim>2</dim></port></output></layer>
<layer id="2" name="sum" type="Add" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>2</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="I64" names="net/sum:0"><dim>2</dim></port></output></layer>
<layer id="3" name="result" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges>
</net>
)";

class CommandTest : public testing::Test {
 protected:
  struct Outcome {
    int code = -1;
    std::string out, err;
  };

  CommandTest() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-cli-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~CommandTest() override { std::filesystem::remove_all(folder_); }

  // Runs the command in the folder, or in a folder inside it. `arguments` are parsed by a shell.
  Outcome Weft(const std::string& arguments, std::string_view inside = ".") const {
    const std::string command = "cd '" + Path(inside) + "' && '" WEFT_COMMAND "' " + arguments +
                                " >'" + Talk("out") + "' 2>'" + Talk("err") + "' </dev/null";
    const int status = std::system(command.c_str());
    Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadText(Talk("out")),
                    ReadText(Talk("err"))};
    std::filesystem::remove(Talk("out"));
    std::filesystem::remove(Talk("err"));
    return outcome;
  }

  // Converts one of the models above to model.weft.
  void Convert(std::string_view xml) const {
    WriteModel(xml);
    const Outcome outcome = Weft("convert model.xml -o model.weft");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  void WriteModel(std::string_view xml) const {
    WriteText("model.xml", xml);
    const float weights[] = {10, 20, 30, 0, 0};
    WriteText("model.bin", {reinterpret_cast<const char*>(weights), sizeof weights});
  }

  std::string Path(std::string_view name) const { return (folder_ / name).string(); }
  void WriteText(std::string_view name, std::string_view text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }
  std::string Text(std::string_view name) const { return ReadText(Path(name)); }

  template <typename T>
  void WriteArray(std::string_view name, ElementType type, Dims dims,
                  const std::vector<T>& elements) const {
    Array array{.type = {type, std::move(dims)}, .bytes = {}};
    const auto* first = reinterpret_cast<const std::byte*>(elements.data());
    array.bytes.assign(first, first + elements.size() * sizeof(T));
    const std::vector<std::byte> bytes = NpyBytes(array);
    WriteText(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  void WriteFloats(std::string_view name, Dims dims, const std::vector<float>& elements) const {
    WriteArray(name, ElementType::f32, std::move(dims), elements);
  }
  // Reads an array that the command wrote and checks its type.
  template <typename T>
  std::vector<T> ReadElements(std::string_view name, std::string_view type) const {
    std::string reason;
    const std::optional<Array> array = ReadNpy(Path(name), &reason);
    EXPECT_TRUE(array.has_value()) << name << " " << reason;
    if (!array) return {};
    EXPECT_EQ(ToString(array->type), type);
    std::vector<T> elements(array->bytes.size() / sizeof(T));
    std::copy(array->bytes.begin(), array->bytes.end(),
              reinterpret_cast<std::byte*>(elements.data()));
    return elements;
  }

  // The facts of --streaming and --streams that convert prints before the size of the file.
  static std::string WithoutSummary(const std::string& out) {
    return out.substr(0, out.find("cut.weft: "));
  }

  // Names in the folder, sorted.
  std::vector<std::string> Entries() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string Talk(std::string_view name) const {
    return folder_.string() + "." + std::string(name);
  }
  static std::string ReadText(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
};

using Names = std::vector<std::string>;

}  // namespace weft::cli

#endif  // WEFT_TESTS_CLI_COMMAND_FIXTURE_H_
