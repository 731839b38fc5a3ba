// SPDX-License-Identifier: Apache-2.0
// Copies of weights in fast memory must not change results. Stored models with recurrent layers and
// products are converted without and with --region fast=BYTES:weights, in f32 and i8: outputs,
// state and plan hash are equal. The plan validator and the hash detect damaged copies.
#include "converter/inspect/weight_copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "converter/emit/file_engine.h"
#include "converter/pipeline.h"
#include "converter/plan/validator.h"
#include "converter/plan/value_numbers.h"
#include "runtime/plan_number.h"
#include "tests/models/every_case.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

using FileBytes = std::vector<std::byte>;

// Every eighth case of each folder, sorted, so that the sample does not depend on the machine.
std::vector<fs::path> Cases() {
  constexpr size_t kEvery = 8;
  const std::string folders[] = {
      "cases/cell",   "cases/sequence", "cases/ti",         "cases/stack",
      "cases/state",  "cases/exports",  "cases/loop_run",   "cases/quantised",
      "cases/matmul", "cases/onnx",     "tflite/recurrent", "tflite/quantised_recurrent"};
  std::vector<fs::path> models;
  for (const std::string& folder : folders) {
    std::vector<fs::path> all;
    for (const auto& entry : fs::recursive_directory_iterator(WEFT_FIXTURES_DIR "/" + folder)) {
      const std::string name = entry.path().filename().string();
      if (name == "model.xml" || name == "model.tflite") all.push_back(entry.path());
    }
    std::ranges::sort(all);
    for (size_t i = 0; i < all.size(); i += kEvery) models.push_back(all[i]);
  }
  return models;
}

std::optional<pipeline::Converted> ConvertFor(const fs::path& model, ElementType precision,
                                              int64_t fast_bytes, bool copies_weights) {
  pipeline::ConvertOptions options;
  options.model = model;
  options.max_iterations = 64;
  options.precisions.all = precision;
  options.self_test_runs = 2;
  options.regions = {{"fast", fast_bytes, copies_weights}};
  Faults faults;
  return pipeline::Convert(options, faults);
}

void Append(FileBytes& to, const void* from, size_t count) {
  const auto* first = static_cast<const std::byte*>(from);
  to.insert(to.end(), first, first + count);
}

// The outputs of some runs, of the same runs after a reset, and the state after each.
FileBytes ResultsOf(const FileBytes& file) {
  constexpr uint32_t kRuns = 3;
  FileBytes results;
  emit::FileEngine model(file);
  Faults faults;
  if (!model.Open(faults)) {
    ADD_FAILURE() << faults.lines()[0];
    return results;
  }
  for (uint32_t run = 0; run < 2 * kRuns; ++run) {
    if (run == kRuns) model.engine.Reset();
    emit::MadeNumbers numbers(1 + run % kRuns);
    for (uint32_t i = 0; i < model.engine.input_count(); ++i) {
      emit::Fill(model.engine.input(i), numbers);
    }
    (void)model.engine.Run();
    for (uint32_t i = 0; i < model.engine.output_count(); ++i) {
      const Tensor output = model.engine.output(i);
      Append(results, output.data, output.bytes);
    }
    Append(results, model.state().data(), model.state().size());
  }
  Mismatch first;
  EXPECT_TRUE(model.engine.SelfTest(&first).ok());
  return results;
}

AlignedBytes AlignedOf(const FileBytes& file) {
  AlignedBytes aligned(file.size());
  std::memcpy(aligned.data(), file.data(), file.size());
  return aligned;
}

const format::Model& ModelOf(const AlignedBytes& file) { return *format::GetModel(file.data()); }

TEST(WeightCopies, ChangeNoBitOfAnyModel) {
  int models = 0, copied = 0;
  for (const fs::path& model : Cases()) {
    for (const ElementType precision : {ElementType::f32, ElementType::i8}) {
      SCOPED_TRACE(model.string() + (precision == ElementType::i8 ? " i8" : ""));
      for (const int64_t fast_bytes : {512, 1 << 20}) {
        const auto plain = ConvertFor(model, precision, fast_bytes, false);
        if (!plain) continue;  // the conformance tests check refusals
        const auto fast = ConvertFor(model, precision, fast_bytes, true);
        ASSERT_TRUE(fast);
        ++models;
        EXPECT_EQ(plain->copied_weight_bytes[0], 0);
        EXPECT_LE(fast->scratch_bytes, fast_bytes);
        if (fast->copied_weight_bytes[0] > 0) ++copied;
        EXPECT_EQ(ResultsOf(plain->file), ResultsOf(fast->file)) << fast_bytes;
        const AlignedBytes from = AlignedOf(plain->file), file = AlignedOf(fast->file);
        EXPECT_EQ(StoredPlanNumber(ModelOf(file)), StoredPlanNumber(ModelOf(from)));
        EXPECT_EQ(StateLayout({file.data(), file.size()}), StateLayout({from.data(), from.size()}));
      }
    }
  }
  EXPECT_GT(models, 100);
  EXPECT_GT(copied, 100);
}

