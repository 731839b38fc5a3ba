// SPDX-License-Identifier: Apache-2.0
// Files that a call may write, and files after a rejected or failed call.
#include <sys/stat.h>

#include "tests/cli/command_fixture.h"
#include "tests/converter/tflite/model_writer.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

class Files : public CommandTest {
 protected:
  std::string TextOf(const std::string& name) const {
    return fs::is_regular_file(Path(name)) ? Text(name) : "";
  }
  // Starts to write a file to the pipe of the folder.
  void FillPipe(const std::string& file) const {
    const std::string write =
        "timeout 60 sh -c \"cat '" + Path(file) + "' > '" + Path("pipe") + "'\" &";
    ASSERT_EQ(std::system(write.c_str()), 0);
  }
  // Expects one error line, exit code 2 and unchanged files.
  void ExpectClash(const std::string& arguments, const std::string& words) {
    const Names before = Entries();
    std::vector<std::string> texts;
    for (const std::string& name : before) texts.push_back(TextOf(name));
    const Outcome outcome = Weft(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << arguments << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(Entries(), before) << arguments;
    for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(TextOf(before[i]), texts[i]) << before[i];
  }
};

TEST_F(Files, RefusesOutputsThatAreOtherFilesOfTheCall) {
  WriteModel(kSum);
  ExpectClash("convert model.xml -o model.xml",
              "model.xml: is MODEL and --output; must be two files");
  ExpectClash(
      "convert model.xml -o ./model.bin",
      "./model.bin: is --output and, as model.bin, the weights of MODEL; must be two files");
  fs::copy_file(Path("model.xml"), Path("model.c"));
  fs::copy_file(Path("model.xml"), Path("w.h"));
  ExpectClash("convert model.c -o m.weft --c-source model.c", "model.c: is MODEL and --c-source");
  ExpectClash("convert model.xml --weights w.h -o m.weft --c-source w.c",
              "w.h: is --weights and the header of --c-source");
  ExpectClash("convert model.xml -o m.c --c-source m.c", "m.c: is --output and --c-source");
  ExpectClash("convert model.xml -o m.h --c-source m.c",
              "m.h: is --output and the header of --c-source");
  ExpectClash("convert model.xml -o x/../m.c --c-source m.c", "must be two files");
}

TEST_F(Files, SeesThroughLinksAndSpellings) {
  WriteModel(kSum);
  fs::create_symlink("model.xml", Path("link.c"));
  fs::create_hard_link(Path("model.bin"), Path("hard.weft"));
  fs::create_directory(Path("folder"));
  fs::create_directory_symlink("folder", Path("same"));
  fs::create_symlink("folder/late.c", Path("late.weft"));
  ExpectClash("convert model.xml -o m.weft --c-source link.c",
              "link.c: is --c-source and, as model.xml, MODEL");
  ExpectClash("convert model.xml -o hard.weft", "hard.weft: is --output and, as model.bin,");
  ExpectClash("convert model.xml -o folder/m.c --c-source same/m.c",
              "same/m.c: is --c-source and, as folder/m.c, --output");
  ExpectClash("convert model.xml -o late.weft --c-source same/late.c",
              "same/late.c: is --c-source and, as late.weft, --output");
  ExpectClash("convert model.xml -o \"$PWD/m.c\" --c-source folder/../m.c", "--output");
  fs::create_symlink("round", Path("round"));
  EXPECT_EQ(Weft("convert model.xml -o round --c-source m.c").code, 1);
  fs::create_symlink("deep/below", Path("deep"));
  EXPECT_EQ(Weft("convert model.xml -o deep/m.weft --c-source m.c").code, 1);
}

TEST_F(Files, RefusesPortFilesThatAreInputs) {
  Convert(kSum);
  WriteFloats("y.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectClash("run model.weft --input x=y.npy --output-dir .",
              "./y.npy: is an output and, as y.npy, an --input; must be two files");
  fs::rename(Path("y.npy"), Path("x.npy"));
  fs::rename(Path("model.weft"), Path("y.npy"));
  ExpectClash("run y.npy --input x=x.npy --output-dir .",
              "./y.npy: is an output and, as y.npy, MODEL; must be two files");
}

// A folder of --input, also one whose name contains "=".
TEST_F(Files, RefusesOutputsThatAreFilesOfAnInputFolder) {
  WriteModel(kSum);
  for (const std::string folder : {"in", "k=v", "evidence/vectors/inputs"}) {
    fs::create_directories(Path(folder));
    WriteFloats(folder + "/x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
    WriteText(folder + "/alias.wav", "sound");
    const std::string call = "convert model.xml --max-error 1 --input " + folder;
    ExpectClash(call + " -o " + folder + "/x.npy",
                folder + "/x.npy: is an --input and --output; must be two files");
    ExpectClash(call + " -o m.weft --report " + folder + "/alias.wav",
                folder + "/alias.wav: is an --input and --report; must be two files");
    fs::remove(Path(folder + "/alias.wav"));
    EXPECT_EQ(Weft(call + " -o " + folder + "/m.weft").code, 0) << folder;
    EXPECT_EQ(Weft(call + " -o " + folder + "/m.weft").code, 0) << folder << ", again";
  }
  ASSERT_EQ(Weft("convert model.xml -o m.weft --evidence new").code, 0);
  WriteFloats("new/vectors/inputs/x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  const std::string recording = Text("new/vectors/inputs/x.npy");
  const Outcome outcome =
      Weft("convert model.xml -o m.weft --max-error 1 --input new/vectors/inputs --evidence new");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("new/vectors/inputs/x.npy: is an --input and a file of --evidence"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(Text("new/vectors/inputs/x.npy"), recording);
}

// A folder that the call creates must not have the name of an output, nor be below it.
TEST_F(Files, RefusesFoldersThatAreOutputs) {
  WriteModel(kSum);
  ExpectClash("convert model.xml -o m.weft --dump-after all --dump-to m.weft",
              "m.weft: is --output and --dump-to; must be two files");
  ExpectClash("convert model.xml -o m.weft --dump-after all --dump-to m.weft/passes",
              "m.weft: is --output and --dump-to; must be two files");
  ExpectClash("convert model.xml -o m.weft --dump-after read --dump-to ./m.weft/",
              "./m.weft: is --dump-to and, as m.weft, --output; must be two files");
  ExpectClash("convert model.xml -o m.weft --evidence m.weft",
              "m.weft: is --output and --evidence; must be two files");
  ExpectClash("convert model.xml -o m.weft --report r.html --evidence r.html/ev",
              "r.html: is --report and --evidence; must be two files");
  EXPECT_EQ(
      Weft("convert model.xml -o out/m.weft --evidence out --dump-after all --dump-to out/d").code,
      0);
}

TEST_F(Files, NamesFilesInADeletedWorkingDirectory) {
  WriteText("gone.sh", "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"\n");
  for (const auto& [arguments, line] : std::vector<std::pair<std::string, std::string>>{
           {"inspect d.weft", "d.weft: cannot be read: No such file or directory\n"},
           {"link d.weft -o l.c --incbin", "d.weft: cannot be read: No such file or directory\n"},
           {"convert m.xml -o m.weft", "m.xml: cannot be read: No such file or directory\n"}}) {
    const std::string command =
        "cd '" + Path("") + "' && sh gone.sh '" WEFT_COMMAND "' " + arguments + " 2>err";
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1) << arguments;
    EXPECT_EQ(Text("err"), line) << arguments;
  }
}

// Three ports: two have the same name, and this name with the index of one is the name of the
// third.
std::string ThreeResults() {
  std::string xml(kPair);
  xml.replace(xml.find("net/sum:0"), 9, "s");
  const std::string result = R"(" type="Result" version="opset1"><input><port id="0">)"
                             R"(<dim>2</dim></port></input></layer>)";
  const std::string add = R"( type="Add" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>2</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="I64" names=)";
  const std::string end = "><dim>2</dim></port></output></layer>\n";
  xml.insert(xml.find("</layers>"), "<layer id=\"4\" name=\"t\"" + add + "\"S_1\"" + end +
                                        "<layer id=\"5\" name=\"u\"" + add + "\"s\"" + end +
                                        "<layer id=\"6\" name=\"r6" + result + "\n" +
                                        "<layer id=\"7\" name=\"r7" + result + "\n");
  std::string edges;
  for (const std::string id : {"4", "5"}) {
    edges += "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"" + id + "\" to-port=\"0\"/>\n" +
             "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"" + id + "\" to-port=\"1\"/>\n";
  }
  edges +=
      "<edge from-layer=\"4\" from-port=\"2\" to-layer=\"6\" to-port=\"0\"/>\n"
      "<edge from-layer=\"5\" from-port=\"2\" to-layer=\"7\" to-port=\"0\"/>\n";
  return xml.insert(xml.find("</edges>"), edges);
}

TEST_F(Files, GivesEveryPortAFileOfItsOwn) {
  std::string xml = ThreeResults();
  xml.replace(xml.find("S_1"), 3, "s_2");
  Convert(xml);
  WriteArray<int64_t>("a.npy", ElementType::i64, {2}, {1, 2});
  const Outcome outcome =
      Weft("run model.weft --input a=a.npy --input b=a.npy --output-dir out --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Names files;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  for (const auto& output : json["outputs"]) files.push_back(output["file"]);
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (Names{"out/s_0.npy", "out/s_2.npy", "out/s_2_2.npy"}));
}

TEST_F(Files, RefusesEmptyNames) {
  WriteModel(kSum);
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"convert '' -o m.weft", "MODEL: is empty; must be a name"},
           {"convert model.xml -o ''", "--output: is empty; must be a name"},
           {"convert model.xml -o m.weft --c-source ''", "--c-source: is empty; must be a name"}}) {
    const Outcome outcome = Weft(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << arguments << "\n" << outcome.err;
  }
  EXPECT_EQ(Entries(), (Names{"model.bin", "model.xml"}));
}

TEST_F(Files, NamesWhatIsNoRegularFile) {
  WriteModel(kSum);
  fs::create_directory(Path("folder.c"));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const auto& [target, is] : std::vector<std::pair<std::string, std::string>>{
           {"folder.c", "folder"}, {"pipe", "pipe"}, {"/dev/null", "device"}, {"/", "folder"}}) {
    const Outcome outcome = Weft("convert model.xml -o " + target);
    EXPECT_EQ(outcome.code, 1) << target;
    EXPECT_EQ(outcome.err,
              target + ": cannot be written: it is a " + is + "; must be a regular file\n");
  }
  // A link to a pipe that has no name in the file system.
  const std::string call =
      "cd '" + Path("") + "' && ('" WEFT_COMMAND "' convert model.xml -o /dev/stdout | cat) 2>err";
  EXPECT_EQ(std::system(call.c_str()), 0);
  EXPECT_EQ(TextOf("err"),
            "/dev/stdout: cannot be written: it is a pipe; must be a regular file\n");
  fs::remove(Path("err"));
  EXPECT_EQ(Weft("convert model.xml -o m.weft --c-source folder.c").code, 1);
  const Outcome folder = Weft("convert folder.c -o m.weft");
  EXPECT_EQ(folder.code, 1);
  EXPECT_TRUE(folder.err.starts_with("folder.c: ")) << folder.err;
  EXPECT_EQ(Entries(), (Names{"folder.c", "model.bin", "model.xml", "pipe"}));
}

