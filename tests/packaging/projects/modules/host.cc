// SPDX-License-Identifier: Apache-2.0
// host global|local MODULE...: loads the modules in order and calls runs() of each that defines it.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

int main(int count, char** words) {
  const int scope = std::strcmp(words[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
  for (int i = 2; i < count; ++i) {
    void* const module = dlopen(words[i], RTLD_NOW | scope);
    if (module == nullptr) {
      std::printf("%s\n", dlerror());
      return 1;
    }
    const auto runs = reinterpret_cast<bool (*)()>(dlsym(module, "runs"));
    if (runs != nullptr) std::printf("%s;", runs() ? "runs" : "fails");
  }
  std::printf("\n");
}
