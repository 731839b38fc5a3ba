// SPDX-License-Identifier: Apache-2.0
// weft: runs a model.weft in fixed memory. This header is the complete public C++ interface.
//
// The caller owns every byte: the model, the state and the scratch. The model is read only and may
// be in flash or in a mapped file. The state is kept between runs; it is plain bytes that may be
// saved, restored and moved. The scratch is free between runs and may be shared by any number of
// engines that do not run at the same time. Nothing here allocates, throws, blocks or keeps a
// pointer beyond the Engine. The model is const and shared; one Engine is used by one thread at a
// time.
//
// Open needs time in proportion to the file and the state. Run time depends on the model: a valid
// file may loop for hours. A host that runs untrusted files should reject those with too large a
// MaxSteps, and needs a watchdog as well because a single step may also be long.
//
// clang-format off
//   weft::Needs needs;
//   weft::Fault fault = weft::ReadNeeds({model, model_bytes}, &needs);  // before any memory exists
//   weft::Memory memory = {{state, needs.state_bytes}, {scratch, needs.scratch_bytes}};
//   weft::Engine engine;
//   if (fault.ok()) {
//     fault = weft::Engine::Open({model, model_bytes}, weft::AllSteps(), memory, &engine);
//   }
//   if (fault.ok()) { FillInput(engine.input(0)); fault = engine.Run(); Use(engine.output(0)); }
// clang-format on
#ifndef WEFT_RUNTIME_WEFT_H_
#define WEFT_RUNTIME_WEFT_H_

#include <cstddef>
#include <cstdint>

#include "runtime/format/fault.h"
#include "runtime/version.h"

namespace weft {

inline constexpr uint32_t kFormatVersion = 3;
inline constexpr uint32_t kMaxRank = 8;
inline constexpr uint32_t kModelAlignment = 64;   // of the model's first byte
inline constexpr uint32_t kMemoryAlignment = 64;  // of state and scratch: at most this, see Needs
inline constexpr uint32_t kMaxScratchRegions = 4;

// Read-only bytes that the caller owns.
struct Bytes {
  const void* data = nullptr;
  size_t size = 0;
};

// Writable bytes that the caller owns.
struct Block {
  void* data = nullptr;
  size_t bytes = 0;
};

// The first Needs::state_bytes bytes of `state` are everything that a stream keeps between runs. A
// copy of them saves the stream; copied back into any engine of the same model file, it resumes. It
// also resumes in an engine of another file that `weft convert --streaming=N` created from the same
// model.xml, with any N: the state layouts are equal ("layout" of `weft inspect`) and the outputs
// are bit-identical to those of a single file. The bytes carry no mark of their model. With the
// bytes of another model, or with only a part of them, results are undefined, but no access leaves
// the memory. The caller must not copy more bytes than the block holds.
//
// Scratch regions beyond the first exist only in models converted for several memories.
struct Memory {
  Block state;
  Block scratch;
  Block more_scratch[kMaxScratchRegions - 1] = {};
};

// Writes "step 41: operand names slot 77; must be below 60" (without line end, always terminated)
// and returns the length. Without texts in the build (WEFT_TEXT=OFF) it writes only the numbers:
// "fault 34 index 41 kind 1 operand 0 is 77 must 60". `weft explain 34` prints the text for them.
size_t Describe(const Fault& fault, char* text, size_t text_bytes);

// Mirrors format::ElementType, so that users need no generated header.
enum class Type : uint8_t { kF32, kF16, kBF16, kF64, kI4, kU4, kI8, kU8, kI16, kI32, kI64, kBool };
size_t BitsOf(Type type);

struct Needs {
  uint32_t state_bytes = 0;
  uint32_t scratch_bytes = 0;
  // Required alignment of state and scratch. On processors with 64-byte cache lines
  // kMemoryAlignment is best: large values then start at a cache line, which makes a small
  // convolutional net 12 % faster.
  uint32_t alignment = 0;
  uint32_t input_count = 0;
  uint32_t output_count = 0;
  uint32_t more_scratch_bytes[kMaxScratchRegions - 1] = {};
};

// Reads the memory requirements. Checks only the header; Open checks the complete file.
Fault ReadNeeds(Bytes model, Needs* needs);

// A view of a port: contiguous, row-major. `data` points into the engine's scratch, its state or (a
// constant output) the model; null for a port that does not exist. An axis whose length is known
// only at run time shows its maximum until the first Run and its true length after it.
struct Tensor {
  void* data = nullptr;
  size_t bytes = 0;
  uint32_t dims[kMaxRank] = {};
  uint8_t rank = 0;
  Type type = Type::kF32;
  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

// Any name of a port. A separate type, so that a plain 0 is an index and never a null name.
struct PortName {
  constexpr PortName(const char* name) : text(name) {}  // NOLINT: meant to convert
  const char* text;
};

// The first difference that a self test found: an element of an output after a run. `expected` and
// `actual` hold its bits in their low end. If the true lengths of the output differ, `element` is
// kLengthDiffers, `type` is kI32 and the two words are the lengths.
struct Mismatch {
  static constexpr uint32_t kLengthDiffers = 0xFFFFFFFFu;
  uint32_t run = 0;
  uint32_t output = 0;
  uint32_t element = 0;
  Type type = Type::kF32;
  uint64_t expected = 0;
  uint64_t actual = 0;
};

namespace format {
struct Model;
}

// One entry per step kind (row of ops.inc). `run` is null if this build does not contain the step.
struct StepEntry {
  Fault (*check)(const format::Model& model, uint32_t step_index);
  void (*run)(const format::Model& model, uint32_t param, std::byte* const* operands);
};
struct StepTable {
  const StepEntry* entries = nullptr;  // entries[kind - 1]
  uint32_t count = 0;
};
// Every step of this library. Firmware passes the smaller table that the converter writes.
StepTable AllSteps();

// Called before and after every step when set: `now` is the user's clock, in the user's ticks.
// Sections (loops and branches) are not reported as steps. step_times.h collects a table from it.
struct Profile {
  uint64_t (*now)(void* user) = nullptr;
  void (*step)(void* user, uint32_t step_index, uint64_t begin, uint64_t end) = nullptr;
  void* user = nullptr;
};

// A few words, trivially copyable, without destructor. A default-constructed engine is closed:
// every call except Open returns an error or an empty view.
class Engine {
 public:
  // Checks every rule of the file (except those of the self test, which SelfTest checks) and the
  // sizes and alignments of the memory, then resets the variables. A hostile file can make Open
  // fail, and nothing else. *out is unchanged on an error.
  static Fault Open(Bytes model, StepTable steps, Memory memory, Engine* out);

