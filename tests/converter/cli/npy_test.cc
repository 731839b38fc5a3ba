// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/npy.h"

#include <gtest/gtest.h>

#include <cstring>

namespace weft::cli {
namespace {

std::vector<std::byte> BytesOf(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// A file of version 1 (2 and 3 have a longer length field) around a header and data.
std::string File(std::string_view header, std::string_view data, char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  file += static_cast<char>(header.size());
  file += '\0';
  if (version > 1) file += std::string(2, '\0');
  return file.append(header).append(data);
}

std::string Reason(std::string_view file) {
  std::string reason;
  EXPECT_FALSE(ParseNpy(BytesOf(file), &reason).has_value());
  return reason;
}

TEST(Npy, ReadsWhatItWrites) {
  for (const ElementType type :
       {ElementType::f32, ElementType::f16, ElementType::f64, ElementType::i8, ElementType::u8,
        ElementType::i16, ElementType::i32, ElementType::i64, ElementType::boolean}) {
    for (const Dims& dims :
         {Dims{}, Dims{3}, Dims{2, 3}, Dims{4, 0}, Dims{1, 2, 3, 4, 5, 6, 1, 1}}) {
      Array array{.type = {type, dims}, .bytes = {}};
      array.bytes.resize(static_cast<size_t>(*DenseBytes(array.type)), std::byte{7});
      const std::vector<std::byte> file = NpyBytes(array);
      EXPECT_EQ((file.size() - array.bytes.size()) % 64, 0u);
      std::string reason;
      const std::optional<Array> back = ParseNpy(file, &reason);
      ASSERT_TRUE(back.has_value()) << reason;
      EXPECT_EQ(back->type, array.type);
      EXPECT_EQ(back->bytes, array.bytes);
    }
  }
}

TEST(Npy, ReadsEveryVersionAndAnyOrderOfKeys) {
  for (const char version : {1, 2, 3}) {
    std::string reason;
    const auto array =
        ParseNpy(BytesOf(File("{\"shape\":(2,), 'fortran_order' : False,'descr': '<i2'}   \n",
                              "abcd", version)),
                 &reason);
    ASSERT_TRUE(array.has_value()) << reason;
    EXPECT_EQ(ToString(array->type), "i16[2]");
    EXPECT_EQ(array->bytes, BytesOf("abcd"));
  }
}

TEST(Npy, NamesWhatItRefuses) {
  EXPECT_EQ(Reason(File("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd")),
            "is big endian (>f4); must be little endian");
  EXPECT_EQ(Reason(File("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "abcd")),
            "is in Fortran order; must be in C order (numpy.ascontiguousarray)");
  EXPECT_EQ(Reason(File("{'descr': '<c8', 'fortran_order': False, 'shape': (), }", "abcdefgh")),
            "has elements of type \"<c8\"; must be one of <f4 <f2 <u2 <f8 |i1 |u1 <i2 <i4 <i8 |b1");
  EXPECT_EQ(
      Reason(File("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }", "abcd")),
      "has elements of type \"structured\"; must be one of <f4 <f2 <u2 <f8 |i1 |u1 <i2 <i4 <i8 "
      "|b1");
  EXPECT_EQ(Reason(File("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", "abcd")),
            "holds 4 bytes of data; f32[2,3] must have 24");
  EXPECT_EQ(Reason(File("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "abcdefgh")),
            "holds 8 bytes of data; f32[1] must have 4");
  EXPECT_EQ(
      Reason(File("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
                  "")),
      "holds 0 bytes of data; f32[4294967296,4294967296] must have less than 4294967296");
  EXPECT_EQ(Reason(File("{'descr': '<f4'}", "")),
            "has a header that is not a dictionary of descr, fortran_order and shape");
  EXPECT_EQ(Reason(File("{}", "", 9)), "is of .npy version 9; must be 1, 2 or 3");
  EXPECT_EQ(Reason("PK\x03\x04 a zip file"),
            "is not a .npy file; must be an array that numpy.save wrote");
}

TEST(Npy, KnowsTypesByTheirWholeName) {
  const auto read = [](const std::string& descr, std::string_view data) {
    std::string reason;
    const auto array = ParseNpy(
        BytesOf(File("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,), }", data)),
        &reason);
    return array ? ToString(array->type) : reason;
  };
  const std::string must = "; must be one of <f4 <f2 <u2 <f8 |i1 |u1 <i2 <i4 <i8 |b1";
  for (const char* descr :
       {"xf4", "4f4", " f4", "<f4 ", "<f44", "|f4", "", "<", "f4", "(4)f4", "<f4,<f4"}) {
    EXPECT_EQ(read(descr, "abcd"), "has elements of type \"" + std::string(descr) + "\"" + must);
  }
  EXPECT_EQ(read("=f4", "abcd"), "f32[1]");
  EXPECT_EQ(read(">f4", "abcd"), "is big endian (>f4); must be little endian");
  // Single bytes have no byte order.
  for (const char* descr : {"|i1", "<i1", ">i1", "=i1"}) EXPECT_EQ(read(descr, "a"), "i8[1]");
}

TEST(Npy, RefusesHeadersThatAreMoreOrLessThanTheirDictionary) {
  const std::string broken =
      "has a header that is not a dictionary of descr, fortran_order and shape";
  for (const char* header :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }}",
        "{'descr': '<f4' x, 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4'x, 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4' '', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [1], }",
        "{'descr': '<i4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (7,), 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': '', }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,),", ""}) {
    EXPECT_EQ(Reason(File(header, "abcd")), broken) << header;
  }
  std::string minor = File("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "abcd");
  minor[7] = 1;
  EXPECT_EQ(Reason(minor), "is of .npy version 1.1; must be 1, 2 or 3");
}

TEST(Npy, RefusesEveryPrefix) {
  const std::string file =
      File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", "abcdefgh");
  std::string reason;
  ASSERT_TRUE(ParseNpy(BytesOf(file), &reason).has_value()) << reason;
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ParseNpy(BytesOf(std::string_view(file).substr(0, size)), &reason).has_value())
        << size;
  }
}

TEST(Npy, SurvivesEveryChangedByte) {
  const std::string file =
      File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", "abcdefgh");
  for (size_t at = 0; at < file.size(); ++at) {
    for (const int change : {1, 0x80, 0xFF}) {
      std::string broken = file, reason;
      broken[at] = static_cast<char>(broken[at] ^ change);
      const auto array = ParseNpy(BytesOf(broken), &reason);
      if (!array) continue;
      EXPECT_EQ(static_cast<int64_t>(array->bytes.size()), *DenseBytes(array->type));
    }
  }
}

// Reads the arrays of a file on which np.save was called several times, up to the first error.
std::vector<std::string> ReadAll(std::string_view file, std::string* reason) {
  const std::vector<std::byte> bytes = BytesOf(file);
  std::vector<std::string> found;
  for (std::span<const std::byte> rest = bytes; !rest.empty();) {
    size_t used_bytes = 0;
    const auto array = ParseFirstNpy(rest, &used_bytes, reason);
    if (!array) break;
    found.push_back(
        ToString(array->type) + " " +
        std::string(reinterpret_cast<const char*>(array->bytes.data()), array->bytes.size()));
    rest = rest.subspan(used_bytes);
  }
  return found;
}

constexpr std::string_view kTwoShorts =
    "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n";
constexpr std::string_view kNone = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0), }\n";
constexpr std::string_view kScalar = "{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n";

TEST(Npy, ReadsArraysOneAfterAnother) {
  const std::string file =
      File(kTwoShorts, "abcd", 2) + File(kNone, "") + File(kScalar, "\x93") + File(kScalar, "e", 3);
  std::string reason;
  EXPECT_EQ(ReadAll(file, &reason),
            (std::vector<std::string>{"i16[2] abcd", "f32[3,0] ", "u8[] \x93", "u8[] e"}));
  EXPECT_EQ(reason, "");
  EXPECT_EQ(ReadAll("", &reason), std::vector<std::string>());
  EXPECT_EQ(reason, "");
}

TEST(Npy, StopsAtTheArrayThatIsBroken) {
  const std::string first = File(kTwoShorts, "abcd");
  const auto reason_after_first = [&](const std::string& second) {
    std::string reason;
    EXPECT_EQ(ReadAll(first + second, &reason).size(), 1u);
    return reason;
  };
  EXPECT_EQ(reason_after_first("x"), "is not a .npy file; must be an array that numpy.save wrote");
  EXPECT_EQ(reason_after_first(File(kTwoShorts, "abc")),
            "holds 3 bytes of data; i16[2] must have 4");
  EXPECT_EQ(reason_after_first(File(kTwoShorts, "").substr(0, 20)),
            "ends inside its header; must have 48 more bytes");
  EXPECT_EQ(
      reason_after_first(File(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "")),
      "holds 0 bytes of data; f32[4294967296,4294967296] must have less than 4294967296");
}

TEST(Npy, RefusesEveryPrefixOfTheFirstArray) {
  const std::string file = File(kTwoShorts, "abcd");
  for (size_t size = 1; size < file.size(); ++size) {
    std::string reason;
    EXPECT_TRUE(ReadAll(std::string_view(file).substr(0, size), &reason).empty()) << size;
    EXPECT_NE(reason, "") << size;
  }
}

TEST(Npy, HasNoNameForPackedTypes) {
  EXPECT_EQ(NpyName(ElementType::bf16), "<u2");
  EXPECT_EQ(NpyName(ElementType::i4), "");
  EXPECT_EQ(NpyName(ElementType::boolean), "|b1");
}

}  // namespace
}  // namespace weft::cli
