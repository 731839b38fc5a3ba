#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an OpenVINO IR model in NumPy according to the OpenVINO specification.

    interpreter.py MODEL.xml [INPUT.npy...]      prints the outputs

TensorIterator-1: port_maps.py resolves slices and concatenations. Back edges are simultaneous. With
a negative stride, iteration i writes chunk N-1-i.
Loop-5: trip count and first condition are read once; a negative trip count means no limit. One
iteration is: body, scan values, body condition, stop if false, back edges. After zero iterations a
carried output has its initial value, a scan output is empty, and other outputs are zero.

Raises Refused for a model without meaning or without a bound, Fault if a run exceeds a bound.
"""

import pathlib
import sys

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

# pylint: disable=wrong-import-position
from reference.ir_file import Refused, read
from reference.plain_operations import OPERATIONS
from reference.port_maps import resolve

# NumPy 1 widens the types of scalars by Python numbers; NumPy 2 does not.
if hasattr(np, "_set_promotion_state"):
    np._set_promotion_state("weak")


class Fault(Exception):
    """A loop reached its bound before its end."""


class Model:
    """A callable model; variables keep their values between calls."""
    def __init__(self, path, max_iterations=None):
        self.graph = read(path)
        self.max_iterations = max_iterations
        self.variables = {}
        self.maps = {}
        self.open = set()  # Loops whose trip count is known only at run time
        self._check(self.graph, {})

    def __call__(self, inputs):
        with np.errstate(all="ignore"):  # infinities and NaN are results like others
            return self._run(self.graph, list(inputs))

    def _check(self, graph, known):
        """Resolves every port map, also of loops that never run. known: constant Parameters."""
        known = dict(known)
        for layer in graph.layers:
            if layer.kind not in OPERATIONS and not hasattr(self, f"_{layer.kind.lower()}"):
                raise Refused(f"{layer.kind} is not known")
            if layer.constant is not None:
                known[layer] = layer.constant
            if layer.kind == "If":
                condition = known.get(layer.sources[0][0])
                for branch, body in enumerate(layer.bodies):
                    if condition is None or condition.item() == (branch == 0):
                        self._check(body.graph, _handed_in(layer, body, known))
            elif layer.bodies:
                self._check_loop(layer, known)

    def _check_loop(self, layer, known):
        self.maps[layer] = resolve(layer)
        body = layer.bodies[0].graph
        inner = {}
        for parameter, source in zip(body.parameters, self.maps[layer].sources):
            if source[0] == "invariant" and layer.sources[source[1]][0] in known:
                inner[parameter] = known[layer.sources[source[1]][0]]
        self._check(body, inner)
        if layer.kind == "Loop":
            self._check_bound(layer, known, inner)

    def _check_bound(self, layer, known, inner):
        """Checks that a Loop whose end is known only at run time ("open") has a bound."""
        port_map = self.maps[layer]
        trips, first = (known.get(source) for source, _ in layer.sources[:2])
        condition = np.array(True)
        if port_map.condition is not None:
            source = port_map.condition.sources[0][0]
            condition = inner.get(source, source.constant)
        if first is not None and not first.item() or trips is not None and trips.item() == 0:
            return
        slices = port_map.count
        if trips is not None and condition is not None:
            most = trips.item() if condition.item() else 1
            if most < 0:
                raise Refused(f"{most} iterations and a condition that stays true")
            if slices is not None and most > slices:
                raise Refused(f"{most} iterations over {slices} slices")
            return
        self.open.add(layer)
        ends = condition is not None and not condition.item()
        limited = ends or trips is not None and trips.item() > 0
        if not limited and slices is None and self.max_iterations is None:
            raise Refused("nothing bounds the number of iterations")

    def _run(self, graph, inputs):
        values = {(layer, 0): value for layer, value in zip(graph.parameters, inputs)}
        assigned = {}
        for layer in graph.layers:
            if layer.kind == "Parameter":
                continue
            arrays = [values[source] for source in layer.sources]
            if layer.kind == "Assign":
                assigned[layer.data["variable_id"]] = arrays[0]
            if layer.kind in OPERATIONS:
                made = OPERATIONS[layer.kind](layer, arrays)
            else:
                made = getattr(self, f"_{layer.kind.lower()}")(layer, arrays)
            for index, value in enumerate(made):
                values[layer, index] = np.asarray(value)
        self.variables.update(assigned)
        return [values[result.sources[0]] for result in graph.results]

    def _parameter(self, layer, inputs):
        raise AssertionError("a Parameter is given")

    def _result(self, layer, inputs):
        return []

    def _assign(self, layer, inputs):
        return inputs

    def _const(self, layer, inputs):
        return [layer.constant]

    def _readvalue(self, layer, inputs):
        name, port = layer.data["variable_id"], layer.outputs[0]
        if name not in self.variables:
            dims = [1 if dim < 0 else dim for dim in port.dims]  # unknown extents broadcast
            self.variables[name] = inputs[0] if inputs else np.zeros(dims, port.dtype)
        return [self.variables[name]]

    def _if(self, layer, inputs):
        body = layer.bodies[0 if inputs[0].item() else 1]
        fed = {entry.internal: inputs[entry.external] for entry in body.inputs}
        results = self._run(body.graph, [fed.get(layer.id) for layer in body.graph.parameters])
        place = body.graph.index
        return [results[place(body.graph.results, out.internal, "Result")] for out in body.outputs]

    def _tensoriterator(self, layer, inputs):
        count = self.maps[layer].count
        return self._iterate(layer, inputs, 1 if count is None else count, True)

    def _loop(self, layer, inputs):
        trips = inputs[0].item()
        return self._iterate(layer, inputs, trips if trips >= 0 else None, inputs[1].item())

    def _iterate(self, layer, inputs, trips, go_on):
        """Runs the body while the condition holds, at most `trips` times (None: no limit)."""
        body, port_map = layer.bodies[0].graph, self.maps[layer]
        states = {place: inputs[source[1]] for place, source in enumerate(port_map.sources)
                  if source[0] == "carried"}
        gathered = [[] for _ in port_map.outputs]
        results, step = None, 0
        while go_on and step != trips:
            if step == self._bound(layer):
                raise Fault(f"layer {layer.id} is not done after {step} iterations")
            fed = [states[place] if place in states else
                   _feed(source, inputs, step, body.parameters[place])
                   for place, source in enumerate(port_map.sources)]
            results = dict(zip(body.results, self._run(body, fed)))
            for pieces, (result, axis, _) in zip(gathered, port_map.outputs):
                if axis is not None:
                    pieces.append(np.atleast_1d(results[result]))
            go_on = port_map.condition is None or results[port_map.condition].item()
            for place in states:
                states[place] = results[port_map.sources[place][2]]
            step += 1
        last = results or _after_none(port_map, states, inputs)
        return [last[result] if axis is None else _join(pieces, result, axis, backward)
                for pieces, (result, axis, backward) in zip(gathered, port_map.outputs)]

    def _bound(self, layer):
        """The maximum number of iterations of an open Loop."""
        bounds = [self.maps[layer].count, self.max_iterations] if layer in self.open else []
        return min((bound for bound in bounds if bound is not None), default=None)


def _handed_in(layer, body, known):
    """The Parameters of an If's branch that have constant values."""
    ids = {parameter.id: parameter for parameter in body.graph.parameters}
    return {ids[entry.internal]: known[layer.sources[entry.external][0]] for entry in body.inputs
            if layer.sources[entry.external][0] in known}


