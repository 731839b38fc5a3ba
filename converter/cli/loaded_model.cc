// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/loaded_model.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>

#include "converter/base/elements.h"
#include "converter/base/file_kind.h"
#include "converter/base/files.h"
#include "converter/emit/file_engine.h"
#include "converter/inspect/file_rules.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/streamed.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

using PortVector = flatbuffers::Vector<const format::Port*>;

std::vector<ModelPort> PortsOf(const format::Model& model, const PortVector* rows,
                               std::string_view side) {
  std::vector<ModelPort> ports;
  const auto slots = format::RowsOf(model.slots());
  for (const format::Port& row : format::RowsOf(rows)) {
    const format::Slot& slot = slots[row.slot()];
    ModelPort port;
    port.type = TypeOfSlot(model, slot);
    for (uint32_t i = 0; i < row.name_count(); ++i) {
      port.names.push_back(model.names()->Get(row.first_name() + i)->str());
    }
    port.has_length = row.length_slot() != format::kNoSlot;
    port.length_axis = row.length_axis();
    port.display_name =
        port.names.empty() ? fmt::format("{} {}", side, ports.size()) : port.names[0];
    ports.push_back(std::move(port));
  }
  return ports;
}

}  // namespace

std::vector<std::string> DisplayNames(const std::vector<ModelPort>& ports) {
  std::vector<std::string> names;
  for (const ModelPort& port : ports) names.push_back(port.display_name);
  return names;
}

bool LoadedModel::Run(Engine& engine, Faults& faults) const { return Passes(engine.Run(), faults); }

bool LoadedModel::RunChecked(OwnEngine& own, std::optional<int64_t> run, Faults& faults,
                             bool outputs_only) const {
  const Fault fault = own.engine.RunChecked();
  if (fault.code != FaultCode::kNotFinite) return Passes(fault, faults);
  // The engine checks variables only if all outputs are finite.
  if (outputs_only && fault.index >= outputs_.size()) return true;
  std::string when;
  if (run) {
    when = fmt::format("run {}", *run);
    const std::optional<inspect::StreamNote> note = inspect::StreamNoteOf(root());
    const int64_t steps = note ? note->row.steps() : 1;
    if (steps > 1)
      when += fmt::format(" (time steps {} to {})", *run * steps, (*run + 1) * steps - 1);
    when += ": ";
  }
  faults.Add(fmt::format("{}: {}{}", file_, when, NotFiniteLine(own, fault)));
  return false;
}

// "output 0 "y": element 5 is nan; must be finite"
std::string LoadedModel::NotFiniteLine(OwnEngine& own, const Fault& fault) const {
  const bool is_output = fault.index < outputs_.size();
  const auto variable = static_cast<uint32_t>(fault.index - outputs_.size());
  ElementType type;
  std::span<const std::byte> bytes;
  if (is_output) {
    const Tensor tensor = own.engine.output(fault.index);
    type = outputs_[fault.index].type.type;
    bytes = {tensor.as<const std::byte>(), tensor.bytes};
  } else {
    const uint32_t slot_index = format::RowsOf(root().variables())[variable].slot();
    const format::Slot& slot = format::RowsOf(root().slots())[slot_index];
    type = slot.type();
    bytes = own.state().subspan(slot.offset_bytes(), slot.bytes());
  }
  const double value = RealAt(type, bytes, fault.is);
  return fmt::format(
      "{} {} \"{}\": element {} is {}; must be finite", is_output ? "output" : "variable",
      is_output ? fault.index : variable,
      is_output ? outputs_[fault.index].display_name : VariableName(root(), variable), fault.is,
      std::isnan(value) ? "nan"
      : value > 0       ? "inf"
                        : "-inf");
}

// Returns true for the fault of a completed run. Else adds a line with the layer of the loop that
// reached its maximum.
bool LoadedModel::Passes(const Fault& fault, Faults& faults) const {
  if (fault.ok()) return true;
  const std::string layer = inspect::LayerOfSection(root(), fault.index);
  faults.Add(
      FaultLine(layer.empty() ? file_ : fmt::format("{}: layer \"{}\"", file_, layer), fault));
  return false;
}

std::string ChecksumText(const LoadedModel& model) {
  return fmt::format("{:016x}", model.root().checksum());
}

std::string VariableName(const format::Model& model, uint32_t variable) {
  const uint32_t name = format::RowsOf(model.variables())[variable].first_name();
  return name == format::kNoSlot ? "" : model.names()->Get(name)->str();
}

std::string FaultLine(const std::string& file, const Fault& fault) {
  return fmt::format("{}: {}", file, emit::Words(fault));
}

std::unique_ptr<LoadedModel> LoadedModel::Load(const std::filesystem::path& path, Faults& faults) {
  std::string reason;
  const std::optional<std::vector<std::byte>> file = ReadFile(path, &reason);
  const std::string other =
      NotAModel(path, file ? std::span<const std::byte>(*file) : std::span<const std::byte>());
  if (!file || !other.empty()) {
    faults.Add(
        fmt::format("{}: {}", path.string(), other.empty() ? "cannot be read: " + reason : other));
    return nullptr;
  }
  return Of(*file, path.string(), faults);
}

std::unique_ptr<LoadedModel> LoadedModel::Of(std::span<const std::byte> file,
                                             const std::string& name, Faults& faults) {
  std::unique_ptr<LoadedModel> model(new LoadedModel(file));
  model->file_ = name;
  if (const Fault fault = ReadNeeds(model->bytes(), &model->needs_); !fault.ok()) {
    faults.Add(fault.code == FaultCode::kModelShort
                   ? fmt::format("{}: is not a weft model: has only {} bytes", name, file.size())
                   : FaultLine(name, fault));
    return nullptr;
  }
  const uint64_t is = Checksum(model->bytes()), must = StoredChecksum(model->bytes());
  if (is != must) {
    faults.Add(
        fmt::format("{}: bytes changed since conversion: checksum is {:016x}; must be {:016x}, so "
                    "convert again",
                    model->file_, is, must));
    return nullptr;
  }
  return model;
}

const format::Model& LoadedModel::root() const { return *format::GetModel(bytes_.data()); }

bool LoadedModel::Open(Faults& faults, StepTable steps) {
  const Fault fault = own_.Open(bytes(), needs_, steps);
  if (!fault.ok()) {
    faults.Add(FaultLine(file_, fault));
    return false;
  }
  const std::vector<std::string> lines = inspect::FileFaults(bytes());
  for (const std::string& line : lines) faults.Add(fmt::format("{}: {}", file_, line));
  if (!lines.empty()) return false;
  inputs_ = PortsOf(root(), root().inputs(), "input");
  outputs_ = PortsOf(root(), root().outputs(), "output");
  Streams streams;
  const bool has_streams = Streams::Open(bytes(), {nullptr, needs_.state_bytes}, &streams).ok();
  for (ModelPort& port : inputs_) port.has_streams = has_streams;
  for (ModelPort& port : outputs_) port.has_streams = has_streams;
  const auto rows = format::RowsOf(root().streamed_ports());
  for (uint32_t i = 0; i < rows.count && rows.count == inputs_.size() + outputs_.size(); ++i) {
    if (rows[i].time() != format::PortTime::steps) continue;
    ModelPort& port = i < inputs_.size() ? inputs_[i] : outputs_[i - inputs_.size()];
    if (rows[i].axis() < port.type.dims.size()) port.time_axis = rows[i].axis();
  }
  return true;
}

}  // namespace weft::cli
