// SPDX-License-Identifier: Apache-2.0
// What fills a scratch region, at its fullest moment and at all times, found from the listing and
// the buffers that the converter noted in it. A buffer lives as long as what it holds is read again
// (base/liveness_analysis.h). Sizes are those of places: rounded up to the region's alignment.
#ifndef WEFT_CONVERTER_INSPECT_PEAK_H_
#define WEFT_CONVERTER_INSPECT_PEAK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

struct AliveBuffer {
  std::string name;  // of the port it is, else of the layer of the first step that writes it
  uint64_t bytes = 0;
};

struct Peak {
  uint32_t region = 0;
  uint32_t step = 0;               // of the listing
  uint64_t bytes = 0;              // of the buffers; what two of them share counts once
  std::vector<AliveBuffer> alive;  // most bytes first
  bool overlaps = false;           // two that are live together, at whatever time, share bytes
};

// Steps of the listing, both included.
struct StepSpan {
  uint32_t first = 0, last = 0;
};

// A buffer of the plan: where it lies, and when.
struct PlacedBuffer {
  uint32_t region = 0;
  int64_t offset_bytes = 0, bytes = 0;
  std::vector<StepSpan> live;   // in order; between two of them others may have its bytes
  std::string name;             // as AliveBuffer has it
  std::vector<uint32_t> slots;  // that lie in it, in order
};

// One per scratch region; none when the file was stripped of its buffers. The model must have
// passed verify.cc.
std::vector<Peak> PeaksOf(const format::Model& model);
// Of each scratch region, of each step of the listing: the most bytes that buffers have while it is
// executed, counted as in Peak. None when the file was stripped of its buffers.
std::vector<std::vector<int64_t>> LiveBytesOf(const format::Model& model);
// In order of their regions and offsets; none when the file was stripped of them.
std::vector<PlacedBuffer> BuffersOf(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_PEAK_H_
