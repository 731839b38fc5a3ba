# SPDX-License-Identifier: Apache-2.0
"""The network of g2p-en: letters of a word to phonemes, by a GRU encoder and a GRU decoder in a loop."""
import importlib
import itertools
import re
import sys
import unittest.mock

import numpy as np
import openvino
from openvino import opset13 as ops

from common.task import Task

WHEELS = """
g2p-en==2.1.0 --hash=sha256:2a7aabf1fc7f270fcc3349881407988c9245173c2413debbe5432f4a4f31319f
"""
LETTERS, PHONEMES = 24, 20  # longest word with its end, and longest result
END_LETTER, START, END = 2, 2, 3
WORDS = """weft tensor quantise scheduler firmware microphone kitchen nabu jarvis streaming recurrent
activationist silero oboe yacht thistle gearbox photon walrus cactus zephyr linker embedded banana
quixotic rhythm knight psalm bouquet chamomile flummox gnarly hiccup jalapeno kaleidoscope lasagna
mnemonic nocturne onomatopoeia pterodactyl""".split()


def original(folder):
    """The wheel's own class without its dictionary: its imports of a tokenizer are replaced."""
    names = ("nltk", "nltk.corpus", "nltk.tokenize", "inflect")
    with unittest.mock.patch.dict(sys.modules, {name: unittest.mock.MagicMock() for name in names}):
        sys.path.insert(0, str(folder))
        module = importlib.import_module("g2p_en.g2p")
    g2p = module.G2p.__new__(module.G2p)
    g2p.load_variables()
    g2p.graphemes = ["<pad>", "<unk>", "</s>"] + list("abcdefghijklmnopqrstuvwxyz")
    g2p.g2idx = {letter: i for i, letter in enumerate(g2p.graphemes)}
    g2p.idx2p = {i: i for i in range(len(g2p.dec_emb))}  # predict then returns codes
    return g2p


def gates(array):
    """From the order r, z, n of PyTorch to z, r, n of OpenVINO."""
    reset, update, candidate = np.split(array, 3)
    return np.concatenate([update, reset, candidate])


def bias(inputs, states):
    """Biases of a GRU with linear_before_reset: those of n stay separate."""
    (wz, wr, wn), (rz, rr, rn) = np.split(gates(inputs), 3), np.split(gates(states), 3)
    return np.concatenate([wz + rz, wr + rr, wn, rn])


def decoder(data, state):
    """A loop of at most PHONEMES steps that ends after the end code. Returns all codes."""
    hidden = data["dec_w_hh"].shape[1]
    step = ops.parameter([], np.int64)
    token, h = ops.parameter([1], np.int64), ops.parameter([1, hidden], np.float32)
    codes = ops.parameter([PHONEMES], np.int64)
    axis = ops.constant(np.int64(0))
    embedded = ops.gather(ops.constant(data["dec_emb"]), token, axis)
    cell = ops.gru_cell(embedded, h, ops.constant(gates(data["dec_w_ih"])),
                        ops.constant(gates(data["dec_w_hh"])),
                        ops.constant(bias(data["dec_b_ih"], data["dec_b_hh"])), hidden,
                        linear_before_reset=True)
    scores = ops.add(ops.matmul(cell, ops.constant(data["fc_w"]), False, True),
                     ops.constant(data["fc_b"][None]))
    best = ops.topk(scores, ops.constant(np.int64(1)), 1, "max", "value", index_element_type="i64")
    chosen = ops.reshape(best.output(1), ops.constant(np.array([1])), False)
    stored = ops.scatter_update(codes, ops.unsqueeze(step, axis), chosen, axis)
    again = ops.reshape(ops.not_equal(chosen, ops.constant(np.int64(END))),
                        ops.constant(np.array([], np.int64)), False)
    body = openvino.Model([again, cell, chosen, stored], [step, token, h, codes], "decoder")
    loop = ops.loop(ops.constant(np.int64(PHONEMES)), ops.constant(True))
    loop.set_function(body)
    loop.set_special_body_ports([0, 0])
    loop.set_merged_input(h, state, cell.output(0))
    loop.set_merged_input(token, ops.constant(np.array([START])).output(0), chosen.output(0))
    loop.set_merged_input(codes, ops.constant(np.full(PHONEMES, END)).output(0), stored.output(0))
    return loop.get_iter_value(stored.output(0), -1)


def build(data):
    """Returns the network: inputs letters and length, output phonemes."""
    letters = ops.parameter([1, LETTERS], np.int64, name="letters")
    length = ops.parameter([1], np.int32, name="length")
    embedded = ops.gather(ops.constant(data["enc_emb"]), letters, ops.constant(np.int64(0)))
    hidden = data["enc_w_hh"].shape[1]
    encoder = ops.gru_sequence(embedded, ops.constant(np.zeros((1, 1, hidden), np.float32)), length,
                               ops.constant(gates(data["enc_w_ih"])[None]),
                               ops.constant(gates(data["enc_w_hh"])[None]),
                               ops.constant(bias(data["enc_b_ih"], data["enc_b_hh"])[None]), hidden,
                               "forward", linear_before_reset=True)
    state = ops.reshape(encoder.output(1), ops.constant(np.array([1, hidden])), False)
    phonemes = ops.result(decoder(data, state.output(0)), name="phonemes")
    return openvino.Model([phonemes], [letters, length], "g2p")


def names_of(folder):
    """Names of the phonemes, from the list in the wheel's source."""
    text = (folder / "g2p_en/g2p.py").read_text(encoding="utf-8")
    begin = text.index("self.phonemes = ") + len("self.phonemes = ")
    return re.findall(r"""["']([^"']+)["']""", text[begin:text.index("self.g2idx", begin)])


def prepare(wheels, work):
    folder = wheels / "g2p_en-2.1.0"
    g2p, names = original(folder), names_of(folder)
    model = work / "g2p.xml"
    openvino.save_model(build(g2p.variables), model, compress_to_fp16=False)
    letters = np.full((len(WORDS), 1, LETTERS), END_LETTER)
    for row, word in zip(letters, WORDS):
        row[0, :len(word)] = [g2p.g2idx[letter] for letter in word]
    lengths = np.array([[len(word) + 1] for word in WORDS], np.int32)
    reference = np.full((len(WORDS), PHONEMES), END)
    for row, word in zip(reference, WORDS):
        codes = g2p.predict(word)
        row[:len(codes)] = codes
    words = itertools.cycle(WORDS)

    def show(outputs):
        return "\n".join(f"{word:14} {' '.join(names[code] for code in codes if code != END)}"
                         for word, codes in zip(WORDS, outputs["phonemes"]))

    def measure(outputs):
        same = np.all(outputs["phonemes"] == reference, axis=1)
        return [f"{np.sum(~same)} of {len(WORDS)}"]

    return [Task(model=model, options=[], inputs={"letters": letters, "length": lengths},
                 reference={"phonemes": reference}, peer="NumPy",
                 run_peer=lambda: g2p.predict(next(words)), measures=["words that differ"],
                 measure=measure, show=show, board_runs=4,
                 precisions=(("f32",), ("f16",), ("i8",)))]
