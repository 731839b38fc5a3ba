// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/commands.h"
#include "converter/cli/system_streams.h"

int main(int argc, char** argv) {
  weft::cli::HoldStandardStreams();
  return weft::cli::Main(argc, argv);
}
