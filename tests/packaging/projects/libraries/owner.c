/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

/* A library that uses its model: the linker must find weft for it. */
int OwnerOpens(void);
int OwnerOpens(void) {
  weft_engine engine;
  return weft_ok(model_open(&engine)) && weft_ok(weft_run(&engine));
}
