// SPDX-License-Identifier: Apache-2.0
// What a model file says of the whole model that it was cut from: Model::streaming of weft.fbs,
// made of what the cut has told and of the work of the model before it.
#ifndef WEFT_CONVERTER_STREAM_NOTE_H_
#define WEFT_CONVERTER_STREAM_NOTE_H_

#include "converter/emit/model_file.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/program/program.h"

namespace weft::pipeline {

// As inspect::WorkOf counts those of the file that the program becomes. `program` is behind the
// pass loops.
double MultiplyAddsOf(const plan::Program& program);

emit::StreamNote StreamNoteOf(const graph::Streamed& streamed);

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_STREAM_NOTE_H_
