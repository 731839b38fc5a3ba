// SPDX-License-Identifier: Apache-2.0
// Code that outside.cmake must reject: a call of a library that firmware does not have, a static
// constructor, and a variable that is written. Nothing links this file.
#include <cstring>

namespace weft::planted {

size_t Length(const char* text);
size_t Length(const char* text) { return std::strlen(text); }

extern const char* volatile text;  // volatile: the compiler must not evaluate it
extern size_t length;
size_t length = Length(text);

}  // namespace weft::planted
