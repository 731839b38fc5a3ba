// SPDX-License-Identifier: Apache-2.0
// The effect of a sequence of steps on the bytes of one region, seen from outside: which buffer
// must own which bytes before the steps run, and which buffer owns which bytes afterwards. Effects
// compose in sequence, as alternatives, and in parallel. So a plan is proved without running its
// loops: the effect of a body is computed once, and repeating the body twice has the same effect as
// repeating it a million times.
//
// The buffer that bytes were last written for owns them. Reading bytes that another buffer owns is
// a conflict: the value that the step needs was overwritten, or never written.
#ifndef WEFT_CONVERTER_PLAN_EFFECT_H_
#define WEFT_CONVERTER_PLAN_EFFECT_H_

#include <cstdint>
#include <vector>

#include "converter/plan/byte_runs.h"

namespace weft::plan {

inline constexpr uint32_t kManyOwners = 0xFFFFFFFFu;  // the owner depends on the branch taken
inline constexpr uint32_t kNoReader = 0xFFFFFFFFu;

// A buffer that must own bytes, with the slot and the step that read them. kNoReader: the access is
// a write, and another buffer may own the bytes in between.
struct Needed {
  uint32_t owner, slot, step;
  bool operator==(const Needed&) const = default;
};

// The owner of bytes afterwards. If not certain, the bytes may also have been left unchanged.
struct Written {
  uint32_t owner;
  bool certain;
  bool operator==(const Written&) const = default;
};

// Collects conflicts, and counts the runs that were visited.
struct Findings {
  struct Conflict {
    Needed needed;
    uint32_t owner;  // a different one, or kManyOwners
    int64_t begin, end;
  };
  std::vector<Conflict> conflicts;
  uint64_t work = 0;
};

// Conflicts are added to `findings`; an Effect itself stays usable after a conflict.
class Effect {
 public:
  // Add the access of one step, after all earlier ones. Ranges are half-open.
  void Read(int64_t begin, int64_t end, const Needed& needed, Findings& findings);
  void Write(int64_t begin, int64_t end, const Written& written, Findings& findings);

  // Appends `next`, with its bytes `shift` further, after this effect.
  void Then(const Effect& next, int64_t shift, Findings& findings);
  // Becomes the effect of running either this or `other`.
  void MergeBranch(const Effect& other, Findings& findings);
  // Becomes the effect of this and `other` together, where neither sees what the other writes. They
  // must be disjoint except for bytes of the same buffer.
  void Beside(const Effect& other, Findings& findings);

  // Reports bytes that one of the two effects writes and the other uses for another buffer, at any
  // time.
  void MustBeDisjointFrom(const Effect& other, Findings& findings) const;

  // Reports bytes that are used for more than one buffer, at any time.
  void MustHaveOneOwnerEach(Findings& findings) const;

  const ByteRuns<Needed>& needed() const { return needed_; }
  const ByteRuns<Written>& written() const { return written_; }
  // Every buffer that ever writes the bytes; kManyOwners for several.
  const ByteRuns<uint32_t>& writers() const { return writers_; }

  // Requires `needed` at the start, regardless of what this effect writes before.
  void Need(int64_t begin, int64_t end, const Needed& needed, Findings& findings);

 private:
  // Reports readers of bytes that are written for a buffer other than the one they read.
  void CheckReaders(const ByteRuns<Needed>& readers, Findings& findings) const;
  void AddWriter(int64_t begin, int64_t end, uint32_t owner, Findings& findings);

  ByteRuns<Needed> needed_;
  ByteRuns<Written> written_;
  ByteRuns<uint32_t> writers_;
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_EFFECT_H_
