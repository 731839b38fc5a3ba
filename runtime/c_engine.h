// SPDX-License-Identifier: Apache-2.0
// The values of the C interface, which passes an engine as plain bytes.
#ifndef WEFT_RUNTIME_C_ENGINE_H_
#define WEFT_RUNTIME_C_ENGINE_H_

#include <cstring>
#include <type_traits>

#include "runtime/weft.h"
#include "runtime/weft_c.h"

namespace weft {

static_assert(std::is_trivially_copyable<Engine>::value && sizeof(Engine) <= sizeof(weft_engine),
              "an engine is passed as plain bytes");

inline Engine Load(const weft_engine* engine) {
  Engine loaded;
  std::memcpy(static_cast<void*>(&loaded), engine, sizeof(loaded));
  return loaded;
}

inline void Store(const Engine& engine, weft_engine* out) {
  std::memcpy(out, static_cast<const void*>(&engine), sizeof(engine));
}

inline weft_fault ToC(const Fault& fault) {
  return {static_cast<uint16_t>(fault.code),
          fault.kind,
          fault.operand,
          fault.index,
          fault.is,
          fault.must};
}

}  // namespace weft

#endif  // WEFT_RUNTIME_C_ENGINE_H_
