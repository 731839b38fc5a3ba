// SPDX-License-Identifier: Apache-2.0
// Wrong plans. In valid models, one buffer is moved, shifted or swapped with another one; steps
// change their order; operands, variables or ports change their slots; slots change their moves; or
// any word of the file is damaged (plan_damage.h). If a model then computes other results, or
// reports other ports, the plan hash must reject it, on the desktop and in Engine::OpenChecked. The
// plan validator detects some of them as well. WEFT_PLAN_MUTANTS is the number of mutants per
// model.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/plan/validator.h"
#include "converter/plan/value_numbers.h"
#include "runtime/format/listing.h"
#include "runtime/weft.h"
#include "tests/models/every_case.h"
#include "tests/models/plan_damage.h"
#include "tests/rounds.h"

namespace weft {
namespace {

// Returns floats in [-1, 1), and small integers and booleans, so that counts and conditions differ
// between runs.
void FillInput(const Tensor& tensor, std::minstd_rand& random) {
  if (tensor.type == Type::kF32) {
    for (size_t i = 0; i < tensor.bytes / sizeof(float); ++i) {
      tensor.as<float>()[i] = static_cast<float>(random() % 8192) / 4096.0f - 1.0f;
    }
    return;
  }
  std::memset(tensor.data, 0, tensor.bytes);
  const size_t element_bytes = std::max<size_t>(1, BitsOf(tensor.type) / 8);
  const unsigned limit = tensor.type == Type::kBool ? 2 : 5;
  for (size_t i = 0; i < tensor.bytes; i += element_bytes) {
    tensor.as<unsigned char>()[i] = static_cast<unsigned char>(random() % limit);
  }
}

// Bytes that are visible to the caller.
class Observed {
 public:
  void Add(const void* from, size_t count) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  // Name, type and dims.
  void AddPort(const char* name, const Tensor& tensor) {
    const std::string text = name == nullptr ? "" : name;
    Add(text.c_str(), text.size() + 1);
    Add(&tensor.type, sizeof(tensor.type));
    Add(&tensor.rank, sizeof(tensor.rank));
    Add(tensor.dims, tensor.rank * sizeof(tensor.dims[0]));
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

constexpr uint64_t kMaxSteps = 100000;

// Returns the ports of a model and the outputs of some runs, then of the same runs after a reset.
// Memory contains `fill` before Open, scratch also before each run. Returns nullopt if Open rejects
// the model or if its runs may take too long.
std::optional<std::vector<std::byte>> Outputs(const AlignedBytes& model, int fill) {
  constexpr int kRuns = 4;
  Needs needs;
  if (!ReadNeeds({model.data(), model.size()}, &needs).ok()) return std::nullopt;
  AlignedBytes state(needs.state_bytes), scratch(needs.scratch_bytes);
  Memory memory;
  memory.state = {state.data(), state.size()};
  memory.scratch = {scratch.data(), scratch.size()};
  std::memset(scratch.data(), fill, scratch.size());
  std::memset(state.data(), fill, state.size());
  Engine engine;
  if (!Engine::Open({model.data(), model.size()}, AllSteps(), memory, &engine).ok()) return {};
  if (engine.MaxSteps() > kMaxSteps) return {};
  Observed observed;
  for (uint32_t i = 0; i < engine.input_count(); ++i) {
    observed.AddPort(engine.input_name(i), engine.input(i));
  }
  for (int run = 0; run < 2 * kRuns; ++run) {
    if (run == kRuns) engine.Reset();
    std::minstd_rand random(static_cast<unsigned>(11 + run % kRuns));
    std::memset(scratch.data(), fill, scratch.size());
    for (uint32_t i = 0; i < engine.input_count(); ++i) FillInput(engine.input(i), random);
    const Fault fault = engine.Run();  // a count that the inputs set may exceed its bound
    observed.Add(&fault.code, sizeof(fault.code));
    for (uint32_t i = 0; i < engine.output_count(); ++i) {
      const Tensor output = engine.output(i);
      observed.AddPort(engine.output_name(i), output);
      observed.Add(output.data, output.bytes);
    }
  }
  return observed.bytes();
}

// Returns true if OpenChecked accepts a model that Open accepts.
bool OpensChecked(const AlignedBytes& model) {
  Needs needs;
  if (!ReadNeeds({model.data(), model.size()}, &needs).ok()) return false;
  AlignedBytes state(needs.state_bytes), scratch(needs.scratch_bytes);
  std::array<std::byte, 256> table;  // too small for most models
  Memory memory;
  memory.state = {state.data(), state.size()};
  memory.scratch = {scratch.data(), scratch.size()};
  Engine engine;
  const Fault fault = Engine::OpenChecked({model.data(), model.size()}, AllSteps(), memory,
                                          {table.data(), table.size()}, &engine);
  EXPECT_TRUE(fault.ok() || fault.code == FaultCode::kPlanNumber ||
              fault.code == FaultCode::kPlanNumberAbsent)
      << static_cast<int>(fault.code);
  return fault.ok();
}

AlignedBytes Copy(const AlignedBytes& from) {
  AlignedBytes to(from.size());
  std::memcpy(to.data(), from.data(), from.size());
  return to;
}

// The bytes of a buffer of the plan: the union of its slots, without their moves.
struct Extent {
  uint8_t region = 0;
  int64_t begin = INT64_MAX, end = 0;
};

std::map<uint32_t, Extent> Buffers(const format::Model& model) {
  std::map<uint32_t, Extent> buffers;
  for (uint32_t i = 0; i < model.slots()->size(); ++i) {
    const format::Slot& slot = *model.slots()->Get(i);
    if (slot.region() == format::kWeightsRegion) continue;
    Extent& extent = buffers[model.slot_buffers()->Get(i)];
    extent.region = slot.region();
    extent.begin = std::min<int64_t>(extent.begin, slot.offset_bytes());
    extent.end = std::max<int64_t>(extent.end, int64_t{slot.offset_bytes()} + slot.bytes());
  }
  return buffers;
}

// Returns false if a slot would leave its region.
bool MoveBuffer(AlignedBytes& file, uint32_t buffer, int64_t distance) {
  auto* model = format::GetMutableModel(file.data());
  for (uint32_t i = 0; i < model->slots()->size(); ++i) {
    if (model->slot_buffers()->Get(i) != buffer) continue;
    format::Slot* slot = model->mutable_slots()->GetMutableObject(i);
    const int64_t to = slot->offset_bytes() + distance;
    if (to < 0 || to + slot->bytes() > model->regions()->Get(slot->region())->bytes()) return false;
    slot->mutate_offset_bytes(static_cast<uint32_t>(to));
  }
  return true;
}

template <typename T>
T& RowOf(flatbuffers::Vector<const T*>& rows, size_t index) {
  return *rows.GetMutableObject(static_cast<flatbuffers::uoffset_t>(index));
}

// Swaps two rows of a vector.
template <typename T>
bool SwapRows(flatbuffers::Vector<const T*>* rows, std::minstd_rand& random) {
  if (rows == nullptr || rows->size() < 2) return false;
  const size_t a = random() % rows->size(), b = random() % rows->size();
  std::swap_ranges(reinterpret_cast<char*>(&RowOf(*rows, a)),
                   reinterpret_cast<char*>(&RowOf(*rows, a)) + sizeof(T),
                   reinterpret_cast<char*>(&RowOf(*rows, b)));
  return true;
}

// Swaps the slots of two ports or of two variables.
template <typename T>
bool SwapSlots(flatbuffers::Vector<const T*>* rows, std::minstd_rand& random) {
  if (rows == nullptr || rows->size() < 2) return false;
  T& a = RowOf(*rows, random() % rows->size());
  T& b = RowOf(*rows, random() % rows->size());
  const uint32_t slot = a.slot();
  a.mutate_slot(b.slot());
  b.mutate_slot(slot);
  return true;
}

// Changes the plan without moving a buffer: the order of steps, or the slots of steps, variables
// and ports.
std::optional<AlignedBytes> RewiredMutant(const AlignedBytes& sound, std::minstd_rand& random) {
  AlignedBytes mutant = Copy(sound);
  format::Model& model = *format::GetMutableModel(mutant.data());
  auto& operands = *model.mutable_operands();
  if (operands.size() == 0) return std::nullopt;
  const auto operand = [&] {
    return static_cast<flatbuffers::uoffset_t>(random() % operands.size());
  };
  bool fits = true;
  switch (random() % 8) {
    case 0:
    case 1: {  // adjacent steps, together with their operands
      auto& steps = *model.mutable_steps();
      const size_t first = random() % steps.size();
      fits = first + 1 < steps.size();
      if (fits) {
        const format::Step step = RowOf(steps, first);
        RowOf(steps, first) = RowOf(steps, first + 1);
        RowOf(steps, first + 1) = step;
      }
      break;
    }
    case 2:
      fits = SwapRows(model.mutable_steps(), random);
      break;
    case 3: {
      const auto a = operand(), b = operand();
      const uint32_t slot = operands.Get(a);
      operands.Mutate(a, operands.Get(b));
      operands.Mutate(b, slot);
      break;
    }
    case 4:
      operands.Mutate(operand(), operands.Get(operand()));
      break;
    case 5:
      fits = SwapSlots(model.mutable_variables(), random);
      break;
    case 6: {
      auto* moves = model.mutable_moves();
      fits = moves != nullptr && moves->size() != 0;
      if (fits) {
        format::Move& move = RowOf(*moves, random() % moves->size());
        const int32_t by = 4 * (1 + static_cast<int32_t>(random() % 4));
        move.mutate_stride_bytes(random() % 2 == 0 ? move.stride_bytes() + by
                                                   : -move.stride_bytes());
      }
      break;
    }
    default:
      fits =
          SwapSlots(random() % 2 == 0 ? model.mutable_inputs() : model.mutable_outputs(), random);
      break;
  }
  if (!fits || std::memcmp(mutant.data(), sound.data(), sound.size()) == 0) return std::nullopt;
  return mutant;
}

// Returns a wrong copy of the plan; nullopt if the random choice does not apply.
std::optional<AlignedBytes> MovedMutant(const AlignedBytes& sound, std::minstd_rand& random) {
  const format::Model& model = *format::GetModel(sound.data());
  const std::map<uint32_t, Extent> buffers = Buffers(model);
  if (buffers.empty()) return std::nullopt;
  const auto pick = [&] { return *std::next(buffers.begin(), random() % buffers.size()); };
  const auto [buffer, extent] = pick();
  const int64_t region_bytes = model.regions()->Get(extent.region)->bytes();
  if (region_bytes == 0) return std::nullopt;  // all values are empty
  AlignedBytes mutant = Copy(sound);
  bool fits = false;
  switch (random() % 4) {
    case 0: {  // to any address
      const auto to = static_cast<int64_t>(random() % static_cast<uint64_t>(region_bytes));
      fits = MoveBuffer(mutant, buffer, (to - extent.begin) / 4 * 4);
      break;
    }
    case 1: {  // by a few bytes
      const int64_t steps = 1 + static_cast<int64_t>(random() % 16);
      fits = MoveBuffer(mutant, buffer, 4 * (random() % 2 == 0 ? steps : -steps));
      break;
    }
    case 2: {  // to the address of another buffer
      const auto [other, position] = pick();
      fits = other != buffer && position.region == extent.region &&
             MoveBuffer(mutant, buffer, position.begin - extent.begin);
      break;
    }
    default: {  // swap the addresses of two buffers
      const auto [other, position] = pick();
      fits = other != buffer && position.region == extent.region &&
             MoveBuffer(mutant, buffer, position.begin - extent.begin) &&
             MoveBuffer(mutant, other, extent.begin - position.begin);
      break;
    }
  }
  if (!fits || std::memcmp(mutant.data(), sound.data(), sound.size()) == 0) return std::nullopt;
  return mutant;
}

struct Tally {
  int made = 0, mutants = 0, compute_otherwise = 0, refused = 0, refused_in_vain = 0;
  int refused_by_number = 0;  // by the plan hash only
  int refused_by_open = 0;
};

void TryMutants(const std::string& name, const AlignedBytes& sound, Tally& tally) {
  static const char* const count = std::getenv("WEFT_PLAN_MUTANTS");
  static const int mutants = count != nullptr ? std::atoi(count) : 120;
  constexpr int kFill = 0x7B;
  const auto expected = Outputs(sound, kFill);
  ASSERT_TRUE(expected.has_value()) << name;
  const std::optional<uint32_t> number = plan::NumberOfValues(*format::GetModel(sound.data()));
  ASSERT_TRUE(number.has_value()) << name;
  ASSERT_TRUE(OpensChecked(sound)) << name;
  std::seed_seq seed(name.begin(), name.end());
  std::minstd_rand random(seed);
  constexpr std::optional<AlignedBytes> (*kMakers[])(const AlignedBytes&, std::minstd_rand&) = {
      RewiredMutant, MovedMutant, DamagedMutant};
  for (int i = 0; i < mutants; ++i) {
    const std::optional<AlignedBytes> mutant =
        kMakers[random() % std::size(kMakers)](sound, random);
    if (!mutant) continue;
    ++tally.made;
    const auto actual = Outputs(*mutant, kFill);
    if (!actual) continue;
    ++tally.mutants;
    const format::Model& model = *format::GetModel(mutant->data());
    const bool is_plan = plan::CheckPlan(model).empty();
    const bool is_number = plan::NumberOfValues(model) == number;
    EXPECT_EQ(OpensChecked(*mutant), is_number) << name << ": mutant " << i;
    const bool refused = !is_plan || !is_number;
    tally.refused_by_open += !is_number;
    tally.refused_by_number += is_plan && refused;
    const bool differs = *actual != *expected;
    tally.compute_otherwise += differs;
    tally.refused += refused;
    tally.refused_in_vain += refused && !differs;
    EXPECT_TRUE(refused || !differs) << name << ": mutant " << i << " is accepted";
    EXPECT_TRUE(!is_number || !differs) << name << ": mutant " << i << " is accepted by Open";
  }
}

TEST(PlanMutants, AreRefusedWhereverTheyComputeAnythingElse) {
  Tally tally;
  for (const auto& [name, sound] : ConvertedCases()) TryMutants(name, sound, tally);
  printf(
      "%d mutants, %d opened: %d with other results, %d rejected (%d of them with equal results, "
      "%d "
      "only by the plan hash), %d by OpenChecked\n",
      tally.made, tally.mutants, tally.compute_otherwise, tally.refused, tally.refused_in_vain,
      tally.refused_by_number, tally.refused_by_open);
  EXPECT_GE(tally.mutants, Rounds(10000));
  EXPECT_GE(tally.compute_otherwise, Rounds(2000));
}

}  // namespace
}  // namespace weft
