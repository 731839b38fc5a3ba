// SPDX-License-Identifier: Apache-2.0
// The first check of a file of unknown origin: its version, and that its root table, its vectors
// and its texts are inside the file. verify.h checks the rows of the vectors. The rules are those
// of flatc's generated verifier, but a list of vectors drives them, which needs a fifth of its
// code.
#ifndef WEFT_RUNTIME_TABLES_H_
#define WEFT_RUNTIME_TABLES_H_

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// `model` has its identifier and at least 16 bytes. Sets *root only on success.
Fault VerifyTables(Bytes model, const format::Model** root);

}  // namespace weft

#endif  // WEFT_RUNTIME_TABLES_H_
