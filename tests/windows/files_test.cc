// SPDX-License-Identifier: Apache-2.0
// Complete files on Windows: base/files_windows.cc and base/file_identity_windows.cc.
#include "converter/base/files.h"

#include <chrono>
#include <thread>

#include "converter/base/file_identity.h"
#include "tests/windows/folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class WindowsFiles : public FolderTest {
 protected:
  bool Write(const Names& names, const std::string& text) {
    std::vector<FileToWrite> files;
    for (const std::string& name : names) {
      files.push_back({folder_ / name, std::as_bytes(std::span(text))});
    }
    reason_.clear();
    return WriteFiles(files, &reason_);
  }
  // Expects the reason of a failed write of `name`.
  void ExpectReason(const std::string& name, const std::string& why) {
    EXPECT_EQ(reason_, Path(name).string() + ": cannot be written: " + why);
  }

  std::string reason_;
};

TEST_F(WindowsFiles, AreCreatedAndReplaced) {
  Names names;
  for (int i = 100; i < 250; ++i) names.push_back("f" + std::to_string(i));
  for (const std::string text : {"one\r\n\x1a", "another", ""}) {
    ASSERT_TRUE(Write(names, text)) << reason_;
    EXPECT_EQ(Entries(), names);
    for (const std::string& name : names) EXPECT_EQ(Text(name), text);
  }
}

TEST_F(WindowsFiles, AreReadComplete) {
  const std::string text = "\x1a\r\n" + std::string(100000, 'x');
  WriteText(L"\u00e4", text);
  const auto bytes = ReadFile(Path(L"\u00e4"), &reason_);
  ASSERT_TRUE(bytes.has_value()) << reason_;
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()), text);
}

TEST_F(WindowsFiles, GiveTheReasonOfAFailedRead) {
  fs::create_directory(Path("folder"));
  WriteText("locked", "x");
  const Handle lock(Open("locked", GENERIC_READ | GENERIC_WRITE, 0));
  ASSERT_TRUE(lock.valid());
  for (const auto& [name, reason] : std::vector<std::pair<std::string, std::string>>{
           {"absent", "No such file or directory"},
           {"no/such/folder", "No such file or directory"},
           {"folder", "Is a directory"},
           {"locked", "it is open in another program; must be closed"}}) {
    EXPECT_FALSE(ReadFile(Path(name), &reason_).has_value()) << name;
    EXPECT_EQ(reason_, reason) << name;
  }
}

// Each file that cannot be replaced leaves those before and after it unchanged.
TEST_F(WindowsFiles, AreWrittenAllOrNone) {
  fs::create_directory(Path("folder"));
  ASSERT_TRUE(Write({"old", "kept", "locked"}, "before")) << reason_;
  fs::permissions(Path("kept"), fs::perms::owner_read);
  const Handle lock(Open("locked", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE));
  ASSERT_TRUE(lock.valid());
  const Names before = Entries();
  for (const auto& [name, why] : std::vector<std::pair<std::string, std::string>>{
           {"folder", "it is a folder; must be a regular file"},
           {"kept", "it is read-only; must be writable"},
           {"locked", "it is open in another program; must be closed"},
           {"no/such/folder", "its folder does not exist; must be created"}}) {
    EXPECT_FALSE(Write({"new", "old", name, "later"}, "after")) << name;
    ExpectReason(name, why);
    EXPECT_EQ(Entries(), before);
    EXPECT_EQ(Text("old"), "before");
  }
  fs::permissions(Path("kept"), fs::perms::owner_all);
}

// The long name is refused when the file gets its name.
TEST_F(WindowsFiles, TakeBackNamesWhenALaterNameFails) {
  ASSERT_TRUE(Write({"old"}, "before")) << reason_;
  const std::string too_long(300, 'n');
  EXPECT_FALSE(Write({"new", "old", too_long, "later"}, "after"));
  EXPECT_NE(reason_.find("cannot be written"), std::string::npos) << reason_;
  EXPECT_EQ(Entries(), Names{"old"});
  EXPECT_EQ(Text("old"), "before");
}

TEST_F(WindowsFiles, HaveOneNumberForAllTheirNames) {
  WriteText("a", "x");
  WriteText("b", "x");
  fs::create_hard_link(Path("a"), Path("link"));
  fs::create_directory(Path("folder"));
  const auto number = FileNumber(Path("a"));
  ASSERT_TRUE(number.has_value());
  EXPECT_EQ(FileNumber(Path("A")), number);
  EXPECT_EQ(FileNumber(Path("folder\\..\\a")), number);
  EXPECT_EQ(FileNumber(Path("link")), number);
  EXPECT_NE(FileNumber(Path("b")), number);
  EXPECT_TRUE(FileNumber(Path("folder")).has_value());
  EXPECT_FALSE(FileNumber(Path("absent")).has_value());
  EXPECT_EQ(NameKey(L"M\u00c4.C"), NameKey(L"m\u00e4.c"));
  EXPECT_NE(NameKey("a.c"), NameKey("b.c"));
}

constexpr const wchar_t* kFolderOfChild = L"WEFT_TEST_UNFINISHED_FOLDER";

// Only in a child process: leaves an unfinished file open until the process is terminated.
TEST(UnfinishedFileChild, DISABLED_NeverEnds) {
  const wchar_t* const folder = _wgetenv(kFolderOfChild);
  ASSERT_NE(folder, nullptr);
  const std::string text(1000, 'x');
  UnfinishedFile file;
  ASSERT_TRUE(file.Create(folder) && file.Write(std::as_bytes(std::span(text))));
  std::ofstream(fs::path(folder) / "ready") << text;
  std::this_thread::sleep_for(std::chrono::minutes(1));
}

TEST_F(WindowsFiles, LeaveNothingWhenTheProcessIsTerminated) {
  SetEnvironmentVariableW(kFolderOfChild, folder_.c_str());
  std::wstring program(MAX_PATH, L'\0');
  program.resize(GetModuleFileNameW(nullptr, program.data(), MAX_PATH));
  const std::wstring line = L"\"" + program +
                            L"\" --gtest_also_run_disabled_tests --gtest_output= "
                            L"--gtest_filter=UnfinishedFileChild.*";
  const Handle child(StartProcess(line, folder_, nullptr, nullptr));
  ASSERT_TRUE(child.valid()) << GetLastError();
  while (!fs::exists(Path("ready")) && WaitForSingleObject(child.get(), 10) == WAIT_TIMEOUT) {
  }
  EXPECT_EQ(Entries().size(), 2u);
  ASSERT_NE(TerminateProcess(child.get(), 3), 0);
  EXPECT_EQ(ExitCodeOf(child.get()), 3);
  for (int i = 0; i < 500 && Entries().size() > 1; ++i) Sleep(10);
  EXPECT_EQ(Entries(), Names{"ready"});
}

}  // namespace
}  // namespace weft
