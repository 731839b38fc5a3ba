// SPDX-License-Identifier: Apache-2.0
// Reads OpenVINO IR v10 and v11: XML structure, edges, port maps, constants. Reports all
// inconsistencies of the file (edges to missing layers, cycles, duplicate ids, a short .bin). It
// interprets only Parameter, Result, Const, Assign and operations with bodies.
#ifndef WEFT_CONVERTER_IR_READ_H_
#define WEFT_CONVERTER_IR_READ_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::ir {

// The bytes of a model file. Weights must outlive the graph; nullopt: they are in a file.
struct IrBytes {
  std::span<const std::byte> xml;
  std::optional<std::span<const std::byte>> weights;
};

// Reads `ir`; `model` is its name in messages. Weights that are not in memory are in the file
// `weights`, or in the .bin file next to the model if that path is empty. A missing file is a fault
// only if a constant needs bytes.
//
// Also returns a graph with faults, so that later passes can report more errors in the same run. In
// such a graph, unconnected inputs and nodes with faults are connected to a node without a type (a
// hole); nodes that depend on a hole cannot be checked. Returns null if there is no graph.
std::unique_ptr<Graph> ReadWithHoles(const std::filesystem::path& model, const IrBytes& ir,
                                     const std::filesystem::path& weights, Faults& faults);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_READ_H_
