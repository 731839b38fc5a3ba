// SPDX-License-Identifier: Apache-2.0
// Creates the streaming note of a model file (Model::streaming of weft.fbs) from the results of the
// pass streaming and the work of the full model.
#ifndef WEFT_CONVERTER_STREAM_NOTE_H_
#define WEFT_CONVERTER_STREAM_NOTE_H_

#include "converter/emit/model_file.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/program/program.h"

namespace weft::pipeline {

// Returns the multiply-adds of one run, as inspect::WorkOf counts them in the file of `program`.
double MultiplyAddsOf(const program::Program& program);

emit::StreamNote StreamNoteOf(const graph::Streamed& streamed);

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_STREAM_NOTE_H_
