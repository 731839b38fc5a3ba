// SPDX-License-Identifier: Apache-2.0
// Computes the time ranges in which each value of a listing is live (will still be read). The
// caller traverses the listing in order, visits each run of each section once, and records all
// accesses; LivenessAnalysis then analyses the record backwards. A value is not live from its last
// read to its next full overwrite, which may be in a later iteration, nor in a branch of an If that
// does not need it.
//
//   loop of two runs   | read h0 .. write h1 | read h1 .. write h0 |
//   h0                 |######               |            #########|
//   h1                 |            #########|######               |
#ifndef WEFT_CONVERTER_BASE_LIVENESS_ANALYSIS_H_
#define WEFT_CONVERTER_BASE_LIVENESS_ANALYSIS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft {

// Half-open: [begin, end).
struct TimeRange {
  int64_t begin = 0, end = 0;
  bool operator==(const TimeRange&) const = default;
};

// Bytes of a value; half-open: [begin, end).
struct ByteSpan {
  int64_t begin = 0, end = 0;
};

// kWrite may leave some of the bytes unchanged; kWriteAll overwrites all of them.
enum class TouchKind : uint8_t { kRead, kWrite, kWriteAll };

class LivenessAnalysis {
 public:
  // A loop or branch. It has `copies` runs, which execute cyclically as iterations, followed by
  // copies - 1 loop epilogues: run copies - 1 + p executes after n iterations if n % copies is p.
  struct Section {
    uint32_t copies = 1;
    int64_t max_trips = 1;
    bool may_end_early = false;  // after any number of iterations below `max_trips`
    bool may_skip = false;       // before the first iteration
    // For a branch of an If: its condition. Two consecutive sections with the same condition and
    // different `runs_when` are the two branches.
    std::optional<uint32_t> condition = std::nullopt;
    bool runs_when = true;
  };

  // Values are identified by numbers below `values`.
  explicit LivenessAnalysis(size_t values);

  int64_t now() const { return now_; }
  void Advance() { ++now_; }
  // Records an access at the current time. At the same time, reads precede writes.
  void Touch(uint32_t value, TouchKind kind, ByteSpan bytes);
  // Disables gaps for a value of which iterations access different bytes.
  void KeepWhole(uint32_t value) { is_kept_whole_[value] = true; }

  // Reads of the section's condition must be recorded before Enter.
  void Enter(const Section& section);
  void BeginRun();
  void EndRun();
  void Leave();

  // Ends the listing and returns the live ranges by value, sorted and disjoint; empty for a value
  // without accesses. If a value is accessed inside and outside a loop, its ranges do not exceed
  // the loop and the outer accesses. If it is accessed only inside, its ranges do not exceed an
  // iteration.
  std::vector<std::vector<TimeRange>> Ranges();

 private:
  static constexpr uint32_t kNothing = 0xFFFFFFFFu;
  // The end of a section, or an access to a value.
  struct Event {
    int64_t time;
    uint32_t section = kNothing, value = kNothing;
    TouchKind kind = TouchKind::kRead;
    ByteSpan bytes = {};
  };
  // Whether the current contents of a value are read later. kAfter: exactly if they are read after
  // the section that is being analysed.
  enum class Need : uint8_t { kNone, kAfter, kRead };
  using Needs = std::vector<Need>;  // one for each of a section's values, in their order
  struct Span {
    size_t begin_event = 0, end_event = 0;
    TimeRange time;
  };
  struct Entered {
    Section facts;
    uint32_t around = kNothing;  // the enclosing section
    size_t run = 0;              // index of the enclosing run in that section
    Span span;
    std::vector<Span> runs;
    std::vector<uint32_t> values;  // accessed inside
    std::optional<Needs> before;   // needs before the section if all are kAfter after it
    bool is_loop() const { return facts.max_trips > 1; }
  };

  bool MakesAll(const Event& event) const;
  void NoteValue(uint32_t value);
  std::vector<TimeRange> Hulls() const;

  // Traverse events backwards and update needs_. With `records`, also add to ranges_.
  void Visit(const Span& span, bool records);
  void VisitSection(uint32_t id, bool records);
  void VisitBranches(uint32_t first, uint32_t second, bool records);
  void VisitRuns(uint32_t id, bool records);
  void VisitEachRun(const Entered& section, bool records);
  void VisitCopies(const Entered& section, const Needs& after_last, const std::vector<Needs>& exits,
                   bool records);
  uint32_t OtherBranch(uint32_t section) const;
  Needs NeedsOf(const std::vector<uint32_t>& values) const;
  void SetNeeds(const std::vector<uint32_t>& values, const Needs& needs, int64_t time,
                bool records);
  void SetNeed(uint32_t value, Need need, int64_t time, bool records);
  void Cover(uint32_t value, int64_t time);
  static void Join(Needs& needs, const Needs& others);

  int64_t now_ = 0;
  std::vector<Event> events_;
  std::vector<Entered> sections_;
  uint32_t open_ = kNothing;       // the innermost section
  std::vector<ByteSpan> touched_;  // by value
  std::vector<bool> is_kept_whole_;
  std::vector<uint32_t> noted_in_;  // by value: the last section whose list includes the value
  std::vector<Need> needs_;
  std::vector<std::vector<TimeRange>> ranges_;  // by value, latest range first
};

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_LIVENESS_ANALYSIS_H_
