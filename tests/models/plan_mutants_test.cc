// SPDX-License-Identifier: Apache-2.0
// Plans that are wrong: in sound models one buffer is moved, shifted or swapped with another one.
// Where a model then computes anything else, the plan validator must have refused it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/plan/validator.h"
#include "runtime/format/listing.h"
#include "runtime/weft.h"
#include "tests/models/every_case.h"
#include "tests/rounds.h"

namespace weft {
namespace {

// Floats in [-1, 1); integers and booleans small, so that counts and conditions differ from run to
// run.
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

// Some runs of a model, on scratch that holds `fill` before each; nullopt where Open refuses it.
std::optional<std::vector<std::byte>> Outputs(const AlignedBytes& model, int fill) {
  constexpr int kRuns = 4;
  Needs needs;
  if (!ReadNeeds({model.data(), model.size()}, &needs).ok()) return std::nullopt;
  AlignedBytes state(needs.state_bytes), scratch(needs.scratch_bytes);
  Memory memory;
  memory.state = {state.data(), state.size()};
  memory.scratch = {scratch.data(), scratch.size()};
  std::memset(scratch.data(), fill, scratch.size());
  Engine engine;
  if (!Engine::Open({model.data(), model.size()}, AllSteps(), memory, &engine).ok()) return {};
  std::vector<std::byte> bytes;
  std::minstd_rand random(11);
  for (int run = 0; run < kRuns; ++run) {
    std::memset(scratch.data(), fill, scratch.size());
    for (uint32_t i = 0; i < engine.input_count(); ++i) FillInput(engine.input(i), random);
    (void)engine.Run();  // a count that the inputs set may exceed its bound
    for (uint32_t i = 0; i < engine.output_count(); ++i) {
      const Tensor output = engine.output(i);
      const auto* first = static_cast<const std::byte*>(output.data);
      bytes.insert(bytes.end(), first, first + output.bytes);
    }
  }
  return bytes;
}

AlignedBytes Copy(const AlignedBytes& from) {
  AlignedBytes to(from.size());
  std::memcpy(to.data(), from.data(), from.size());
  return to;
}

// Where a buffer of the plan lies: its slots without their moves.
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

// False where a slot would leave its region.
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

// A spoiled copy of the plan; nullopt where chance picked what does not fit.
std::optional<AlignedBytes> Mutant(const AlignedBytes& sound, std::minstd_rand& random) {
  const format::Model& model = *format::GetModel(sound.data());
  const std::map<uint32_t, Extent> buffers = Buffers(model);
  if (buffers.empty()) return std::nullopt;
  const auto pick = [&] { return *std::next(buffers.begin(), random() % buffers.size()); };
  const auto [buffer, extent] = pick();
  const int64_t region_bytes = model.regions()->Get(extent.region)->bytes();
  if (region_bytes == 0) return std::nullopt;  // all that there is has no elements
  AlignedBytes mutant = Copy(sound);
  bool fits = false;
  switch (random() % 4) {
    case 0: {  // anywhere
      const auto to = static_cast<int64_t>(random() % static_cast<uint64_t>(region_bytes));
      fits = MoveBuffer(mutant, buffer, (to - extent.begin) / 4 * 4);
      break;
    }
    case 1: {  // a little
      const int64_t steps = 1 + static_cast<int64_t>(random() % 16);
      fits = MoveBuffer(mutant, buffer, 4 * (random() % 2 == 0 ? steps : -steps));
      break;
    }
    case 2: {  // onto another one
      const auto [other, place] = pick();
      fits = other != buffer && place.region == extent.region &&
             MoveBuffer(mutant, buffer, place.begin - extent.begin);
      break;
    }
    default: {  // the places of two of them exchanged
      const auto [other, place] = pick();
      fits = other != buffer && place.region == extent.region &&
             MoveBuffer(mutant, buffer, place.begin - extent.begin) &&
             MoveBuffer(mutant, other, extent.begin - place.begin);
      break;
    }
  }
  if (!fits || std::memcmp(mutant.data(), sound.data(), sound.size()) == 0) return std::nullopt;
  return mutant;
}

struct Tally {
  int mutants = 0, compute_otherwise = 0, refused = 0, refused_in_vain = 0;
};

void TryMutants(const std::string& name, const AlignedBytes& sound, Tally& tally) {
  constexpr int kMutants = 80, kFill = 0x7B;
  const auto expected = Outputs(sound, kFill);
  ASSERT_TRUE(expected.has_value()) << name;
  std::seed_seq seed(name.begin(), name.end());
  std::minstd_rand random(seed);
  for (int i = 0; i < kMutants; ++i) {
    const std::optional<AlignedBytes> mutant = Mutant(sound, random);
    if (!mutant) continue;
    const auto actual = Outputs(*mutant, kFill);
    if (!actual) continue;
    ++tally.mutants;
    const bool refused = !plan::CheckPlan(*format::GetModel(mutant->data())).empty();
    const bool differs = *actual != *expected;
    tally.compute_otherwise += differs;
    tally.refused += refused;
    tally.refused_in_vain += refused && !differs;
    EXPECT_TRUE(refused || !differs) << name << ": mutant " << i << " is accepted";
  }
}

TEST(PlanMutants, AreRefusedWhereverTheyComputeAnythingElse) {
  Tally tally;
  int cases = 0;
  for (const auto& [name, sound] : ConvertedCases()) {
    if (IsRound(cases++)) TryMutants(name, sound, tally);
  }
  printf("%d mutants opened: %d compute otherwise, %d refused (%d of them compute the same)\n",
         tally.mutants, tally.compute_otherwise, tally.refused, tally.refused_in_vain);
  EXPECT_GE(tally.mutants, Rounds(10000));
  EXPECT_GE(tally.compute_otherwise, Rounds(2000));
}

}  // namespace
}  // namespace weft
