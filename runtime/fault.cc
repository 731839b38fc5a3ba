// SPDX-License-Identifier: Apache-2.0
// Error texts, without stdio. WEFT_TEXT=0 leaves only the numbers, because the texts cost flash.
#include "runtime/format/listing.h"
#include "runtime/weft.h"

#ifndef WEFT_TEXT
#define WEFT_TEXT 1
#endif

namespace weft {
namespace {

// Writes as much as fits and reserves space for the terminator.
class Writer {
 public:
  Writer(char* text, size_t bytes) : text_(text), room_(bytes - 1) {}

  void Put(char letter) {
    if (length_ < room_) text_[length_++] = letter;
  }
  void Put(const char* words) {
    while (*words != '\0') Put(*words++);
  }
  void Put(uint32_t number) {
    char digits[10];
    uint32_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (count != 0) Put(digits[--count]);
  }
  size_t End() {
    text_[length_] = '\0';
    return length_;
  }

 private:
  char* const text_;
  const size_t room_;
  size_t length_ = 0;
};

#if WEFT_TEXT

constexpr uint32_t LargestCode() {
  constexpr uint32_t kNumbers[] = {
#define WEFT_FAULT(number, name, text) number,
#include "runtime/format/faults.inc"
#undef WEFT_FAULT
  };
  uint32_t largest = 0;
  for (const uint32_t number : kNumbers) largest = number > largest ? number : largest;
  return largest;
}
constexpr uint32_t kTextCount = LargestCode() + 1;

struct Texts {
  const char* by_code[kTextCount];
};

// Indexed by number, whatever the order of the rows; null for a number that is no longer used.
constexpr Texts MakeTexts() {
  Texts texts = {};
#define WEFT_FAULT(number, name, text) texts.by_code[number] = text;
#include "runtime/format/faults.inc"
#undef WEFT_FAULT
  return texts;
}
constexpr Texts kTexts = MakeTexts();

constexpr const char* kTypeNames[] = {
#define WEFT_TYPE(name, ...) #name,
#include "kernels/types.inc"
#undef WEFT_TYPE
};
static_assert(sizeof(kTypeNames) / sizeof(kTypeNames[0]) == format::kElementTypeCount);

void PutType(uint32_t type, Writer* out) {
  if (type < format::kElementTypeCount) return out->Put(kTypeNames[type]);
  out->Put("type ");
  out->Put(type);
}

// If `*text` begins with `word`, moves `*text` after it and returns true.
bool Skip(const char** text, const char* word) {
  const char* rest = *text;
  while (*word != '\0' && *rest == *word) ++rest, ++word;
  if (*word != '\0') return false;
  *text = rest;
  return true;
}

// `*text` is the text after a percent sign.
void PutPlaceholder(const Fault& fault, const char** text, Writer* out) {
  if (Skip(text, "index")) return out->Put(fault.index);
  if (Skip(text, "operand")) return out->Put(uint32_t{fault.operand});
  if (Skip(text, "is_type")) return PutType(fault.is, out);
  if (Skip(text, "must_type")) return PutType(fault.must, out);
  if (Skip(text, "is")) return out->Put(fault.is);
  if (Skip(text, "must")) return out->Put(fault.must);
  if (Skip(text, "step_kind")) {
    return out->Put(format::NameOf(static_cast<format::Kind>(fault.kind)));
  }
  out->Put('%');
}

void PutFault(const Fault& fault, Writer* out) {
  const uint32_t code = static_cast<uint32_t>(fault.code);
  const char* text = code < kTextCount ? kTexts.by_code[code] : nullptr;
  if (text == nullptr) return out->Put("unknown fault");
  while (*text != '\0') {
    if (*text != '%') {
      out->Put(*text++);
    } else {
      ++text;
      PutPlaceholder(fault, &text, out);
    }
  }
}

#else

void PutFault(const Fault& fault, Writer* out) {
  out->Put("fault ");
  out->Put(static_cast<uint32_t>(fault.code));
  out->Put(" index ");
  out->Put(fault.index);
  out->Put(" kind ");
  out->Put(uint32_t{fault.kind});
  out->Put(" operand ");
  out->Put(uint32_t{fault.operand});
  out->Put(" is ");
  out->Put(fault.is);
  out->Put(" must ");
  out->Put(fault.must);
}

#endif

}  // namespace

size_t Describe(const Fault& fault, char* text, size_t text_bytes) {
  if (text == nullptr || text_bytes == 0) return 0;
  Writer out(text, text_bytes);
  PutFault(fault, &out);
  return out.End();
}

}  // namespace weft
