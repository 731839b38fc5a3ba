# SPDX-License-Identifier: Apache-2.0
"""Tables of README and docs/ between `<!-- NAME -->` and `<!-- end -->` are generated from source files."""
import collections
import re

# A row of ops.inc: name and operands on its first line, the meaning at its end.
_STEP = re.compile(r'^WEFT_STEP\(\s*(\w+)\s*,\s*\w+\s*,\s*"([^"]*)"(?:[^"]*)"(.*)"\)$', re.MULTILINE)
# A row of an operation family: name, opset, minimum number of inputs, ...; or the same with field names;
# or a function that returns a row with the name and opset.
_OPERATION = re.compile(r'(?:\{\s*(?:\.name = )?"([A-Z]\w*)",\s*(?:\.opset = )?(\d+),\s*[-.\w]+'
                        r'|\w+Row(?:<[^>]*>)?\("([A-Z]\w*)",\s*(\d+)\))')


def _steps(tree):
    lines = ["| step | operands | meaning |", "| --- | --- | --- |"]
    for name, operands, meaning in _STEP.findall(tree.text("runtime/format/ops.inc")):
        lines.append(f"| `{name}` | {operands} | {meaning.replace('|', chr(92) + '|')} |")
    return lines


# Strings of a row of targets.inc, and its numbers.
_TARGET = re.compile(r'^WEFT_TARGET\("([^"]*)", "([^"]*)", "([^"]*)", "([^"]*)", '
                     r'(?:\w+, ){6}([\d.]+), \d+\)$',
                     re.MULTILINE)
# The cost of f32 without an FPU: the last number of a row, where it is not 1.
_FLOAT_COST = re.compile(r"^WEFT_TARGET\(.*, (\d+)\)$", re.MULTILINE)
_COST_PAGES = ("README.md", "docs/embedding.md", "runtime/engine.cc")
_COST_TEXT = re.compile(r"\b(\d+) to (\d+) times (?:as long|slower)")


def _targets(tree):
    lines = ["| preset | processor | compiler | tests run on | f16 |", "| --- | --- | --- | --- | --- |"]
    for preset, *cells, cost in _TARGET.findall(tree.text("converter/cli/targets.inc")):
        lines.append(f"| `{preset}` | {' | '.join(cells)} | {cost} |")
    return lines


def operation_names(tree):
    """Name -> opsets of the rows in converter/ops."""
    opsets = collections.defaultdict(set)
    for path in tree.under("converter/ops", suffixes=(".cc",)):
        for name, opset, name_of_call, opset_of_call in _OPERATION.findall(tree.text(path)):
            opsets[name or name_of_call].add(int(opset or opset_of_call))
    return opsets


def _operations(tree):
    opsets = operation_names(tree)
    rows = (f"{name} {', '.join(map(str, sorted(versions)))}"
            for name, versions in sorted(opsets.items()))
    lines, line = [], ""
    for row in rows:
        if line and len(line) + len(row) > 95:
            lines.append(line.rstrip())
            line = ""
        line += row + "; "
    return lines + [line.rstrip("; ") + "."]


def _kilobytes(number):
    return f"{number / 1024:.1f} KB"


def _count(number):
    return f"{number / 1e6:.2f} M" if number >= 1e6 else f"{number / 1e3:.1f} k"


def _table_rows(tree, path):
    return [line.split() for line in tree.text(path).splitlines() if not line.startswith("#")]


