// SPDX-License-Identifier: Apache-2.0
// Reads OpenVINO IR v10 and v11: XML structure, edges, port maps, constants. Refuses what the file
// itself contradicts (edges to nowhere, cycles, duplicate ids, a short .bin) and reports every
// fault. Knows no operation but Parameter, Result, Const, Assign and the carriers of bodies.
#ifndef WEFT_CONVERTER_IR_READ_H_
#define WEFT_CONVERTER_IR_READ_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::ir {

// `weights` may be empty: then the file beside the XML with the ending .bin is taken, and its
// absence is a fault only if some constant needs bytes. Null when faults were added.
std::unique_ptr<Graph> Read(const std::filesystem::path& model,
                            const std::filesystem::path& weights, Faults& faults);

// An IR that lies in memory. Its weights must outlive the graph.
struct IrBytes {
  std::span<const std::byte> xml, weights;
};

// As Read, but a model with faults comes too, so that all else that is wrong with it can be
// reported in the same run. Inputs that nothing feeds hang on a node without a type, and so do
// nodes with faults of their own: what depends on such a hole cannot be checked. Null where there
// is no graph at all.
std::unique_ptr<Graph> ReadWithHoles(const std::filesystem::path& model,
                                     const std::filesystem::path& weights, Faults& faults);
// `name` stands for the file in messages.
std::unique_ptr<Graph> ReadWithHoles(const std::filesystem::path& name, const IrBytes& ir,
                                     Faults& faults);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_READ_H_
