// SPDX-License-Identifier: Apache-2.0
#include "converter/base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "tests/converter/ir/fixture.h"

namespace weft {
namespace {

class Files : public ir::IrTest {
 protected:
  static std::vector<std::byte> BytesOf(std::string_view text) {
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
  }
  std::string Content(std::string_view name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t EntryCount() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(Path("")),
                                             std::filesystem::directory_iterator()));
  }
  std::string reason;
};

TEST_F(Files, AreReadWhole) {
  const std::string text(100000, 'x');
  Write("a", text);
  const auto bytes = ReadFile(Path("a"), &reason);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(*bytes, BytesOf(text));
  Write("empty", "");
  EXPECT_EQ(ReadFile(Path("empty"), &reason)->size(), 0u);
  EXPECT_FALSE(ReadFile(Path("absent"), &reason).has_value());
  EXPECT_EQ(reason, "No such file or directory");
}

TEST_F(Files, ReplaceOldOnesAndKeepTheirMode) {
  Write("a", "old");
  chmod(Path("a").c_str(), 0640);
  const auto bytes = BytesOf("new");
  const FileToWrite file = {Path("a"), bytes};
  ASSERT_TRUE(WriteFiles({&file, 1}, &reason)) << reason;
  EXPECT_EQ(Content("a"), "new");
  struct stat status;
  stat(Path("a").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(EntryCount(), 1u);
}

TEST_F(Files, ReplaceWhatALinkNames) {
  Write("target", "old");
  std::filesystem::create_symlink("target", Path("link"));
  const auto bytes = BytesOf("new");
  const FileToWrite file = {Path("link"), bytes};
  ASSERT_TRUE(WriteFiles({&file, 1}, &reason)) << reason;
  EXPECT_EQ(Content("target"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
}

TEST_F(Files, AreWrittenAllOrNone) {
  Write("a", "old");
  std::filesystem::create_directory(Path("folder"));
  const auto bytes = BytesOf("new");
  const std::vector<FileToWrite> files = {
      {Path("a"), bytes}, {Path("folder"), bytes}, {Path("c"), bytes}};
  EXPECT_FALSE(WriteFiles(files, &reason));
  EXPECT_EQ(WithoutFolder(reason),
            "folder: cannot be written: it is a folder; must be a regular file");
  EXPECT_EQ(Content("a"), "old");
  EXPECT_EQ(EntryCount(), 2u);
  const FileToWrite nowhere = {Path("no/such/folder"), bytes};
  EXPECT_FALSE(WriteFiles({&nowhere, 1}, &reason));
  EXPECT_EQ(WithoutFolder(reason),
            "no/such/folder: cannot be written: its folder does not exist; must be created");
  EXPECT_EQ(EntryCount(), 2u);
}

}  // namespace
}  // namespace weft
