// SPDX-License-Identifier: Apache-2.0
// Arrays of all element types of ports: from .npy files through a model to .npy files.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <tuple>

#include "converter/base/packed.h"
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

constexpr const char* kIdentity = R"(<net name="identity" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,4" element_type="{0}"/>
<output><port id="0" precision="{1}" names="x"><dim>2</dim><dim>4</dim></port></output></layer>
<layer id="1" name="y" type="Result" version="opset1">
<input><port id="0"><dim>2</dim><dim>4</dim></port></input></layer>
</layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>
</net>
)";

class ElementTypes : public CommandTest, public testing::WithParamInterface<ElementType> {
 protected:
  ElementTypes() {
    std::string name(Name(GetParam())), upper = name;
    for (char& letter : upper) letter = static_cast<char>(std::toupper(letter));
    if (name == "boolean") upper = "BOOL";
    if (name == "f16" || name == "f32" || name == "f64") upper = "FP" + name.substr(1);
    WriteModel(fmt::format(fmt::runtime(kIdentity), name, upper));
  }

  // Writes an array of `calls` inputs, or of one input without an axis of calls if `calls` is 0.
  // Returns the file.
  std::string WriteInput(std::string_view file, int64_t calls) const {
    Array array{.type = {GetParam(), {2, 4}}, .bytes = {}};
    const auto bytes = static_cast<size_t>(DenseBytes(array.type).value_or(0));
    if (calls > 0) array.type.dims.insert(array.type.dims.begin(), calls);
    for (size_t i = 0; i < bytes * static_cast<size_t>(std::max<int64_t>(calls, 1)); ++i) {
      const size_t value = GetParam() == ElementType::boolean ? i % 2 : 0x31 + i;
      array.bytes.push_back(static_cast<std::byte>(value));
    }
    // f64 is computed as f32, so the numbers are exact in both.
    for (size_t i = 0; GetParam() == ElementType::f64 && i < array.bytes.size() / 8; ++i) {
      const double number = 0.25 * static_cast<double>(i) - 1;
      std::memcpy(array.bytes.data() + 8 * i, &number, sizeof(number));
    }
    const std::vector<std::byte> npy = NpyBytes(ToPackedBytes(array, 2));
    WriteText(file, {reinterpret_cast<const char*>(npy.data()), npy.size()});
    return Text(file);
  }
};

TEST_P(ElementTypes, PassFromFileToFile) {
  ASSERT_EQ(Weft("convert model.xml -o model.weft").code, 0);
  for (const int64_t calls : {0, 1, 3}) {
    const std::string given = WriteInput("x.npy", calls);
    const Outcome run = Weft("run model.weft --input x=x.npy --output-dir out");
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(Text("out/x.npy"), given) << calls;
    EXPECT_EQ(Weft("run model.weft --cast --input x=x.npy --output-dir out").code, 0);
    EXPECT_EQ(Text("out/x.npy"), given) << calls;
    const Outcome same = Weft("compare model.weft --input x=x.npy --expect x=x.npy");
    EXPECT_EQ(same.code, 0) << same.out << same.err;
  }
}

TEST_P(ElementTypes, AreValuesOfInputs) {
  const std::string given = WriteInput("x.npy", 0);
  const Outcome convert = Weft("convert model.xml --value x=x.npy -o model.weft");
  ASSERT_EQ(convert.code, 0) << convert.err;
  const Outcome run = Weft("run model.weft --output-dir out");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(Text("out/x.npy"), given);
}

// A file of another type: the advice in the message must work.
TEST_P(ElementTypes, HaveAdviceThatHelps) {
  ASSERT_EQ(Weft("convert model.xml -o model.weft").code, 0);
  WriteArray<double>("other.npy", ElementType::f64, {2, 4}, {1, 0, 1, 0, 1, 0, 1, 0});
  const Outcome run = Weft("run model.weft --input x=other.npy");
  if (GetParam() == ElementType::f64) return;
  EXPECT_EQ(run.code, 1);
  const bool is_packed = IsPacked(GetParam());
  EXPECT_NE(run.err.find(is_packed ? "(packed, as uint8 [4] in .npy)"
                                   : "(--cast converts element types)"),
            std::string::npos)
      << run.err;
  EXPECT_EQ(Weft("run model.weft --cast --input x=other.npy").code, is_packed ? 1 : 0);
}

// x is converted to {0}, then y = x * x - x, converted to f32.
constexpr const char* kBetweenConverts = R"(<net name="between" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>1</dim></port></output></layer>
<layer id="1" name="narrow" type="Convert" version="opset1"><data destination_type="{0}"/>
<input><port id="0"><dim>1</dim></port></input>
<output><port id="1" precision="{1}"><dim>1</dim></port></output></layer>
<layer id="2" name="square" type="Multiply" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>1</dim></port><port id="1"><dim>1</dim></port></input>
<output><port id="2" precision="{1}"><dim>1</dim></port></output></layer>
<layer id="3" name="difference" type="Subtract" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>1</dim></port><port id="1"><dim>1</dim></port></input>
<output><port id="2" precision="{1}"><dim>1</dim></port></output></layer>
<layer id="4" name="wide" type="Convert" version="opset1"><data destination_type="f32"/>
<input><port id="0"><dim>1</dim></port></input>
<output><port id="1" precision="FP32" names="y"><dim>1</dim></port></output></layer>
<layer id="5" name="y" type="Result" version="opset1"><input><port id="0"><dim>1</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="3" to-port="1"/>
<edge from-layer="3" from-port="2" to-layer="4" to-port="0"/>
<edge from-layer="4" from-port="1" to-layer="5" to-port="0"/>
</edges>
</net>
)";

// docs/numbers.md: the Convert rounds, the operations after it do not.
TEST_F(CommandTest, OperationsOnF16AndBf16ComputeInF32) {
  for (const auto& [name, upper, bits] :
       {std::tuple("f16", "FP16", 10), std::tuple("bf16", "BF16", 7)}) {
    WriteModel(fmt::format(fmt::runtime(kBetweenConverts), name, upper));
    ASSERT_EQ(Weft("convert model.xml -o model.weft").code, 0);
    const float unit = std::ldexp(1.0f, -bits);  // in the last place of 1
    WriteFloats("x.npy", {1}, {1 + unit + unit / 16});
    WriteFloats("y.npy", {1}, {unit + unit * unit});
    const Outcome same =
        Weft("compare model.weft --input x=x.npy --expect y=y.npy --rtol 0 --atol 0");
    EXPECT_EQ(same.code, 0) << name << same.out << same.err;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElementTypes, testing::ValuesIn(format::EnumValuesElementType()),
                         [](const auto& type) { return std::string(Name(type.param)); });

using BitsOfBf16 = CommandTest;

// uint16 holds the bits of bf16, not integers that --cast could convert.
TEST_F(BitsOfBf16, AreNoNumbersToCast) {
  Convert(kSum);
  WriteArray<uint16_t>("x.npy", ElementType::bf16, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Outcome plain = Weft("run model.weft --input x=x.npy");
  EXPECT_EQ(plain.code, 1);
  EXPECT_NE(plain.err.find("(uint16 in .npy holds the bits of bf16)"), std::string::npos);
  const Outcome cast = Weft("run model.weft --cast --input x=x.npy");
  EXPECT_EQ(cast.code, 1);
  EXPECT_NE(cast.err.find("is uint16, the bits of bf16"), std::string::npos) << cast.err;
}

}  // namespace
}  // namespace weft::cli
