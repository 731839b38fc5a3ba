# SPDX-License-Identifier: Apache-2.0
"""The same models in other valid forms of IR files: old exporters, hand edits."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import openvino as ov

import either
from build import finish, node, parameter
from casebook import EXACT, RECURRENT, Case, by_numpy, counting, flags, i64, normal
from families.cells import weights
from families.sequences import sequence_case
from loops import both, tensor_iterator
from reference.iterate import Slicing, forward, iterate


def _edit(change):
    """Returns an edit that changes the parsed XML instead of its text."""
    def apply(text):
        root = ElementTree.fromstring(text)
        change(root)
        ElementTree.indent(root, "\t")
        return '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"

    return apply


def _replace(*pairs):
    """Returns an edit of the text; every pattern must occur."""
    def apply(text):
        for pattern, substitute in pairs:
            text, count = re.subn(pattern, substitute, text)
            if not count:
                raise RuntimeError(f"nothing matches {pattern}")
        return text

    return apply


W, B = normal("formw", 17, 16, scale=0.3), normal("formb", 16)


def _perceptron(x):
    middle = node(
        "Relu", 1,
        [node("Add", 1, [node("MatMul", 1, [x, W], transpose_a=False, transpose_b=False), B])])
    return node(
        "Softmax", 1,
        [node("ReduceSum", 1, [node("Unsqueeze", 1, [middle, i64(0)]),
                               i64(0)], keep_dims=False)], axis=1)


def _perceptron_reference(x):
    raised = np.exp(np.maximum(x.astype(np.float64) @ W + B, 0))
    return raised / raised.sum(1, keepdims=True)


def _shuffle(root):
    """Descending ids, layers and edges in reverse; Parameters and Results keep their order."""
    layers, edges = root.find("layers"), root.find("edges")
    ports = [layer for layer in layers if layer.get("type") in ("Parameter", "Result")]
    others = [layer for layer in layers if layer not in ports]
    layers[:] = others[::-1] + ports
    edges[:] = list(edges)[::-1]
    _renumber(root, lambda number: 900 - 7 * number)


def _renumber(root, rule):
    for layer in root.find("layers"):
        layer.set("id", str(rule(int(layer.get("id")))))
    for edge in root.find("edges"):
        for end in ("from-layer", "to-layer"):
            edge.set(end, str(rule(int(edge.get(end)))))


def _other_port_numbers(root):
    """Output port numbers far from those of the inputs."""
    for port in root.find("layers").findall("layer/output/port"):
        port.set("id", str(int(port.get("id")) + 40))
    for edge in root.find("edges"):
        edge.set("from-port", str(int(edge.get("from-port")) + 40))


def _add_unreachable(root):
    """A Const, an operation of unknown type and a Relu that no output depends on."""
    layers, edges = root.find("layers"), root.find("edges")
    extra = ElementTree.fromstring(
        '<x><layer id="70" name="lost" type="Const" version="opset1">'
        '<data element_type="f32" shape="2" offset="0" size="8"/>'
        '<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>'
        '<layer id="71" name="odd" type="NoSuchOperation" version="opset1">'
        '<input><port id="0"><dim>2</dim></port></input>'
        '<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>'
        '<layer id="72" name="end" type="ReLU" version="opset1">'
        '<input><port id="0"><dim>2</dim></port></input>'
        '<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer></x>')
    layers.extend(extra)
    for start, end in ((70, 71), (71, 72)):
        ElementTree.SubElement(
            edges, "edge", {
                "from-layer": str(start), "from-port": "0" if start == 70 else "1",
                "to-layer": str(end), "to-port": "0"
            })


def _as_version_10(root):
    """Version 10 as Model Optimizer wrote it: inputs without precision, meta data at the end."""
    root.set("version", "10")
    for port in root.iter("port"):
        port.attrib.pop("names", None)
    for layer in root.iter("layer"):
        layer.attrib.pop("output_names", None)
        for port in layer.findall("input/port"):
            port.attrib.pop("precision", None)
    root.append(
        ElementTree.fromstring(
            '<meta_data><MO_version value="2021.4"/><cli_parameters><data_type value="FP32"/>'
            '</cli_parameters></meta_data>'))
    root.append(ElementTree.fromstring("<quantization_parameters/>"))


def _spellings():
    x = normal("formx", 3, 17)
    edits = {
        "as_written": (None, "The model that the other cases of this kind spell differently."),
        "type_aliases": (_replace(('type="ReLU"', 'type="Relu"'),
                                  ('type="SoftMax"', 'type="Softmax"')), ""),
        "types_in_lower_case": (_replace(('type="MatMul"', 'type="matmul"'),
                                         ('type="Add"', 'type="ADD"')), ""),
        "later_opsets":
            (_replace(('(type="(?:MatMul|Add|ReLU|Unsqueeze|ReduceSum)" version=)"opset1"',
                       r'\1"opset8"')),
             "Each type is looked up in the table of the opset: the newest version not above it."),
        "booleans_as_digits": (_replace(('keep_dims="false"', 'keep_dims="0"'),
                                        ('transpose_a="false"', 'transpose_a="0"')), ""),
        "attributes_left_out": (_replace((' transpose_a="false" transpose_b="false"', ""),
                                         (' keep_dims="false"', "")), ""),
        "unknown_attributes": (_replace(
            ("<data transpose_a", '<data primitives_priority="cpu:gemm" transpose_a')), ""),
        "shuffled":
            (_edit(_shuffle), "Only Parameters and Results have an order, each kind among itself."),
        "other_port_numbers": (_edit(_other_port_numbers), ""),
        "unreachable_layers": (_edit(_add_unreachable),
                               "Layers that no Result needs are ignored, of unknown type too."),
        "version_10": (_edit(_as_version_10), ""),
        "spaces_in_shape": (_replace(('shape="3,17"', 'shape="3, 17"')), ""),
    }
    for name, (edit, note) in edits.items():
        yield Case(f"forms/perceptron_{name}", [x], graph=_perceptron, edit=edit,
                   reference=_perceptron_reference, note=note)
    pads = dict(strides=[2, 1], pads_begin=[1, 0], pads_end=[1, 2], dilations=[1, 1],
                auto_pad="explicit")
    kernel = normal("formk", 4, 3, 3, 3, scale=0.2)
    yield Case("forms/convolution_spaces_in_lists", [normal("formc", 1, 3, 7, 8)],
               graph=lambda x: node("Convolution", 1, [x, kernel], **pads), edit=_replace(
                   ('strides="2, ?1"', 'strides=" 2 ,1 "')))
    yield Case(
        "forms/convolution_same_upper_with_stale_pads", [normal("formc", 1, 3, 7, 8)],
        graph=lambda x: node("Convolution", 1, [x, kernel], **{**pads, "auto_pad": "same_upper"}),
        edit=_replace(('pads_begin="[^"]*"', 'pads_begin="5,5"'),
                      ('pads_end="[^"]*"', 'pads_end="5,5"')),
        note="auto_pad decides; the pads in the file are stale.")
    yield Case(
        "forms/batch_to_space_opset5", [counting(4, 3)],
        graph=lambda x: node("BatchToSpace", 2, [x, *map(np.array, ([1, 2], [0, 0], [0, 0]))]),
        edit=_replace(('version="opset2"', 'version="opset5"')), rtol=EXACT, atol=EXACT)


def _defaults():
    """Recurrent operations with omitted attributes, which have their default values."""
    strip = _replace((' activations="[^"]*"', ""), (' activations_(alpha|beta)=""', ""),
                     (' clip="0"', ""))
    for kind in ("LSTMSequence", "GRUSequence", "RNNSequence"):
        yield sequence_case(f"forms/{kind.lower()}_default_activations", kind, 1, 5, 4, 9,
                            more={"edit": strip, **EMPTY})
    w, r, b = weights("formr", 1, 5, 7)
    yield Case("forms/rnn_cell_experimental",
               [normal("frx", 1, 5), normal("frh", 1, 7)],
               graph=lambda x, h: either.rnn(x, h, w, r, b), edit=_replace(
                   ('(type="RNNCell" version=)"opset1"', r'\1"experimental"')),
               reference=lambda x, h: either.rnn(x, h, w, r, b))


EMPTY = by_numpy(
    "OpenVINO's CPU device fails on activations that are left out, though the document gives a "
    "default.")


def _constants():
    flag, small = flags("fodd", 3), normal("fodds", 3)
    yield Case(
        "forms/constants_at_odd_offsets", [counting(3)], graph=lambda x:
        (node("Select", 1, [flag, x, small]), node("Add", 1, [x, normal("fodd2", 3)]),
         node("Multiply", 1, [x, small])),
        reference=lambda x: [np.where(flag, x, small), x + normal("fodd2", 3), x * small],
        note="Three bytes of booleans push the f32 after them.")
    block = counting(2, 6)
    yield Case(
        "forms/constants_share_bytes", [counting(6)], graph=lambda x:
        (node("Add", 1, [x, block]),
         node("Add", 1,
              [node("Reshape", 1, [x, i64(3, 2, 1)], special_zero=False),
               block.reshape(3, 2, 2)])),
        reference=lambda x: [x + block, x.reshape(3, 2, 1) + block.reshape(3, 2, 2)], rtol=EXACT,
        atol=EXACT, note="Two Consts of different shapes have one offset.")
    yield Case("forms/result_of_a_constant", [counting(2)], graph=lambda x:
               (x, node("Negative", 1, [small])), reference=lambda x: [x, -small])
    yield Case("forms/unused_input", [counting(2, 3), counting(4)],
               graph=lambda x, y: node("Relu", 1, [x]), reference=lambda x, y: x, rtol=EXACT,
               atol=EXACT, note="The second input feeds nothing and is a port all the same.")


def _names():
    def model():
        x = parameter((2, 3), name="layer/in put:0")
        x.output(0).get_tensor().set_names({"a,b", "a second name"})
        y = node("Negative", 1, [x])
        y.set_friendly_name("<negative & \"quoted\">")
        y.output(0).get_tensor().set_names({"out/negative:0"})
        return finish(y, [x], "names")

    yield Case("forms/names", [counting(2, 3)], model=model, reference=lambda x: -x, rtol=EXACT,
               atol=EXACT, note="Commas, slashes, spaces and XML's own characters in names.")

    def bare(text):
        return re.sub(r' (output_)?names="[^"]*"', "", text)

    yield Case("forms/no_tensor_names", [counting(2, 3)], graph=lambda x: node("Negative", 1, [x]),
               edit=bare, reference=lambda x: -x, rtol=EXACT, atol=EXACT,
               note="Ports are called by the names of their layers.")


def _running(slices, states, _):
    total = either.add(states[0], slices[0])
    return [total], []


def _as_old_exporter(root):
    """Port maps after the ports, entries in reverse, defaults omitted."""
    layer = next(root.iter("port_map"))
    for parent in root.iter("layer"):
        if parent.find("port_map") is layer:
            back = parent.find("back_edges")
            parent.remove(layer)
            parent.remove(back)
            place = list(parent).index(parent.find("output")) + 1
            parent.insert(place, layer)
            parent.insert(place + 1, back)
    defaults = {"start": "0", "end": "-1", "stride": "1", "part_size": "1"}
    for entry in layer:
        for key, value in defaults.items():
            if entry.get(key) == value:
                del entry.attrib[key]
    layer[:] = list(layer)[::-1]


def _iterators():
    x, s = counting(6, 3), 100 * counting(1, 3)
    graph, reference = both(_running, [forward(0)], 1, [(0, forward(0)), (0, None)])
    spelled = {
        "as_old_exporter": (_edit(_as_old_exporter), {}),
        "outputs_by_rank": (_replace(
            ('<output (axis="0" )?external_port_id="2"', r'<output \1external_port_id="12"'),
            ('<output external_port_id="3"', '<output external_port_id="30"')),
                            {"note": "Output entries count in the order of external_port_id."}),
        "old_back_edge_ports": (_replace(
            ("<edge from-layer=\"(\\d+)\" to-layer=\"(\\d+)\" />\\s*</back_edges>",
             r'<edge from-layer="\1" from-port="0" to-layer="\2" to-port="0" /></back_edges>')), {}
                               ),
        "end_is_last_index":
            (_replace(('end="-1"', 'end="5"')),
             {"note": "end = 5 of 6: inclusive, as the declared output of 6 rows says.", **CORE}),
        "end_is_size":
            (_replace(('end="-1"', 'end="6"')),
             {"note": "end = 6 of 6: exclusive, as the declared output of 6 rows says.", **PLUGIN}),
        "output_axis_counts_from_the_end":
            (_replace(('<output axis="0"', '<output axis="-2"')),
             by_numpy("OpenVINO reads a negative axis and its CPU device refuses it.")),
    }
    for name, (edit, more) in spelled.items():
        yield Case(f"forms/iterator_{name}", [x, s], graph=graph, edit=edit, reference=reference,
                   rtol=EXACT, atol=EXACT, **more)
    yield from _iterator_decided_by_another()
    yield from _iterator_sliced_wins()


CORE = by_numpy(
    "OpenVINO's shape inference reads this end as inclusive, its CPU device as exclusive.")
PLUGIN = by_numpy(
    "OpenVINO's shape inference reads this end as inclusive and finds one iteration more.")


def _iterator_decided_by_another():
    """A range 0..5 over 6 rows, and a second input sliced along its full axis of 5: 5 iterations."""
    def body(slices, states, _):
        return [either.add(states[0], either.add(slices[0], slices[1]))], []

    graph, _ = both(body, [forward(0), Slicing(0, 0, -2, 1)], 1, [(0, forward(0)), (0, None)])
    _, reference = both(body, [forward(0), Slicing(0, 0, 5, 1)], 1, [(0, forward(0)), (0, None)])
    yield Case("forms/iterator_end_decided_by_other_input",
               [counting(5, 3), counting(6, 3), counting(1, 3)], graph=graph, edit=_replace(
                   ('end="-2"', 'end="5"')), reference=reference, rtol=EXACT, atol=EXACT,
               note="end = 5 of 6: exclusive, as the other sliced input of 5 rows says.", **PLUGIN)


def _iterator_sliced_wins():
    """A back edge into a sliced Parameter is ignored."""
    x, s = counting(6, 3), counting(1, 3)

    def body(slices, states, _):
        return [either.add(states[0], slices[0])], [either.add(slices[0], slices[0])]

    graph, reference = both(body, [forward(0)], 1, [(0, forward(0)), (1, forward(0))])

    def add_edge(root):
        edges = next(root.iter("back_edges"))
        sliced = next(
            entry for entry in root.iter("port_map")).find("input[@axis]").get("internal_layer_id")
        ElementTree.SubElement(edges, "edge",
                               {"from-layer": edges[0].get("from-layer"), "to-layer": sliced})

    yield Case("forms/iterator_slice_beats_back_edge", [x, s], graph=graph, edit=_edit(add_edge),
               reference=reference, rtol=EXACT, atol=EXACT,
               note="The added back edge into the sliced Parameter is ignored, with a warning.")


def _reshaped():
    """The file has other input shapes than the case's inputs; --shape sets the correct ones."""
    def stored(shape, graph):
        def model():
            x = parameter(shape, name="x0")
            return finish(graph(x), [x], "reshaped")

        return model

    yield Case("forms/shape_option_batch", [normal("rb", 5, 17)], model=stored(
        (3, 17), _perceptron), reference=_perceptron_reference, convert=["--shape", "x0=5,17"],
               note="The file says [3,17].")

    def dynamic():
        from openvino import opset1
        x = opset1.parameter(ov.PartialShape([-1, 17]), np.float32, name="x0")
        return finish(_perceptron(x), [x], "dynamic")

    yield Case("forms/shape_option_dynamic", [normal("rd", 2, 17)], model=dynamic,
               reference=_perceptron_reference, convert=["--shape",
                                                         "x0=2,17"], note="The file says [?,17].")
    w, r, b = weights("rt", 3, 4, 9)
    zero = np.zeros((1, 9), np.float32)

    def body(slices, states, _):
        following = either.gru(either.squeeze(slices[0], 1), states[0], w, r, b)
        return [following], [either.unsqueeze(following, 1)]

    yield Case(
        "forms/shape_option_time",
        [normal("rtx", 1, 7, 4)], model=stored((1, 3, 4), lambda x: tensor_iterator(
            body, [(x, forward(1))], [_constant(zero)], [], [(1, forward(1))])),
        reference=lambda x: iterate(body, [(x, forward(1))], [zero], [], [(1, forward(1))]),
        convert=["--shape",
                 "x0=1,7,4"], rtol=RECURRENT, atol=RECURRENT, note="The file says 3 steps.")


def _constant(array):
    from build import constant
    return constant(array)


def cases():
    for part in (_spellings, _defaults, _constants, _names, _iterators, _reshaped):
        yield from part()