// A file with copies, whose rows a test damages.
class Copied {
 public:
  Copied()
      : file_(AlignedOf(ConvertFor(WEFT_FIXTURES_DIR "/cases/cell/gru_b1_i7_h64/model.xml",
                                   ElementType::f32, 1 << 20, true)
                            ->file)),
        model_(*format::GetMutableModel(file_.data())),
        copies_(inspect::WeightCopiesOf(model_)) {}

  size_t count() const { return copies_.size(); }
  format::Variable& variable(size_t copy) {
    return *model_.mutable_variables()->GetMutableObject(copies_[copy]);
  }
  format::Slot& slot(size_t copy) {
    return *model_.mutable_slots()->GetMutableObject(variable(copy).slot());
  }
  // Sets the offset of all slots of the copy.
  void Move(size_t copy, uint32_t offset) {
    const uint32_t from = slot(copy).offset_bytes();
    for (uint32_t i = 0; i < model_.slots()->size(); ++i) {
      format::Slot& each = *model_.mutable_slots()->GetMutableObject(i);
      const bool is_in_copy = each.region() == slot(copy).region() && each.offset_bytes() == from;
      if (is_in_copy) each.mutate_offset_bytes(offset);
    }
  }
  bool IsSound() const {
    return plan::CheckPlan(model_).empty() &&
           plan::NumberOfValues(model_) == StoredPlanNumber(model_);
  }
  bool Opens() const {
    emit::FileEngine engine({file_.data(), file_.size()});
    Faults faults;
    return engine.Open(faults);
  }
  format::Model& model() { return model_; }

 private:
  AlignedBytes file_;
  format::Model& model_;
  std::vector<uint32_t> copies_;
};

uint32_t ModelWeights(Copied& file) { return file.model().regions()->Get(0)->bytes(); }

TEST(WeightCopies, AreDetectedIfDamaged) {
  const size_t count = Copied().count();
  ASSERT_GE(count, 2u);
  EXPECT_TRUE(Copied().IsSound());
  for (size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    {
      Copied other_copy;
      const size_t next = (i + 1) % count;
      other_copy.Move(i, other_copy.slot(next).offset_bytes());
      EXPECT_FALSE(other_copy.Opens() && other_copy.IsSound()) << "over another copy";
    }
    {
      Copied shifted;
      shifted.slot(i).mutate_offset_bytes(shifted.slot(i).offset_bytes() ^ 16u);
      EXPECT_FALSE(shifted.Opens() && shifted.IsSound()) << "not written where steps read it";
    }
    {
      Copied lost;
      lost.variable(i) = format::Variable(lost.variable((i + 1) % count));
      EXPECT_FALSE(lost.Opens() && lost.IsSound()) << "not written";
    }
    {
      Copied beyond;
      beyond.slot(i).mutate_offset_bytes(0x7FFFFFF0u);
      EXPECT_FALSE(beyond.Opens());
      beyond.slot(i).mutate_offset_bytes(0xFFFFFFF0u);
      EXPECT_FALSE(beyond.Opens());
    }
    {
      Copied from;
      auto& initial =
          *from.model().mutable_slots()->GetMutableObject(from.variable(i).initial_slot());
      initial.mutate_offset_bytes(ModelWeights(from) - initial.bytes() + 4);
      EXPECT_FALSE(from.Opens()) << "weights beyond the file's";
    }
  }
}

// No buffer of the plan may be at the address of a copy.
TEST(WeightCopies, AreDetectedOverBuffers) {
  int tried = 0;
  const size_t count = Copied().count();
  for (size_t i = 0; i < count; ++i) {
    const uint32_t slots = Copied().model().slots()->size();
    for (uint32_t k = 0; k < slots; ++k) {
      Copied over;
      const format::Slot slot = *over.model().slots()->Get(k);
      if (slot.region() != over.slot(i).region() || slot.bytes() == 0) continue;
      if (slot.offset_bytes() == over.slot(i).offset_bytes()) continue;
      over.Move(i, slot.offset_bytes() / 16 * 16);
      EXPECT_FALSE(over.Opens() && over.IsSound()) << i << " " << k;
      ++tried;
    }
  }
  EXPECT_GT(tried, 5);
}

}  // namespace
}  // namespace weft
