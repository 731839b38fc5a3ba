// SPDX-License-Identifier: Apache-2.0
// What a run of steps does to the bytes of one region, seen from outside: which buffer must own
// which bytes when it begins, and which buffer owns which bytes when it has ended. Effects are put
// together in sequence, as alternatives, and side by side, so that a plan is proved without running
// its loops: the effect of a body is found once, and a body repeated twice does what it does when
// repeated a million times.
//
// A buffer owns the bytes it was last written to. Reading bytes that another buffer owns is a
// conflict: what the step wanted there has been overwritten, or was never written.
#ifndef WEFT_CONVERTER_PLAN_EFFECT_H_
#define WEFT_CONVERTER_PLAN_EFFECT_H_

#include <cstdint>
#include <vector>

#include "converter/plan/byte_runs.h"

namespace weft::plan {

inline constexpr uint32_t kManyOwners = 0xFFFFFFFFu;  // which one depends on the branch taken
inline constexpr uint32_t kNoReader = 0xFFFFFFFFu;

// A buffer that must own bytes, and the slot and the step that read them (kNoReader: it is written
// there, and another buffer's turn may come in between).
struct Needed {
  uint32_t owner, slot, step;
  bool operator==(const Needed&) const = default;
};

// Who owns bytes afterwards. If not certain, they may also have been left as they were before.
struct Written {
  uint32_t owner;
  bool certain;
  bool operator==(const Written&) const = default;
};

// Collects conflicts, and counts the runs that were looked at.
struct Findings {
  struct Conflict {
    Needed needed;
    uint32_t owner;  // another one, or kManyOwners
    int64_t begin, end;
  };
  std::vector<Conflict> conflicts;
  uint64_t work = 0;
};

class Effect {
 public:
  // One step's part. Ranges are half-open.
  void Read(int64_t begin, int64_t end, const Needed& needed, Findings& findings);
  void Write(int64_t begin, int64_t end, const Written& written, Findings& findings);

  // This and afterwards `next`, whose bytes lie `shift` further.
  void Then(const Effect& next, int64_t shift, Findings& findings);
  // Either this or `other`.
  void OrElse(const Effect& other, Findings& findings);
  // Both at once: neither sees what the other writes. They must be disjoint but for bytes of the
  // same buffer.
  void Beside(const Effect& other, Findings& findings);

  // Reports where one of the two writes bytes that the other one uses for another buffer, at
  // whatever time.
  void MustBeDisjointFrom(const Effect& other, Findings& findings) const;

  // Reports bytes that are used for more than one buffer, at whatever time.
  void MustHaveOneOwnerEach(Findings& findings) const;

  const ByteRuns<Needed>& needed() const { return needed_; }
  const ByteRuns<Written>& written() const { return written_; }
  // Every buffer that ever writes there; kManyOwners for several.
  const ByteRuns<uint32_t>& writers() const { return writers_; }

  // Without going by what was written before.
  void Need(int64_t begin, int64_t end, const Needed& needed, Findings& findings);

 private:
  // Reports readers of bytes that are written for another buffer than theirs.
  void MustBeReadFor(const ByteRuns<Needed>& readers, Findings& findings) const;
  void AddWriter(int64_t begin, int64_t end, uint32_t owner, Findings& findings);

  ByteRuns<Needed> needed_;
  ByteRuns<Written> written_;
  ByteRuns<uint32_t> writers_;
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_EFFECT_H_
