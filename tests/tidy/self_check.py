#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that every rule can fail: each rule rejects bad samples and accepts a good one."""
import pathlib
import sys
import tempfile

from rules import commits, messages
from rules.operations import PATTERNS
from rules.sizes import FILE_COUNT, Skipped
from tidy import RULES
from tree import Tree

_SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
_GUARD = "#ifndef WEFT_KERNELS_{0}_H_\n#define WEFT_KERNELS_{0}_H_\n#endif\n"
_ROW = 'WEFT_STEP(dense, Dense, "x [start] -> y",\n          0, 0, true, true,\n          "y")\n'
_STEP = {
    "runtime/format/ops.inc": _SPDX + _ROW,
    "runtime/format/weft.fbs": "struct DenseParams {}\ntable Model { dense: [DenseParams]; }\n",
    "kernels/matrix/dense.h": "",
    "kernels/matrix/dense.cc": "",
    "kernels/reference/dense.h": "",
    "runtime/bind/dense.cc": "",
}


def _without(path):
    return {name: text for name, text in _STEP.items() if name != path}


_README = {
    **_STEP,
    "converter/ops/a.cc": '    {"Add", 1, 2, 2, Infer, Lower},\n',
    "tests/size/footprint.txt": "# cpu ...\ncortex-m7 mlp gnu-12 1024 2048 0 512 900 13000 16900\n",
    "tests/size/stack_bounds.txt": "# cpu ...\ncortex-m7 mlp gnu-12 950\n",
    "tests/size/tflm_int8.txt": "# cpu ...\n",
    "tests/size/layers.txt":
        "# cpu ...\ncortex-m4f dense_64_to_64_q8_integers gnu-12 1.5\n"
        "cortex-m55 dense_64_to_64_q8_integers gnu-12 0.2\n",
    "tests/size/cmsis_nn.txt":
        "# cpu ...\ncortex-m4f dense_64_to_64_q8_integers gnu-12 3.0\n"
        "cortex-m55 dense_64_to_64_q8_integers gnu-12 0.3\n",
    "tests/size/cycles.txt": "# cpu ...\ncortex-m7 int8_row gnu-12 64 80 96.0\n",
    "converter/cli/targets.inc": 'WEFT_TARGET("m4", "Cortex-M4", "GCC", "QEMU", true, true, true, true, false, true, 1.8, 1)\n',
    "tests/size/tflite.txt":
        "# cpu ...\ncortex-m4f ad01_int8 tflm gnu-12 4096 1024 2048 700 9000 26000 a0 b1\n"
        "cortex-m4f ad01_int8 weft gnu-12 3072 2048 1024 900 8000 13000 a0 b1\n",
    "docs/coming-from-tflite-micro.md":
        "<!-- tflite_micro -->\n"
        "| file | core | runtime | flash | of it model | RAM | stack | Open | Run | codes |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| anomaly detection, int8 | cortex-m4f | weft | 3.0 KB | 2.0 KB | 1.0 KB | 900 | 8.0 k | 13.0 k |  |\n"
        "| anomaly detection, int8 | cortex-m4f | TFLM | 4.0 KB | **1.0 KB** | 2.0 KB | **700** | 9.0 k "
        "| 26.0 k | equal |\n<!-- end -->\n",
    "docs/targets.md":
        "<!-- targets -->\n| preset | processor | compiler | tests run on | f16 |\n"
        "| --- | --- | --- | --- | --- |\n| `m4` | Cortex-M4 | GCC | QEMU | 1.8 |\n<!-- end -->\n",
    "README.md":
        "<!-- footprint_m4 -->\n| model | flash, KB | RAM, KB | run | TFLM: flash | RAM | run |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n<!-- end -->\n"
        "<!-- known_models -->\n| model | flash, KB | RAM, KB | run | µs | original runtime, µs |\n"
        "| --- | --- | --- | --- | --- | --- |\n<!-- end -->\n",
    "docs/footprint.md":
        "<!-- footprint -->\n| model | core | code | model | state | scratch | stack | at most | Open "
        "| Run |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| MLP 64-64-64-10, f32 | cortex-m7 | 1.0 KB | 2.0 KB | 0 | 512 | 900 | 950 | 13.0 k "
        "| 16.9 k |\n"
        "<!-- end -->\n<!-- footprint_int8 -->\n"
        "| model | core | runtime | code | model | RAM | stack | Open | Run |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n<!-- end -->\n"
        "<!-- layers_int8 -->\n| layer | M4F: weft | CMSIS-NN | ratio | M55: weft | CMSIS-NN | ratio |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| dense, 64 to 64 | 1.50 | 3.00 | 2.00 | 0.20 | 0.30 | 1.50 |\n<!-- end -->\n"
        "<!-- cycles -->\n| loop | core | instructions | cycles | bytes of weights |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| int8, one row | cortex-m7 | 1.250 | 1.500 | 1.00 |\n<!-- end -->\n",
    "examples/models/README.md": "| [vad](vad/README.md) | detector |\n",
    "examples/models/vad/README.md":
        "<!-- results -->\n| weights | weft, µs | ORT, µs | ratio | M4F: flash | RAM | instructions | M55: flash "
        "| RAM | instructions |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| 6 `f32` | 2.0 | 8.0 | 4.0 | 9.0 KB | 2.0 KB | 1.0 k | 8.0 KB | 2.0 KB | 0.5 k |\n"
        "| 6 `f16` | 2.0 | 8.0 | 4.0 | 8.0 KB | 2.0 KB | 1.5 k | 7.0 KB | 2.0 KB | 0.5 k |\n"
        "| 6 `i8` | 1.0 | 8.0 | 8.0 | 7.0 KB | 3.0 KB | 0.9 k | does not fit |  |  |\n<!-- end -->\n",
    "docs/models.md":
        "<!-- models -->\n| model | weights | flash, M4F | RAM | instructions: M4F | M55 | µs "
        "| original runtime, µs | ratio |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| [vad](../examples/models/vad/README.md) 6 | `f32` | 9.0 KB | 2.0 KB | 1.0 k | 0.5 k | 2.0 | 8.0 (ORT) | 4.0 |\n"
        "| [vad](../examples/models/vad/README.md) 6 | `i8` | 7.0 KB | 3.0 KB | 0.9 k |  | 1.0 | 8.0 (ORT) | 8.0 |\n"
        "<!-- end -->\n",
    "tests/coverage/files.txt": "# file ...\nruntime/a.cc 19 20 3 4 1 2\n",
    "docs/safety.md":
        "<!-- coverage -->\n| folder | lines | branches | MC/DC |\n| --- | --- | --- | --- |\n"
        "| `runtime/` | 95.0 % | 75.0 % | 50.0 % |\n| `runtime/bind/` | 0.0 % | 0.0 % | 0.0 % |\n"
        "| `kernels/` | 0.0 % | 0.0 % | 0.0 % |\n<!-- end -->\n",
    "docs/operations.md":
        "<!-- steps -->\n| step | operands | meaning |\n| --- | --- | --- |\n"
        "| `dense` | x [start] -> y | y |\n<!-- end -->\n<!-- operations -->\nAdd 1.\n<!-- end -->\n",
}