// A pipe can be read once, but some calls convert their model several times.
TEST_F(Files, ReadsPipesOnce) {
  WriteModel(kSum);
  const std::vector<std::byte> tflite = tflite::QuantisedDenseModel().Bytes();
  WriteText("m.tflite", {reinterpret_cast<const char*>(tflite.data()), tflite.size()});
  WriteArray<int8_t>("x.npy", ElementType::i8, {1, 3}, {20, -30, 50});
  ASSERT_EQ(Weft("convert m.tflite -o m.weft").code, 0);
  ASSERT_EQ(Weft("run m.weft --input audio=x.npy --output-dir must").code, 0);
  fs::rename(Path("must/keys.npy"), Path("must/y_0.npy"));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  const std::vector<std::pair<std::string, std::string>> calls = {
      {"model.xml", "convert FILE --weights model.bin -o o.weft"},
      {"m.tflite", "convert FILE -o o.weft"},
      {"m.tflite", "convert FILE -o o.weft --max-error 1"},
      {"m.tflite", "convert FILE -o o.weft --precision i8"},
      {"m.tflite", "compare FILE --input audio=x.npy --layers must"},
      {"m.weft", "inspect FILE"},
      {"x.npy", "run m.weft --input audio=FILE --output-dir ."}};
  for (const auto& [file, call] : calls) {
    const auto outcome = [&](const std::string& name) {
      const Outcome made = Weft(std::string(call).replace(call.find("FILE"), 4, name));
      EXPECT_EQ(made.code, 0) << call << "\n" << made.err;
      const std::string written = TextOf("o.weft") + TextOf("keys.npy");
      fs::remove(Path("o.weft"));
      fs::remove(Path("keys.npy"));
      return written;
    };
    const std::string must = outcome(file);
    FillPipe(file);
    EXPECT_EQ(outcome("pipe"), must) << call;
  }
  FillPipe("m.tflite");
  const Outcome evidence = Weft("convert pipe -o o.weft --evidence folder");
  EXPECT_EQ(evidence.code, 1);
  EXPECT_EQ(evidence.err,
            "pipe: cannot be read: it is not a regular file; --evidence must be able to read it "
            "again\n");
  EXPECT_FALSE(fs::exists(Path("o.weft")));
}

