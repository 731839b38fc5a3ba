// SPDX-License-Identifier: Apache-2.0
// Uses neither stdio nor the 64-bit division of the compiler's library.
#include "runtime/step_times.h"

#include "runtime/c_engine.h"

namespace weft {
namespace {

constexpr uint32_t kNone = 0xFFFFFFFFu;
constexpr uint32_t kMaxColumns = 6;

// Returns number / by, rounded towards 0; `by` is above 0 and below 2^63.
uint64_t Quotient(uint64_t number, uint64_t by) {
  uint64_t quotient = 0, rest = 0;
  for (int bit = 0; bit < 64; ++bit) {
    rest = rest << 1 | number >> 63;
    number <<= 1;
    quotient <<= 1;
    if (rest < by) continue;
    rest -= by;
    ++quotient;
  }
  return quotient;
}

uint64_t Rounded(uint64_t number, uint64_t by) { return Quotient(number + (by >> 1), by); }

struct Cell {
  char text[32];  // longer than any number with its unit
};

// Writes number / 10^decimals, then `unit`.
void Write(uint64_t number, uint32_t decimals, const char* unit, Cell* out) {
  char digits[24];
  uint32_t count = 0, written = 0;
  while (number != 0 || written <= decimals) {
    const uint64_t tenth = Quotient(number, 10);
    digits[count++] = static_cast<char>('0' + static_cast<uint32_t>(number - 10 * tenth));
    number = tenth;
    if (++written == decimals) digits[count++] = '.';
  }
  char* to = out->text;
  while (count != 0) *to++ = digits[--count];
  while (*unit != '\0') *to++ = *unit++;
  *to = '\0';
}

// Returns the length in UTF-8 characters. (A plain byte count would be compiled to a call of
// strlen, which boards may lack.)
uint32_t LengthOf(const char* text) {
  uint32_t length = 0;
  for (; *text != '\0'; ++text) length += (static_cast<unsigned char>(*text) & 0xC0u) != 0x80u;
  return length;
}

bool IsSame(const char* a, const char* b) {
  while (*a == *b && *a != '\0') ++a, ++b;
  return *a == *b;
}

struct Column {
  const char* heading;
  bool flush_right;
};

class Report {
 public:
  Report(const Engine& engine, weft_step_times* times, uint32_t runs)
      : engine_(engine), times_(*times), runs_(runs > 0 ? runs : 1) {
    const uint32_t count = engine.step_count();
    count_ = times->step_count < count ? times->step_count : count;
    for (uint32_t i = 0; i < count_; ++i) total_ += times->steps[i].ticks;
  }

  void Print() {
    const char* const time = times_.ticks_per_second == 0 ? "ticks/run" : "us/run";
    const Column steps[] = {{"step", true},      {"kind", false}, {"layer", false},
                            {"calls/run", true}, {time, true},    {"share", true}};
    PrintTable(steps, 6);
    if (!SumLayers()) return;
    by_layer_ = true;
    times_.write(times_.user, "\n");
    const Column layers[] = {{"layer", false}, {"steps", true}, {time, true}, {"share", true}};
    PrintTable(layers, 4);
  }

 private:
  // Sums the ticks of each layer. Returns true if some layer has several steps.
  bool SumLayers() {
    bool several = false;
    for (uint32_t i = 0; i < count_; ++i) {
      weft_step_time& step = times_.steps[i];
      step.layer_ticks = 0;
      step.layer_steps = 0;
      if (step.calls == 0) continue;
      uint32_t first = 0;
      while (times_.steps[first].calls == 0 || !IsSame(LayerOf(first), LayerOf(i))) ++first;
      times_.steps[first].layer_ticks += step.ticks;
      several = ++times_.steps[first].layer_steps > 1 || several;
    }
    return several;
  }

  const char* LayerOf(uint32_t step) const {
    const char* const layer = engine_.step_layer(step);
    return layer == nullptr ? "" : layer;
  }

  uint64_t TicksOf(uint32_t row) const {
    return by_layer_ ? times_.steps[row].layer_ticks : times_.steps[row].ticks;
  }

  // Returns the row after `last` (the first row, if `last` is kNone): by descending ticks, then by
  // ascending step.
  uint32_t RowAfter(uint32_t last) const {
    uint32_t next = kNone;
    for (uint32_t i = 0; i < count_; ++i) {
      const weft_step_time& step = times_.steps[i];
      if ((by_layer_ ? step.layer_steps : step.calls) == 0) continue;
      const bool is_after =
          last == kNone || TicksOf(i) < TicksOf(last) || (TicksOf(i) == TicksOf(last) && i > last);
      if (is_after && (next == kNone || TicksOf(i) > TicksOf(next))) next = i;
    }
    return next;
  }

