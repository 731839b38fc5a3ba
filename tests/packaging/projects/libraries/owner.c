/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

/* What a library does with its model: here the linker must find weft. */
int OwnerOpens(void);
int OwnerOpens(void) {
  weft_engine engine;
  return weft_ok(model_open(&engine)) && weft_ok(weft_run(&engine));
}
