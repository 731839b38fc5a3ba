// SPDX-License-Identifier: Apache-2.0
// The converter as a library: an OpenVINO IR becomes the bytes of a model.weft. This header needs
// no other one of weft; it asks for C++20. Everything here may throw std::bad_alloc and nothing
// else, and may be called by several threads at once. Of an installed weft it is the CMake target
// weft::converter, after find_package(weft COMPONENTS converter_library).
//
//   const weft::converter::Result result = weft::converter::Convert(xml, weights, {});
//   for (const std::string& line : result.faults) std::cerr << line << '\n';
//   if (result.ok()) Write("model.weft", result.model.file);
#ifndef WEFT_CONVERTER_CONVERT_H_
#define WEFT_CONVERTER_CONVERT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weft::converter {

// Dense, row-major, little-endian. `type` is a word of the IR: "f32", "i64", "boolean".
struct Array {
  std::string type;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
};

// An output of a layer, by the layer's id in the IR and the index among its outputs.
struct LayerOutput {
  int64_t layer = -1;
  uint32_t port = 0;
};

// Which of the plans that fit is taken.
enum class Aim : uint8_t {
  kBalanced,  // the fastest of at most twice the smallest
  kSmallest,
  kFastest,
};

// What `weft convert --help` says of the options of these names holds here. Ports are named by any
// of their names, or by their index.
struct Options {
  std::string name = "model.xml";                           // of the IR, for messages
  std::map<std::string, std::vector<int64_t>> shapes;       // of inputs
  std::map<std::string, Array> values;                      // of inputs that become constants
  std::vector<std::pair<std::string, std::string>> states;  // an input and an output each
  std::optional<int64_t> streaming_steps;                   // of the time axis in one run
  std::vector<std::pair<std::string, int64_t>> time_axes;   // with streaming_steps only
  std::string precision = "auto";                           // of the weights of products
  std::map<std::string, std::string> layer_precisions;      // exceptions, by layer
  std::optional<int64_t> arena_budget_bytes;                // most bytes of scratch
  Aim arena_aim = Aim::kBalanced;                           // without a budget
  int64_t max_iterations = 0;                               // 0: refuse loops without an end
  int64_t fold_budget_bytes = int64_t{1} << 30;             // of constants computed ahead
  uint32_t self_test_runs = 0;
  std::vector<LayerOutput> layer_outputs;  // further outputs, behind those of the model
};

// Sizes are bytes.
struct Model {
  std::vector<std::byte> file;
  int64_t weights_bytes = 0, state_bytes = 0, scratch_bytes = 0, self_test_bytes = 0;
  int64_t f16_weights = 0;  // numbers of the IR's constants that it holds as f16
};

// Lines read `where: who: what is; what must be`; all that was found in one call.
struct Result {
  Model model;  // empty unless ok
  std::vector<std::string> faults, warnings;
  bool ok() const { return faults.empty(); }
};

// The IR lies in memory; its bytes, and those of `options`, must outlive the call alone.
Result Convert(std::span<const std::byte> xml, std::span<const std::byte> weights,
               const Options& options);

// The IR of a path; `weights` may be empty: the .bin beside it. Options::name is not used.
Result ConvertFile(const std::filesystem::path& model, const std::filesystem::path& weights,
                   const Options& options);

// Texts of name.c and name.h, as `weft convert --c-source` writes them.
struct CSource {
  std::string header, source;
};

// Of a file that Convert has made, or that an engine opens. `name` begins all identifiers; nothing
// for a name that no #include can hold.
std::optional<CSource> WriteCSource(std::span<const std::byte> file, const std::string& name);

}  // namespace weft::converter

#endif  // WEFT_CONVERTER_CONVERT_H_