def _footprint(tree):
    """Rows of tests/size/footprint.txt, models first."""
    rows = _table_rows(tree, "tests/size/footprint.txt")
    names = {
        "mlp": "MLP 64-64-64-10, f32", "mlp_int8": "MLP 64-64-64-10, int8",
        "lstm": "LSTM-64, 100 steps, f32", "lstm_f16": "LSTM-64, 100 steps, f16 weights",
        "lstm_i8": "LSTM-64, 100 steps, i8 weights", "lstm_int8": "LSTM-64, 100 steps, int8",
        "gru": "GRU-64, 100 steps, f32", "dscnn": "DS-CNN-S, 49 x 10, f32",
        "dscnn_i8": "DS-CNN-S, 49 x 10, i8 weights", "dscnn_int8": "DS-CNN-S, 49 x 10, int8",
        "dtmf": "keypad decoder, one frame, f32"
    }
    cores = ("cortex-m4f", "cortex-m7", "cortex-m33", "cortex-m55", "cortex-m3", "cortex-m0plus")
    lines = [
        "| model | core | code | model | state | scratch | stack | at most | Open | Run |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    ]
    bounds = {(cpu, model): value
              for cpu, model, _, value in _table_rows(tree, "tests/size/stack_bounds.txt")}
    rows.sort(key=lambda row: (list(names).index(row[1]), cores.index(row[0])))
    for cpu, model, _, *numbers in rows:
        code, file, state, scratch, stack, opened, run = map(int, numbers)
        sizes = " | ".join(map(_kilobytes, (code, file)))
        lines.append(f"| {names[model]} | {cpu} | {sizes} | {state} | {scratch} | {stack} | "
                     f"{bounds.get((cpu, model), '')} | {_count(opened)} | {_count(run)} |")
    return lines


def _footprint_m4(tree):
    """Flash, RAM and instructions of well-known models on a Cortex-M4F, and those of TFLM's int8."""
    names = {
        "dscnn_int8": "DS-CNN-S keyword spotting, int8",
        "lstm_int8": "LSTM of 64 units, 100 steps, int8",
        "dtmf": "Keypad decoder, 10 ms of audio, f32"
    }
    ours = {row[1]: list(map(int, row[3:])) for row in _table_rows(tree, "tests/size/footprint.txt")
            if row[0] == "cortex-m4f"}
    theirs = {row[1]: list(map(int, row[2:])) for row in _table_rows(tree, "tests/size/tflm_int8.txt")
              if row[0] == "cortex-m4f"}
    lines = ["| model | flash, KB | RAM, KB | run | TFLM: flash | RAM | run |",
             "| --- | --- | --- | --- | --- | --- | --- |"]

    def cells_of(flash, ram, run):
        return [f"{flash / 1024:.1f}", f"{ram / 1024:.1f}", _count(run)]

    for model, name in names.items():
        if model not in ours:
            continue
        code, file, state, scratch, stack, _, run = ours[model]
        cells = cells_of(code + file, state + scratch + stack, run)
        if model in theirs:
            code, file, ram, stack, _, run = theirs[model]
            cells += cells_of(code + file, ram + stack, run)
        lines.append(f"| {name} | {' | '.join(cells)} |" + " |" * (6 - len(cells)))
    return lines


def _footprint_int8(tree):
    """The calibrated models in weft and in TensorFlow Lite Micro."""
    ours = {(cpu, model): list(map(int, numbers))
            for cpu, model, _, *numbers in _table_rows(tree, "tests/size/footprint.txt")}
    lines = ["| model | core | runtime | code | model | RAM | stack | Open | Run |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    names = {"mlp_int8": "MLP 64-64-64-10", "lstm_int8": "LSTM-64, 100 steps",
             "dscnn_int8": "DS-CNN-S, 49 x 10"}
    rows = _table_rows(tree, "tests/size/tflm_int8.txt")
    rows.sort(key=lambda row: (list(names).index(row[1]), row[0]))
    for cpu, model, *theirs in rows:
        code, file, state, scratch, *rest = ours[cpu, model]
        for runtime, numbers in (("weft", (code, file, state + scratch, *rest)),
                                 ("TFLM, CMSIS-NN", map(int, theirs))):
            code, file, ram, stack, opened, run = numbers
            lines.append(f"| {names[model]} | {cpu} | {runtime} | {_kilobytes(code)} | "
                         f"{_kilobytes(file)} | {ram} | {stack} | {_count(opened)} | {_count(run)} |")
    return lines


# int8 layers of tests/size/layers.cc that CMSIS-NN computes too.
_INT8_LAYERS = {
    "dense_64_to_64_q8_integers": "dense, 64 to 64",
    "dense_64_to_256_q8_integers": "dense, 64 to 256",
    "dense_100_rows_32_to_256_q8_integers": "dense, 100 rows of 32 to 256",
    "dense_99_rows_8_to_16_q8_integers": "dense, 99 rows of 8 to 16",
    "dense_99_rows_32_to_12_q8_integers": "dense, 99 rows of 32 to 12",
    "conv_10x4_by_2_q8_integers": "convolution 10x4, stride 2, 1 to 64 channels",
    "conv_3x3_16_on_16x16_q8_integers": "convolution 3x3, 16 to 16 channels",
    "conv_3x3_3_to_8_on_16x16_q8_integers": "convolution 3x3, 3 to 8 channels",
    "pointwise_64_on_25x5_q8_integers": "convolution 1x1, 64 to 64 channels",
    "depthwise_3x3_64_on_25x5_q8_integers": "depthwise 3x3, 64 channels",
    "lstm_40_to_64_q8": "LSTM step, 40 to 64",
    "lstm_40_to_24_q8": "LSTM step, 40 to 24",
    "add_4096_q8_integers": "addition, per element",
    "multiply_4096_q8_integers": "multiplication, per element",
    "max_3x3_q8": "maximum of 3x3, per tap",
    "mean_2x2_q8_integers": "mean of 2x2, per tap"
}


def _layers_int8(tree):
    """Instructions per multiply-add of int8 layers in weft and in CMSIS-NN."""
    ours, theirs = ({(row[0], row[1]): float(row[3]) for row in _table_rows(tree, f"tests/size/{name}.txt")}
                    for name in ("layers", "cmsis_nn"))
    lines = ["| layer | M4F: weft | CMSIS-NN | ratio | M55: weft | CMSIS-NN | ratio |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for layer, name in _INT8_LAYERS.items():
        cells = []
        for cpu in ("cortex-m4f", "cortex-m55"):
            own, other = ours.get((cpu, layer)), theirs.get((cpu, layer))
            if own is None or other is None:
                break
            cells += [f"{own:.2f}", f"{other:.2f}", f"{other / own:.2f}"]
        if len(cells) == 6:
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _cycles(tree):
    """Rows of tests/size/cycles.txt, per product, with the bytes of weights that a loop loads per product."""
    names = {
        "int8_rows": ("int8, rows that share weights", {"cortex-m55": 1 / 2}, 1 / 3),
        "int8_row": ("int8, one row", {}, 1), "int8_depthwise": ("int8, depthwise", {}, 1),
        "f32_rows": ("f32, rows that share weights", {"cortex-m55": 4 / 3}, 2),
        "f32_row": ("f32, one row", {}, 4), "f32_depthwise": ("f32, depthwise", {}, 4)
    }
    rows = {(cpu, loop): list(map(float, numbers))
            for cpu, loop, _, *numbers in _table_rows(tree, "tests/size/cycles.txt")}
    lines = ["| loop | core | instructions | cycles | bytes of weights |",
             "| --- | --- | --- | --- | --- |"]
    for cpu, loop in sorted(rows, key=lambda key: (list(names).index(key[1]), key[0])):
        products, instructions, cycles = rows[cpu, loop]
        name, others, usual = names[loop]
        lines.append(f"| {name} | {cpu} | {instructions / products:.3f} | {cycles / products:.3f} | "
                     f"{others.get(cpu, usual):.2f} |")
    return lines


# Models of tests/size/tflite.txt, in the order of the table.
_TFLITE_MODELS = {
    "kws_ref_model": "keyword spotting, int8", "vww_96_int8": "visual wake words, int8",
    "pretrainedResnet_quant": "ResNet-8, int8",
    "pretrainedResnet_large_int8": "large ResNet, int8", "ad01_int8": "anomaly detection, int8",
    "str_ww_ref_model": "streaming wake word, int8",
    "kws_ref_model_float32": "keyword spotting, int8 weights",
    "vww_96_float": "visual wake words, f32", "pretrainedResnet": "ResNet-8, f32",
    "ad01_fp32": "anomaly detection, f32", "micro_speech": "micro_speech, int8",
    "person_detect": "person_detect, int8", "trained_lstm_int8": "mnist_lstm, int8",
    "trained_lstm": "mnist_lstm, f32", "dtln_noise_suppression": "dtln, int8",
    "okay_nabu": "okay_nabu, int8"
}


def _tflite_micro(tree):
    """Costs of .tflite files in weft and in TensorFlow Lite Micro, on the boards where both were measured.

    TFLM's are bold where lower.
    """
    rows = _table_rows(tree, "tests/size/tflite.txt")
    boards = {row[0] for row in rows if row[2] == "tflm"}
    costs = collections.defaultdict(dict)
    for cpu, model, runtime, _, *numbers, first, second in rows:
        if cpu in boards:
            costs[model, cpu][runtime] = [*map(int, numbers), first, second]
    lines = ["| file | core | runtime | flash | of it model | RAM | stack | Open | Run | codes |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    shown = (_kilobytes, _kilobytes, _kilobytes, str, _count, _count)
    for model, cpu in sorted(costs, key=lambda key: (list(_TFLITE_MODELS).index(key[0]), key[1])):
        both = costs[model, cpu]
        ours = both["weft"]
        for runtime, name in (("weft", "weft"), ("tflm", "TFLM")):
            numbers = both.get(runtime)
            if numbers is None:
                lines.append(f"| {_TFLITE_MODELS[model]} | {cpu} | {name} |" + " - |" * 7)
                continue
            cells = [show(number) for show, number in zip(shown, numbers)]
            cells = [f"**{cell}**" if number < our else cell
                     for cell, number, our in zip(cells, numbers, ours)]
            # Outputs of f32 files round differently, so only codes are compared.
            compared = runtime != "weft" and _TFLITE_MODELS[model].endswith("int8")
            runs = [number == our for number, our in zip(numbers[-2:], ours[-2:])]
            codes = "equal" if all(runs) else "equal in the first run" if runs[0] else "differ"
            codes = codes if compared else ""
            lines.append(f"| {_TFLITE_MODELS[model]} | {cpu} | {name} | {' | '.join(cells)} | {codes} |")
    return lines


def _page_rows(tree, name):
    """Yields the measured rows of examples/models/<name>/README.md as dictionaries; columns of boards
    begin with the core."""
    text = tree.text(f"examples/models/{name}/README.md")
    found = re.search(r"<!-- results -->\n(.*?)<!-- end -->", text, re.DOTALL)
    head, core = [], ""
    for line in (found.group(1) if found else "").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not head:
            for cell in cells:
                core = cell.split(":")[0] + ": " if ": flash" in cell else core
                head.append(core + cell.replace(core, "") if core else cell)
        elif not line.startswith("| ---"):
            yield dict(zip(head, cells))


def _models(tree):
    """Public models: the first row and the one of int8 weights of each part."""
    lines = [
        "| model | weights | flash, M4F | RAM | instructions: M4F | M55 | µs | original runtime, µs | ratio |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    ]
    names = re.findall(r"^\| \[([\w-]+)\]", tree.text("examples/models/README.md"), re.MULTILINE)
    for name in names:
        parts = set()
        for row in _page_rows(tree, name):
            part, _, weights = row["weights"].partition("`")
            weights = weights.strip("`")
            if part in parts and weights != "i8":
                continue
            parts.add(part)
            peer = next(column for column in row if column.endswith(", µs") and column != "weft, µs")
            cells = [row.get(f"M4F: {column}", "") for column in ("flash", "RAM", "instructions")]
            cells += [row.get("M55: instructions", ""), row["weft, µs"],
                      f"{row[peer]} ({peer[:-4]})", row["ratio"]]
            link = f"[{name}](../examples/models/{name}/README.md) {part}".strip()
            lines.append(f"| {link} | `{weights}` | {' | '.join(cells)} |")
    return lines


# README's public models: folder and weights, as `weights` of their page has them, and the text.
_KNOWN = {
    ("silero-vad", "6.2 `i8`"): "Silero VAD, i8 weights",
    ("microwakeword", "`auto`"): "microWakeWord, int8",
    ("gtcrn", "`f32`"): "GTCRN noise suppressor, f32",
    ("nam", "LSTM `f32`"): "Guitar amplifier (NAM), f32",
}


def _known_models(tree):
    """README's rows of public models."""
    lines = ["| model | flash, KB | RAM, KB | run | µs | original runtime, µs |",
             "| --- | --- | --- | --- | --- | --- |"]
    for (folder, weights), name in _KNOWN.items():
        if f"examples/models/{folder}/README.md" not in tree.paths:
            continue
        row = next(row for row in _page_rows(tree, folder) if row["weights"] == weights)
        peer = next(column for column in row if column.endswith(", µs") and column != "weft, µs")
        sizes = [row[f"M4F: {column}"].removesuffix(" KB") for column in ("flash", "RAM")]
        lines.append(f"| {name} | {' | '.join(sizes)} | {row['M4F: instructions']} | "
                     f"{row['weft, µs']} | {row[peer]} ({peer[:-4]}) |")
    return lines


def _coverage(tree):
    """Sums of tests/coverage/files.txt for each folder that docs/safety.md names."""
    rows = _table_rows(tree, "tests/coverage/files.txt")
    lines = ["| folder | lines | branches | MC/DC |", "| --- | --- | --- | --- |"]
    for folder in ("runtime/", "runtime/bind/", "kernels/"):
        sums = [sum(map(int, column)) for column in
                zip(*(row[1:] for row in rows if row[0].startswith(folder)))] or [0] * 6
        cells = (f"{100 * covered / max(1, count):.1f} %"
                 for covered, count in zip(sums[::2], sums[1::2]))
        lines.append(f"| `{folder}` | {' | '.join(cells)} |")
    return lines


# Name of a table -> the file that holds it, and its lines.
_TABLES = {
    "steps": ("docs/operations.md", _steps),
    "operations": ("docs/operations.md", _operations),
    "targets": ("docs/targets.md", _targets),
    "known_models": ("README.md", _known_models),
    "footprint": ("docs/footprint.md", _footprint),
    "footprint_int8": ("docs/footprint.md", _footprint_int8),
    "layers_int8": ("docs/footprint.md", _layers_int8),
    "cycles": ("docs/footprint.md", _cycles),
    "footprint_m4": ("README.md", _footprint_m4),
    "models": ("docs/models.md", _models),
    "coverage": ("docs/safety.md", _coverage),
    "tflite_micro": ("docs/coming-from-tflite-micro.md", _tflite_micro),
}


def filled(tree):
    """Path -> text of the files with tables, with all tables regenerated."""
    texts = {path: tree.text(path) for path, _ in _TABLES.values() if path in tree.paths}
    for name, (path, lines) in _TABLES.items():
        pattern = re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)
        if path in texts:
            texts[path] = pattern.sub(
                lambda match, new="\n".join(lines(tree)) + "\n": match.group(1) + new + match.group(3),
                texts[path])
    return texts


def _cost_faults(tree):
    """Yields the pages whose cost of f32 without an FPU is not that of targets.inc."""
    costs = [int(cost) for cost in _FLOAT_COST.findall(tree.text("converter/cli/targets.inc")) if cost != "1"]
    if not costs:
        return
    must = f"{min(costs)} to {max(costs)}"
    for path in _COST_PAGES:
        for low, high in _COST_TEXT.findall(tree.text(path)) or [("?", "?")]:
            if f"{low} to {high}" != must:
                yield f"{path}: f32 without an FPU takes {low} to {high} times as long; must be {must} (targets.inc)"


def check(tree):
    """The tables exist in their files and are up to date."""
    faults = [*_cost_faults(tree)] + [
        f"{path}: has no `<!-- {name} -->`; must have it before the table of {name}"
        for name, (path, _) in _TABLES.items()
        if path not in tree.paths or f"<!-- {name} -->\n" not in tree.text(path)
    ]
    return faults + [
        f"{path}: a table is stale; run tests/tidy/tidy.py --write-readme"
        for path, text in filled(tree).items() if text != tree.text(path)
    ]
