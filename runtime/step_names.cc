// SPDX-License-Identifier: Apache-2.0
// Kind and layer of a step, for profiles. A separate object file, which firmware without a profile
// does not link.
#include "runtime/c_engine.h"
#include "runtime/format/listing.h"

namespace weft {

uint32_t Engine::step_count() const {
  return model_ == nullptr ? 0 : format::RowsOf(model_->steps()).count;
}

const char* Engine::step_kind(uint32_t step) const {
  if (step >= step_count()) return nullptr;
  return format::NameOf(static_cast<format::Kind>(format::RowsOf(model_->steps())[step].kind()));
}

const char* Engine::step_layer(uint32_t step) const {
  if (step >= step_count()) return nullptr;
  const format::Rows<uint32_t> names = format::RowsOf(model_->step_names());
  if (step >= names.count || names[step] == format::kNoSlot) return nullptr;
  return model_->names()->Get(names[step])->c_str();
}

}  // namespace weft

extern "C" {

void weft_set_profile(weft_engine* engine, const weft_profile* profile) {
  static_assert(sizeof(weft_profile) == sizeof(weft::Profile),
                "both structs must have the same layout");
  weft::Engine loaded = weft::Load(engine);
  loaded.SetProfile(reinterpret_cast<const weft::Profile*>(profile));
  weft::Store(loaded, engine);
}

uint32_t weft_step_count(const weft_engine* engine) { return weft::Load(engine).step_count(); }
const char* weft_step_kind(const weft_engine* engine, uint32_t step) {
  return weft::Load(engine).step_kind(step);
}
const char* weft_step_layer(const weft_engine* engine, uint32_t step) {
  return weft::Load(engine).step_layer(step);
}

}  // extern "C"
