// SPDX-License-Identifier: Apache-2.0
// The checksum of a file, complete and in slices.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/weft.h"
#include "runtime/weft_c.h"
#include "tests/runtime/exact_bytes.h"
#include "tests/runtime/listing_builder.h"

namespace weft::test {
namespace {

constexpr uint32_t kWeights = 100;

// The builder of a model whose only output is a constant.
ListingBuilder Constant() {
  ListingBuilder b;
  b.Output(b.Weights<float>(kF32, std::vector<float>(kWeights, 1.7f)), {"y"});
  return b;
}

// The offset of the first weight in the file.
size_t WeightsOffset(const ExactBytes& file) {
  const float pair[] = {1.7f, 1.7f};
  const auto* bytes = reinterpret_cast<const std::byte*>(pair);
  const std::byte* found =
      std::search(file.data(), file.data() + file.size(), bytes, bytes + sizeof(pair));
  return static_cast<size_t>(found - file.data());
}

TEST(Checksum, SkipsItsOwnFieldAndNothingElse) {
  ListingBuilder b = Constant();
  b.checksum = 0;
  const ExactBytes zero = b.Finish();
  b.checksum = 0x0123456789ABCDEFu;
  const ExactBytes file = b.Finish();
  EXPECT_EQ(StoredChecksum(zero.bytes()), 0u);
  EXPECT_EQ(StoredChecksum(file.bytes()), 0x0123456789ABCDEFu);
  EXPECT_EQ(Checksum(zero.bytes()), Checksum(file.bytes()));
  uint64_t plain = 0xCBF29CE484222325u;
  for (size_t i = 0; i < zero.size(); ++i) {
    plain = (plain ^ static_cast<uint8_t>(zero.data()[i])) * 0x100000001B3u;
  }
  EXPECT_EQ(Checksum(zero.bytes()), plain);
  file.data()[WeightsOffset(file)] ^= std::byte{1};
  EXPECT_NE(Checksum(file.bytes()), plain);
  EXPECT_EQ(Checksum({file.data(), 3}), 0u);
}

// A file that stores its checksum.
ExactBytes SoundFile() {
  ListingBuilder b = Constant();
  b.checksum = Checksum(b.Finish().bytes());
  return b.Finish();
}

TEST(Checksum, IsComputedInSlicesOfAnySize) {
  const ExactBytes file = SoundFile();
  for (const size_t slice : {size_t{1}, size_t{7}, size_t{64}, file.size() - 1, file.size(),
                             file.size() + 1, SIZE_MAX}) {
    FileCheck check;
    for (uint32_t pass = 1; pass <= 3; ++pass) {
      size_t calls = 0;
      for (; check.passes < pass; ++calls) {
        ASSERT_LT(calls, file.size());
        ASSERT_TRUE(CheckSome(file.bytes(), slice, &check).ok()) << slice;
      }
      EXPECT_EQ(calls, (file.size() - 1) / std::min(slice, file.size()) + 1) << slice;
      EXPECT_EQ(check.checked, 0u);
    }
  }
}

TEST(Checksum, OfNoBytesMakesNoProgress) {
  const ExactBytes file = SoundFile();
  FileCheck check;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(CheckSome(file.bytes(), 0, &check).ok());
  EXPECT_EQ(check.checked, 0u);
  EXPECT_EQ(check.passes, 0u);
}

// The number of calls with slices of 100 bytes until a fault; 0 if a pass finds none.
size_t CallsUntilFault(const ExactBytes& file, FileCheck* check, Fault* fault) {
  const uint32_t passes = check->passes;
  for (size_t calls = 1; check->passes == passes; ++calls) {
    *fault = CheckSome(file.bytes(), 100, check);
    if (!fault->ok()) return calls;
  }
  return 0;
}

TEST(Checksum, FindsEveryFlippedBitWithinOnePass) {
  const ExactBytes file = SoundFile();
  const size_t calls = (file.size() - 1) / 100 + 1;
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    file.data()[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    FileCheck check;
    Fault fault;
    const size_t found = CallsUntilFault(file, &check, &fault);
    ASSERT_NE(found, 0u) << "bit " << bit;
    EXPECT_LE(found, calls);
    EXPECT_EQ(check.checked, 0u) << "begins again after a fault";
    file.data()[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
  }
}

// A change after the current position is found, one before it in the next pass.
TEST(Checksum, FindsChangesDuringAPassInThisOrTheNext) {
  const ExactBytes file = SoundFile();
  for (const bool is_ahead : {true, false}) {
    FileCheck check;
    const size_t position = WeightsOffset(file) + kWeights;
    ASSERT_TRUE(CheckSome(file.bytes(), position, &check).ok());
    std::byte& changed = file.data()[is_ahead ? position : position - 1];
    changed ^= std::byte{16};
    Fault fault;
    EXPECT_EQ(CallsUntilFault(file, &check, &fault) != 0, is_ahead);
    if (!is_ahead) {
      EXPECT_NE(CallsUntilFault(file, &check, &fault), 0u);
    }
    EXPECT_EQ(fault.code, FaultCode::kModelChecksum);
    EXPECT_NE(fault.is, fault.must);
    changed ^= std::byte{16};
  }
}

TEST(Checksum, ReportsFilesThatAreNoModels) {
  const ExactBytes file = SoundFile();
  FileCheck check;
  EXPECT_EQ(CheckSome({file.data(), 3}, 10, &check).code, FaultCode::kModelShort);
  EXPECT_EQ(CheckSome({nullptr, 0}, 10, &check).code, FaultCode::kModelShort);
  // A file that became shorter, and progress that is no position in it.
  check = {1, SIZE_MAX, 4};
  EXPECT_EQ(CheckSome(file.bytes(), 10, &check).code, FaultCode::kModelChecksum);
  EXPECT_EQ(check.passes, 4u);
}

TEST(Checksum, IsTheSameInC) {
  const ExactBytes file = SoundFile();
  weft_file_check check = {};
  while (check.passes < 2) {
    ASSERT_TRUE(weft_ok(weft_check_some(file.data(), file.size(), 100, &check)));
  }
  file.data()[WeightsOffset(file)] ^= std::byte{1};
  EXPECT_EQ(weft_check_some(file.data(), file.size(), file.size(), &check).code,
            static_cast<uint16_t>(FaultCode::kModelChecksum));
}

}  // namespace
}  // namespace weft::test
