// SPDX-License-Identifier: Apache-2.0
// What outside.cmake must refuse: a call of a library that firmware does not have, and a static
// constructor. Nothing links this file.
#include <cstring>

namespace weft::planted {

size_t Length(const char* text);
size_t Length(const char* text) { return std::strlen(text); }

extern const char* volatile text;  // volatile: no compiler may do it ahead of time
extern size_t length;
size_t length = Length(text);

}  // namespace weft::planted
