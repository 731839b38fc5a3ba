# SPDX-License-Identifier: Apache-2.0
"""Random If operations: two branches with their own inputs and the same outputs."""

import ir_text
from scope import Scope


def branch(maker, outer, depth, room):
    """Adds an If to the outer net; returns its outputs."""
    maker.features["If"] += 1
    maker.features[f"depth {depth + 1}"] += 1
    dims = outer.pick(((), (1, )))
    if outer.chance(0.3) or not maker.run_time:
        maker.features["If with a constant condition"] += 1
        condition = outer.random_constant("boolean", dims)
    else:
        condition = outer.source("boolean", dims)
    inputs = [condition]
    scopes, entries = [], []
    for _ in range(2):
        scope = Scope(ir_text.Net(maker.rng, maker.weights), maker.rng)
        fed = []
        for _ in range(int(maker.rng.integers(0, 4))):
            value = outer.any(numbers=False)
            parameter = scope.net.parameter(value.dtype, value.dims)
            parameter.bound, parameter.exact = value.bound, value.exact
            scope.pool.append(parameter)
            if value not in inputs[1:]:
                inputs.append(value)
            port = 1 + inputs[1:].index(value)
            fed.append({"external_port_id": port, "internal_layer_id": parameter.layer})
        maker.open_bodies += 1
        maker.fill(scope, depth + 1, room)
        maker.open_bodies -= 1
        scopes.append(scope)
        entries.append(fed)
    outputs, made = [], []
    for _ in range(int(maker.rng.integers(1, 4))):
        first = scopes[0].any(numbers=False)
        second = scopes[1].source(first.dtype, first.dims)
        made.append((first, second))
        outputs.append((first.dtype, first.dims))
    text = []
    for place, (name, scope) in enumerate(zip(("then", "else"), scopes)):
        results = [scope.net.result(pair[place]) for pair in made]
        maker.close_variables(scope)
        text.append(_text(name, scope.net, entries[place], results, len(inputs)))
    values = outer.net.add("If", inputs, outputs, opset=8, inner="\n".join(text))[1]
    for value, (first, second) in zip(values, made):
        value.bound = max(first.bound, second.bound)
        value.exact = first.exact and second.exact
    return values


def _text(name, net, fed, results, first_output):
    net.shuffle()
    lines = [f"<{name}_port_map>"]
    for entry in fed:
        lines.append('<input external_port_id="{external_port_id}" '
                     'internal_layer_id="{internal_layer_id}"/>'.format(**entry))
    for index, result in enumerate(results):
        lines.append(f'<output external_port_id="{first_output + index}" '
                     f'internal_layer_id="{result}"/>')
    return "\n".join(lines +
                     [f"</{name}_port_map>", f"<{name}_body>", net.text(), f"</{name}_body>"])
