// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "converter/cli/system_streams.h"

namespace weft::cli {
namespace {

HANDLE HandleOf(int descriptor) {
  constexpr DWORD kNames[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  return GetStdHandle(kNames[descriptor]);
}

UINT code_page_before = 0;

void RestoreCodePage() { SetConsoleOutputCP(code_page_before); }

}  // namespace

void HoldStandardStreams() {
  for (std::FILE* const stream : {stdin, stdout, stderr}) {
    const int descriptor = _fileno(stream);  // negative if the process was started without it
    if (descriptor >= 0) _setmode(descriptor, _O_BINARY);
  }
  if (!IsTerminal(kStandardOutput) && !IsTerminal(kStandardError)) return;
  code_page_before = GetConsoleOutputCP();
  if (code_page_before != 0 && SetConsoleOutputCP(CP_UTF8) != 0) std::atexit(RestoreCodePage);
}

bool IsTerminal(int descriptor) {
  DWORD mode = 0;
  return GetConsoleMode(HandleOf(descriptor), &mode) != 0;
}

bool InterpretsEscapes(int descriptor) {
  DWORD mode = 0;
  return GetConsoleMode(HandleOf(descriptor), &mode) != 0 &&
         SetConsoleMode(HandleOf(descriptor), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

}  // namespace weft::cli
