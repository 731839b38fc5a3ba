// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/streamed.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "runtime/format/weight_copy.h"

namespace weft::inspect {
namespace {

// Copies rows, because vectors in a file may have an alignment of less than 8.
template <typename T>
std::vector<T> Copied(const flatbuffers::Vector<const T*>* rows) {
  std::vector<T> copies(rows == nullptr ? 0 : rows->size());
  if (!copies.empty()) std::memcpy(copies.data(), rows->Data(), copies.size() * sizeof(T));
  return copies;
}

class Note {
 public:
  explicit Note(const format::Model& model) : model_(model) {
    if (model_.streaming() == nullptr && model_.streamed_ports() == nullptr) return;
    rows_ = Copied(model_.streaming());
    ports_ = Copied(model_.streamed_ports());
    CheckRow();
    CheckPorts();
    if (faults.empty()) note = StreamNote{rows_[0], ports_};
  }

  std::vector<std::string> faults;
  std::optional<StreamNote> note;

 private:
  void Require(bool holds, const std::string& line) {
    if (!holds) faults.push_back(line);
  }

  void CheckRow() {
    Require(rows_.size() == 1, fmt::format("streaming: has {} rows; must have 1", rows_.size()));
    if (rows_.size() != 1) return;
    const format::Streaming& row = rows_[0];
    const double work = row.multiply_adds();
    Require(std::isfinite(work) && (work >= 0 || work == -1),
            fmt::format("streaming: multiply_adds is {}; must be -1 or 0 and more", work));
    const bool is_open = row.all_steps() == 0;
    Require(row.steps() >= 1 && (is_open || row.steps() <= row.all_steps()),
            fmt::format("streaming: a run has {} steps; must have 1 to {}", row.steps(),
                        is_open ? UINT32_MAX : row.all_steps()));
    Require(row.reserved() == 0,
            fmt::format("streaming: reserved is {}; must be 0", row.reserved()));
  }

  void CheckPorts() {
    const auto inputs = format::RowsOf(model_.inputs()), outputs = format::RowsOf(model_.outputs());
    const size_t must = size_t{inputs.count} + outputs.count;
    Require(ports_.size() == must,
            fmt::format("streamed_ports: has {} rows; must have {}", ports_.size(), must));
    if (ports_.size() != must) return;
    for (uint32_t i = 0; i < ports_.size(); ++i) {
      const bool is_input = i < inputs.count;
      CheckPort(i, is_input ? inputs[i] : outputs[i - inputs.count], is_input);
    }
  }

  void CheckPort(uint32_t index, const format::Port& port, bool is_input) {
    const format::StreamedPort& row = ports_[index];
    const format::Slot& slot = format::RowsOf(model_.slots())[port.slot()];
    const std::string who = fmt::format("streamed port {}", index);
    const auto time = static_cast<uint32_t>(row.time());
    const bool is_known = row.time() <= format::PortTime::MAX;
    Require(is_known && !(is_input && row.time() == format::PortTime::so_far),
            fmt::format("{}: time is {}; must be 0 or 1, or 2 for an output", who, time));
    Require(!is_input || row.latency() == 0,
            fmt::format("{}: latency is {}; must be 0 for an input", who, row.latency()));
    Require(row.reserved() == 0, fmt::format("{}: reserved is {}; must be 0", who, row.reserved()));
    if (row.time() != format::PortTime::steps) {
      Require(row.axis() == 0 && row.positions() == 0 && row.all_positions() == 0,
              fmt::format("{}: has {} of {} positions of axis {}; must have none", who,
                          row.positions(), row.all_positions(), row.axis()));
      return;
    }
    const bool has_axis = row.axis() < slot.rank();
    Require(has_axis,
            fmt::format("{}: axis is {}; must be below {}", who, row.axis(), slot.rank()));
    if (!has_axis) return;
    const uint32_t extent = format::RowsOf(model_.dims())[slot.first_dim() + row.axis()];
    Require(row.positions() == extent,
            fmt::format("{}: a run has {} positions; must have {}", who, row.positions(), extent));
    Require(row.all_positions() == 0 || row.all_positions() >= row.positions(),
            fmt::format("{}: the full model has {} positions; must have at least {}", who,
                        row.all_positions(), row.positions()));
  }

  const format::Model& model_;
  std::vector<format::Streaming> rows_;
  std::vector<format::StreamedPort> ports_;
};

}  // namespace

std::vector<std::string> StreamNoteFaults(const format::Model& model) { return Note(model).faults; }

std::optional<StreamNote> StreamNoteOf(const format::Model& model) { return Note(model).note; }

uint64_t VariableBytesOf(const format::Model& model) {
  uint64_t bytes = 0;
  for (const format::Variable& variable : format::RowsOf(model.variables())) {
    const format::Slot& slot = format::RowsOf(model.slots())[variable.slot()];
    if (!format::IsWeightCopy(variable, slot)) bytes += slot.bytes();
  }
  return bytes;
}

}  // namespace weft::inspect
