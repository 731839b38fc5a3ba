// SPDX-License-Identifier: Apache-2.0
// weft: runs a model.weft in fixed memory. This header is the complete public C++ interface.
//
// The caller owns all memory:
//   - The model is read only. It may be in flash or in a mapped file, and engines may share it.
//   - The state keeps its contents between runs. It is plain bytes that may be saved and restored.
//   - The scratch holds the values of one run, including inputs and outputs. Engines that do not
//     run at the same time may share it; if it holds weights, only engines of the same model.
//
// An Engine stores pointers to the model, the entries of the step table, the state, the scratch and
// the profile. All of them must outlive the Engine. No function stores any other pointer that the
// caller passes.
//
// No function allocates memory, throws or blocks. Use an Engine in one thread at a time.
//
// The time of Open grows linearly with the sizes of the file and the state. The time of Run depends
// on the model: a valid file may loop for hours. A host that runs untrusted files should
// reject models whose MaxSteps is too large. It also needs a watchdog, because a single step may
// take long.
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

inline constexpr uint32_t kFormatVersion = 4;
inline constexpr uint32_t kMaxRank = 8;
inline constexpr uint32_t kModelAlignment = 64;   // required of the model's first byte, in bytes
inline constexpr uint32_t kMemoryAlignment = 64;  // maximum of Needs::alignment, in bytes
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

// The memory of one engine. Needs holds the required size and alignment of each block.
//
// The first Needs::state_bytes bytes of `state` hold everything that a stream keeps between runs.
// To save a stream, copy these bytes. To resume it, open an engine, then copy them into its state.
// The model must be the same file, or one with an equal StateLayout that was converted from the
// same model.xml. For example, two models from `weft convert --streaming=N` with different N may
// exchange state, and the outputs are bit-identical to those without the exchange.
//
// The saved bytes do not identify their model: store StateLayout(model) with them and compare it.
// With the bytes of another model, or with only a part of the bytes, results are undefined. Even
// then, no access leaves the memory.
//
// The blocks must not overlap each other or the model. Engines whose runs do not interleave may
// share their scratch blocks. `more_scratch` is used only by models converted with `--region`.
struct Memory {
  Block state;
  Block scratch;
  Block more_scratch[kMaxScratchRegions - 1] = {};
};

// Writes a one-line text of an error, such as "step 41: operand names slot 77; must be below 60".
// The text ends with a zero byte, without line end. A text longer than text_bytes - 1 characters is
// truncated. Returns the number of characters written, without the zero byte; 0 if `text` is null
// or text_bytes is 0.
//
// A build with WEFT_TEXT=OFF has no texts and writes only the numbers of the error:
// "fault 34 index 41 kind 1 operand 0 is 77 must 60". `weft explain 34` prints the text of code 34.
size_t Describe(const Fault& fault, char* text, size_t text_bytes);

// Element types, numbered as in format::ElementType, so that users need no generated header.
enum class Type : uint8_t { kF32, kF16, kBF16, kF64, kI4, kU4, kI8, kU8, kI16, kI32, kI64, kBool };
// Returns the size of one element in bits.
size_t BitsOf(Type type);

// Memory requirements and port counts of a model.
struct Needs {
  uint32_t state_bytes = 0;
  uint32_t scratch_bytes = 0;
  // Required alignment of state and scratch, in bytes; at most kMemoryAlignment. On processors with
  // 64-byte cache lines, align both to kMemoryAlignment: large values then start at a cache line.
  // This makes a small convolutional network 12 % faster.
  uint32_t alignment = 0;
  uint32_t input_count = 0;
  uint32_t output_count = 0;
  uint32_t more_scratch_bytes[kMaxScratchRegions - 1] = {};
};

// Sets *needs to the requirements of the model. Checks only the header; Open checks the complete
// file. On an error *needs is unchanged.
Fault ReadNeeds(Bytes model, Needs* needs);

// A view of the elements of a port, contiguous and row-major. `data` points into the scratch or the
// state of the engine, or into the model if the output is a constant. `data` is null if the port
// does not exist.
//
// The length of one output axis may be known only at run time. Then `dims` and `bytes` hold the
// maximum until the first Run, and the length that the last Run computed after it.
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

// One of the names of a port. It is a separate type so that 0 in input(0) is an index and not a
// null pointer.
struct PortName {
  constexpr PortName(const char* name) : text(name) {}  // NOLINT: meant to convert
  const char* text;
};

// The first difference that a self test found: element `element` of output `output` after run
// `run`, all counted from 0. The low bits of `expected` and `actual` are the bits of the two
// elements.
//
// If the run-time lengths of the output differ, `element` is kLengthDiffers, `type` is kI32, and
// `expected` and `actual` are the lengths.
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

