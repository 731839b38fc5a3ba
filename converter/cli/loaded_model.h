// SPDX-License-Identifier: Apache-2.0
// A model.weft in memory. Load checks header and checksum, Open checks all rules of the format.
// Owns the file's bytes and the memory of one engine.
#ifndef WEFT_CONVERTER_CLI_LOADED_MODEL_H_
#define WEFT_CONVERTER_CLI_LOADED_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/base/element_type.h"
#include "converter/base/faults.h"
#include "converter/emit/file_engine.h"
#include "runtime/weft.h"

namespace weft::cli {

struct ModelPort {
  TensorType type;  // with the maximum of an axis of run-time length
  std::vector<std::string> names;
  bool has_length = false;  // the length of length_axis is known at run time only
  uint32_t length_axis = 0;
  std::optional<uint32_t> time_axis;  // of a model converted with --streaming
  bool has_streams = false;           // axis 0 is the stream, of a model with --streams
  std::string display_name;           // the first name, or "input 0" in a file without names
};

std::vector<std::string> DisplayNames(const std::vector<ModelPort>& ports);

using emit::OwnEngine;

class LoadedModel {
 public:
  // Returns null and adds faults if the file cannot be read, is not a model of this version, or was
  // changed after its conversion.
  static std::unique_ptr<LoadedModel> Load(const std::filesystem::path& path, Faults& faults);

  // Likewise for the bytes of a file; `name` replaces the path in messages.
  static std::unique_ptr<LoadedModel> Of(std::span<const std::byte> file, const std::string& name,
                                         Faults& faults);

  // Checks all rules of the format and opens the engine on new memory. Returns false and adds a
  // fault if the file breaks a rule.
  bool Open(Faults& faults, StepTable steps = AllSteps());

  const std::string& file() const { return file_; }
  Bytes bytes() const { return {bytes_.data(), bytes_.size()}; }
  const format::Model& root() const;
  const Needs& needs() const { return needs_; }
  Engine& engine() { return own_.engine; }
  std::span<std::byte> state() { return own_.state(); }
  // Runs the model once. Returns false and adds a fault with the layer if a loop reached its
  // maximum number of iterations.
  bool Run(Faults& faults) { return Run(engine(), faults); }
  // Runs another engine that was opened on these bytes.
  bool Run(Engine& engine, Faults& faults) const;
  // Runs `own`, which must be open on these bytes. Also returns false, and adds a fault, for the
  // first NaN or infinity in an output or, unless `outputs_only`, in a variable
  // (Engine::RunChecked). `run` is the number of earlier runs of the stream, for the message, if it
  // is known.
  bool RunChecked(OwnEngine& own, std::optional<int64_t> run, Faults& faults,
                  bool outputs_only = false) const;
  bool RunChecked(int64_t run, Faults& faults, bool outputs_only) {
    return RunChecked(own_, run, faults, outputs_only);
  }
  // The model must be open.
  const std::vector<ModelPort>& inputs() const { return inputs_; }
  const std::vector<ModelPort>& outputs() const { return outputs_; }

 private:
  explicit LoadedModel(std::span<const std::byte> file) : bytes_(file) {}
  bool Passes(const Fault& fault, Faults& faults) const;
  std::string NotFiniteLine(OwnEngine& own, const Fault& fault) const;

  std::string file_;
  AlignedBytes bytes_;
  Needs needs_;
  OwnEngine own_;
  std::vector<ModelPort> inputs_, outputs_;
};

// Returns the checksum of the file as hexadecimal text, which identifies the model in JSON.
std::string ChecksumText(const LoadedModel& model);

// Returns the variable's name; empty in a file without names.
std::string VariableName(const format::Model& model, uint32_t variable);

// Returns "file: " and the runtime's text for the fault.
std::string FaultLine(const std::string& file, const Fault& fault);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_LOADED_MODEL_H_