def _feed(source, inputs, step, parameter):
    """The value of a Parameter without state in iteration `step`."""
    kind = source[0]
    if kind == "sliced":
        cut = source[2]
        at = cut.begin + (cut.count - 1 - step if cut.backward else step) * cut.part
        return np.take(inputs[source[1]], range(at, at + cut.part), cut.axis)
    if kind == "iteration":
        port = parameter.outputs[0]
        return np.full(port.dims, step, port.dtype)
    return inputs[source[1]] if kind == "invariant" else None


def _after_none(port_map, states, inputs):
    """The last values of a loop with zero iterations: a carried Result has its initial value, also if
    the body forwards it unchanged."""
    last = {}
    for result, _, _ in port_map.outputs:
        last[result] = np.zeros(result.port(0).dims, result.port(0).dtype)
    for place, source in reversed(list(enumerate(port_map.sources))):
        if place in states:
            last[source[2]] = states[place]
        elif source[0] == "invariant" and len(source) == 3:
            last[source[2]] = inputs[source[1]]
    return last


def _join(pieces, result, axis, backward):
    if not pieces:
        port = result.port(0)
        dims = list(port.dims) or [1]
        dims[axis] = 0
        return np.zeros(dims, port.dtype)
    return np.concatenate(pieces[::-1] if backward else pieces, axis)


def main(words):
    """Runs the model once with the given files."""
    for output in Model(words[0])([np.load(word) for word in words[1:]]):
        print(output)


if __name__ == "__main__":
    main(sys.argv[1:])
