// SPDX-License-Identifier: Apache-2.0
// Estimates the work of constant folding before the constants are computed.
#ifndef WEFT_CONVERTER_FOLD_WORK_H_
#define WEFT_CONVERTER_FOLD_WORK_H_

#include <cstdint>

#include "converter/ir/graph.h"
#include "converter/program/program.h"

namespace weft::pipeline {

// Returns the operations of one run of a program. An operation is reading or writing one element,
// one comparison of a sort, or four multiply-adds. Loops count with their maximum number of
// iterations.
double FoldWork(const program::Program& program);

// Returns the maximum number of operations for all constants of a model. It grows with the budget
// in bytes and with the elements of the constants in the file, so that small files convert quickly.
int64_t FoldWorkLimit(int64_t budget_bytes, const ir::Graph& graph);

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_FOLD_WORK_H_