  // Open, with a check of the plan: every step must read the values that it read when the file was
  // written. Open alone checks only the rules of memory. A changed order of steps, a shifted or
  // shared address, swapped variables, another port, a damaged weight or parameter are reported as
  // kPlanNumber; one change in about four billion goes undetected. The check detects damage and
  // bugs of tools, but no attacker who computes a matching hash.
  //
  // The file must hold a plan hash, which files with names have, and must not be too much work to
  // hash (else kPlanNumberAbsent). The check uses only the memory of the engine. `table` may have
  // any size, including 0, and saves time: with PlanTableBytes bytes, loops read their constants
  // only once. The check needs as long as a few runs whose steps move bytes instead of computing,
  // at most about a second on a desktop.
  static Fault OpenChecked(Bytes model, StepTable steps, Memory memory, Block table, Engine* out);

  uint32_t input_count() const;
  uint32_t output_count() const;
  // The caller fills the inputs before each Run; once Run starts, their bytes may be reused.
  // Outputs are valid until the next Run, or until another engine uses the same scratch.
  Tensor input(uint32_t port) const;
  Tensor output(uint32_t port) const;
  Tensor input(PortName name) const;
  Tensor output(PortName name) const;
  // Return the first name of a port, or null if the names were stripped from the file.
  const char* input_name(uint32_t port) const;
  const char* output_name(uint32_t port) const;

  // The maximum number of steps that a Run executes: every loop to its hard maximum, both branches
  // of an If, and each iteration counted as one more step. Saturates at 2^64 - 1; 0 on a closed
  // engine. Computed at every call, in time proportional to the number of steps in the file.
  uint64_t MaxSteps() const;
  // Fails only if a loop reaches its hard maximum while its condition still holds. The run is
  // completed nevertheless: outputs are computed from the iterations that were executed. A NaN or
  // infinity in an input stays in a recurrent state until Reset, so check inputs first. Subnormal
  // numbers are flushed to zero during the call.
  Fault Run();
  // Sets the variables to their initial values. Some initial values are computed by the model or
  // are inputs of it (the initial states of a model that `weft convert --streaming` created). The
  // first Run after Reset reads them, and no later one.
  void Reset();

  // Runs the inputs that `weft convert --self-test` stored, and compares the outputs with those
  // that the desktop computed. All bits must be equal, except that any NaN matches any NaN. Only on
  // a target without fused multiply-add may results differ, by the tolerance class of the file
  // (FORMAT.md). Resets the variables before and after, so it ends a stream, and overwrites inputs
  // and outputs. kSelfTestDiffers sets *first. A model without a self test is an error. The stored
  // data are checked while they are read.
  Fault SelfTest(Mismatch* first);

  // The caller owns *profile, which must live as long as it is set. Null: no profile.
  void SetProfile(const Profile* profile) { profile_ = profile; }
  // Describe the steps of a profile. The kind is a name of ops.inc, such as "dense"; the layer is
  // the one that the step came from, or null if the file names none. Both are null for `step` >=
  // step_count().
  uint32_t step_count() const;
  const char* step_kind(uint32_t step) const;
  const char* step_layer(uint32_t step) const;

 private:
  static Fault OpenVerified(const format::Model& model, StepTable steps, const Memory& memory,
                            Engine* out);

  const format::Model* model_ = nullptr;
  const StepEntry* entries_ = nullptr;
  std::byte* regions_[2 + kMaxScratchRegions] = {};  // weights (never written), state, scratch ...
  const Profile* profile_ = nullptr;
};

// Size of the table in which Engine::OpenChecked stores every constant of a file: so many bytes for
// each operand of the file's steps. 0 if the bytes are no model.
inline constexpr uint32_t kPlanTableBytesPerOperand = 16;
uint32_t PlanTableBytes(Bytes model);

// FNV-1a over a complete file, with its checksum field read as zero. The desktop tools compare it
// with the field. Devices that trust their flash need not call it. 0 if the bytes are no model.
uint64_t Checksum(Bytes model);
// Returns the checksum field of a file that ReadNeeds accepts.
uint64_t StoredChecksum(Bytes model);

// Identifies the layout of a model's state: a hash of every variable's offset, type, dimensions and
// name. State that was saved from one file may be restored into another only if both have the same
// layout. Open resets the state, so open the new file first, then copy the saved bytes. 0 for a
// model without variables and for bytes that are no model.
uint64_t StateLayout(Bytes model);

}  // namespace weft

#endif  // WEFT_RUNTIME_WEFT_H_