// The functions of one step kind (row of ops.inc). Both are null if the program does not contain
// the kernel; Open then rejects models that need it.
struct StepEntry {
  Fault (*check)(const format::Model& model, uint32_t step_index);
  void (*run)(const format::Model& model, uint32_t param, std::byte* const* operands);
};
// All step kinds. `entries` must outlive the engines that are opened with it.
struct StepTable {
  const StepEntry* entries = nullptr;  // entries[kind - 1]
  uint32_t count = 0;
};
// Returns the table of all step kinds, which links all kernels. Firmware uses the smaller table
// that `weft convert --c-source` generates.
StepTable AllSteps();

// Functions that measure the steps of a run. For each step, Run calls `now` before and after it,
// and then `step` with both times. `now` returns the time of the caller's clock in any unit. `user`
// is passed to both functions. Run calls neither function if one of them is null.
//
// Sections (loops and branches) are not reported as steps. step_times.h collects a table of times.
struct Profile {
  uint64_t (*now)(void* user) = nullptr;
  void (*step)(void* user, uint32_t step_index, uint64_t begin, uint64_t end) = nullptr;
  void* user = nullptr;
};

// Runs one model in the caller's memory. An Engine is a few words, is trivially copyable and needs
// no destructor. A default-constructed Engine is closed: its functions return an error, 0, null or
// an empty view.
class Engine {
 public:
  // Checks the file and the memory, initialises the variables and opens *out.
  //
  // Open rejects every file, even a hostile one, with which a later call could access bytes outside
  // the model, state and scratch. It also checks the sizes and alignments of `memory`, and
  // that its blocks do not overlap. Open does not detect a file that is valid but computes
  // something else, such as one with a changed weight or order of steps; OpenChecked does. Open
  // does not check the data of the self test; SelfTest does.
  //
  // `model.data`, `steps.entries` and the blocks of `memory` must outlive *out. On an error *out
  // and the memory are unchanged.
  static Fault Open(Bytes model, StepTable steps, Memory memory, Engine* out);

  // Opens the model like Open, but first verifies its plan hash. The plan hash identifies the
  // values that each step reads, the parameters of the steps, the initial values of the variables
  // and the ports. The converter stores it in the file. Returns kPlanNumber if the hash differs.
  // Such a difference reveals a damaged weight, a wrong address, swapped variables or another order
  // of steps. One change in about four billion goes undetected. The hash does not protect against
  // an attacker, who can store a matching hash.
  //
  // Returns kPlanNumberAbsent if the file has no plan hash because its names were stripped, or if
  // the hash needs too much work. The limit is about 2^30 hashed or copied bytes, about a second on
  // a desktop.
  //
  // To compute the hash, the function simulates 3 runs, or 24 if a loop or branch depends on a
  // value. Steps hash bytes instead of computing. This overwrites the state and the scratch, then
  // the variables are initialised. On an error *out is unchanged.
  //
  // `table` is working memory that is free after the call. It is optional and only saves time: with
  // PlanTableBytes(model) bytes, constants in loops are hashed only once. Any size is valid.
  static Fault OpenChecked(Bytes model, StepTable steps, Memory memory, Block table, Engine* out);

  uint32_t input_count() const;
  uint32_t output_count() const;
  // Return views of the ports, by index or name. The caller writes all inputs before each Run,
  // because Run may overwrite them.
  //
  // Outputs are valid after Run. Read them before you write the next inputs, because inputs and
  // outputs may share memory. Run, Reset, SelfTest and a run of another engine in the same scratch
  // also overwrite outputs.
  Tensor input(uint32_t port) const;
  Tensor output(uint32_t port) const;
  Tensor input(PortName name) const;
  Tensor output(PortName name) const;
  // Return the first name of a port; null if the port does not exist or has no name, as in a file
  // whose names were stripped.
  const char* input_name(uint32_t port) const;
  const char* output_name(uint32_t port) const;

  // Returns an upper bound of the number of steps that one Run executes. Each loop counts with its
  // maximum number of iterations, and each iteration as one additional step. Both branches of an If
  // count. It bounds no time: a step may take long. `weft inspect --target` prints a bound of the
  // instructions of a run. The result saturates at 2^64 - 1; it is 0 if the engine is closed. Each
  // call computes it in time proportional to the number of steps in the file.
  uint64_t MaxSteps() const;

  // Computes the outputs from the inputs and the state, and updates the state. Returns
  // kEngineClosed if the engine is closed.
  //
  // Returns kTripLimit if a loop stopped at the maximum number of iterations in the file, although
  // its condition or trip count required more. The run is completed in this case too: the outputs
  // are computed from the iterations that were executed. No other error occurs.
  //
  // A NaN or infinity in an input may stay in the state until Reset, so check inputs first, or call
  // RunChecked. During the call, subnormal numbers are flushed to zero, except on RISC-V.
  Fault Run();

  // Runs like Run, then checks all float elements of the outputs and of the variables. Returns
  // kNotFinite for the first NaN or infinity. `is` is its element. `index` is its output, or
  // `must` + v for variable v, where `must` is the number of outputs. Variables are in the order of
  // the file, which `weft inspect` prints.
  //
  // The run is completed: outputs and state are those of Run, and only Reset, or a saved state,
  // removes a NaN that the model feeds back. Returns the error of Run if all elements are finite.
  // Values between steps are not checked, such as an infinity that a later Clamp limits.
  Fault RunChecked();

