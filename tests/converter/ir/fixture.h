// SPDX-License-Identifier: Apache-2.0
// Writes small IR files and reads them. The folder is removed from messages, so that tests can
// compare them completely.
#ifndef WEFT_TESTS_CONVERTER_IR_FIXTURE_H_
#define WEFT_TESTS_CONVERTER_IR_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "converter/ir/read.h"
#include "converter/read_model.h"

namespace weft::ir {

class IrTest : public testing::Test {
 protected:
  IrTest() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-ir-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~IrTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Path(std::string_view name) const { return folder_ / name; }

  void Write(std::string_view name, std::string_view text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }

  // Reads model.xml (and model.bin, if the test wrote it) and stores the messages.
  std::unique_ptr<Graph> ReadModel(std::string_view xml) {
    Write("model.xml", xml);
    Faults faults;
    std::unique_ptr<Graph> graph = pipeline::ReadModel(Path("model.xml"), {}, {}, faults);
    lines.clear();
    for (std::string line : faults.lines()) lines.push_back(WithoutFolder(line));
    EXPECT_EQ(graph == nullptr, !lines.empty());
    return graph;
  }

  std::string WithoutFolder(std::string text) const {
    const std::string prefix = folder_.string() + "/";
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    return text;
  }

  // A model with one line per layer and edge; the first layer is on line 3.
  static std::string Net(const std::vector<std::string>& layers,
                         const std::vector<std::string>& edges) {
    std::string xml = "<net name=\"m\" version=\"11\">\n<layers>\n";
    for (const std::string& layer : layers) xml += layer + "\n";
    xml += "</layers>\n<edges>\n";
    for (const std::string& edge : edges) xml += edge + "\n";
    return xml + "</edges>\n</net>\n";
  }

  // Edge("0:0", "1:0"): layer and port of both ends.
  static std::string Edge(std::string_view from, std::string_view to) {
    const auto end = [](std::string_view side, std::string_view text) {
      const size_t colon = text.find(':');
      return std::string(" ") + std::string(side) + "-layer=\"" +
             std::string(text.substr(0, colon)) + "\" " + std::string(side) + "-port=\"" +
             std::string(text.substr(colon + 1)) + "\"";
    };
    return "<edge" + end("from", from) + end("to", to) + "/>";
  }

  static std::string Parameter(int id, std::string_view name) {
    return "<layer id=\"" + std::to_string(id) + "\" name=\"" + std::string(name) +
           "\" type=\"Parameter\" version=\"opset1\"><data shape=\"2,3\" element_type=\"f32\"/>" +
           "<output><port id=\"0\" "
           "precision=\"FP32\"><dim>2</dim><dim>3</dim></port></output></layer>";
  }
  static std::string Relu(int id, std::string_view name) {
    return "<layer id=\"" + std::to_string(id) + "\" name=\"" + std::string(name) +
           "\" type=\"ReLU\" version=\"opset1\"><input><port id=\"0\"/></input><output><port "
           "id=\"1\" " +
           "precision=\"FP32\"><dim>2</dim><dim>3</dim></port></output></layer>";
  }
  static std::string Add(int id, std::string_view name) {
    return "<layer id=\"" + std::to_string(id) + "\" name=\"" + std::string(name) +
           "\" type=\"Add\" version=\"opset1\"><input><port id=\"0\"/><port "
           "id=\"1\"/></input><output>" +
           "<port id=\"2\" precision=\"FP32\"><dim>2</dim><dim>3</dim></port></output></layer>";
  }
  static std::string Result(int id, std::string_view name) {
    return "<layer id=\"" + std::to_string(id) + "\" name=\"" + std::string(name) +
           "\" type=\"Result\" version=\"opset1\"><input><port id=\"0\"/></input></layer>";
  }
  // `data` are the attributes of <data>; `port` is the inner text of the output port's tag and its
  // dims.
  static std::string Const(int id, std::string_view name, std::string_view data,
                           std::string_view port) {
    return "<layer id=\"" + std::to_string(id) + "\" name=\"" + std::string(name) +
           "\" type=\"Const\" version=\"opset1\"><data " + std::string(data) + "/><output><port " +
           std::string(port) + "</port></output></layer>";
  }

  std::vector<std::string> lines;

 private:
  std::filesystem::path folder_;
};

using Lines = std::vector<std::string>;

}  // namespace weft::ir

#endif  // WEFT_TESTS_CONVERTER_IR_FIXTURE_H_
