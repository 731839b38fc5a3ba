#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares weft with the interpreter of the OpenVINO specification on random models.

    run.py --weft PATH [--kind graphs] [--models 2000] [--seed N] [--only INDEX] [--keep DIR]

Kind "loops": nested loops and branches around plain operations. Kind "graphs": all operations that
have a row (rows.py), converted with several plans (agreement.py), also compared with OpenVINO if it
is installed. Kind "streams": causal graphs (streams.py), also converted with --streaming, which must
give equal bits for 1, 2 and 3 steps per run. With --shrink a failing model is reduced.

Model INDEX of a seed is always the same. Exact models must be bit-identical; those with tanh,
sigmoid or recurrent cells must agree within TOLERANCE. If the interpreter rejects a model, `weft
convert` must reject it with at least one line of text and without a crash. Exit code 1: a model
failed; each failure is printed with the command that repeats it.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures.process import BrokenProcessPool

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

# pylint: disable=wrong-import-position
import numpy as np

import agreement
import coverage
import model as models
from agreement import Failure
from shrink import Shrinker
from reference.interpreter import Fault, Model
from reference.ir_file import Refused

TOLERANCE = "1e-4"  # relative and absolute
GENEROUS = 100  # more iterations than any loop makes
WITHOUT = ("run_time", "branches", "variables", "zero", "open_scans")  # of model.Limits


def _call(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False, timeout=120)
    if done.returncode not in (0, 1):
        raise Failure(f"exit {done.returncode}: {' '.join(map(str, words))}\n{done.stderr}")
    return done


def _expected(folder, made, bound):
    """The outputs, or the Refused or Fault that the interpreter raised."""
    try:
        interpreter = Model(folder / "model.xml", bound)
        if not made.calls:
            return interpreter(made.inputs)
        calls = [interpreter([array[call] for array in made.inputs]) for call in range(made.calls)]
        return [np.stack(parts) for parts in zip(*calls)]
    except (Refused, Fault) as answer:
        return answer


def _write(folder, made):
    (folder / "model.xml").write_text(made.xml)
    (folder / "model.bin").write_bytes(made.weights)
    for index, array in enumerate(made.inputs):
        np.save(folder / f"input{index}.npy", array)


def _spoil(expected):
    """Changes one output: the first that has elements, else the shape of the first."""
    place = next((index for index, array in enumerate(expected) if array.size), None)
    if place is None:
        expected[0] = np.zeros((2, ) + expected[0].shape[1:], expected[0].dtype)
    elif expected[place].dtype == bool:
        expected[place] = ~expected[place]
    else:
        expected[place] = expected[place] + np.array(1, expected[place].dtype)


def check(weft, folder, made, spoil_expectation=False, openvino=True):
    """Raises Failure if weft and the interpreter differ; returns the kind of result."""
    _write(folder, made)
    expected = _expected(folder, made, int(made.arguments[1]) if made.arguments else None)
    if isinstance(expected, Refused) and made.refusal is None:
        raise Failure(f"the generator meant a valid model; the interpreter refuses: {expected}")
    inputs = [word for index in range(len(made.inputs))
              for word in ("--input", f"{index}={folder / f'input{index}.npy'}")]
    if made.graph and not isinstance(expected, (Refused, Fault)):
        if spoil_expectation:
            _spoil(expected)
        actual = agreement.compare_plans(_call, weft, folder, made, inputs)
        if made.causal:
            agreement.compare_streamed(_call, weft, folder, made, inputs, actual)
        agreement.compare("the interpreter", actual, expected, made.exact_ends)
        if openvino:
            agreement.compare_with_openvino(folder, made, actual)
        return "exact" if made.exact else "rounded"
    done = _call(weft, "convert", folder / "model.xml", "-o", folder / "model.weft",
                 *made.arguments)
    if isinstance(expected, Refused):
        if done.returncode != 1 or not done.stderr.strip():
            raise Failure(f"accepted; must be refused: {made.refusal}: {expected}")
        return "refused"
    if done.returncode and made.refusal:
        return "refused though it would not run"
    if done.returncode:
        raise Failure(f"refused; must be accepted:\n{done.stderr.strip()}")
    if isinstance(expected, Fault):
        done = _call(weft, "run", folder / "model.weft", *inputs, "--output-dir", folder)
        if done.returncode == 1 and "its maximum" in done.stderr:
            return "fault"
        # The converter may prove a higher bound than the given one.
        expected = _expected(folder, made, GENEROUS)
    if spoil_expectation:
        _spoil(expected)
    for index, array in enumerate(expected):
        np.save(folder / f"expected{index}.npy", np.array(array, order="C"))
    expects = [word for index in range(len(expected))
               for word in ("--expect", f"{index}={folder / f'expected{index}.npy'}")]
    tolerance = "0" if made.exact else TOLERANCE
    done = _call(weft, "compare", folder / "model.weft", "--rtol", tolerance, "--atol", tolerance,
                 *inputs, *expects)
    if done.returncode:
        wrong = [line for line in done.stdout.splitlines() if ": equal," not in line]
        raise Failure("\n".join(wrong) + done.stderr.strip())
    return "exact" if made.exact else "rounded"


