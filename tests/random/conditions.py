# SPDX-License-Identifier: Apache-2.0
"""The end of a Loop: trip count, first condition and the condition that its body computes."""

import numpy as np

from ir_text import DTYPES


def choose_count(loop):
    """Adds the inputs 0 and 1 and sets `trips`, `fixed` and `ends_itself`."""
    outer, maker = loop.outer, loop.maker
    forms = ["constant"] * 3
    if maker.run_time:
        forms += ["run time", "infinite"]
    form = outer.pick(forms)
    dtype, dims = outer.pick(("i32", "i64")), outer.pick(((), (1, )))
    if maker.limits.zero and loop.chance(0.1):
        loop.trips = 0
    loop.ends_itself = form == "infinite"
    if form == "constant":
        trips = outer.net.constant(np.full(dims, loop.trips, DTYPES[dtype]))
    elif form == "run time":
        trips = _run_time_count(loop, dtype, dims)
    else:
        number = -int(loop.rng.integers(1, 4))
        if loop.chance(0.5) and outer.fresh:
            loop.note("negative trip count at run time")
            trips = maker.input(np.full(dims, number, DTYPES[dtype]))
        else:
            trips = outer.net.constant(np.full(dims, number, DTYPES[dtype]))
    if form != "constant":
        maker.needs_bound = True
        loop.fixed = False
    loop.note(f"trip count: {form}, {dtype}{list(dims)}")
    loop.loop.inputs += [trips, _first_condition(loop)]
    if loop.trips == 0:
        loop.note("zero iterations")
    if loop.chance(0.1):
        loop.note("trip count read by the body")
        value = loop.inner.net.parameter(trips.dtype, trips.dims)
        value.bound = max(trips.bound, 8)
        loop.loop.entries_in.append({"external_port_id": 0, "internal_layer_id": value.layer})
        loop.inner.pool.append(value)
    if loop.chance(0.3):
        loop.note("current iteration")
        loop.iteration = _iteration(loop)


def _run_time_count(loop, dtype, dims):
    outer, maker = loop.outer, loop.maker
    if outer.fresh and loop.chance(0.7):
        return maker.input(np.full(dims, loop.trips, DTYPES[dtype]))
    loop.note("computed trip count")
    loop.trips = max(loop.trips, 1)
    value = outer.source(dtype, dims)
    return outer.op("Clamp", [value], dtype, dims, loop.trips, {"min": 0, "max": loop.trips})


def _first_condition(loop):
    outer, maker = loop.outer, loop.maker
    dims = outer.pick(((), (1, )))
    roll = loop.rng.random()
    if roll < 0.7 or not maker.run_time:
        first = roll > 0.03 or loop.ends_itself or not maker.limits.zero
        if not first:
            loop.note("first condition false")
            loop.trips = 0
        return outer.net.constant(np.full(dims, first, bool))
    loop.note("first condition at run time")
    loop.fixed = False
    return outer.source("boolean", dims)


def _iteration(loop):
    dtype, dims = loop.outer.pick(("i32", "i64")), loop.outer.pick(((), (1, )))
    parameter = loop.inner.net.parameter(dtype, dims)
    parameter.bound = max(loop.trips, 1)
    loop.loop.entries_in.append({
        "external_port_id": -1, "internal_layer_id": parameter.layer, "purpose": "current_iteration"
    })
    loop.inner.pool.append(parameter)
    return parameter


def close(loop):
    """Adds the Result with the loop condition, or omits it."""
    inner, maker = loop.inner, loop.maker
    forms = ["missing", "true", "true", "from port 1", "false"]
    if maker.run_time:
        forms += ["counted", "counted", "data"]
    form = "counted" if loop.ends_itself else inner.pick(forms)
    loop.note(f"condition: {form}")
    if form == "missing":
        return
    if form in ("true", "false"):
        value = inner.net.constant(np.full(inner.pick(((), (1, ))), form == "true"))
        if form == "false" and loop.fixed:
            loop.trips = min(loop.trips, 1)
    elif form == "from port 1":
        value = _from_port(loop)
    else:
        loop.fixed = False
        value = _counted(loop)
        if form == "data":
            data = inner.source("boolean", value.dims)
            value = inner.op("LogicalAnd", [value, data], "boolean", value.dims, 1)
    result = inner.net.result(value)
    loop.loop.entries_out.append({
        "external_port_id": -1, "internal_layer_id": result, "purpose": "execution_condition"
    })
    if form == "counted" and loop.chance(0.1):
        loop.note("condition carried too")
        state = inner.net.parameter("boolean", value.dims)
        loop.feed(loop.outer.random_constant("boolean", value.dims), state)
        loop.loop.back_edges.append((result, state.layer))


def _from_port(loop):
    """The Parameter connected to port 1, as an invariant or with a back edge to itself."""
    first = loop.loop.inputs[1]
    value = loop.inner.net.parameter("boolean", first.dims)
    loop.loop.entries_in.append({"external_port_id": 1, "internal_layer_id": value.layer})
    if loop.chance(0.5):
        loop.loop.back_edges.append((loop.inner.net.result(value), value.layer))
    return value


def _counted(loop):
    """iteration + 1 < limit, with the current iteration or a separate counter."""
    inner = loop.inner
    limit = max(loop.trips, 1) if loop.chance(0.6) or loop.ends_itself else max(loop.trips - 1, 1)
    counter = loop.iteration
    if counter is None or loop.chance(0.3):
        dtype, dims = inner.pick(("i32", "i64", "f32")), inner.pick(((), (1, )))
        counter = inner.net.parameter(dtype, dims)
        loop.feed(loop.outer.net.constant(np.zeros(dims, DTYPES[dtype])), counter)
    one = inner.scalar(1, counter.dtype)
    following = inner.op("Add", [counter, one], counter.dtype, counter.dims, 100)
    if counter is not loop.iteration:
        loop.loop.back_edges.append((inner.net.result(following), counter.layer))
    if loop.chance(0.5):
        bound = inner.scalar(limit, counter.dtype)
    else:
        bound = loop.invariant(loop.outer.net.constant(np.array(limit, DTYPES[counter.dtype])))
    return inner.op("Less", [following, bound], "boolean", counter.dims, 1)
