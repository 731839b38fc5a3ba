// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/call_files.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "converter/base/file_identity.h"
#include "converter/base/files.h"
#include "converter/base/links.h"
#include "converter/base/paths.h"
#include "converter/base/visible.h"
#include "converter/emit/c_source.h"

namespace weft::cli {
namespace {

using std::filesystem::path;

// The file's number, or else the number of its deepest existing folder with the names below it.
std::string IdentityOf(const path& file) {
  if (const std::optional<std::string> number = FileNumber(file)) return *number;
  std::error_code error;
  path folder = std::filesystem::absolute(FollowLinks(file), error);
  if (error) folder = file;  // the working directory was deleted
  path below;
  // Ends the traversal of cyclic links.
  constexpr int kMaxSteps = 256;
  for (int i = 0; i < kMaxSteps && folder.has_relative_path(); ++i) {
    if (const std::optional<std::string> number = FileNumber(folder)) {
      return fmt::format("{}/{}", *number, NameKey(below.lexically_normal()));
    }
    // A folder that does not exist yet may be the target of a dangling link.
    const path next = FollowLinks(folder);
    if (next != folder) {
      folder = next;
      continue;
    }
    below = below.empty() ? folder.filename() : folder.filename() / below;
    folder = folder.parent_path();
  }
  return "/" + NameKey(below.lexically_normal());
}

}  // namespace

std::string FileNameOf(const std::string& port_name) {
  std::string name;
  for (const char c : port_name) {
    const bool unfit = static_cast<unsigned char>(c) < 0x20 || c == 0x7F ||
                       std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos;
    name += unfit ? '_' : c;
  }
  if (name.empty() || name[0] == '.') name.insert(name.begin(), '_');
  constexpr size_t kLongestBytes = 200;  // file systems allow 255, including .npy and an index
  return std::string(PrefixOf(name, kLongestBytes));
}

std::vector<std::string> DistinctFileNames(const std::vector<std::string>& names) {
  std::multiset<std::string> known;
  for (const std::string& name : names) known.insert(FileNameOf(name));
  std::vector<std::string> files;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string& file = files.emplace_back(FileNameOf(names[i]));
    if (known.count(file) > 1) {
      do file += fmt::format("_{}", i);
      while (known.count(file) > 0);  // the file of another port
      known.insert(file);
    }
  }
  return files;
}

std::optional<std::vector<std::byte>> BytesOfStream(const path& model) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(model, error);
  if (!std::filesystem::is_other(status) || std::filesystem::is_socket(status)) return std::nullopt;
  std::string reason;
  return ReadFile(model, &reason);
}

bool MakeFolders(const std::string& folder, Faults& faults, bool* made) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(FollowLinks(PathOf(folder)), error);
  if (made != nullptr) *made = is_new;
  if (error) faults.Add(fmt::format("{}: cannot be created: {}", folder, error.message()));
  return !error;
}

std::string CheckCSourceName(const std::string& value) {
  const path file = PathOf(value);
  const std::string is = fmt::format("is \"{}\"; ", OneLine(value));
  if (file.filename() == ".c") return is + "must have a name before .c";
  if (file.extension() != ".c") return is + "must end in .c";
  if (emit::CanBeIncluded(file.stem().string())) return {};
  return is + "must be a name that #include accepts, without \" \\ and ??";
}

path HeaderOf(const path& c_source) { return path(c_source).replace_extension(".h"); }

void CallFiles::Add(std::string& role, const path& path, bool written, bool is_folder) {
  files_.push_back(
      {std::move(role), path, written, is_folder, path.empty() ? "" : IdentityOf(path)});
}

void CallFiles::MakesFolder(const std::string& role, const path& folder) {
  // A name that ends with a slash has an empty last component.
  path name = folder.has_filename() ? folder : folder.parent_path();
  for (; !name.empty() && name.has_relative_path(); name = name.parent_path()) {
    std::string own = role;
    Add(own, name, true, true);
  }
}

void CallFiles::Check(Faults& call) const {
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].path.empty()) call.Add(files_[i].role + ": is empty; must be a name");
    if (files_[i].path.empty() || !files_[i].written) continue;
    for (size_t k = 0; k < files_.size(); ++k) {
      const File &file = files_[i], &other = files_[k];
      // A folder cannot replace an existing input.
      if (file.is_folder && (other.is_folder || !other.written)) continue;
      if (k == i || file.identity != other.identity || (other.written && k > i)) continue;
      call.Add(file.path == other.path
                   ? fmt::format("{}: is {} and {}; must be two files", file.path.string(),
                                 other.role, file.role)
                   : fmt::format("{}: is {} and, as {}, {}; must be two files", file.path.string(),
                                 file.role, other.path.string(), other.role));
      break;
    }
  }
}

}  // namespace weft::cli
