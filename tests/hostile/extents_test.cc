// SPDX-License-Identifier: Apache-2.0
// Every step kind over a grid of degenerate parameters. A file that Open accepts reads and writes
// only bytes that AccessOf reports, and AccessOf reports only bytes inside the operands' slots.
// Operands, model and scratch are next to pages that no access may touch.
//
// The grid: every field with 0, 1, 2, its maximum and large values; every pair of fields with one 0
// or 1 and the other large; random triples with a 0. WEFT_WIDE_GRID=1 tries all values for both
// fields of a pair, and 40 times as many triples.
#include "tests/hostile/guard_pages.h"

#ifdef WEFT_HAS_GUARD_PAGES

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "runtime/access.h"
#include "tests/hostile/step_variants.h"
#include "tests/rounds.h"

namespace weft::test {
namespace {

constexpr long kMicroseconds = 2000;  // of processor time; a step needs only a few

struct Change {
  const ParamField* field;
  uint32_t value;
};

// Distance in bytes from the address of the slot to the end of the access.
double EndOf(const StridedBytes& access) {
  if (access.run_bytes == 0) return 0;
  auto end = static_cast<double>(access.first_byte) + static_cast<double>(access.run_bytes);
  for (uint32_t i = 0; i < access.dim_count; ++i) {
    end += static_cast<double>(access.dims[i].count - 1) *
           static_cast<double>(access.dims[i].stride_bytes);
  }
  return end;
}

// Memory of one operand, and its contents before each run.
struct OperandMemory {
  OperandMemory(const format::Slot& slot, bool is_written)
      : is_output(is_written),
        slot_bytes(slot.bytes()),
        alignment(std::max<size_t>(4, format::BitsOf(slot.type()) / 8)),
        memory(slot.bytes()) {
    std::vector<std::byte> small(memory.bytes(), std::byte{0x5A});
    std::vector<std::byte> ones(memory.bytes(), std::byte{0xA5});
    if (!is_output) {
      ListingBuilder b;
      const uint64_t count = memory.bytes() * 8 / format::BitsOf(slot.type());
      b.Input(b.Scratch(slot.type(), {static_cast<uint32_t>(count)}), {});
      const Loaded filled(b.Finish());
      FillInputs(filled.engine);
      std::memcpy(small.data(), filled.engine.input(0).data, small.size());
      std::fill(ones.begin(), ones.end(), std::byte{0xFF});  // NaN and negative numbers
    }
    before[0] = std::move(small);
    before[1] = std::move(ones);
  }

  bool is_output;
  size_t slot_bytes, alignment;
  GuardedMemory memory;
  std::vector<std::byte> before[2];
};

class Grid {
 public:
  explicit Grid(StepVariant variant)
      : variant_(std::move(variant)),
        sound_(variant_.sample.builder.Finish()),
        file_(sound_.size()),
        scratch_(variant_.sample.builder.region_bytes[2]) {
    at_ = file_.Last(sound_.size(), 64);
    std::memcpy(at_, sound_.data(), sound_.size());
    model_ = format::GetMutableModel(at_);
    params_ = ParamsOf(*model_, variant_.sample.kind);
    const format::Arity arity = format::kArity[static_cast<uint32_t>(variant_.sample.kind)];
    for (uint32_t i = 0; i < arity.operands(); ++i) {
      const uint32_t slot = model_->operands()->Get(i);
      is_present_.push_back(slot != kNoSlot);
      operands_.emplace_back(*model_->slots()->Get(slot == kNoSlot ? 0 : slot), i >= arity.inputs);
    }
  }

  void Try(const std::vector<Change>& changes);

  const StepVariant& variant() const { return variant_; }
  uint64_t files = 0, opened = 0, too_long = 0;
  std::map<std::string, int> faults;  // by kind of error

 private:
  void TryOpened(const std::vector<Change>& changes);
  bool CheckAccesses(const std::vector<Change>& changes);
  void RunAlone(const std::vector<Change>& changes, bool at_end);
  void RunInEngine(const std::vector<Change>& changes, const Memory& memory);
  StridedBytes AccessTo(uint32_t operand) const {
    return AccessOf(*model_, *model_->steps()->Get(0), operand);
  }
  template <typename Call>
  bool Run(const char* what, const std::vector<Change>& changes, const Call& call);
  void Report(const std::string& what, const std::vector<Change>& changes);

