# SPDX-License-Identifier: Apache-2.0
"""The examples of TensorIterator-1 and BatchToSpace-2, exactly as printed in their specifications."""

import numpy as np

import document_lstm
from casebook import EXACT, RECURRENT, Case, by_numpy, counting
from reference import blocks, cells
from reference.iterate import forward, iterate

OLD_FORM = ("OpenVINO does not read this form: LSTMCell with merged weights, or Const without "
            "element_type.")


def _by_cells(weights):
    """The example's result in NumPy, independent of the arithmetic in document_lstm."""
    merged = np.array(weights.rows, np.float64)
    w, r = merged[:, :weights.inputs], merged[:, weights.inputs:]

    def body(slices, states, _):
        hidden, cell = cells.lstm_cell(slices[0][:, 0], *states, w, r, np.array(weights.bias))
        return [hidden, cell], [hidden[:, None]]

    return lambda x, hidden, cell: iterate(body, [(x, forward(1))], [hidden, cell], [], [(
        2, forward(1))])


def _lstm():
    for inputs, hidden, steps in ((5, 3, 4), (16, 17, 7), (33, 15, 2)):
        weights = document_lstm.Weights(inputs, hidden, steps)
        arrays = [
            np.array(weights.x, np.float32)[None],
            np.array(weights.first_hidden, np.float32)[None],
            np.array(weights.first_cell, np.float32)[None]
        ]
        own, other = np.array(weights.expected())[None], _by_cells(weights)(*arrays)[0]
        if not np.allclose(own, other, rtol=1e-6, atol=1e-7):
            raise AssertionError("document_lstm.py and tests/reference/cells.py disagree")
        for form in document_lstm.FORMS:
            answers = {} if form == "today" else by_numpy(OLD_FORM)
            yield Case(f"document/lstm_{form.replace('-', '_')}_i{inputs}_h{hidden}_t{steps}",
                       arrays, files=document_lstm.files(weights,
                                                         form), reference=_by_cells(weights),
                       rtol=RECURRENT, atol=RECURRENT, note="TensorIterator, example 2.", **answers)


def _ports(tag, ports):
    """An <input> or <output> element with (attributes, dims) ports."""
    return [f"<{tag}>"] + [
        line for attributes, dims in ports
        for line in (f"<port {attributes}>", *(f"<dim>{dim}</dim>" for dim in dims), "</port>")
    ] + [f"</{tag}>"]


def _block_files(kind, data, control, result, answer_port):
    """The specified layer between Parameter, Consts and Result; its output is again port 3."""
    rank = len(data)
    binary = b"".join(np.array(part, "<i8").tobytes() for part in control)
    lines = [
        '<?xml version="1.0"?>', f'<net name="{kind}" version="10">', "<layers>",
        '<layer id="0" name="data" type="Parameter" version="opset1">',
        f'<data shape="{",".join(map(str, data))}" element_type="f32"/>',
        *_ports("output", [('id="0" precision="FP32"', data)]), "</layer>"
    ]
    for number, name in enumerate(("block_shape", "begin", "end"), 1):
        lines += [
            f'<layer id="{number}" name="{name}" type="Const" version="opset1">',
            f'<data element_type="i64" shape="{rank}" offset="{(number - 1) * 8 * rank}" '
            f'size="{8 * rank}"/>', *_ports("output", [('id="1" precision="I64"', [rank])]),
            "</layer>"
        ]
    inputs = [('id="0"', data)] + [(f'id="{number}"', [rank]) for number in (1, 2, 3)]
    lines += [
        f'<layer id="4" name="answer" type="{kind}" version="opset2">', *_ports("input", inputs),
        *_ports("output", [(answer_port, result)]), "</layer>",
        '<layer id="5" name="result" type="Result" version="opset1">',
        *_ports("input", [('id="0"', result)]), "</layer>", "</layers>", "<edges>",
        '<edge from-layer="0" from-port="0" to-layer="4" to-port="0"/>'
    ]
    lines += [
        f'<edge from-layer="{number}" from-port="1" to-layer="4" to-port="{number}"/>'
        for number in (1, 2, 3)
    ]
    lines += ['<edge from-layer="4" from-port="3" to-layer="5" to-port="0"/>', "</edges>", "</net>"]
    return "\n".join(lines) + "\n", binary


def _blocks():
    examples = {
        "2d": ((10, 2), ([1, 5], [0, 2], [0, 0])),
        "5d": ((48, 3, 3, 1, 3), ([1, 2, 4, 3, 1], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0]))
    }
    spellings = {
        "": ('id="3" precision="FP32"', {}),
        "_as_printed": ('id="3"',
                        by_numpy("OpenVINO wants a precision on every output port; the document "
                                 "prints none."))
    }
    for name, (shape, control) in examples.items():
        result = blocks.batch_to_space(counting(*shape), *control).shape
        for suffix, (port, answers) in spellings.items():
            yield Case(f"document/batch_to_space_{name}{suffix}", [counting(*shape)],
                       files=_block_files("BatchToSpace", shape, control, result, port),
                       reference=lambda x, control=control: blocks.batch_to_space(x, *control),
                       rtol=EXACT, atol=EXACT, note=f"BatchToSpace, {name.upper()} example.",
                       **answers)
        yield Case(
            f"document/space_to_batch_{name}", [counting(*result)],
            files=_block_files("SpaceToBatch", result, control, shape, 'id="3" precision="FP32"'),
            reference=lambda x, control=control: blocks.space_to_batch(x, *control), rtol=EXACT,
            atol=EXACT, note=f"The reverse of BatchToSpace's {name.upper()} example.")


def cases():
    yield from _lstm()
    yield from _blocks()
