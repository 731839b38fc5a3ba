# SPDX-License-Identifier: Apache-2.0
"""Builds TensorIterator from the same description that tests/reference/iterate.py runs."""

import openvino as ov
from openvino import opset1

from build import outputs_of, parameter
from reference.iterate import iterate


def _bounds(slicing):
    return slicing.start, slicing.stride, abs(slicing.stride), slicing.end, slicing.axis


def _source(value):
    return value.output(0) if hasattr(value, "get_type_info") else value


def tensor_iterator(body, sliced, carried, invariant, outputs):
    """Returns the outputs of a TensorIterator. Arguments as for reference.iterate.iterate, with
    nodes instead of arrays."""
    slices = [_slice_parameter(_source(value), slicing) for value, slicing in sliced]
    states, invariants = ([_whole_parameter(_source(value)) for value in values]
                          for values in (carried, invariant))
    next_states, results = body(slices, states, invariants)
    values = outputs_of([_source(value) for value in list(next_states) + list(results)])
    ends = [opset1.result(value) for value in values]
    loop = opset1.tensor_iterator()
    loop.set_body(ov.Model(ends, slices + states + invariants, "body"))
    for port, (value, slicing) in zip(slices, sliced):
        loop.set_sliced_input(port, _source(value), *_bounds(slicing))
    for port, value, end in zip(states, carried, ends):
        loop.set_merged_input(port, _source(value), end.output(0))
    for port, value in zip(invariants, invariant):
        loop.set_invariant_input(port, _source(value))
    return [
        loop.get_concatenated_slices(ends[index].output(0), *_bounds(slicing))
        if slicing else loop.get_iter_value(ends[index].output(0), -1) for index, slicing in outputs
    ]


def _slice_parameter(value, slicing):
    shape = list(value.get_shape())
    shape[slicing.axis] = abs(slicing.stride)
    return parameter(shape, value.get_element_type().to_dtype())


def _whole_parameter(value):
    return parameter(value.get_shape(), value.get_element_type().to_dtype())


def both(body, slicings, carried_count, outputs, count=None):
    """The graph and the reference of a model with the inputs: sliced, then carried, then
    invariant."""
    def split(ports):
        ports, cut = list(ports), len(slicings)
        return list(zip(ports[:cut],
                        slicings)), ports[cut:cut + carried_count], ports[cut + carried_count:]

    return (lambda *ports: tensor_iterator(body, *split(ports), outputs),
            lambda *ports: iterate(body, *split(ports), outputs, count))
