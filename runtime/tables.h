// SPDX-License-Identifier: Apache-2.0
// The first look at a file of unknown origin: its version, and that its table, its vectors and its
// texts lie inside it. The rows of the vectors are left to verify.h. The same rules as
// flatc's own generated verifier, driven by a list of vectors: a fifth of its code.
#ifndef WEFT_RUNTIME_TABLES_H_
#define WEFT_RUNTIME_TABLES_H_

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// `model` has its identifier and at least 16 bytes. Sets *root only on success.
Fault VerifyTables(Bytes model, const format::Model** root);

}  // namespace weft

#endif  // WEFT_RUNTIME_TABLES_H_