@dataclasses.dataclass
class End:
    """The result of one model. kind: None if it failed, with the message."""
    index: int
    kind: object = None
    message: str = ""
    features: object = ()
    refusal: object = None
    steps: object = ()  # of the generator, which a smaller model can omit
    operations: object = ()


def run_one(words, index):
    """Checks one model in a worker."""
    end = End(index)
    try:
        limits = models.Limits(words.depth, words.room, **{
            name: name not in words.without for name in WITHOUT
        }, operations=words.kind != "loops", streams=words.kind == "streams", skip=tuple(words.skip), max_dim=words.max_dim,
                               plain=words.plain, outputs=tuple(words.outputs))
        made = models.make(words.seed, index, limits)
        end.features, end.refusal, end.steps = made.features, made.refusal, made.steps
        end.operations = set(re.findall(' type="([A-Za-z0-9]+)" version', made.xml))
        if words.keep:
            folder = pathlib.Path(words.keep)
            folder.mkdir(parents=True, exist_ok=True)
            end.kind = check(words.weft, folder, made, words.spoil_expectations, words.openvino)
        else:
            with tempfile.TemporaryDirectory(prefix="weft-random-") as folder:
                end.kind = check(words.weft, pathlib.Path(folder), made, words.spoil_expectations,
                                 words.openvino)
    except Failure as failure:
        end.message = str(failure)
    except Exception:  # pylint: disable=broad-except
        end.message = traceback.format_exc()
    return end


def _parse(arguments):
    parser = argparse.ArgumentParser(description="weft against random loop models")
    parser.add_argument("--weft", required=True, help="the command under test")
    parser.add_argument("--kind", choices=("loops", "graphs", "streams"), default="loops",
                        help="loops of plain operations, graphs of all operations, or causal graphs")
    parser.add_argument("--models", type=int, default=2000, help="number of models")
    parser.add_argument("--minutes", type=float, default=0, help="stop after this time")
    parser.add_argument("--jobs", type=int, default=None, help="default: one for each CPU")
    parser.add_argument("--shrink", action="store_true", help="reduce each model that fails")
    parser.add_argument("--seed", type=int, default=None, help="default: WEFT_RANDOM_SEED, or time")
    parser.add_argument("--only", type=int, default=None, metavar="INDEX", help="run one model")
    parser.add_argument("--keep", metavar="DIR", help="write the files of --only to DIR")
    parser.add_argument("--depth", type=int, default=4, help="maximum nesting depth")
    parser.add_argument("--room", type=int, default=60, help="maximum iterations of an inner body")
    parser.add_argument("--without", choices=WITHOUT, action="append", default=[],
                        help="exclude a kind of model")
    parser.add_argument("--skip", nargs="*", default=[], metavar="STEP",
                        help="omit these steps of the generator")
    parser.add_argument("--max-dim", type=int, default=0, help="maximum extent of new axes")
    parser.add_argument("--plain", action="store_true", help="the first option of each attribute")
    parser.add_argument("--no-openvino", dest="openvino", action="store_false",
                        help="compare with the interpreter only")
    parser.add_argument("--outputs", nargs="*", type=int, default=[], metavar="INDEX",
                        help="keep only these outputs")
    parser.add_argument("--spoil-expectations", action="store_true",
                        help="expect wrong outputs: every model that runs must fail")
    words = parser.parse_args(arguments)
    if words.keep and words.only is None:
        parser.error("--keep needs --only")
    if words.seed is None:
        words.seed = int(os.environ.get("WEFT_RANDOM_SEED") or time.time())
    return words


def _shrunk(words, index):
    """The options with which a smaller model fails like model `index`."""
    def fails(options):
        end = run_one(options, index)
        return end.steps if end.kind is None and alike(end) == kind else None

    def alike(end):
        return re.sub("[0-9]", "", end.message.split(":")[0])

    kind = alike(run_one(words, index))
    return Shrinker(words, fails).run()


