// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstring>
#include <set>

#include "converter/base/files.h"
#include "converter/base/packed.h"
#include "converter/base/visible.h"

namespace weft::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeRow {
  ElementType type;
  std::string_view name;  // "" if .npy has no such type
};
// Files hold the bits of bf16 as uint16; no port has type u16.
constexpr std::string_view FileType(ElementType type, std::string_view npy) {
  return type == ElementType::bf16 ? "<u2" : npy;
}
constexpr TypeRow kTypes[] = {
#define WEFT_TYPE(name, Name, bits, is_float, legacy, npy) \
  {ElementType::name, FileType(ElementType::name, npy)},
#include "kernels/types.inc"
#undef WEFT_TYPE
};

// The header is a Python dictionary of one string, one bool and one tuple of integers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::string descr;
  bool fortran_order = false;
  Dims shape;

  bool Parse() {
    bool has_descr = false, has_order = false, has_shape = false;
    std::set<std::string> keys;
    if (!Take('{')) return false;
    while (!Take('}')) {
      const std::optional<std::string> key = String();
      if (!key || !Take(':') || !keys.insert(*key).second) return false;
      if (*key == "descr") {
        const std::optional<std::string> value = String();
        has_descr = value.has_value();
        descr = value.value_or("structured");
        if (!value) return true;  // a list of fields; reported by this name
      } else if (*key == "fortran_order") {
        has_order = Bool();
      } else if (*key == "shape") {
        has_shape = Tuple();
      } else {
        return false;
      }
      if (!Take(',') && !Peek('}')) return false;
    }
    SkipBlanks();
    return has_descr && has_order && has_shape && text_.empty();
  }

 private:
  void SkipBlanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t')) {
      text_.remove_prefix(1);
    }
  }
  bool Peek(char c) {
    SkipBlanks();
    return !text_.empty() && text_[0] == c;
  }
  bool Take(char c) {
    if (!Peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool Take(std::string_view word) {
    SkipBlanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> String() {
    const char quote = Peek('"') ? '"' : '\'';
    if (!Take(quote)) return std::nullopt;
    const size_t end = text_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return value;
  }
  bool Bool() {
    fortran_order = Take("True");
    return fortran_order || Take("False");
  }
  bool Tuple() {
    if (!Take('(')) return false;
    while (!Take(')')) {
      SkipBlanks();
      int64_t dim = 0;
      const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), dim);
      if (error != std::errc() || dim < 0) return false;
      text_.remove_prefix(static_cast<size_t>(stop - text_.data()));
      shape.push_back(dim);
      if (Take(',')) continue;
      // "(3)" is a number; the tuple is "(3,)".
      return shape.size() > 1 && Take(')');
    }
    return true;
  }

  std::string_view text_;
};

std::optional<ElementType> TypeOf(const std::string& descr, std::string* reason) {
  for (const TypeRow& row : kTypes) {
    // Byte order does not matter to single bytes and "=" is this machine's, which is little endian.
    const std::string_view orders = row.name[0] == '|' ? "|<=>" : "<=";
    if (row.name.empty() || descr.empty() || descr.substr(1) != row.name.substr(1)) continue;
    if (orders.find(descr[0]) != std::string_view::npos) return row.type;
    if (descr[0] != '>') break;
    *reason = fmt::format("is big endian ({}); must be little endian", descr);
    return std::nullopt;
  }
  std::string names;
  for (const TypeRow& row : kTypes) {
    if (!row.name.empty()) names.append(names.empty() ? "" : " ").append(row.name);
  }
  *reason = fmt::format("has elements of type \"{}\"; must be one of {}", OneLine(descr), names);
  return std::nullopt;
}

// The part of a file before the array's data.
struct Head {
  TensorType type;
  size_t head_bytes = 0;             // offset of the data
  std::optional<size_t> data_bytes;  // nullopt if too many
};

// The header's text and the offset of its end.
struct HeaderText {
  std::string_view text;
  size_t end = 0;
};

std::optional<HeaderText> FindHeader(std::string_view file, std::string* reason) {
  const auto byte_at = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(file[i]));
  };
  if (file.size() < 10 || !file.starts_with(kMagic)) {
    *reason = "is not a .npy file; must be an array that numpy.save wrote";
    return std::nullopt;
  }
  const size_t version = byte_at(6), minor = byte_at(7);
  const size_t prefix = version == 1 ? 10 : 12;
  if (version < 1 || version > 3 || minor != 0) {
    *reason = fmt::format("is of .npy version {}{}; must be 1, 2 or 3", version,
                          minor == 0 ? "" : fmt::format(".{}", minor));
    return std::nullopt;
  }
  size_t header_bytes = byte_at(8) | byte_at(9) << 8;
  if (version > 1 && file.size() >= prefix) header_bytes |= byte_at(10) << 16 | byte_at(11) << 24;
  if (file.size() < prefix || header_bytes > file.size() - prefix) {
    *reason = fmt::format("ends inside its header; must have {} more bytes",
                          prefix + header_bytes - file.size());
    return std::nullopt;
  }
  return HeaderText{file.substr(prefix, header_bytes), prefix + header_bytes};
}

