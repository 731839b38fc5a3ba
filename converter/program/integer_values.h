// SPDX-License-Identifier: Apache-2.0
// f32 values that were dequantised: each number is an integer minus a zero point, times a scale,
// and the integers are stored as well. Products with integer weights read these integers instead of
// the numbers, so nothing is rounded a second time.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_VALUES_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_VALUES_H_

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "converter/program/builder.h"

namespace weft::program {

// Integers of i8 or i16, laid out like the numbers.
struct IntegerValue {
  ValueId integers = kNone;
  float scale = 0;
  int32_t zero = 0;
};

// Finds these integers in a program, which must outlive the object.
class IntegerValues {
 public:
  explicit IntegerValues(Program& program);

  // Returns true if the integers of these numbers, or of the tensor that they are part of, are
  // stored.
  bool Has(ValueId numbers) const;
  // Returns the integers of a value or of a part of one, as a new view; nullopt if it has none.
  std::optional<IntegerValue> Of(Builder& builder, ValueId numbers) const;
  // Records that the integers of `numbers` were copied in the same way as the numbers.
  void AddCopy(ValueId numbers, const IntegerValue& copied);
  // Where one of these roots is a copy of dequantised numbers, or a copy of such a copy, copies
  // their integers as well.
  void Follow(std::set<ValueId> roots);
  // Removes the steps that write numbers which nothing reads any longer.
  void DropUnread();

 private:
  void FindIn(const Block& block);
  void FindNumbers(const Step& step, std::map<ValueId, ValueId>& widened);
  void Add(ValueId numbers, const IntegerValue& value);
  bool IsWrittenOnce(ValueId root) const;
  bool IsWholeAndMadeOnce(ValueId value) const;
  const format::CopyParams* CopyOf(const Item& item) const;
  bool AddSources(std::set<ValueId>& roots) const;
  void CopyIntegers(Builder& builder, const Step& step, format::CopyParams params,
                    const std::set<ValueId>& roots);
  bool DropUnreadOnce();

  Program& program_;
  std::unordered_map<ValueId, size_t> writes_;  // number of writes by root
  std::map<ValueId, IntegerValue> by_root_;
  std::set<ValueId> made_;  // roots of numbers and of the values that they are computed from
};

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_VALUES_H_
