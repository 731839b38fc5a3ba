// SPDX-License-Identifier: Apache-2.0
// The streams of a model that was converted with --streams, found and proved by comparing its file
// with that of the same model with one stream.
#ifndef WEFT_CONVERTER_EMIT_STREAM_PARTS_H_
#define WEFT_CONVERTER_EMIT_STREAM_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/base/faults.h"
#include "runtime/format/weft_generated.h"

namespace weft::emit {

// Returns a row for each variable of `file`. Adds a fault if a port or variable has no axis of the
// streams, except variables that are only the start of rings.
std::vector<format::StreamPart> StreamPartsOf(std::span<const std::byte> single,
                                              std::span<const std::byte> file, uint32_t streams,
                                              Faults& faults);

// Runs both files on generated inputs, saves all streams half-way and loads them into others of a
// new engine. Adds a fault unless all outputs of each stream are bit-identical to those of the
// model with one stream.
void CheckStreams(std::span<const std::byte> single, std::span<const std::byte> file,
                  Faults& faults);

// The bytes of a saved stream; 0 if the file has no streams.
int64_t StreamBytesOf(std::span<const std::byte> file);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_STREAM_PARTS_H_