def _other_page(page, *change):
    path = f"docs/{page}.md"
    return {**_README, path: _README[path].replace(*change)}


_OPERATIONS = {
    **{path: 'a.type == "Add"' for path in PATTERNS},
    "converter/ops/a.cc": '    {"Add", 1, 2, 2, Infer, Lower},\n    {.name = "If", .opset = 8,\n     '
                          '.min_inputs = 1},\n',
    "converter/ir/a.cc": 'auto node = std::make_unique<Node>();\nnode->type = "Add";\n',
    "converter/graph/a.cc": '// as "Add" does\nFault("Addend", "Add a row");\n',
    "converter/cli/a.cc": 'Command("add");\n',
}

_MESSAGES = {
    "converter/a.cc": '#include "a b"\n// "no text"\nFault("one "\n      "{} text");\n'
                      'const char* mark = "word";\nAdd("alone");\n',
    "runtime/a.cc": 'static_assert(true, "not printed");\nconst char* text = "two words";\n',
    messages.LIST: messages.HEAD + '\nconverter/a.cc\n  "one {} text"\n  "alone"\n\n'
                                   'runtime/a.cc\n  "two words"\n',
}


_COVERAGE = {
    "runtime/a.cc": "if (a ==\n    b || c) return;\n",
    "tests/coverage/files.txt": "# file ...\nruntime/a.cc 1 2 3 4 5 6\n",
    "tests/coverage/missed.txt": "# file ...\nruntime/a.cc | a == b || c | true | 1 | no file has it\n",
}


