// SPDX-License-Identifier: Apache-2.0
// weft.exe with paths, names and files of Windows.
#include "converter/base/paths.h"
#include "tests/windows/folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr std::string_view kSum = R"(<net name="sum" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>2</dim></port></output></layer>
<layer id="1" name="w" type="Const" version="opset1"><data element_type="f32" shape="2" offset="0" size="8"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="sum" type="Add" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>2</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="FP32" names="y"><dim>2</dim></port></output></layer>
<layer id="3" name="r" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges></net>
)";

class WindowsCommand : public FolderTest {
 protected:
  // Runs weft.exe in the folder. `arguments` are in UTF-8.
  Outcome Weft(const std::string& arguments) const {
    const fs::path out = fs::path(folder_) += ".out", err = fs::path(folder_) += ".err";
    Outcome outcome;
    {
      const Handle to_out(CreateForOutput(out)), to_err(CreateForOutput(err));
      const Handle process(StartProcess(LineOf(arguments), folder_, to_out.get(), to_err.get()));
      EXPECT_TRUE(process.valid()) << GetLastError();
      if (process.valid()) outcome.code = ExitCodeOf(process.get());
    }
    outcome.out = Text(out);
    outcome.err = Text(err);
    fs::remove(out);
    fs::remove(err);
    return outcome;
  }
  static std::wstring LineOf(const std::string& arguments) {
    const fs::path command = fs::absolute(fs::path(WEFT_COMMAND));
    return L"\"" + command.wstring() + L"\" " + PathOf(arguments).wstring();
  }
  static void* CreateForOutput(const fs::path& path) {
    SECURITY_ATTRIBUTES inherited = {sizeof(inherited), nullptr, TRUE};
    return CreateFileW(path.c_str(), GENERIC_WRITE, FILE_SHARE_READ, &inherited, CREATE_ALWAYS,
                       FILE_ATTRIBUTE_NORMAL, nullptr);
  }
  void WriteModel(const std::string& stem) const {
    WriteText(PathOf(stem + ".xml"), kSum);
    const float weights[] = {10, 20};
    WriteText(PathOf(stem + ".bin"), {reinterpret_cast<const char*>(weights), sizeof weights});
  }
  // Expects exit code `code` and the only line `line` on stderr, and unchanged files.
  void ExpectRefusal(const std::string& arguments, int code, const std::string& line) {
    const Names before = Entries();
    const Outcome outcome = Weft(arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_EQ(outcome.err, line + "\n") << arguments;
    EXPECT_EQ(Entries(), before) << arguments;
  }
};

TEST_F(WindowsCommand, AcceptsNamesInUtf8) {
  WriteModel("mod\u00e8le \u00e4\u0416\u6f22");
  const Outcome converted =
      Weft("convert \"mod\u00e8le \u00e4\u0416\u6f22.xml\" -o \"gr\u00f6\u00dfe.weft\"");
  ASSERT_EQ(converted.code, 0) << converted.err;
  EXPECT_NE(converted.out.find("gr\u00f6\u00dfe.weft"), std::string::npos) << converted.out;
  EXPECT_TRUE(fs::exists(Path(L"gr\u00f6\u00dfe.weft")));
  ExpectRefusal("inspect \u6f22.weft", 1, "\u6f22.weft: cannot be read: No such file or directory");
}

TEST_F(WindowsCommand, AcceptsBothSeparatorsAndDrives) {
  WriteModel("model");
  fs::create_directories(Path("a/b"));
  const std::string whole = fs::absolute(folder_).string();
  const std::string without_drive = whole.substr(whole.find(':') + 1);
  for (const std::string& model :
       {std::string(".\\model.xml"), std::string("a\\..\\model.xml"), whole + "\\model.xml",
        whole + "/model.xml", without_drive + "\\model.xml"}) {
    const Outcome outcome = Weft("convert \"" + model + "\" -o a\\b/m.weft --c-source a/b\\m.c");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(Text("a/b/m.c").find("#include \"m.h\""), std::string::npos);
    EXPECT_TRUE(fs::remove(Path("a/b/m.weft")) && fs::remove(Path("a/b/m.c")) &&
                fs::remove(Path("a/b/m.h")))
        << model;
  }
  // No option.
  ExpectRefusal("inspect /absent/m.weft", 1,
                "/absent/m.weft: cannot be read: No such file or directory");
}

TEST_F(WindowsCommand, RefusesOutputsThatAreOtherFilesOfTheCall) {
  WriteModel("model");
  fs::create_hard_link(Path("model.bin"), Path("hard.weft"));
  ExpectRefusal("convert model.xml -o MODEL.XML", 2,
                "MODEL.XML: is --output and, as model.xml, MODEL; must be two files");
  ExpectRefusal(
      "convert model.xml -o hard.weft", 2,
      "hard.weft: is --output and, as model.bin, the weights of MODEL; must be two files");
  ExpectRefusal("convert model.xml -o x\\..\\M.c --c-source m.c", 2,
                "m.c: is --c-source and, as x\\..\\M.c, --output; must be two files");
}

TEST_F(WindowsCommand, RefusesWhatIsNoRegularFile) {
  WriteModel("model");
  fs::create_directory(Path("folder"));
  for (const std::string name : {"nul", "NUL", "folder"}) {
    const std::string is = name == "folder" ? "folder" : "device";
    ExpectRefusal("convert model.xml -o " + name, 1,
                  name + ": cannot be written: it is a " + is + "; must be a regular file");
  }
  ExpectRefusal("inspect folder", 1, "folder: cannot be read: Is a directory");
}

TEST_F(WindowsCommand, NamesFilesThatAreOpenElsewhere) {
  WriteModel("model");
  ASSERT_EQ(Weft("convert model.xml -o m.weft").code, 0);
  const std::string before = Text("m.weft");
  {
    const Handle reader(Open("m.weft", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE));
    ASSERT_TRUE(reader.valid());
    ExpectRefusal("convert model.xml -o m.weft --c-source m.c", 1,
                  "m.weft: cannot be written: it is open in another program; must be closed");
    EXPECT_EQ(Weft("inspect m.weft").code, 0);  // the reader shares it for reads
  }
  {
    const Handle writer(Open("m.weft", GENERIC_WRITE, 0));
    ASSERT_TRUE(writer.valid());
    ExpectRefusal("inspect m.weft", 1,
                  "m.weft: cannot be read: it is open in another program; must be closed");
  }
  EXPECT_EQ(Text("m.weft"), before);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --c-source m.c").code, 0);
}

// Lines end as on other systems, so that scripts and tests can compare them.
TEST_F(WindowsCommand, PrintsTheSameBytesAsElsewhere) {
  const Outcome outcome = Weft("ops --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_GT(outcome.out.size(), 1000u);
  EXPECT_EQ(outcome.out.find('\r'), std::string::npos);
  EXPECT_EQ(Weft("frob").err.find('\r'), std::string::npos);
}

TEST_F(WindowsCommand, FailsIfItsOutputCannotBeWritten) {
  const Handle process(StartProcess(LineOf("ops"), folder_, nullptr, nullptr));
  ASSERT_TRUE(process.valid());
  EXPECT_EQ(ExitCodeOf(process.get()), 1);
}

}  // namespace
}  // namespace weft
