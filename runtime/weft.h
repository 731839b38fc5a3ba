// SPDX-License-Identifier: Apache-2.0
// weft: runs a model.weft in fixed memory. This header is the whole public C++ interface.
//
// The caller owns every byte: the model (read only, may lie in flash or a mapped file), the state
// (kept between runs, plain bytes that may be saved, restored and moved) and the scratch (free
// between runs, may be shared by any number of engines that do not run at the same time). Nothing
// here allocates, throws, blocks or keeps a pointer beyond the Engine. The model is const and
// shared; one Engine is used by one thread at a time.
//
// Open takes time in proportion to the file and the state. Run takes as long as the model asks for:
// a sound file may loop for hours. A host of untrusted files refuses those whose MostSteps is
// beyond what a run may take, and has a watchdog as well, since a step may be long, too.
//
// clang-format off
//   weft::Needs needs;
//   weft::Fault fault = weft::ReadNeeds({model, model_bytes}, &needs);  // before any memory exists
//   weft::Memory memory = {{state, needs.state_bytes}, {scratch, needs.scratch_bytes}};
//   weft::Engine engine;
//   if (fault.ok()) fault = weft::Engine::Open({model, model_bytes}, weft::AllSteps(), memory, &engine);
//   if (fault.ok()) { FillInput(engine.input(0)); fault = engine.Run(); Use(engine.output(0)); }
// clang-format on
#ifndef WEFT_RUNTIME_WEFT_H_
#define WEFT_RUNTIME_WEFT_H_

#include <cstddef>
#include <cstdint>

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

// The first Needs::state_bytes bytes of `state` are all that a stream keeps between runs: copied
// elsewhere they save it, copied back, into any engine of the very same model file, it goes on.
// So it does in an engine of another file that `weft convert --streaming=N` has made of the same
// model.xml, whatever the N of either: their layouts are the same ("layout" of `weft inspect`), and
// outputs keep the bits of one file alone. Nothing marks whose bytes they are: with those of
// another model, or fewer than all, results are undefined (no access leaves the memory); copying
// more than the block holds is the caller's own fault.
//
// Scratch regions beyond the first exist only in models converted for several memories.
struct Memory {
  Block state;
  Block scratch;
  Block more_scratch[kMaxScratchRegions - 1] = {};
};

enum class FaultCode : uint16_t {
#define WEFT_FAULT(number, name, text) k##name = number,
#include "runtime/faults.inc"
#undef WEFT_FAULT
};

// What went wrong and where. `index` counts in the table that the code speaks of (steps, slots,
// ...); `is` and `must` are the two numbers of the complaint, where it has any.
struct [[nodiscard]] Fault {
  FaultCode code = FaultCode::kNone;
  uint8_t kind = 0;     // of the step at fault (row of ops.inc, from 1), else 0
  uint8_t operand = 0;  // of that step, inputs first
  uint32_t index = 0;
  uint32_t is = 0;
  uint32_t must = 0;
  constexpr bool ok() const { return code == FaultCode::kNone; }
};

// Writes "step 41: operand names slot 77; must be below 60" (no line end, always terminated) and
// returns the length. Without texts in the build (WEFT_TEXT=OFF) it writes the numbers alone:
// "fault 34 index 41 kind 1 operand 0 is 77 must 60", which `weft explain 34` puts into words.
size_t Describe(const Fault& fault, char* text, size_t text_bytes);

// Mirrors format::ElementType, so that users need no generated header.
enum class Type : uint8_t { kF32, kF16, kBF16, kF64, kI4, kU4, kI8, kU8, kI16, kI32, kI64, kBool };
size_t BitsOf(Type type);

struct Needs {
  uint32_t state_bytes = 0;
  uint32_t scratch_bytes = 0;
  // Of state and scratch: required. Best is kMemoryAlignment on processors with cache lines of 64
  // bytes: large values then begin with one, which is worth 12 % of a small convolutional net.
  uint32_t alignment = 0;
  uint32_t input_count = 0;
  uint32_t output_count = 0;
  uint32_t more_scratch_bytes[kMaxScratchRegions - 1] = {};
};

// Checks the header only; Open checks all.
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

// Any name of a port. A type of its own, so that a plain 0 is an index and never a null name.
struct PortName {
  constexpr PortName(const char* name) : text(name) {}  // NOLINT: meant to convert
  const char* text;
};

// What a self test found first: an element of an output after a run, and its bits in the low end of
// the words. `element` is kLengthDiffers where the output's true length is another (then `type` is
// kI32 and the words are lengths).
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

// One entry per step kind (row of ops.inc); a null `run` says that this build left the step out.
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