def _repeat(words, index):
    flags = [f"--without {name}" for name in words.without]
    flags += ["--spoil-expectations"] * words.spoil_expectations
    flags += [f"--kind {words.kind}"] * (words.kind != "loops")
    flags += [f"--max-dim {words.max_dim}"] * bool(words.max_dim) + ["--plain"] * words.plain
    for name, places in (("skip", words.skip), ("outputs", words.outputs)):
        flags += [f"--{name} {' '.join(map(str, places))}"] * bool(places)
    limits = [f"--depth {words.depth}"] * (words.depth != 4)
    limits += [f"--room {words.room}"] * (words.room != 60)
    return " ".join([f"python3 {__file__} --weft {words.weft} --seed {words.seed} --only {index}",
                     *limits, *flags])


def main(arguments):
    """Runs all models; returns 1 if one fails."""
    words = _parse(arguments)
    print(f"random {words.kind}: seed {words.seed}", flush=True)
    if words.kind != "loops" and not agreement.has_openvino():
        print("OpenVINO is not installed: compares with the interpreter only")
    indices = [words.only] if words.only is not None else range(words.models)
    ends, features, refusals, operations = (collections.Counter() for _ in range(4))
    failed, deadline = 0, time.time() + 60 * words.minutes if words.minutes else None
    for end in _ends(words, indices, deadline):
        operations.update(end.operations)
        if end.kind is None:
            failed += 1
            _print_failure(words, end)
            continue
        ends[end.kind] += 1
        refusals[end.refusal] += end.kind == "refused"
        features.update(name for name in end.features if not end.kind.startswith("refused"))
        features["spoiled loop that is not read"] += bool(end.refusal) and end.kind != "refused"
    _print_table("models that hold each feature", features)
    _print_table("refused, as they must be", refusals)
    if words.kind != "loops":
        _print_operations(words.weft, operations)
    summary = ", ".join(f"{count} {name}" for name, count in sorted(ends.items()))
    print(f"random {words.kind}: seed {words.seed}: {sum(ends.values()) + failed} models: {summary}; "
          f"{failed} failed")
    return 1 if failed else 0


def _ends(words, indices, deadline):
    """Yields the End of each model, until the deadline."""
    pool = None
    for begin in range(0, len(indices), 64):
        if deadline and time.time() > deadline:
            break
        pool = pool or concurrent.futures.ProcessPoolExecutor(words.jobs)
        jobs, again = {}, []
        for index in indices[begin:begin + 64]:
            try:
                jobs[pool.submit(run_one, words, index)] = index
            except BrokenProcessPool:
                again.append(index)
        for job in concurrent.futures.as_completed(jobs):
            try:
                end = job.result()
            except BrokenProcessPool:
                again.append(jobs[job])
                continue
            if end.kind is None and agreement.OPENVINO in end.message:
                again.append(end.index)
            else:
                yield end
        if again:  # a broken pool runs nothing more
            pool.shutdown()
            pool = None
        for index in again:
            yield _run_alone(words, index)
    if pool:
        pool.shutdown()


def _run_alone(words, index):
    """The End of a model in a process of its own, because OpenVINO ended the process, or differs from
    weft and the interpreter: it may have read what another model left in memory. weft always runs in
    processes of its own."""
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(run_one, words, index).result()
        except BrokenProcessPool:
            pass
    without = argparse.Namespace(**{**vars(words), "openvino": False})
    end = run_one(without, index)
    if end.kind is not None:
        end.kind += " (OpenVINO crashed)"
    print(f"model {index}: OpenVINO crashed: {_repeat(words, index)}", flush=True)
    return end


def _print_failure(words, end):
    print(f"model {end.index} failed: {end.message}\n  again: {_repeat(words, end.index)}", flush=True)
    if words.shrink and not end.message.startswith("Traceback"):
        words = _shrunk(words, end.index)
        print(f"  smaller: {_repeat(words, end.index)}\n  {run_one(words, end.index).message}",
              flush=True)


def _print_operations(weft, operations):
    """The operations of the table that have appeared, and those that have not."""
    table = coverage.table(weft)
    missing = sorted(table - set(operations))
    print(f"operations: {len(table) - len(missing)} of {len(table)} have appeared; "
          f"never: {', '.join(missing)}")


def _print_table(title, counter):
    print(f"{title}:")
    for name, count in sorted(counter.items(), key=lambda pair: (-pair[1], str(pair[0]))):
        if count:
            print(f"  {count:5} {name}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
