// SPDX-License-Identifier: Apache-2.0
#include "converter/base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/rounds.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

class WriteFilesTest : public testing::Test {
 protected:
  WriteFilesTest() {
    std::string name = (fs::temp_directory_path() / "weft-files-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~WriteFilesTest() override { fs::remove_all(folder_); }

  std::vector<std::string> Entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string Text(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool Write(const std::vector<std::string>& names, const std::string& text, std::string* reason) {
    std::vector<FileToWrite> files;
    for (const std::string& name : names) {
      files.push_back({folder_ / name, std::as_bytes(std::span(text))});
    }
    return WriteFiles(files, reason);
  }

  fs::path folder_;
};

TEST_F(WriteFilesTest, MakesAndReplacesMoreFilesThanStayOpen) {
  std::vector<std::string> names;
  for (int i = 100; i < 250; ++i) names.push_back("f" + std::to_string(i));
  std::string reason;
  for (const std::string text : {"one", "another", ""}) {
    ASSERT_TRUE(Write(names, text, &reason)) << reason;
    EXPECT_EQ(Entries(), names);
    for (const std::string& name : names) EXPECT_EQ(Text(name), text);
  }
}

TEST_F(WriteFilesTest, GivesTheRightsOfAPlainCreation) {
  std::string reason;
  const mode_t mask = umask(027);
  ASSERT_TRUE(Write({"new"}, "x", &reason)) << reason;
  std::ofstream(folder_ / "old") << "x";
  ASSERT_EQ(chmod((folder_ / "old").c_str(), 0604), 0);
  ASSERT_TRUE(Write({"old"}, "y", &reason)) << reason;
  umask(mask);
  struct stat status;
  ASSERT_EQ(stat((folder_ / "new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  ASSERT_EQ(stat((folder_ / "old").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0604u);
}

TEST_F(WriteFilesTest, TakesBackWhatItHadPlacedWhenALaterNameFails) {
  const std::string too_long(300, 'n');  // rejected when the file gets its name
  std::string reason;
  ASSERT_TRUE(Write({"old"}, "before", &reason)) << reason;
  EXPECT_FALSE(Write({"new", "old", too_long, "later"}, "after", &reason));
  EXPECT_EQ(reason, (folder_ / too_long).string() + ": cannot be written: File name too long");
  EXPECT_EQ(Entries(), std::vector<std::string>{"old"});
  EXPECT_EQ(Text("old"), "before");
}

TEST_F(WriteFilesTest, WritesThroughLinksThatLeadNowhereYet) {
  fs::create_directory(folder_ / "there");
  fs::create_symlink("there/file", folder_ / "link");
  std::string reason;
  ASSERT_TRUE(Write({"link"}, "x", &reason)) << reason;
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(Text("there/file"), "x");
}

TEST(ReadFileTest, EndsForADeviceWithoutEnd) {
  if (kThinning > 1) GTEST_SKIP() << "reads a gigabyte";
  std::string reason;
  EXPECT_FALSE(ReadFile("/dev/zero", &reason));
  EXPECT_EQ(reason, kEndlessReason);
}

// Interrupts a child that writes files, at different times.
TEST_F(WriteFilesTest, LeavesNoUnfinishedFileWhenASignalEndsTheProcess) {
  std::vector<std::string> names;
  for (int i = 100; i < 170; ++i) names.push_back("f" + std::to_string(i));
  int moment = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
    for (int time = 0; time < 3; ++time) {
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        std::signal(signal, SIG_DFL);  // nohup and shells ignore some signals in background jobs
        std::string reason;
        while (Write(names, "text", &reason)) {
        }
        _exit(3);
      }
      while (Entries().empty()) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(1 + 7 * (moment++ % 11)));
      kill(child, signal);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
      for (const std::string& name : Entries()) {
        EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
        EXPECT_EQ(Text(name), "text") << name;
        fs::remove(folder_ / name);
      }
    }
  }
}

TEST_F(WriteFilesTest, LeavesIgnoredSignalsIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);  // as nohup does; the child inherits it
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::string reason;
    for (int i = 0; i < 50; ++i) {
      if (!Write({"a", "b"}, "text", &reason)) _exit(3);
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    kill(child, SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::signal(SIGHUP, before);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace weft