// Called around every step when set: `now` is the user's clock, in the user's ticks. Sections
// (loops and branches) are no steps of their own here. step_times.h makes a table of it.
struct Profile {
  uint64_t (*now)(void* user) = nullptr;
  void (*step)(void* user, uint32_t step_index, uint64_t begin, uint64_t end) = nullptr;
  void* user = nullptr;
};

// A few words, trivially copyable, no destructor. Default constructed it is closed: every call but
// Open answers with a fault or an empty view.
class Engine {
 public:
  // Checks every rule of the file (but the self test's, which SelfTest checks), the memory's sizes
  // and alignments, then resets the variables. A hostile file can make Open fail and nothing else.
  // *out is unchanged on a fault.
  static Fault Open(Bytes model, StepTable steps, Memory memory, Engine* out);

  // Open that checks the plan as well: that every step reads what it read when the file was
  // written, which Open, whose rules are those of memory, takes on trust. A changed order of steps,
  // a shifted or shared place, swapped variables, another port, a damaged weight or parameter are
  // kPlanNumber, but for one chance in about four billion. It guards against damage and against
  // faults of tools, not against those who write a number to match. It needs the number that a file
  // with names has, and refuses a file that is too much work to number (both kPlanNumberAbsent).
  // The memory of the engine is all that it takes; `table`, of any size, 0 too, saves time: with
  // PlanTableBytes loops read their constants once. It takes as long as some runs whose steps move
  // bytes instead of computing (at most about a second of a desktop).
  static Fault OpenChecked(Bytes model, StepTable steps, Memory memory, Block table, Engine* out);

  uint32_t input_count() const;
  uint32_t output_count() const;
  // Inputs are the caller's to fill before each Run; once Run starts their bytes may be reused.
  // Outputs hold until the next Run or until another engine uses the same scratch.
  Tensor input(uint32_t port) const;
  Tensor output(uint32_t port) const;
  Tensor input(PortName name) const;
  Tensor output(PortName name) const;
  // First name of a port, or null when the file was stripped of names.
  const char* input_name(uint32_t port) const;
  const char* output_name(uint32_t port) const;

  // How many steps a Run executes at most: every loop to its hard maximum, both branches of an If,
  // each iteration counting as a step of its own. 2^64 - 1 stands for all from there up; 0 on a
  // closed engine. It is counted at every call, in time proportional to the steps of the file.
  uint64_t MostSteps() const;
  // Fails only where a loop reaches its hard maximum with its condition still true. The run goes on
  // all the same: outputs are made of the iterations that were done. A NaN or infinity in an input
  // stays in a recurrent state until Reset: check inputs first. Subnormal numbers are flushed
  // to zero during the call.
  Fault Run();
  // Variables back to their initial values. Initial values that the model computes, or takes as an
  // input (the initial states of a model cut by `weft convert --streaming`), are read in the first
  // Run from here on, and in no later one.
  void Reset();

  // Runs the inputs that `weft convert --self-test` stored and compares the outputs with those the
  // desktop computed: bit by bit, but that a NaN is a NaN. Only a target without fused multiply-add
  // may differ by as much as the file's tolerance class says (FORMAT.md). Resets the variables
  // before and after, so it ends a stream, and overwrites inputs and outputs. kSelfTestDiffers sets
  // *first; a model without a self test is a fault, too. The pairs are checked as they are read.
  Fault SelfTest(Mismatch* first);

  // *profile stays the caller's and must live as long as it is set; null: none.
  void SetProfile(const Profile* profile) { profile_ = profile; }
  // What a profile's step is: its kind as in ops.inc, such as "dense", and the layer that it came
  // from, null where the file says none. Both are null from step_count() on.
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

// Room in which Engine::OpenChecked notes every constant of a file: so many bytes for each operand
// of its steps. 0 when the file is no model.
inline constexpr uint32_t kPlanTableBytesPerOperand = 16;
uint32_t PlanTableBytes(Bytes model);

// FNV-1a over a whole file with its checksum field taken as zero; what the desktop tools compare
// with the field. Devices that trust their flash need not call it. 0 when the file is no model.
uint64_t Checksum(Bytes model);
// The field itself, of a file that ReadNeeds accepts.
uint64_t StoredChecksum(Bytes model);

// Identifies the layout of a model's state: a hash of every variable's offset, type, dimensions and
// name. State that was saved from one file may be restored into another one only if both have the
// same layout. Open resets the state, so open the new file first, then copy the saved bytes. 0 for
// a model without variables and for bytes that are no model.
uint64_t StateLayout(Bytes model);

}  // namespace weft

#endif  // WEFT_RUNTIME_WEFT_H_
