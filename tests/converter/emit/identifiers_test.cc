// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/identifiers.h"

#include <gtest/gtest.h>

namespace weft::emit {
namespace {

using Names = std::vector<std::string>;

TEST(Identifier, IsTheNameWhereItCanBe) {
  for (const char* name : {"model", "m", "kws_v2", "Net", "LSTM64", "classes", "my_weft"}) {
    EXPECT_EQ(Identifier(name), name);
  }
}

TEST(Identifier, IsMadeFitAsDocumented) {
  EXPECT_EQ(Identifier("my-net.v2"), "my_net_v2");
  EXPECT_EQ(Identifier("_x"), "x");
  EXPECT_EQ(Identifier("__a__b__"), "a_b");
  EXPECT_EQ(Identifier("mod\xc3\xa8le"), "mod_ue8_le");
  EXPECT_EQ(Identifier("\xe6\xa8\xa1\xe5\x9e\x8b"), "u6a21_u578b");
  EXPECT_EQ(Identifier("\xff"), "uff");
  EXPECT_EQ(Identifier("2fast"), "m2fast");
  EXPECT_EQ(Identifier(""), "m");
  EXPECT_EQ(Identifier("?!"), "m");
  for (const char* word :
       {"class", "int", "and_eq", "restrict", "NULL", "printf", "y0", "std", "weft", "weft_c",
        "Weft", "uint32_t", "main", "xor_eq", "alignas", "yn", "zzz"}) {
    EXPECT_EQ(Identifier(word), word == std::string("zzz") ? word : std::string("m_") + word);
  }
}

TEST(PortConstants, AreAllDifferent) {
  EXPECT_EQ(PortConstants(Names{"x", "x_2", "X"}), (Names{"X", "X_2", "X_2_2"}));
  EXPECT_EQ(PortConstants(Names{"a", "a", "A", "a_1"}), (Names{"A", "A_1_1", "A_2", "A_1"}));
  EXPECT_EQ(PortConstants(Names{"", "m", "0", "class"}), (Names{"M", "M_1", "M0", "CLASS"}));
}

}  // namespace
}  // namespace weft::emit
