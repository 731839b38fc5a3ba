// SPDX-License-Identifier: Apache-2.0
#include "converter/base/file_kind.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

#include "converter/base/shell_word.h"

namespace weft {
namespace {

using std::filesystem::path;

// A Python string literal for a program in double quotes of a shell.
std::string PythonWord(const std::string& text) {
  std::string word = "'";
  for (const char c : text) {
    if (std::string_view("\\\"'`$").find(c) != std::string_view::npos) word += '\\';
    word += c;
  }
  return word + "'";
}

// Name of the IR that ovc writes: in the working folder, with the stem of its input.
std::string IrOf(const path& file) { return file.stem().string() + ".xml"; }

std::string ByOvc(const path& file) {
  return fmt::format("ovc {} --compress_to_fp16=False && weft convert {}", ShellWord(file.string()),
                     ShellWord(IrOf(file)));
}

std::string ByPython(const path& file, std::string_view imports, std::string_view load) {
  return fmt::format(
      "python3 -c \"import {}, openvino; openvino.save_model(openvino.convert_model({}({})), {}, "
      "compress_to_fp16=False)\" && weft convert {}",
      imports, load, PythonWord(file.string()), PythonWord(IrOf(file)), ShellWord(IrOf(file)));
}

std::string ByTorchScript(const path& file) { return ByPython(file, "torch", "torch.jit.load"); }
std::string ByTorchExport(const path& file) { return ByPython(file, "torch", "torch.export.load"); }

// The archive contains parameters, and possibly objects whose classes only the model's program
// defines.
std::string ByTorchProgram(const path& file) {
  return fmt::format(
      "openvino.save_model(openvino.convert_model(model, example_input=x), {}, "
      "compress_to_fp16=False) in the program that has the model's class",
      PythonWord(IrOf(file)));
}

std::string ByKeras(const path& file) {
  const std::string folder = file.stem().string();
  return fmt::format("python3 -c \"import keras; keras.models.load_model({}).export({})\" && {}",
                     PythonWord(file.string()), PythonWord(folder), ByOvc(folder));
}

std::string ByWeft(const path& file) {
  return fmt::format("weft convert {}", ShellWord(file.string()));
}

struct Kind {
  std::string_view what;
  std::string (*command)(const path&);  // converts to a model.weft; null: no such command
};

bool HasAt(std::string_view bytes, size_t offset, std::string_view mark) {
  return bytes.size() >= offset + mark.size() && bytes.substr(offset, mark.size()) == mark;
}

// Returns true for a protobuf message that starts with ir_version and another field of ModelProto.
bool IsOnnx(std::string_view bytes) {
  if (bytes.size() < 3 || bytes[0] != '\x08' || bytes[1] < 1 || bytes[1] > 40) return false;
  constexpr std::string_view kFields = "\x12\x1a\x22\x28\x32\x3a\x42\x72\xa2\xca";
  return kFields.find(bytes[2]) != std::string_view::npos;
}

// Recognises archives by the names of their members, which are plain text in the directory.
Kind KindOfArchive(std::string_view bytes) {
  const auto holds = [&](std::string_view name) { return bytes.find(name) != bytes.npos; };
  if (holds("model.weights.h5") || (holds("metadata.json") && holds("config.json"))) {
    return {"a Keras archive", ByKeras};
  }
  if (holds("/code/") || holds("constants.pkl")) return {"a TorchScript archive", ByTorchScript};
  if (holds("models/model.json") || holds("serialized_exported_program")) {
    return {"an exported program of PyTorch", ByTorchExport};
  }
  if (holds("data.pkl")) return {"a PyTorch archive", ByTorchProgram};
  if (holds(".npy")) return {"an archive of NumPy arrays", nullptr};
  return {"a ZIP archive", nullptr};
}

Kind KindOf(const path& file, std::string_view bytes) {
  std::error_code none;
  if (std::filesystem::exists(file / "saved_model.pb", none)) {
    return {"a TensorFlow SavedModel", ByOvc};
  }
  if (HasAt(bytes, 4, "WEFT")) return {"a model of weft", nullptr};
  if (HasAt(bytes, 4, "TFL3")) return {"a TensorFlow Lite model", ByWeft};
  if (HasAt(bytes, 0, "PK\x03\x04")) return KindOfArchive(bytes);
  if (HasAt(bytes, 0, "\x89HDF\r\n\x1a\n")) return {"an HDF5 file, as Keras saves", ByKeras};
  if (HasAt(bytes, 0, "\x93NUMPY")) return {"a NumPy array", nullptr};
  if (HasAt(bytes, 0, "\x80\x02") || HasAt(bytes, 0, "\x80\x04")) {
    return {"a Python pickle, as PyTorch once saved", ByTorchProgram};
  }
  if (IsOnnx(bytes)) return {"an ONNX model", ByOvc};
  if (!bytes.empty() && file.extension() == ".bin") {
    return {"the weights of an IR, by its name", nullptr};
  }
  return {};
}

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool LooksLikeXml(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '<';
}

std::string FaultOf(const path& file, const Kind& kind, std::string_view must) {
  if (kind.command == nullptr) return fmt::format("is {}; must be {}", kind.what, must);
  return fmt::format("is {}; must be {}, as made by: {}", kind.what, must, kind.command(file));
}

}  // namespace

std::string NotAnIr(const path& file, std::span<const std::byte> bytes) {
  const std::string_view text = Text(bytes);
  if (LooksLikeXml(text)) return "";
  const Kind kind = KindOf(file, text);
  return kind.what.empty() ? "" : FaultOf(file, kind, "the XML of an OpenVINO IR");
}

std::string NotATflite(const path& file, std::span<const std::byte> bytes) {
  const std::string_view text = Text(bytes);
  if (HasAt(text, 4, "TFL3")) return "";
  constexpr std::string_view kMust = "a TensorFlow Lite model";
  if (text.empty()) return FaultOf(file, {"an empty file", nullptr}, kMust);
  if (LooksLikeXml(text)) {
    const bool is_ir = text.find("<net") != text.npos;
    return FaultOf(file, {is_ir ? "an OpenVINO IR" : "XML", nullptr},
                   is_ir ? "renamed to .xml" : kMust);
  }
  const Kind kind = KindOf(file, text);
  const std::string_view what = kind.what.empty() ? "a file without \"TFL3\" at byte 4" : kind.what;
  return FaultOf(file, {what, nullptr}, kMust);
}

std::string NotAModel(const path& file, std::span<const std::byte> bytes) {
  const std::string_view text = Text(bytes);
  if (HasAt(text, 4, "WEFT")) return "";
  if (LooksLikeXml(text) && text.find("<net") != text.npos) {
    return FaultOf(file, {"an OpenVINO IR", ByWeft}, "a model.weft");
  }
  const Kind kind = LooksLikeXml(text) ? Kind() : KindOf(file, text);
  return kind.what.empty() ? "" : FaultOf(file, kind, "a model.weft");
}

}  // namespace weft