// As with a file, the target of the link is created.
TEST_F(Files, CreatesFoldersThatLinksName) {
  WriteModel(kSum);
  WriteFloats("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  for (const char* name : {"dumps", "evidence", "outputs"}) {
    fs::create_symlink(std::string("new-") + name, Path(name));
  }
  const Outcome convert =
      Weft("convert model.xml -o m.weft --dump-after all --dump-to dumps --evidence evidence");
  EXPECT_EQ(convert.code, 0) << convert.err;
  const Outcome run = Weft("run m.weft --input x=x.npy --output-dir outputs");
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* file :
       {"new-dumps/01-read.txt", "new-evidence/SHA256SUMS", "new-outputs/y.npy"}) {
    EXPECT_TRUE(fs::is_regular_file(Path(file))) << file;
  }
}

// None of several files is written, also if the user is root.
TEST_F(Files, KeepsWhatIsReadOnly) {
  WriteModel(kSum);
  WriteText("kept.c", "mine");
  fs::permissions(Path("kept.c"), fs::perms::owner_read | fs::perms::group_read);
  fs::create_symlink("kept.c", Path("link.c"));
  for (const std::string target : {"kept.c", "link.c"}) {
    const Outcome outcome = Weft("convert model.xml -o m.weft --c-source " + target);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err, target + ": cannot be written: it is read-only; must be writable\n");
    EXPECT_EQ(Text("kept.c"), "mine");
    EXPECT_FALSE(fs::exists(Path("m.weft")));
  }
  EXPECT_EQ(Entries(), (Names{"kept.c", "link.c", "model.bin", "model.xml"}));
}

TEST_F(Files, LeavesNothingBeyondTheLimitOfFileSizes) {
  Convert(kSum);
  WriteText("limited.sh", "ulimit -f 1\nexec \"$@\"\n");
  const std::string before = Text("model.weft");
  const std::string command = "cd '" + Path("") +
                              "' && sh limited.sh '" WEFT_COMMAND
                              "' convert model.xml -o model.weft --c-source m.c 2>err";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(Text("err"), "model.weft: cannot be written: File too large\n");
  EXPECT_EQ(Text("model.weft"), before);
  EXPECT_EQ(Entries(), (Names{"err", "limited.sh", "model.bin", "model.weft", "model.xml"}));
}

}  // namespace
}  // namespace weft::cli
