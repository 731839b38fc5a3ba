// SPDX-License-Identifier: Apache-2.0
// Creates the streaming note of a model file (Model::streaming of weft.fbs) from the results of the
// pass streaming and the work of the full model.
#ifndef WEFT_CONVERTER_STREAM_NOTE_H_
#define WEFT_CONVERTER_STREAM_NOTE_H_

#include <optional>

#include "converter/emit/model_file.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/ir/graph.h"

namespace weft::pipeline {

// Lowers a graph with final types, and returns the multiply-adds of one run of its steps; nullopt
// if it cannot be lowered.
std::optional<double> MultiplyAddsOf(ir::Graph& graph);

emit::StreamNote StreamNoteOf(const graph::Streamed& streamed);

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_STREAM_NOTE_H_
