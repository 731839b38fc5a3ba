// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/commands.h"

int main(int argc, char** argv) { return weft::cli::Main(argc, argv); }
