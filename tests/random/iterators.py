# SPDX-License-Identifier: Apache-2.0
"""Random TensorIterators and Loops around random bodies."""

import numpy as np

import conditions
import ir_text
import ranges
import spoils
from scope import LARGE, SMALL, Scope


class Iterator:
    """One loop under construction. trips: the number of iterations, or its maximum if `fixed` is
    False (a converter then cannot compute the length of a scan output)."""
    def __init__(self, maker, outer, depth, room):
        self.maker, self.outer, self.rng = maker, outer, maker.rng
        self.depth, self.room = depth, room
        self.kind = "Loop" if self.chance(0.5) else "TensorIterator"
        most = max(1, min(6, room))
        self.trips = int(self.rng.integers(1, most + 1))
        self.fixed = True
        self.inner = Scope(ir_text.Net(self.rng, maker.weights), self.rng)
        self.loop = ir_text.Loop(self.kind, self.inner.net, [], [], [], [], [])
        self.states = []  # (Parameter, outer value)
        self.slices = []  # (Parameter, outer value, cut)
        self.iteration = None
        self.outputs = []  # Values of the outer net that later operations may use

    def chance(self, probability):
        return self.rng.random() < probability

    def note(self, feature):
        self.maker.features[feature] += 1

    def build(self):
        """Adds the loop to the outer net; returns its usable outputs."""
        self.note(self.kind)
        self.note(f"depth {self.depth + 1}")
        if self.kind == "Loop":
            conditions.choose_count(self)
        self.add_slices()
        self.add_states()
        self.add_invariants()
        self.inner.pool += [state for state, _ in self.states]
        left = self.room // max(self.trips, 1)
        self.maker.open_bodies += self.kind == "Loop"
        self.maker.fill(self.inner, self.depth + 1, left)
        self.maker.open_bodies -= self.kind == "Loop"
        if self.kind == "Loop":
            conditions.close(self)
        results = self.close_states()
        self.add_outputs(results)
        self.add_oddities(results)
        self.maker.close_variables(self.inner)
        return self.write()

    def feed(self, value, parameter, entry=None):
        """Connects an outer value with a body Parameter."""
        port = next((index for index, known in enumerate(self.loop.inputs) if known is value), None)
        if port is None or port < 2 and self.kind == "Loop" or self.chance(0.7):
            port = len(self.loop.inputs)
            self.loop.inputs.append(value)
        else:
            self.note("one input feeds several Parameters")
        self.loop.entries_in.append({
            "external_port_id": port, "internal_layer_id": parameter.layer, **(entry or {})
        })

    def add_slices(self):
        wanted = int(self.rng.integers(0, 4 if self.kind == "TensorIterator" else 3))
        spare = int(self.rng.integers(0, 3)) if self.kind == "Loop" else 0
        count = max(self.trips, 1) + spare
        if wanted and self.kind == "Loop" and spare:
            self.note("more slices than iterations")
        for index in range(wanted):
            dims = list(self.outer.dims(self.outer.pick((1, 2, 2, 3))))
            axis = int(self.rng.integers(len(dims)))
            part = self.outer.pick((1, 1, 1, 2, 3))
            begin, tail = (int(number) for number in self.rng.integers(0, 3, 2))
            if self.chance(0.7):
                begin = tail = 0
            chunk = dims[:axis] + [part] + dims[axis + 1:]
            dims[axis] = begin + count * part + tail
            dtype = self.outer.dtype() if self.chance(0.9) else "boolean"
            value = self.outer.source(dtype, dims)
            backward = self.chance(0.35)
            cut = (axis, begin, count, part, backward)
            # The first slice sets the trip count; a Loop may drop a slice that is not read.
            self.slice(value, cut, chunk, loose=index > 0 and self.kind == "TensorIterator")

    def slice(self, value, cut, chunk, loose):
        axis, begin, count, part, backward = cut
        parameter = self.inner.net.parameter(value.dtype, chunk)
        parameter.bound, parameter.exact = value.bound, value.exact
        extent = value.dims[axis]
        entry = ranges.entry(self.rng, cut, extent, len(value.dims), loose and self.chance(0.5))
        if entry["axis"] < 0:
            self.note("negative axis of a slice")
        self.feed(value, parameter, entry)
        self.slices.append((parameter, value, cut))
        self.inner.pool.append(parameter)
        self.note("sliced input")
        if part > 1:
            self.note("chunk larger than one")
        if backward:
            self.note("backward slices")
        if begin or begin + count * part < extent:
            self.note("partial range")
        written = entry["start" if backward else "end"]
        if written is not None and written >= 0:
            self.note("upper bound with two readings")

    def add_states(self):
        for _ in range(int(self.rng.integers(0, 4))):
            same = [state for state, _ in self.states]
            if same and self.chance(0.6):
                dtype, dims = same[-1].dtype, same[-1].dims
            else:
                dtype, dims = self.outer.dtype(), self.outer.dims()
            if self.chance(0.25):
                initial = self.outer.random_constant(dtype, dims)
                self.note("state with a constant initial value")
            else:
                initial = self.outer.source(dtype, dims)
            initial = self.outer.tame(initial, LARGE if initial.exact else SMALL)
            self.carry(initial)

    def carry(self, initial):
        state = self.inner.net.parameter(initial.dtype, initial.dims)
        rounded = self.maker.rounded and initial.dtype == "f32"
        state.exact = initial.exact and not rounded
        state.bound = LARGE if state.exact else max(SMALL, initial.bound)
        self.feed(initial, state)
        self.states.append((state, initial))
        self.note("carried state")
        return state

    def add_invariants(self):
        for _ in range(int(self.rng.integers(0, 3))):
            value = self.outer.any(numbers=False)
            self.note("invariant input")
            self.inner.pool.append(self.invariant(value))

    def invariant(self, value):
        parameter = self.inner.net.parameter(value.dtype, value.dims)
        parameter.bound, parameter.exact, parameter.known = value.bound, value.exact, value.known
        self.feed(value, parameter)
        return parameter

    def close_states(self):
        """Adds the next value of every state; returns Results as (id, Value, belongs to a state)."""
        results = []
        if len(self.states) > 1 and self.same_types() and self.chance(0.35):
            return self.rotate()
        for place, (state, _) in enumerate(self.states):
            value = self.next_value(state)
            result = next((made for made, known, _ in results if known is value), None)
            if result is None or self.may_run_nothing():
                result = self.inner.net.result(value)
                results.append((result, value, True))
            else:
                self.note("one Result feeds several Parameters")
            self.loop.back_edges.append((result, state.layer))
            if place + 1 < len(self.states) and self.chance(0.15):
                following = self.states[place + 1][0]
                if (following.dtype, following.dims) == (state.dtype, state.dims):
                    self.inner.pool.append(value)
        return results

    def may_run_nothing(self):
        """Returns true if the loop can have zero iterations. A Result that two states share then has
        no unique initial value."""
        return self.kind == "Loop" and (not self.fixed or self.trips == 0)

    def same_types(self):
        return len({(state.dtype, state.dims, state.exact) for state, _ in self.states}) == 1

    def rotate(self):
        """Swapped states, or a delay line with a new first value."""
        states = [state for state, _ in self.states]
        delay = self.chance(0.5)
        first = self.next_value(states[0]) if delay else states[-1]
        self.note("delay line" if delay else
                  "swapped states" if len(states) == 2 else "rotated states")
        results = []
        for state, value in zip(states, [first] + states[:-1]):
            result = self.inner.net.result(value)
            results.append((result, value, True))
            self.loop.back_edges.append((result, state.layer))
        return results

    def next_value(self, state):
        inner = self.inner
        if self.chance(0.08):
            self.note("state passed on unchanged")
            return state
        if self.chance(0.08):
            self.note("state set to a constant")
            return inner.random_constant(state.dtype, state.dims)
        same = [value for value in inner.pool if value is not state and
                (value.dtype, value.dims) == (state.dtype, state.dims) and
                value.bound <= state.bound and (value.exact or not state.exact)]
        if same and self.chance(0.4):
            return inner.rng.pick_value(same)
        value = inner.source(state.dtype, state.dims)
        if state.exact and not value.exact:
            value = inner.random_constant(state.dtype, state.dims)
        if self.chance(0.6) and state.dtype != "boolean":
            kind = inner.pick(("Add", "Subtract"))
            pair = [value, state] if self.chance(0.5) else [state, value]
            value = inner.op(kind, pair, state.dtype, state.dims, value.bound + state.bound)
            if self.chance(0.2):
                self.note("old state read after the new one")
                late = inner.op("Subtract", [value, state], state.dtype, state.dims,
                                value.bound + state.bound)
                inner.pool.append(inner.tame(late))
        return inner.tame(value, state.bound)

    def add_outputs(self, results):
        wanted = int(self.rng.integers(1, 5))
        for _ in range(wanted):
            if results and self.chance(0.5):
                result, value, of_state = self.outer.pick(results)
                if any(entry["internal_layer_id"] == result for entry in self.loop.entries_out):
                    self.note("one Result feeds several outputs")
            else:
                value = self.inner.any(numbers=False)
                result, of_state = self.inner.net.result(value), False
                results.append((result, value, False))
                if any(value is parameter for parameter, _, _ in self.slices):
                    self.note("Parameter wired to a Result")
            if self.may_scan(value) and self.chance(0.6):
                self.scan(result, value, of_state)
            else:
                self.last(result, value, of_state)
        if self.kind == "TensorIterator" and not self.slices:
            self.note("no sliced input")
            if not any("axis" in entry for entry in self.loop.entries_out):
                self.trips = 1

    def add_oddities(self, results):
        """Adds entries that have no meaning and must have no effect."""
        if results and self.slices and self.chance(0.05):
            self.note("back edge to a sliced Parameter")
            result, _, _ = self.outer.pick(results)
            self.loop.back_edges.append((result, self.slices[0][0].layer))
        if self.chance(0.05):
            self.note("unread Parameter without source")
            self.inner.net.parameter("f32", (3, ))

    def may_scan(self, value):
        closed = self.depth > 0 or self.maker.stateful or not self.maker.limits.open_scans
        return (self.fixed or not closed) and value.count * max(self.trips, 1) <= 256

    def scan(self, result, value, of_state):
        dims = list(value.dims) or [1]
        axis = int(self.rng.integers(len(dims)))
        part = dims[axis]
        written = axis - len(dims) if self.chance(0.3) else axis
        backward = self.chance(0.25) and self.fixed
        entry = ranges.whole(self.rng, written, part, backward)
        if self.kind == "Loop":  # no writer of Loop uses chunks
            entry.update(part_size=None, stride=-1 if backward else None)
        dims[axis] *= self.trips
        if not self.fixed:
            dims[axis] = -1
            self.note("scan output of a length known at run time")
        self.note("scan output")
        if axis > 0 and max(dims[:axis]) > 1:
            self.note("scan on an inner axis")
        if backward:
            self.note("backward scan output")
        if of_state:
            self.note("scan output of a state")
        self.output(result, value, dims, entry)

    def last(self, result, value, of_state):
        self.note("last value of a state" if of_state else "last value that is not carried")
        self.output(result, value, value.dims, {})

    def output(self, result, value, dims, entry):
        self.loop.entries_out.append({
            "external_port_id": len(self.loop.outputs), "internal_layer_id": result, **entry
        })
        self.loop.outputs.append((value.dtype, tuple(dims)))
        self.outputs.append((value.bound, value.exact))

    def write(self):
        """Numbers the output ports after the input ports and adds the layer."""
        loop = self.loop
        for entry in loop.entries_out:
            if entry["external_port_id"] >= 0:
                entry["external_port_id"] += len(loop.inputs)
        spoiled = spoils.apply(self)
        self.rng.shuffle(loop.entries_in)
        self.rng.shuffle(loop.entries_out)
        loop.body.shuffle()
        made = self.outer.net.add(self.kind, loop.inputs, loop.outputs,
                                  opset=5 if self.kind == "Loop" else 1, inner=loop.text())[1]
        for value, (bound, exact) in zip(made, self.outputs):
            value.bound, value.exact = bound, exact
        if spoiled and self.depth == 0:
            self.maker.shown += made
        return made
