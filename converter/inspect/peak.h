// SPDX-License-Identifier: Apache-2.0
// The use of scratch regions over time and at the peak, from the listing and its buffer table. A
// buffer is live as long as its contents are read later (base/liveness_analysis.h). Sizes are
// rounded up to the region's alignment.
#ifndef WEFT_CONVERTER_INSPECT_PEAK_H_
#define WEFT_CONVERTER_INSPECT_PEAK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

struct AliveBuffer {
  std::string name;  // its port, else the layer of the first step that writes it
  uint64_t bytes = 0;
};

struct Peak {
  uint32_t region = 0;
  uint32_t step = 0;               // of the listing
  uint64_t bytes = 0;              // bytes of all live buffers; shared bytes count once
  std::vector<AliveBuffer> alive;  // the largest first
  bool overlaps = false;           // two buffers share bytes while both are live, at any time
};

// Steps of the listing, both ends included.
struct StepSpan {
  uint32_t first = 0, last = 0;
};

// A buffer of the plan with its address and lifetime.
struct PlacedBuffer {
  uint32_t region = 0;
  int64_t offset_bytes = 0, bytes = 0;
  std::vector<StepSpan> live;   // in order; between two spans other buffers may use its bytes
  std::string name;             // as in AliveBuffer
  std::vector<uint32_t> slots;  // slots inside the buffer, in order
};

// Returns one peak per scratch region; empty if the file has no buffer table. The model must have
// passed verify.cc.
std::vector<Peak> PeaksOf(const format::Model& model);
// Returns the maximum live bytes during each step of the listing, by scratch region, counted as in
// Peak. Empty if the file has no buffer table.
std::vector<std::vector<int64_t>> LiveBytesOf(const format::Model& model);
// Returns the buffers sorted by region and offset; empty if the file has no buffer table.
std::vector<PlacedBuffer> BuffersOf(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_PEAK_H_
