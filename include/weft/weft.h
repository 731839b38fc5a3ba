// SPDX-License-Identifier: Apache-2.0
// The C++ interface by its installed name: #include <weft/weft.h>.
#include "runtime/weft.h"  // IWYU pragma: export
