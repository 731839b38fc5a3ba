// SPDX-License-Identifier: Apache-2.0
// Values of f32 that a quantiser made: each number is an integer less a zero, times a scale, and
// the integers are there, too. Products whose weights are integers take those in the place of the
// numbers: nothing is rounded a second time.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_VALUES_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_VALUES_H_

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "converter/program/builder.h"

namespace weft::plan {

// Of i8 or of i16, laid out as the numbers are.
struct IntegerValue {
  ValueId integers = kNone;
  float scale = 0;
  int32_t zero = 0;
};

class IntegerValues {
 public:
  explicit IntegerValues(Program& program);

  // Those of a value or of a part of one, as a value of their own; nullopt where it has none.
  std::optional<IntegerValue> Of(Builder& builder, ValueId numbers) const;
  // The integers of numbers were copied like the numbers themselves.
  void AddCopy(ValueId numbers, const IntegerValue& copied);
  // Where one of these roots is a copy of numbers, or of such a copy, their integers are copied,
  // too.
  void Follow(std::set<ValueId> roots);
  // Numbers that nothing reads any more are not made.
  void DropUnread();

 private:
  void FindIn(const Block& block);
  void FindNumbers(const Step& step, std::map<ValueId, ValueId>& widened);
  void Add(ValueId numbers, const IntegerValue& value);
  bool IsMadeOnce(ValueId root) const;
  bool IsWholeAndMadeOnce(ValueId value) const;
  const format::CopyParams* CopyOf(const Item& item) const;
  bool AddSources(std::set<ValueId>& roots) const;
  void CopyIntegers(Builder& builder, const Step& step, format::CopyParams params,
                    const std::set<ValueId>& roots);
  bool DropUnreadOnce();

  Program& program_;
  std::unordered_map<ValueId, size_t> writes_;  // of each root
  std::map<ValueId, IntegerValue> by_root_;
  std::set<ValueId> made_;  // roots of numbers and of what they are made of
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_VALUES_H_
