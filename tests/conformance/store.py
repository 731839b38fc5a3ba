# SPDX-License-Identifier: Apache-2.0
"""Writes and reads the files of a case. The bytes of a case do not depend on the order of writing
or on earlier runs."""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import openvino as ov

_MODEL_META = re.compile(r"\t<rt_info>(?:(?!<rt_info>).)*?</rt_info>\n</net>", re.DOTALL)
_GENERATED_NAME = re.compile(r"\b([A-Z][A-Za-z0-9]*)_(\d+)(?=_|\b)")


def write_model(folder, model, compress, edit=None):
    """Saves an ov.Model as model.xml and model.bin, without data that changes from run to run."""
    xml_path = folder / "model.xml"
    ov.save_model(model, xml_path, compress_to_fp16=compress)
    text = _stable(xml_path.read_text())
    edited = edit(text) if edit else text
    if edit and edited == text:
        raise RuntimeError("the edit changes nothing")
    xml_path.write_text(edited, newline="\n")
    return xml_path


def write_files(folder, files):
    """Saves the files of a model that was written by hand."""
    xml_path = folder / "model.xml"
    xml_path.write_text(files[0], newline="\n")
    (folder / "model.bin").write_bytes(files[1])
    return xml_path


def _stable(text):
    """Removes the model's release and conversion notes, and renumbers the names that OpenVINO
    generates from a process-wide counter."""
    text = _MODEL_META.sub("</net>", text)
    numbers = {}

    def renumber(match):
        kind, number = match.groups()
        return f"{kind}_{numbers.setdefault((kind, number), len(numbers))}"

    return _GENERATED_NAME.sub(renumber, text)


_PRECISIONS = {
    "FP64": np.float64, "FP32": np.float32, "FP16": np.float16, "I64": np.int64, "I32": np.int32,
    "I8": np.int8, "U8": np.uint8, "BOOL": np.bool_
}


def ports(xml_path):
    """Input ports and output ports in port order, as (name, NumPy type or None if undeclared). The
    name of a port is its first tensor name, else the name of its layer."""
    net = ElementTree.parse(xml_path).getroot()
    layers = net.find("layers").findall("layer")
    feeds = {(edge.get("to-layer"), edge.get("to-port")):
                 (edge.get("from-layer"), edge.get("from-port")) for edge in net.find("edges")}
    sources = {(layer.get("id"), port.get("id")): port for layer in layers
               for port in layer.findall("output/port")}

    def described(port, layer):
        names = port.get("names")
        name = re.split(r"(?<!\\),", names)[0].replace("\\,", ",") if names else layer.get("name")
        return name, _PRECISIONS.get(port.get("precision"))

    inputs = [
        described(layer.find("output/port"), layer) for layer in layers
        if layer.get("type") == "Parameter"
    ]
    outputs = [
        described(sources[feeds[layer.get("id"),
                                layer.find("input/port").get("id")]], layer) for layer in layers
        if layer.get("type") == "Result"
    ]
    return inputs, outputs


def write_facts(folder, case, oracle):
    """Saves case.json."""
    inputs, outputs = ports(folder / "model.xml")
    facts = {
        "oracle": oracle, "rtol": case.rtol, "atol": case.atol,
        "inputs": [name for name, _ in inputs], "outputs": [name for name, _ in outputs],
        "convert": list(case.convert),
        "note": " ".join(part for part in (case.note, case.differs) if part)
    }
    if case.calls:
        facts["calls"] = case.calls
    (folder / "case.json").write_text(
        json.dumps(facts, indent=1, ensure_ascii=False) + "\n", newline="\n")