std::optional<Head> ParseHead(std::span<const std::byte> bytes, std::string* reason) {
  const std::optional<HeaderText> found =
      FindHeader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, reason);
  if (!found) return std::nullopt;
  HeaderParser header(found->text);
  if (!header.Parse()) {
    *reason = "has a header that is not a dictionary of descr, fortran_order and shape";
    return std::nullopt;
  }
  const std::optional<ElementType> type = TypeOf(header.descr, reason);
  if (!type) return std::nullopt;
  if (header.fortran_order) {
    *reason = "is in Fortran order; must be in C order (numpy.ascontiguousarray)";
    return std::nullopt;
  }
  Head head{.type = {*type, header.shape}, .head_bytes = found->end, .data_bytes = {}};
  if (const std::optional<int64_t> data = DenseBytes(head.type)) {
    head.data_bytes = static_cast<size_t>(*data);
  }
  return head;
}

std::string WrongSize(const Head& head, size_t data_bytes) {
  return fmt::format(
      "holds {} bytes of data; {} must have {}", data_bytes, ToString(head.type),
      head.data_bytes ? fmt::format("{}", *head.data_bytes) : "less than 4294967296");
}

}  // namespace

bool IsNpy(std::span<const std::byte> file) {
  return std::string_view(reinterpret_cast<const char*>(file.data()), file.size())
      .starts_with(kMagic);
}

std::optional<Array> ParseNpy(std::vector<std::byte> file, std::string* reason) {
  const std::optional<Head> head = ParseHead(file, reason);
  if (!head) return std::nullopt;
  const size_t data_bytes = file.size() - head->head_bytes;
  if (head->data_bytes != data_bytes) {
    *reason = WrongSize(*head, data_bytes);
    return std::nullopt;
  }
  file.erase(file.begin(), file.begin() + static_cast<ptrdiff_t>(head->head_bytes));
  return Array{.type = head->type, .bytes = std::move(file)};
}

std::optional<Array> ParseFirstNpy(std::span<const std::byte> bytes, size_t* used_bytes,
                                   std::string* reason) {
  const std::optional<Head> head = ParseHead(bytes, reason);
  if (!head) return std::nullopt;
  const std::span<const std::byte> rest = bytes.subspan(head->head_bytes);
  if (!head->data_bytes || *head->data_bytes > rest.size()) {
    *reason = WrongSize(*head, rest.size());
    return std::nullopt;
  }
  const std::span<const std::byte> data = rest.first(*head->data_bytes);
  *used_bytes = head->head_bytes + data.size();
  return Array{.type = head->type, .bytes = {data.begin(), data.end()}};
}

std::optional<Array> ReadNpy(const std::filesystem::path& path, std::string* reason) {
  std::optional<std::vector<std::byte>> file = ReadFile(path, reason);
  if (!file) {
    *reason = "cannot be read: " + *reason;
    return std::nullopt;
  }
  return ParseNpy(std::move(*file), reason);
}

void TakePackedBytes(const TensorType& port, Array& array) {
  TensorType one = array.type;
  const bool per_call = one.dims.size() == 2;
  if (per_call) one.dims.erase(one.dims.begin());
  if (!ArePackedBytes(one, port)) return;
  one = port;
  if (per_call) one.dims.insert(one.dims.begin(), array.type.dims[0]);
  array.type = std::move(one);
}

Array ToPackedBytes(Array array, size_t dims) {
  if (!IsPacked(array.type.type)) return array;
  const auto bytes = static_cast<int64_t>(array.bytes.size());
  const bool per_call = array.type.dims.size() > dims;
  const int64_t calls = per_call ? array.type.dims[0] : 1;
  array.type = {ElementType::u8, {calls == 0 ? 0 : bytes / calls}};
  if (per_call) array.type.dims.insert(array.type.dims.begin(), calls);
  return array;
}

std::string_view NpyName(ElementType type) { return kTypes[static_cast<size_t>(type)].name; }

std::vector<std::byte> NpyBytes(const Array& array) {
  const Dims& dims = array.type.dims;
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  NpyName(array.type.type), fmt::join(dims, ", "), dims.size() == 1 ? "," : "");
  // Data begins on a multiple of 64 bytes; the header ends in a line break.
  const size_t used = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - used % 64) % 64, ' ').append("\n");
  std::string file(kMagic);
  file.append({'\x01', '\x00', static_cast<char>(header.size() & 0xFF),
               static_cast<char>(header.size() >> 8)});
  file += header;
  std::vector<std::byte> bytes(file.size() + array.bytes.size());
  std::memcpy(bytes.data(), file.data(), file.size());
  if (!array.bytes.empty())
    std::memcpy(bytes.data() + file.size(), array.bytes.data(), array.bytes.size());
  return bytes;
}

}  // namespace weft::cli
