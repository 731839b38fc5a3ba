// SPDX-License-Identifier: Apache-2.0
// Estimates how long constants take to compute ahead of time, before anything is computed.
#ifndef WEFT_CONVERTER_FOLD_WORK_H_
#define WEFT_CONVERTER_FOLD_WORK_H_

#include <cstdint>

#include "converter/ir/graph.h"
#include "converter/program/program.h"

namespace weft::pipeline {

// Operations of one run of a program. An operation is one element that a step reads or writes, one
// comparison of a sort, or four multiply-adds. Loops count with their maximum number of iterations.
double FoldWork(const plan::Program& program);

// The operations that all constants of a model may take together. Grows with the budget in bytes
// and with the elements of the constants that the file holds: a small file cannot take long to
// convert.
int64_t FoldWorkLimit(int64_t budget_bytes, const ir::Graph& graph);

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_FOLD_WORK_H_
