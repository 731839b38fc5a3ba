// SPDX-License-Identifier: Apache-2.0
// The C++ interface by its installed name: #include <weft/weft.h>.
#ifndef WEFT_INCLUDE_WEFT_WEFT_H_
#define WEFT_INCLUDE_WEFT_WEFT_H_
#include "runtime/weft.h"  // IWYU pragma: export
#endif                     // WEFT_INCLUDE_WEFT_WEFT_H_