def _other_coverage(old, new):
    return {path: text.replace(old, new) if path != "runtime/a.cc" else text
            for path, text in _COVERAGE.items()}


def _other_messages(path, old, new):
    return {**_MESSAGES, path: _MESSAGES[path].replace(old, new)}


# Rule -> (files that it must accept, [sets of files that it must reject]).
# Commit titles that the rule accepts and rejects; the rule itself needs a history.
_GOOD_TITLES = ("ops: Add STFT", "kernels/matrix: Widen q8 rows once per row")
_BAD_TITLES = ("ops: " + "Add " * 20, "Add STFT", "ops: add STFT", "ops: What rows take", "ops: Add")
SAMPLES = {
    "arrows": ({
        "kernels/a.cc": '#include <hwy/highway.h>\n#include "kernels/a.h"\n',
        "runtime/a.cc": '#include "kernels/a.h"\n',
        "converter/cli/a.cc": '#include "converter/pipeline.h"\n',
        "converter/graph/a.cc": '#include "converter/ops/operation.h"\n',
        "tests/a.cc": '#include "converter/ir/graph.h"\n'
    }, [{"kernels/a.cc": '#include "runtime/weft.h"\n'
        }, {"runtime/a.cc": '#include "converter/ir/graph.h"\n'},
        {"runtime/a.cc": "#include <hwy/highway.h>\n"},
        {"runtime/format/a.h": '#include "runtime/weft.h"\n'},
        {"converter/ir/a.cc": '#include "kernels/matrix/dense.h"\n'},
        {"converter/program/a.cc": '#include "converter/ops/operation.h"\n'},
        {"converter/graph/a.cc": '#include "converter/plan/plan.h"\n'},
        {"converter/graph/a.cc": '#include "converter/emit/run_here.h"\n'},
        {"converter/plan/a.cc": '#include "converter/emit/model_file.h"\n'},
        {"converter/inspect/a.cc": '#include "converter/plan/liveness.h"\n'},
        {"converter/pipeline.cc": '#include "converter/cli/table.h"\n'},
        {"converter/ir/a.cc": '#include "../ops/table.h"\n'},
        {"kernels/a/a.h": '#include "kernels/b/b.h"\n', "kernels/b/b.h": '#include "kernels/a/c.h"\n'}]),
    "firmware_words": ({
        "kernels/a.cc": '// a new vector\nconst char* a = "throw";\nA(const A&) = delete;\n',
        "converter/ir/a.cc": "std::vector<int> a;\n"
    }, [{"kernels/a.cc": "int* a = new int;\n"}, {"runtime/a.cc": "void* a = malloc(4);\n"},
        {"runtime/a.cc": "std::vector<int> a;\n"}, {"runtime/bind/a.cc": "throw 1;\n"},
        {"runtime/a.h": "virtual void A();\n"}, {"kernels/a.cc": "#include <string>\n"},
        {"kernels/a.cc": 'printf("a");\n'}]),
    "names": ({"converter/ir/a.h": "struct Information {};\n"},
              [{"converter/ir/a.h": "class GraphManager {};\n"}]),
    "narrowing": ({
        "converter/base/narrow.h": "return static_cast<uint32_t>(value);\n",
        "converter/ops/a.cc": "// static_cast<uint32_t>(n)\nauto a = Narrow<int32_t>(n, \"n\");\n"
                              "auto b = static_cast<int64_t>(n), c = uint32_t{7};\n",
        "kernels/a.cc": "auto a = static_cast<uint32_t>(n);\n"
    }, [{f"converter/{room}/a.cc": f"auto a = {cast}(n);\n"}
        for room in ("emit", "ops", "plan", "program")
        for cast in ("static_cast<uint32_t>", "static_cast<int32_t>", "static_cast<uint16_t>",
                     "static_cast<uint8_t>", "static_cast<std::int32_t>", "uint32_t")]),
    "function_lines": ({"kernels/a.cc": "void A() {\n" + "  B();\n" * 68 + "}\n"},
                       [{"kernels/a.cc": "void A() {\n" + "  B();\n" * 69 + "}\n"},
                        {"scripts/a.py": "def a():\n" + "    b()\n" * 70}]),
    "file_lines": ({"kernels/a.cc": "\n" * 600}, [{"kernels/a.cc": "\n" * 601},
                                                  {"examples/a.bin": " " * 2_000_001},
                                                  dict.fromkeys(map(str, range(FILE_COUNT + 1)), "")]),
    "line_width": ({"scripts/a.sh": "x" * 100 + "\n", "kernels/a.cc": "x" * 101 + "\n",
                    "kernels/a.h": "//" + "x" * 98 + "\n"},
                   [{"scripts/a.sh": "x" * 101 + "\n"}, {"kernels/a.inc": "//" + "x" * 99 + "\n"},
                    {"runtime/format/a.fbs": "x" * 98 + "  // y\n"}]),
    "sentences": ({"README.md": "word " * 30 + "\n\n`a b` word. " + "word " * 29 + "\n```\n" + "word " * 31 + "\n```\n",
                   messages.LIST: 'a.cc\n  "' + "word " * 30 + '"\n'},
                  [{"README.md": "- one\n- " + "word " * 31}, {messages.LIST: '  "' + "word " * 31 + '"\n'}]),
    "operations": (_OPERATIONS, [
        *({**_OPERATIONS, f"converter/{room}/b.cc": 'if (node.type == "Add") {}\n'}
          for room in ("graph", "graph/streaming", "inspect", "emit", "plan", "program", "cli")),
        {**_OPERATIONS, "converter/pipeline.cc": 'node.type == "If"\n'},
        {**_OPERATIONS, "converter/graph/b.cc": 'kNames[] = {"relu", "add"};\n'},
        {**_OPERATIONS, "converter/graph/b.cc": "auto node = std::make_unique<ir::Node>();\n"},
        {path: text for path, text in _OPERATIONS.items() if path != next(iter(PATTERNS))}
    ]),
    "coverage": (_COVERAGE, [
        *({path: text for path, text in _COVERAGE.items() if path != gone} for gone in _COVERAGE),
        _other_coverage("runtime/a.cc 1", "runtime/b.cc 1"), _other_coverage("a == b", "a != b"),
        _other_coverage("no file has it", "?")
    ]),
    "steps": ({**_STEP, "runtime/bind/shared.cc": ""}, [
        *(_without(path) for path in _STEP),
        {**_STEP, "runtime/bind/stray.cc": "WEFT_BIND_STEP(stray, Stray)\n"},
        {**_STEP, "runtime/bind/stray.cc": "WEFT_BIND_NARROW_STEP(stray, Stray)\n"},
        {**_STEP, "kernels/reference/stray.h": ""}
    ]),
    "messages": (_MESSAGES, [
        {path: text for path, text in _MESSAGES.items() if path != messages.LIST},
        {path: text for path, text in _MESSAGES.items() if path != "runtime/a.cc"},
        {**_MESSAGES, "converter/b.cc": 'std::string why = "one more";\n'},
        {**_MESSAGES, "runtime/b.inc": 'WEFT_FAULT(1, A, R"(one two)")\n'},
        _other_messages("converter/a.cc", "{} text", "{} words"),
        _other_messages("converter/a.cc", "alone", "lonely"),
        _other_messages("converter/a.cc", "one ", "one, "),
        _other_messages(messages.LIST, '  "one {} text"\n  "alone"\n', '  "alone"\n  "one {} text"\n'),
    ]),
    "licence": ({"kernels/a.cc": _SPDX, "scripts/a.sh": "#!/bin/sh\n" + _SPDX.replace("//", "#")},
                [{"kernels/a.cc": "int a;\n"}]),
    "guards": ({"kernels/a.h": _SPDX + _GUARD.format("A"),
                "kernels/a-inl.h": _SPDX}, [{"kernels/a.h": _SPDX},
                                            {"kernels/a.h": _SPDX + _GUARD.format("B")}]),
    "leaks": ({"README.md": "see runtime/tmp/x and https://example.org/home/x\n"},
              [{"README.md": "in /" + "home/someone/x\n"}, {"kernels/a.cc": "// issue" + " 12\n"},
               {"kernels/a.cc": "// TO" + "DO\n"}]),
    "readme":
        (_README, [{**_README, "README.md": "no table\n"},
                   {**_README, "converter/ops/b.cc": '    {"Gather", 8, 3, 3, Infer, Lower},\n'},
                   {path: text for path, text in _README.items() if path != "docs/footprint.md"},
                   _other_page("footprint", "13.0 k", "12.0 k"),
                   _other_page("models", "0.9 k", "0.8 k"),
                   _other_page("safety", "75.0", "75.1"),
                   _other_page("targets", "1.8", "1.7"),
                   _other_page("coming-from-tflite-micro", "equal", "differ"),
                   _other_page("operations", "[start]", "start")]),
    "vocabulary": ({
        "kernels/a.cc": "// a flawed lawn; their border; handed over; stubborn\n"
                        "// at least 2 of `the whole`; stands for x.whole()\nRequireAtMost(kMax, AtLeast, at_most_);\n"
                        'asm("mov %[greatest] , whole r0");\n',
        "tests/a_test.cc": "TEST(Moves, TakesTheLeastTwin) {}\n",
        "LICENSE": "applicable law\n"
    }, [{path: f"// {text}\n"}
        for path in ("kernels/a.h", "README.md", "tests/tidy/messages.txt", "zephyr/Kconfig")
        for text in ("the law", "Laws:", "PadLaw", "ShapeLaws", "K_LAW", "Judge", "is judged", "judging",
                     "verdict", "unheard", "its heir", "a stranger", "rubbish", "obeys", "MustObey", "born here",
                     "nobody reads", "WhatNobodyReads", "whoever", "hands on", "only the run knows", "lies behind x", "besides",
                     "the greatest", "the least x", "anew", "any more", "the whole row", "where it stands",
                     "asks for", "a shuttle", "a settle run", "its twin", "it walks", "spelled out", "all but that",
                     "be mended", "at fault")]
        + [{"README.md": f"- {text}\n"} for text in ("Those that x", "What it is", "Of these two")]
        + [{"kernels/a.cc": f"// {text}\n"} for text in ("Those that x", "What it is", "Of these two", "Is it so?")]
        + [{"kernels/a.cc": f"int {name};\n"} for name in (
            "kMostRows", "most_rows", "LeastOf", "kGreatest", "GreatestOf", "DenseTwin", "Shuttles", "SettleOf",
            "Spelling", "CellWalk", "WalkedRows")]),
    "clang_format": ({".clang-format": "BasedOnStyle: Google\n", "kernels/a.cc": "int a;\n"},
                     [{".clang-format": "BasedOnStyle: Google\n", "kernels/a.cc": "int   a;\n"}]),
}


def faults_of(rule, files):
    """Runs one rule on a tree that contains only these files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = pathlib.Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        return RULES[rule](Tree(folder))


def main():
    wrong = [f"{rule}: has no sample" for rule in RULES if rule not in SAMPLES and rule != "commits"]
    wrong += [f"commits: rejects {title}" for title in _GOOD_TITLES if list(commits.faults_of(title))]
    wrong += [f"commits: accepts {title}" for title in _BAD_TITLES if not list(commits.faults_of(title))]
    for rule, (good, bad) in SAMPLES.items():
        try:
            if faults_of(rule, good):
                wrong.append(f"{rule}: refuses a good sample: {faults_of(rule, good)}")
            wrong += [f"{rule}: accepts {files}" for files in bad if not faults_of(rule, files)]
        except Skipped as reason:
            print(f"self-check: {rule}: skipped: {reason}")
    for line in wrong:
        print(f"self-check: {line}")
    print(f"self-check: {len(SAMPLES)} rules, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