  // Sets the variables to their initial values and copies weights to scratch. Open does this too.
  //
  // Some models, such as those of `weft convert --streaming`, compute initial values or read them
  // from inputs. The first Run after Open or Reset does this; later runs ignore these inputs.
  void Reset();

  // Runs the model with the inputs that `weft convert --self-test` stored, and compares the outputs
  // with those that the desktop computed. All bits must be equal, except that any NaN equals any
  // NaN. On a target without fused multiply-add, the tolerance class of the file applies instead
  // (FORMAT.md).
  //
  // Returns kSelfTestDiffers and sets *first if an output differs. Returns another error if the
  // file has no self test or its data are invalid. Overwrites inputs and outputs. Resets the
  // variables before and after the test, so a stream cannot continue.
  Fault SelfTest(Mismatch* first);

  // Sets the profile that later runs use; null disables profiling. *profile must exist until
  // another profile is set or the engine is no longer used. Open removes the profile.
  void SetProfile(const Profile* profile) { profile_ = profile; }
  // Describe the steps that a profile reports. step_kind returns a name of ops.inc, such as
  // "dense". step_layer returns the layer that the step was converted from; null if the file does
  // not name the layer. Both return null if `step` is at least step_count().
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

// The streams of a model that `weft convert --streams` created. Each run processes a frame of every
// stream: the first axis of all inputs and outputs is the stream. A stream can be saved, loaded
// into another stream of any engine of the same file, and reset. The results of a stream do not
// depend on the other streams and are bit-identical to those of the model without --streams.
class Streams {
 public:
  // `model` and `state` are those of an open engine and must outlive *out. With null `state.data`,
  // only count() and state_bytes() work. Returns kStreamsAbsent if the model was converted without
  // --streams. On an error *out is unchanged.
  static Fault Open(Bytes model, Block state, Streams* out);

  uint32_t count() const { return count_; }              // streams per run
  uint32_t state_bytes() const { return state_bytes_; }  // of a saved stream
  // The functions below return kStreamIndex for a stream that does not exist, and kStreamBytes if
  // the memory of the caller is smaller than state_bytes().
  //
  // Copies everything that the stream keeps between runs.
  Fault Save(uint32_t stream, Block to) const;
  // Replaces the state of the stream by a saved one. The saved bytes do not identify their model.
  Fault Load(uint32_t stream, Bytes from);
  // Sets the variables of the stream to their initial values.
  Fault Reset(uint32_t stream);

 private:
  template <typename Visit>
  void ForEachPiece(uint32_t stream, const Visit& visit) const;
  Fault Check(uint32_t stream, const void* saved, size_t bytes) const;

  const format::Model* model_ = nullptr;
  const void* parts_ = nullptr;  // rows of format::StreamPart
  std::byte* state_ = nullptr;
  uint32_t count_ = 0;
  uint32_t state_bytes_ = 0;
};

// PlanTableBytes returns the size of a table for Engine::OpenChecked in which every constant of the
// file has an entry: kPlanTableBytesPerOperand for each operand of the steps. Returns 0 if the
// bytes are no model.
inline constexpr uint32_t kPlanTableBytesPerOperand = 16;
uint32_t PlanTableBytes(Bytes model);

// Returns the 64-bit FNV-1a hash of a complete file, in which the checksum field counts as zero;
// 0 if the bytes are no model. If the result differs from StoredChecksum, the file is damaged.
// The desktop tools check this. Open does not, so devices that trust their flash save the time.
uint64_t Checksum(Bytes model);
// Returns the checksum field of the file; 0 if the bytes are no model.
uint64_t StoredChecksum(Bytes model);

// The progress of CheckSome through a file. A new object begins at the first byte.
struct FileCheck {
  uint64_t hash = 0;
  size_t checked = 0;   // bytes of the current pass
  uint32_t passes = 0;  // completed without an error
};

// Computes the checksum in slices, for example after each Run: hashes the next `bytes` bytes of the
// file. The call that reaches the end of the file compares the hash, and the next one begins again.
// Flash and memory with errors can be watched so while the engine works.
//
// Returns kModelChecksum if the complete hash differs from StoredChecksum, and the fault of
// ReadNeeds if the header is damaged; *check then begins again. A pass detects every change of up
// to 8 bytes in a row, and other changes with probability 1 - 2^-64.
Fault CheckSome(Bytes model, size_t bytes, FileCheck* check);

// Returns a hash of the offset, size, type, dimensions and name of every variable; 0 if the model
// has no variables or the bytes are no model. State saved with one file may be restored with
// another file only if both hashes are equal. Open initialises the state, so open the engine first,
// then copy the saved bytes.
uint64_t StateLayout(Bytes model);

}  // namespace weft

#endif  // WEFT_RUNTIME_WEFT_H_