  void WriteTime(uint64_t ticks, Cell* out) const {
    if (times_.ticks_per_second == 0) return Write(Rounded(ticks, runs_), 0, "", out);
    // Full seconds are converted separately, so that nothing overflows and the rest keeps at least
    // 33 bits.
    constexpr uint64_t kNanoseconds = 1000000000;
    uint64_t second = uint64_t{times_.ticks_per_second} * runs_;
    const uint64_t seconds = Quotient(ticks, second);
    uint64_t rest = ticks - seconds * second;
    for (; second > UINT64_MAX / kNanoseconds / 2; second >>= 1) rest >>= 1;
    Write(seconds * kNanoseconds + Rounded(rest * kNanoseconds, second), 3, "", out);
  }

  void WriteCalls(uint32_t calls, Cell* out) const {
    const uint32_t whole = calls / runs_;
    if (whole * runs_ == calls) return Write(whole, 0, "", out);
    Write(Rounded(uint64_t{calls} * 1000, runs_), 3, "", out);
  }

  // Sets `texts` to the row's cells; numbers are written into `cells`.
  void Fill(uint32_t row, Cell* cells, const char** texts) const {
    const weft_step_time& step = times_.steps[row];
    for (uint32_t i = 0; i < kMaxColumns; ++i) texts[i] = cells[i].text;
    uint32_t at = 0;
    if (by_layer_) {
      texts[at++] = LayerOf(row);
      Write(step.layer_steps, 0, "", &cells[at++]);
    } else {
      Write(row, 0, "", &cells[at++]);
      texts[at++] = engine_.step_kind(row);
      texts[at++] = LayerOf(row);
      WriteCalls(step.calls, &cells[at++]);
    }
    WriteTime(TicksOf(row), &cells[at++]);
    Write(total_ == 0 ? 0 : Rounded(TicksOf(row) * 1000, total_), 1, " %", &cells[at++]);
  }

  void PrintTable(const Column* columns, uint32_t count) const {
    uint32_t widths[kMaxColumns];
    Cell cells[kMaxColumns];
    const char* texts[kMaxColumns];
    for (uint32_t i = 0; i < count; ++i) widths[i] = LengthOf(columns[i].heading);
    for (uint32_t row = RowAfter(kNone); row != kNone; row = RowAfter(row)) {
      Fill(row, cells, texts);
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t length = LengthOf(texts[i]);
        if (length > widths[i]) widths[i] = length;
      }
    }
    for (uint32_t i = 0; i < count; ++i) texts[i] = columns[i].heading;
    PrintRow(columns, widths, texts, count);
    for (uint32_t row = RowAfter(kNone); row != kNone; row = RowAfter(row)) {
      Fill(row, cells, texts);
      PrintRow(columns, widths, texts, count);
    }
  }

  void PrintRow(const Column* columns, const uint32_t* widths, const char* const* texts,
                uint32_t count) const {
    for (uint32_t i = 0; i < count; ++i) {
      if (i > 0) times_.write(times_.user, "  ");
      if (!columns[i].flush_right) times_.write(times_.user, texts[i]);
      for (uint32_t k = LengthOf(texts[i]); k < widths[i]; ++k) times_.write(times_.user, " ");
      if (columns[i].flush_right) times_.write(times_.user, texts[i]);
    }
    times_.write(times_.user, "\n");
  }

  const Engine& engine_;
  weft_step_times& times_;
  const uint32_t runs_;
  uint32_t count_ = 0;
  uint64_t total_ = 0;
  bool by_layer_ = false;
};

uint64_t Now(void* user) {
  const auto* times = static_cast<const weft_step_times*>(user);
  return times->now(times->user);
}

void Add(void* user, uint32_t step, uint64_t begin, uint64_t end) {
  auto* times = static_cast<weft_step_times*>(user);
  if (step >= times->step_count) return;
  const uint64_t ticks = end - begin;
  times->steps[step].ticks += ticks > times->clock_ticks ? ticks - times->clock_ticks : 0;
  ++times->steps[step].calls;
}

void Begin(weft_step_times* times) {
  for (uint32_t i = 0; i < times->step_count; ++i) times->steps[i] = {};
  times->clock_ticks = UINT64_MAX;
  for (int i = 0; i < 16; ++i) {
    const uint64_t begin = Now(times);
    const uint64_t ticks = Now(times) - begin;
    if (ticks < times->clock_ticks) times->clock_ticks = ticks;
  }
  times->profile = {Now, Add, times};
}

}  // namespace

void TimeSteps(Engine* engine, weft_step_times* times) {
  Begin(times);
  engine->SetProfile(reinterpret_cast<const Profile*>(&times->profile));
}

void PrintStepTimes(const Engine& engine, weft_step_times* times, uint32_t runs) {
  Report(engine, times, runs).Print();
}

}  // namespace weft

extern "C" {

void weft_time_steps(weft_engine* engine, weft_step_times* times) {
  weft::Engine loaded = weft::Load(engine);
  weft::TimeSteps(&loaded, times);
  weft::Store(loaded, engine);
}

void weft_print_step_times(const weft_engine* engine, weft_step_times* times, uint32_t runs) {
  weft::PrintStepTimes(weft::Load(engine), times, runs);
}

}  // extern "C"
