// SPDX-License-Identifier: Apache-2.0
//
// A complete file, mapped read-only during the lifetime of the object. The mapping starts at a
// page, so a model is aligned, and only the pages that a run reads are loaded. An empty file cannot
// be mapped.

#ifndef WEFT_EXAMPLES_DTMF_FILE_H_
#define WEFT_EXAMPLES_DTMF_FILE_H_

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

namespace dtmf {

class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (data_ != nullptr) munmap(data_, size_);
  }

  // Call once. On failure returns false, leaves the object empty and sets errno.
  bool Open(const char* path) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct stat status = {};
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
      const size_t size = static_cast<size_t>(status.st_size);
      void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (data != MAP_FAILED) {
        data_ = data;
        size_ = size;
      }
    }
    close(descriptor);
    return data_ != nullptr;
  }

  const void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace dtmf

#endif  // WEFT_EXAMPLES_DTMF_FILE_H_
