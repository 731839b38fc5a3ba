// SPDX-License-Identifier: Apache-2.0
// Reads OpenVINO IR v10 and v11: XML structure, edges, port maps, constants. Reports all
// inconsistencies of the file (edges to missing layers, cycles, duplicate ids, a short .bin). It
// interprets only Parameter, Result, Const, Assign and operations with bodies.
#ifndef WEFT_CONVERTER_IR_READ_H_
#define WEFT_CONVERTER_IR_READ_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::ir {

// If `weights` is empty, reads the .bin file next to the XML; a missing file is a fault only if a
// constant needs bytes. Returns null if faults were added.
std::unique_ptr<Graph> Read(const std::filesystem::path& model,
                            const std::filesystem::path& weights, Faults& faults);

// An IR in memory. Its weights must outlive the graph.
struct IrBytes {
  std::span<const std::byte> xml, weights;
};

// Like Read, but also returns a graph with faults, so that later passes can report more errors in
// the same run. In such a graph, unconnected inputs and nodes with faults are connected to a node
// without a type (a hole); nodes that depend on a hole cannot be checked. Returns null if there is
// no graph.
std::unique_ptr<Graph> ReadWithHoles(const std::filesystem::path& model,
                                     const std::filesystem::path& weights, Faults& faults);
// Likewise for an IR in memory; `name` is its name in messages.
std::unique_ptr<Graph> ReadWithHoles(const std::filesystem::path& name, const IrBytes& ir,
                                     Faults& faults);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_READ_H_
