// SPDX-License-Identifier: Apache-2.0
#include "converter/base/sha256.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace weft {
namespace {

// The examples of FIPS 180-4.
TEST(Sha256, HasTheHashesOfTheStandard) {
  const auto hash = [](std::string_view text) {
    return Sha256Of(std::as_bytes(std::span(text.data(), text.size())));
  };
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

// Lengths at the ends of blocks and of the padding. The hashes are those of Python's hashlib; byte
// i of a text of n bytes is (7 * i + n) % 251.
TEST(Sha256, HasTheHashesOfHashlibForEveryPadding) {
  struct Row {
    size_t bytes;
    const char* hash;
  };
  const Row rows[] = {
      {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {1, "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"},
      {3, "6ab0dba1f4f1dfbb37b4f9eeb092c09fca4900ad32bdcd147d8dde35d6c87c35"},
      {55, "d604dc83c754bb5890ec011f3fa0552324cb1412205b5a5e83fd17cd4afe57ed"},
      {56, "0371e3fd4911ce4109ac9aaddc0ebdfe28431802ef70a966cb245da585f2a37e"},
      {57, "bdce47d7bad9c7849a36531ae5ac19e3c4413c87c20f5d00ccda7dcd7c57bdb1"},
      {63, "de8f546e5d44d4fb35d25af2748ed9b6644d200d56b6b0b6e71b095b44348dc6"},
      {64, "35eb8c80b4af970a05040dd151d5edad6172957c1ded27e521fdcf526178feb3"},
      {65, "c96988663bcd3779da5b1c0e499742ff48bf6148d5c044326ce3e5845a80e6ab"},
      {119, "7fb3869648ad8420f2e1a20812a61ba45c3db01dc7b391d48c2a8c1d6f41be35"},
      {120, "9db2bb35e3e98f502b654e82f0051eebfa45015e36ed8c3a28d44586eff7372b"},
      {127, "f2a5ec436d60185c6d1c274da6d60d8e38d7de6b739c0fbd043d0de24db2b7ad"},
      {128, "086e64af3be4bef59202dea267776bbbbe6264ad9ff0b46345743fffc446238e"},
      {1000, "e66c6563e3797f84573ef7dfe3a460d5d579967297ef20150d89f0c6e358221e"},
  };
  for (const Row& row : rows) {
    std::vector<std::byte> bytes(row.bytes);
    for (size_t i = 0; i < row.bytes; ++i) bytes[i] = std::byte((7 * i + row.bytes) % 251);
    EXPECT_EQ(Sha256Of(bytes), row.hash) << row.bytes;
  }
}

}  // namespace
}  // namespace weft
