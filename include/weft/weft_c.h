/* SPDX-License-Identifier: Apache-2.0
 * The C interface by its installed name: #include <weft/weft_c.h>. */
#include "runtime/weft_c.h" /* IWYU pragma: export */
