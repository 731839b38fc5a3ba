// SPDX-License-Identifier: Apache-2.0
// The folder of `weft convert --evidence`: what a safety review needs to know about one model. All
// files are computed before the first one is written.
#ifndef WEFT_CONVERTER_CLI_EVIDENCE_H_
#define WEFT_CONVERTER_CLI_EVIDENCE_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/base/files.h"
#include "converter/base/json.h"

namespace weft::cli {

struct EvidenceInput {
  std::string model;                 // name of the model file, without folder
  std::span<const std::byte> file;   // its bytes
  Json options;                      // GivenOptions
  std::vector<std::string> sources;  // files that the conversion read
  Json conversion;                   // facts of conversion_facts.h
};

struct EvidenceFile {
  std::string name;  // relative to the folder
  std::string text;
  std::string explanation;
};

// Returns all files; empty if a fault was added. A violated rule of the model is no fault: the
// checks report it.
std::vector<EvidenceFile> EvidenceOf(const EvidenceInput& input, Faults& faults);

// Creates the folders of the files. Until Keep is called, its destruction removes the created
// folders that are empty.
class EvidenceFolder {
 public:
  explicit EvidenceFolder(std::filesystem::path path) : path_(std::move(path)) {}
  EvidenceFolder(const EvidenceFolder&) = delete;
  EvidenceFolder& operator=(const EvidenceFolder&) = delete;
  ~EvidenceFolder();

  // Adds a fault unless the folder is absent, empty, or was written by --evidence.
  void Check(Faults& faults);
  // Creates the folders, and adds the files to `to`. `files` must outlive the call of WriteFiles.
  void Prepare(const std::vector<EvidenceFile>& files, std::vector<FileToWrite>& to,
               Faults& faults);
  // After the files are written: removes the files of an earlier --evidence that are not replaced.
  void Keep(const std::vector<EvidenceFile>& files);

 private:
  std::filesystem::path path_;
  std::vector<std::string> earlier_;            // names of the earlier files
  std::vector<std::filesystem::path> created_;  // outer folders first
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_EVIDENCE_H_
