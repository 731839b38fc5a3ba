/* SPDX-License-Identifier: Apache-2.0
 * The C interface by its installed name: #include <weft/weft_c.h>. */
#ifndef WEFT_INCLUDE_WEFT_WEFT_C_H_
#define WEFT_INCLUDE_WEFT_WEFT_C_H_
#include "runtime/weft_c.h" /* IWYU pragma: export */
#endif                      /* WEFT_INCLUDE_WEFT_WEFT_C_H_ */
