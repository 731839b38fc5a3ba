// SPDX-License-Identifier: Apache-2.0
// What every operation with a body (TensorIterator, Loop, If) does with it.
#ifndef WEFT_CONVERTER_OPS_BODY_H_
#define WEFT_CONVERTER_OPS_BODY_H_

#include <cstddef>

#include "converter/ops/operation.h"

namespace weft::ops {

const TensorType& ResultType(const ir::Node& result);

// Infers a body whose Parameters have their types; false when it has said what is wrong.
bool InferBodyGraph(InferScope& scope, ir::Graph& body);

// No Result of a body has a run-time length; else faults.
bool CheckFixedResults(InferScope& scope, const ir::Graph& body);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_BODY_H_
