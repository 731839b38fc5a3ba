// SPDX-License-Identifier: Apache-2.0
// The standard streams as the operating system provides them.
#ifndef WEFT_CONVERTER_CLI_SYSTEM_STREAMS_H_
#define WEFT_CONVERTER_CLI_SYSTEM_STREAMS_H_

namespace weft::cli {

// Descriptors.
inline constexpr int kStandardInput = 0, kStandardOutput = 1, kStandardError = 2;

// Call at the start of main, before any file is opened. Output has the same bytes on every system,
// and a write to a closed stream or pipe returns an error instead of ending the process. On POSIX,
// closed descriptors are opened on a device that accepts no bytes, so that no later file gets their
// numbers, and a write beyond the file size limit returns an error. On Windows, consoles show UTF-8
// until the process ends.
void HoldStandardStreams();

bool IsTerminal(int descriptor);

// Returns true if the stream is a terminal that interprets escape sequences.
bool InterpretsEscapes(int descriptor);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_SYSTEM_STREAMS_H_
