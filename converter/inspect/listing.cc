// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/listing.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "converter/base/element_type.h"
#include "converter/base/visible.h"
#include "converter/inspect/cost.h"
#include "converter/inspect/params.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/traverse.h"
#include "converter/inspect/work.h"

namespace weft::inspect {
namespace {

using Json = nlohmann::ordered_json;

std::string SlotText(const format::Model& model, uint32_t slot) {
  if (slot == format::kNoSlot) return "-";
  return fmt::format("#{} {} {}", slot, SlotType(model, slot), SlotAddress(model, slot));
}

class Listing : public Visitor {
 public:
  explicit Listing(const format::Model& model) : model_(model) {}

  std::string Text() {
    Traverse(model_, AllOf(model_), *this);
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void Line(int depth, fmt::format_string<Args...> text, Args&&... args) {
    text_ +=
        fmt::format("{:>{}}{}\n", "", 2 * depth, fmt::format(text, std::forward<Args>(args)...));
  }

  void Step(uint32_t step) override { Line(depth_, "{:<4} {}", step, StepText(step)); }

  void Enter(uint32_t step, uint32_t section) override {
    Line(depth_, "{:<4} {}", step, SectionText(step, section));
    depth_ += 2;
  }

  void Run(uint32_t section, uint32_t run) override {
    const uint32_t unroll = SectionAt(model_, section).unroll();
    if (run < unroll) {
      if (unroll > 1) Line(depth_ - 1, "copy {}:", run);
      return;
    }
    const StepRun epilogue = EpilogueOf(model_, section, run - unroll + 1);
    if (epilogue.begin == epilogue.end) return;
    Line(depth_ - 1, "after n iterations with n % {} = {}:", unroll, run - unroll + 1);
  }

  void Leave(uint32_t, uint32_t) override { depth_ -= 2; }

  std::string StepText(uint32_t index) const {
    const format::Step& step = format::RowsOf(model_.steps())[index];
    const format::Arity arity = format::kArity[step.kind()];
    const auto operands = format::RowsOf(model_.operands());
    std::string text = KindName(step.kind());
    if (const std::string layer = LayerOf(model_, index); !layer.empty()) {
      text += fmt::format(" \"{}\"", OneLine(layer));
    }
    for (uint32_t i = 0; i < arity.operands(); ++i) {
      const char* before = i == arity.inputs ? " -> " : i == 0 ? "  " : ", ";
      text += before + SlotText(model_, operands[step.first_operand() + i]);
    }
    return text + "  " + ParamsText(ParamsJson(model_, step));
  }

  std::string SectionText(uint32_t step, uint32_t index) const {
    const format::Section& section = SectionAt(model_, index);
    const Trips trips = TripsOf(model_, index);
    std::string head = fmt::format("section {}", index);
    if (const std::string layer = LayerOf(model_, step); !layer.empty()) {
      head += fmt::format(" \"{}\"", OneLine(layer));
    }
    head += fmt::format("  {}{} times, unroll {}", trips.exact ? "" : "at most ", trips.count,
                        section.unroll());
    const auto add = [&](const char* what, uint32_t slot) {
      if (slot != format::kNoSlot) head += fmt::format(", {} {}", what, SlotText(model_, slot));
    };
    add("trip count in", section.trip_slot());
    add(section.runs_when() != 0 ? "if" : "if not", section.first_condition_slot());
    add("while", section.body_condition_slot());
    add("iteration in", section.iteration_slot());
    add("length in", section.length_slot());
    return head;
  }

  const format::Model& model_;
  int depth_ = 0;
  std::string text_;
};

}  // namespace

std::string RegionName(uint32_t region) {
  if (region == format::kWeightsRegion) return "weights";
  if (region == format::kStateRegion) return "state";
  const uint32_t scratch = region - format::kFirstScratchRegion;
  return scratch == 0 ? "scratch" : fmt::format("scratch{}", scratch);
}

std::string SlotType(const format::Model& model, uint32_t index) {
  return ToString(TypeOfSlot(model, format::RowsOf(model.slots())[index]));
}

std::string SlotAddress(const format::Model& model, uint32_t index) {
  const format::Slot& slot = format::RowsOf(model.slots())[index];
  const auto moves = format::RowsOf(model.moves());
  std::string text = fmt::format("{}+{}", RegionName(slot.region()), slot.offset_bytes());
  for (uint32_t i = 0; i < slot.move_count(); ++i) {
    const format::Move& move = moves[slot.first_move() + i];
    text += fmt::format(" {:+}/iteration of section {}", move.stride_bytes(), move.section());
  }
  return text;
}

std::string ListingText(const format::Model& model) { return Listing(model).Text(); }

Json ListingJson(const format::Model& model) {
  const auto steps = format::RowsOf(model.steps());
  const auto operands = format::RowsOf(model.operands());
  const std::vector<double> times = WorkOf(model).steps.times;
  Json list = Json::array();
  for (uint32_t i = 0; i < steps.count; ++i) {
    const format::Step& step = steps[i];
    Json entry = {{"step", i},
                  {"kind", KindName(step.kind())},
                  {"layer", LayerOf(model, i)},
                  {"times", times[i]}};
    if (step.kind() == 0) {
      entry["section"] = step.param();
      list.push_back(std::move(entry));
      continue;
    }
    const format::Arity arity = format::kArity[step.kind()];
    Json inputs = Json::array(), outputs = Json::array();
    for (uint32_t k = 0; k < arity.operands(); ++k) {
      const uint32_t slot = operands[step.first_operand() + k];
      Json operand = nullptr;
      if (slot != format::kNoSlot) {
        operand = {
            {"slot", slot}, {"type", SlotType(model, slot)}, {"place", SlotAddress(model, slot)}};
      }
      (k < arity.inputs ? inputs : outputs).push_back(std::move(operand));
    }
    entry["inputs"] = std::move(inputs);
    entry["outputs"] = std::move(outputs);
    entry["multiply_adds"] = times[i] * MultiplyAdds(model, step);
    entry["params"] = ParamsJson(model, step);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace weft::inspect
