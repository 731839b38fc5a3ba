// SPDX-License-Identifier: Apache-2.0
// Shared by the operations with a body (TensorIterator, Loop, If).
#ifndef WEFT_CONVERTER_OPS_SUPPORT_BODY_H_
#define WEFT_CONVERTER_OPS_SUPPORT_BODY_H_

#include <cstddef>

#include "converter/ops/operation.h"

namespace weft::ops {

// Infers a body whose Parameters have their types. Returns false after reporting errors.
bool InferBodyGraph(InferScope& scope, ir::Graph& body);

// Reports an error if a Result of the body has a run-time length; returns true if none has.
bool CheckFixedResults(InferScope& scope, const ir::Graph& body);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_BODY_H_