  StepVariant variant_;
  const ExactBytes sound_;
  const GuardedMemory file_, scratch_;
  std::byte* at_;
  format::Model* model_;
  std::byte* params_;
  std::vector<bool> is_present_;
  std::vector<OperandMemory> operands_;
};

// Reports the first error of each kind, with the parameters that cause it.
void Grid::Report(const std::string& what, const std::vector<Change>& changes) {
  if (faults[what]++ != 0) return;
  std::string text;
  for (const Change& change : changes) {
    text += (text.empty() ? "" : ", ") + change.field->name + " = " + std::to_string(change.value);
  }
  ADD_FAILURE() << format::NameOf(variant_.sample.kind) << " (" << variant_.name << ") with "
                << text << ": " << what;
}

template <typename Call>
bool Grid::Run(const char* what, const std::vector<Change>& changes, const Call& call) {
  const CallEnd end = GuardedCall(kMicroseconds, call);
  if (end == CallEnd::kTooLong) ++too_long;
  if (end == CallEnd::kSignal) Report(what, changes);
  return end == CallEnd::kReturned;
}

void Grid::Try(const std::vector<Change>& changes) {
  ++files;
  for (const Change& change : changes) {
    std::memcpy(params_ + change.field->offset, &change.value, change.field->bytes);
  }
  TryOpened(changes);
  const std::byte* sound = sound_.data() + (params_ - at_);
  for (const Change& change : changes) {
    std::memcpy(params_ + change.field->offset, sound + change.field->offset, change.field->bytes);
  }
}

void Grid::TryOpened(const std::vector<Change>& changes) {
  const uint32_t scratch_bytes = variant_.sample.builder.region_bytes[2];
  const Memory memory = {{nullptr, 0}, {scratch_.Last(scratch_bytes, 64), scratch_bytes}};
  Engine engine;
  const Bytes bytes = {at_, sound_.size()};
  if (!Engine::Open(bytes, variant_.steps, memory, &engine).ok()) return;
  ++opened;
  if (!variant_.overlaps && CheckAccesses(changes)) {
    RunAlone(changes, true);
    RunAlone(changes, false);
  }
  Run("a run of the engine leaves its memory", changes, [&] { (void)engine.Run(); });
  Run("OpenChecked leaves its memory", changes, [&] {
    Engine checked;
    (void)Engine::OpenChecked(bytes, variant_.steps, memory, {}, &checked);
  });
}

bool Grid::CheckAccesses(const std::vector<Change>& changes) {
  bool holds = true;
  for (uint32_t i = 0; i < operands_.size(); ++i) {
    if (!is_present_[i]) continue;
    const StridedBytes access = AccessTo(i);
    if (access.first_byte >= 0 && EndOf(access) <= static_cast<double>(operands_[i].slot_bytes)) {
      continue;
    }
    Report("AccessOf leads out of the slot of operand " + std::to_string(i), changes);
    holds = false;
  }
  return holds;
}

// Runs the step with each operand's bytes directly before the page after it, or after the page
// before it.
void Grid::RunAlone(const std::vector<Change>& changes, bool at_end) {
  std::byte* pointers[format::kMaxOperands] = {};
  for (uint32_t i = 0; i < operands_.size(); ++i) {
    const OperandMemory& operand = operands_[i];
    if (!is_present_[i]) continue;
    std::memcpy(operand.memory.begin(), operand.before[at_end].data(), operand.memory.bytes());
    const StridedBytes access = AccessTo(i);
    const auto end = static_cast<size_t>(EndOf(access));
    const size_t before = static_cast<size_t>(access.first_byte) / operand.alignment;
    pointers[i] = at_end || end == 0 ? operand.memory.Last(end, operand.alignment)
                                     : operand.memory.begin() - before * operand.alignment;
  }
  const StepEntry& entry = variant_.steps.entries[static_cast<uint32_t>(variant_.sample.kind) - 1];
  const char* what = at_end ? "the kernel leaves what AccessOf states, at the end"
                            : "the kernel leaves what AccessOf states, at the begin";
  if (!Run(what, changes, [&] { entry.run(*model_, 0, pointers); })) return;
  for (uint32_t i = 0; i < operands_.size(); ++i) {
    const OperandMemory& operand = operands_[i];
    if (!is_present_[i]) continue;
    const std::vector<std::byte>& before = operand.before[at_end];
    const StridedBytes access = AccessTo(i);
    if (operand.is_output) {
      access.ForEachRun([&](int64_t at) {
        std::byte* to = pointers[i] + at;
        std::memcpy(to, before.data() + (to - operand.memory.begin()),
                    static_cast<size_t>(access.run_bytes));
      });
    }
    if (std::memcmp(operand.memory.begin(), before.data(), before.size()) != 0) {
      Report("the kernel writes what AccessOf does not state of operand " + std::to_string(i),
             changes);
    }
  }
}

std::vector<uint32_t> ValuesOf(const ParamField& field) {
  if (field.is_float) return {0, 0x3F800000, 0xBF800000, 0x7F800000, 0x7FC00000};
  if (field.bytes == 1) return {0, 1, 2, 3, 16, 64, 127, 128, 255};
  if (field.bytes == 2) return {0, 1, 2, 0x4000, 4096, 0x7FFF, 0xFFFF};
  return {0, 1, 2, 0x40000000, 4096, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
}

std::vector<uint32_t> LargeValuesOf(const ParamField& field) {
  if (field.bytes == 1) return {255};
  if (field.bytes == 2) return {4096, 0xFFFF};
  return {4096, 0x40000000, 0xFFFFFFFF};
}

// Fields for pairs and triples: those that can affect an extent.
std::vector<const ParamField*> ExtentFields(const std::vector<ParamField>& fields) {
  std::vector<const ParamField*> extents;
  for (const ParamField& field : fields) {
    const bool is_code = field.is_element && field.bytes == 1;
    if (!field.is_float && !field.is_activation && !is_code) extents.push_back(&field);
  }
  return extents;
}

void TryGrid(Grid& grid, const std::vector<ParamField>& fields, std::minstd_rand& random) {
  static const bool is_wide = std::getenv("WEFT_WIDE_GRID") != nullptr;
  grid.Try({});
  for (const ParamField& field : fields) {
    for (const uint32_t value : ValuesOf(field)) grid.Try({{&field, value}});
  }
  const std::vector<const ParamField*> extents = ExtentFields(fields);
  int pair = 0;
  for (const ParamField* first : extents) {
    for (const ParamField* second : extents) {
      if (first == second) continue;
      for (const uint32_t one : is_wide ? ValuesOf(*first) : std::vector<uint32_t>{0, 1}) {
        for (const uint32_t other : is_wide ? ValuesOf(*second) : LargeValuesOf(*second)) {
          if (!IsRound(++pair)) continue;
          grid.Try({{first, one}, {second, other}});
        }
      }
    }
  }
  const auto pick = [&random](const auto& from) { return from[random() % from.size()]; };
  const int triples = Rounds(is_wide ? 40000 : 1000);
  for (int i = 0; i < triples && extents.size() > 2; ++i) {
    const ParamField *zero = pick(extents), *first = pick(extents), *second = pick(extents);
    grid.Try({{first, pick(ValuesOf(*first))}, {second, pick(ValuesOf(*second))}, {zero, 0}});
  }
}

// A single test, so that its time is one number.
TEST(Extents, StayWithinTheirAccessAndTheirSlots) {
  const SignalCatcher catcher;
  std::minstd_rand random(1);
  uint64_t files = 0, opened = 0, too_long = 0;
  for (const std::vector<StepVariant>& variants : EveryVariant()) {
    ASSERT_FALSE(variants.empty());
    const uint64_t opened_before = opened;
    uint64_t tried = 0;
    for (size_t i = 0; i < variants.size(); i += kThinning, ++tried) {
      Grid grid(variants[i]);
      TryGrid(grid, FieldsOf(variants[i].sample.kind), random);
      files += grid.files;
      opened += grid.opened;
      too_long += grid.too_long;
    }
    EXPECT_GE(opened - opened_before, 3 * tried)
        << format::NameOf(variants[0].sample.kind) << ": nearly all of the grid is rejected";
  }
  printf("%llu files, %llu opened, %llu calls stopped after %ld us\n",
         static_cast<unsigned long long>(files), static_cast<unsigned long long>(opened),
         static_cast<unsigned long long>(too_long), kMicroseconds);
}

}  // namespace
}  // namespace weft::test

#endif  // WEFT_HAS_GUARD_PAGES
