// SPDX-License-Identifier: Apache-2.0
// A model.weft in memory, checked before anything looks into it: its header, its checksum and, by
// Open, every rule. Owns the file's bytes and the memory of one engine.
#ifndef WEFT_CONVERTER_CLI_LOADED_MODEL_H_
#define WEFT_CONVERTER_CLI_LOADED_MODEL_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/base/element_type.h"
#include "converter/base/faults.h"
#include "runtime/weft.h"

namespace weft::cli {

struct ModelPort {
  TensorType type;  // an axis of run-time length shows its maximum
  std::vector<std::string> names;
  bool has_length = false;  // known at run time only, along length_axis
  uint32_t length_axis = 0;
  std::optional<uint32_t> time_axis;  // of a model that --streaming has cut
  std::string display_name;           // the first name, or "input 0" in a file without names
};

// An engine on memory of its own.
class OwnEngine {
 public:
  // The model's bytes, of which ReadNeeds has made `needs`, must outlive the engine.
  Fault Open(weft::Bytes model, const Needs& needs, StepTable steps = AllSteps());
  Engine& engine() { return engine_; }
  // What it keeps between runs; of an engine that is open.
  std::span<std::byte> state() { return {memory_[0].data(), memory_[0].size()}; }

 private:
  std::vector<AlignedBytes> memory_;
  Engine engine_;
};

class LoadedModel {
 public:
  // Null, with faults, when the file cannot be read, is no model of this version, or has changed
  // since its conversion.
  static std::unique_ptr<LoadedModel> Load(const std::filesystem::path& path, Faults& faults);

  // The same of a file's bytes; `name` stands for its path in messages.
  static std::unique_ptr<LoadedModel> Of(std::span<const std::byte> file, const std::string& name,
                                         Faults& faults);

  // Checks every rule and opens the engine on fresh memory. False, with a fault, when the file
  // breaks one.
  bool Open(Faults& faults, StepTable steps = AllSteps());

  const std::string& file() const { return file_; }
  Bytes bytes() const { return {bytes_.data(), bytes_.size()}; }
  const format::Model& root() const;
  const Needs& needs() const { return needs_; }
  Engine& engine() { return own_.engine(); }
  std::span<std::byte> state() { return own_.state(); }
  // One run; false, with a fault that names the loop's layer, when a loop reached its maximum.
  bool Run(Faults& faults) { return Run(engine(), faults); }
  // The same of another engine that was opened on these bytes.
  bool Run(Engine& engine, Faults& faults) const;
  // Of a model that is open.
  const std::vector<ModelPort>& inputs() const { return inputs_; }
  const std::vector<ModelPort>& outputs() const { return outputs_; }

 private:
  explicit LoadedModel(size_t size) : bytes_(size) {}

  std::string file_;
  AlignedBytes bytes_;
  Needs needs_;
  OwnEngine own_;
  std::vector<ModelPort> inputs_, outputs_;
};

// The runtime's words for a fault, after the file's name.
std::string FaultLine(const std::string& file, const Fault& fault);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_LOADED_MODEL_H_
