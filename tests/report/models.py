# SPDX-License-Identifier: Apache-2.0
"""Models for report pages: one with names that contain markup, one with very many values, and a stack of
LSTMs for the pictures of the documentation."""
import random
import shutil
import struct

HOSTILE = ("</script><script>document.title='run'</script>", "\"'><img src=x onerror=alert(1)>",
           "\u202egnol", "n" * 10_000)


def write_hostile(lstm, folder):
    """Writes the LSTM of the specification with hostile names; returns the path of model.xml."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(lstm.with_suffix(".bin"), folder / "model.bin")
    text = lstm.read_text(encoding="utf-8")
    for name, hostile in zip(("lstm", "sequence", "first_hidden", "first_cell"), HOSTILE):
        escaped = "".join(f"&#{ord(c)};" for c in hostile)
        for attribute in ("name", "names"):
            text = text.replace(f'{attribute}="{name}"', f'{attribute}="{escaped}"')
    (folder / "model.xml").write_text(text, encoding="utf-8")
    return folder / "model.xml"


class _Graph:
    """An IR under construction. A value is (layer, port, shape)."""

    def __init__(self):
        self.random = random.Random(1)
        self.layers, self.edges, self.weights = [], [], bytearray()

    def layer(self, name, kind, data, inputs, outputs, version="opset1", precision="FP32"):
        """Adds a layer and returns its outputs, which have one precision; `data` are attributes."""
        number = len(self.layers)

        def ports(first, shapes):
            return "".join(f'<port id="{first + i}" precision="{precision}" names="{name}{i or ""}">'
                           f'{"".join(f"<dim>{d}</dim>" for d in shape)}</port>'
                           for i, shape in enumerate(shapes))

        text = f'<layer id="{number}" name="{name}" type="{kind}" version="{version}">'
        text += f"<data {data}/>" if data else ""
        text += f"<input>{ports(0, [shape for _, _, shape in inputs])}</input>" if inputs else ""
        text += f"<output>{ports(len(inputs), outputs)}</output>" if outputs else ""
        self.layers.append(text + "</layer>")
        for i, (source, port, _) in enumerate(inputs):
            self.edges.append(f'<edge from-layer="{source}" from-port="{port}" to-layer="{number}" to-port="{i}"/>')
        return [(number, len(inputs) + i, shape) for i, shape in enumerate(outputs)]

    def constant(self, name, shape, numbers=None):
        """Adds a constant: random floats, or the given integers."""
        count = 1
        for extent in shape:
            count *= extent
        offset = len(self.weights)
        if numbers is None:
            self.weights += struct.pack(f"<{count}f", *(self.random.uniform(-0.3, 0.3) for _ in range(count)))
        else:
            self.weights += struct.pack(f"<{count}q", *numbers)
        data = (f'element_type="{"f32" if numbers is None else "i64"}" shape="{",".join(map(str, shape))}" '
                f'offset="{offset}" size="{len(self.weights) - offset}"')
        return self.layer(name, "Const", data, [], [shape], precision="FP32" if numbers is None else "I64")[0]

    def write(self, name, folder):
        """Writes the IR; returns the path of model.xml."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.bin").write_bytes(self.weights)
        (folder / "model.xml").write_text(
            f'<?xml version="1.0"?><net name="{name}" version="11"><layers>' + "".join(self.layers) +
            "</layers><edges>" + "".join(self.edges) + "</edges></net>", encoding="utf-8")
        return folder / "model.xml"


def write_large(products, folder):
    """A chain of `products` products with random, different widths; every hundredth is also an output."""
    graph = _Graph()
    value = graph.layer("x", "Parameter", 'element_type="f32" shape="1,16"', [], [[1, 16]])[0]
    for i in range(products):
        width, wide = value[2][1], graph.random.randrange(4, 24)
        weights = graph.constant(f"w{i}", [width, wide])
        value = graph.layer(f"block{i // 50}/dense{i}", "MatMul", 'transpose_a="false" transpose_b="false"',
                            [value, weights], [[1, wide]])[0]
        if i % 100 == 99 or i + 1 == products:
            graph.layer(f"y{i}", "Result", "", [value], [])
    return graph.write("large", folder)


def write_lstms(count, folder, inputs=16, last=False):
    """A stack of LSTMs of 16 units over 16 time steps; with `last`, the output is only the last state of
    the top layer."""
    steps, width = 16, 16
    graph = _Graph()
    value = graph.layer("sequence", "Parameter", f'element_type="f32" shape="1,{steps},{inputs}"', [],
                        [[1, steps, inputs]])[0]
    axis = graph.constant("direction", [1], [1])
    length = graph.constant("length", [1], [steps])
    for i in range(count):
        depths = {"w": [inputs if i == 0 else width], "r": [width], "b": []}
        weights = [graph.constant(f"{name}{i}", [1, 4 * width] + depth) for name, depth in depths.items()]
        states = [graph.constant(f"{name}{i}", [1, 1, width]) for name in ("hidden", "cell")]
        outputs = graph.layer(f"lstm{i + 1}", "LSTMSequence", f'direction="forward" hidden_size="{width}"',
                              [value, *states, length, *weights],
                              [[1, 1, steps, width], [1, 1, width], [1, 1, width]], "opset5")
        value = graph.layer(f"layer{i + 1}", "Squeeze", "", [outputs[0], axis], [[1, steps, width]])[0]
    graph.layer("answer", "Result", "", [outputs[1] if last else value], [])
    return graph.write("lstms", folder)
