// SPDX-License-Identifier: Apache-2.0
// When each value of a listing holds something that is still read. Who knows the listing goes
// through it from front to back, each run of each section once, and says what happens at which
// moment; then LivenessAnalysis goes back through that. A value has a gap from its last read to the
// write that makes all of it anew, in whatever iteration that is, and in the branch of an If that
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

// Of a value, half-open.
struct ByteSpan {
  int64_t begin = 0, end = 0;
};

// What happens to some of these bytes, or to all of them.
enum class TouchKind : uint8_t { kRead, kWrite, kWriteAll };

class LivenessAnalysis {
 public:
  // Of the section that is entered. It has `copies` runs, which iterations take in turn, and behind
  // them copies - 1 settle runs; run copies - 1 + p comes after n iterations when n % copies is p.
  struct Section {
    uint32_t copies = 1;
    int64_t most_trips = 1;
    bool may_end_early = false;  // with any number of iterations below `most_trips`
    bool may_skip = false;       // with none
    // Of a branch of an If: what it depends on. Two sections of one condition behind one another
    // that run when it is different are two branches.
    std::optional<uint32_t> condition = std::nullopt;
    bool runs_when = true;
  };

  // Values are numbers below `values`.
  explicit LivenessAnalysis(size_t values);

  int64_t now() const { return now_; }
  void Advance() { ++now_; }
  // At one moment reads come before writes.
  void Touch(uint32_t value, TouchKind kind, ByteSpan bytes);
  // A value of which iterations touch different bytes has no gaps.
  void KeepWhole(uint32_t value) { is_kept_whole_[value] = true; }

  // What decides whether it is entered is read before Enter.
  void Enter(const Section& section);
  void BeginRun();
  void EndRun();
  void Leave();

  // By value: in order and apart; none of what nothing touches. A value that is touched inside a
  // loop and outside it is not live outside of the time of the loop and its touches; one that is
  // touched only inside not outside of an iteration. Ends the listing.
  std::vector<std::vector<TimeRange>> Ranges();

 private:
  static constexpr uint32_t kNothing = 0xFFFFFFFFu;
  // A section is left, or a value is touched.
  struct Event {
    int64_t time;
    uint32_t section = kNothing, value = kNothing;
    TouchKind kind = TouchKind::kRead;
    ByteSpan bytes = {};
  };
  // Does a value hold something that is read? kBehind: if it does so behind the section that is
  // looked at.
  enum class Need : uint8_t { kNone, kBehind, kRead };
  using Needs = std::vector<Need>;  // of the values of a section, in their order
  struct Span {
    size_t begin_event = 0, end_event = 0;
    TimeRange time;
  };
  struct Entered {
    Section facts;
    uint32_t around = kNothing;  // the section that it stands in
    size_t run = 0;              // of that
    Span span;
    std::vector<Span> runs;
    std::vector<uint32_t> values;  // that are touched inside
    std::optional<Needs> before;   // its runs, where all of these are kBehind afterwards
    bool is_loop() const { return facts.most_trips > 1; }
  };

  bool MakesAll(const Event& event) const;
  void NoteValue(uint32_t value);
  std::vector<TimeRange> Hulls() const;

  // Backwards over events; what they need is kept in needs_, and where `records` in ranges_.
  void Walk(const Span& span, bool records);
  void WalkSection(uint32_t id, bool records);
  void WalkBranches(uint32_t first, uint32_t second, bool records);
  void WalkRuns(uint32_t id, bool records);
  void WalkEachRun(const Entered& section, bool records);
  void WalkCopies(const Entered& section, const Needs& behind_last, const std::vector<Needs>& exits,
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
  std::vector<uint32_t> noted_in_;  // by value: the section whose list it stands in last
  std::vector<Need> needs_;
  std::vector<std::vector<TimeRange>> ranges_;  // the latest first
};

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_LIVENESS_ANALYSIS_H_
