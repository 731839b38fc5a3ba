# SPDX-License-Identifier: Apache-2.0
"""Gives OpenVINO no operation of constants only, because some of its results are wrong.

OpenVINO 2026.4 rewrites such operations before it folds them: it drops the Abs of an output of
TopK or VariadicSplit. Operations that it does not fold run once when the model is compiled: a MatMul
then transposes no input (of Elu, LRN, NormalizeL2, AdaptiveAvgPool), or reads memory that was
never written (of Inverse).
"""

import numpy as np
import openvino as ov
from openvino.op import Parameter
from openvino.passes import ConstantFolding, Manager


def remove(model):
    """Folds all constants of an ov.Model. Replaces input 0 of each remaining operation of constants
    only by a new input of the model; returns the arrays of these inputs."""
    passes = Manager()
    passes.register_pass(ConstantFolding())
    passes.run_passes(model)
    added, arrays = [], []
    for node in model.get_ordered_ops():
        sources = [port.get_source_output().get_node() for port in node.inputs()]
        kinds = {source.get_type_name() for source in sources}
        if kinds != {"Constant"} or node.get_type_name() == "Result":
            continue
        constant = sources[0]
        added.append(Parameter(constant.get_element_type(), ov.PartialShape(list(constant.shape))))
        arrays.append(np.array(constant.data))
        node.input(0).replace_source_output(added[-1].output(0))
    model.add_parameters(added)
    model.validate_nodes_and_infer_types()
    return arrays
