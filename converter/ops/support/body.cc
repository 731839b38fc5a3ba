// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/body.h"

namespace weft::ops {

bool InferBodyGraph(InferScope& scope, ir::Graph& body) {
  if (!scope.infer_body(body)) scope.MarkFailed();  // the body has reported the error
  return !scope.failed();
}

bool CheckFixedResults(InferScope& scope, const ir::Graph& body) {
  for (const ir::Node* result : body.results) {
    if (!ir::ExtentOf(result->inputs[0])) continue;
    scope.Fault("Result {} of its body has a run-time length; must have a fixed shape", result->id);
  }
  return !scope.failed();
}

}  // namespace weft::ops
