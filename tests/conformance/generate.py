#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the conformance cases, or checks that the committed ones can be derived again.

generate.py                    write every case into build/fixtures/cases, pack changed families
generate.py --only cell/lstm   only the cases whose path starts with this prefix
generate.py --check            derive all into a temporary folder and compare the arrays

Exit code: 0 done, 1 a case is invalid, 2 invalid command line.
"""

import argparse
import importlib
import pathlib
import shutil
import sys
import tempfile

import archives
from archives import CASES

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]


class CaseError(Exception):
    """A case whose oracles disagree or that OpenVINO rejects."""


def collect(prefix):
    """All cases of all families whose path starts with the prefix."""
    found = {}
    for module in sorted((HERE / "families").glob("*.py")):
        for case in importlib.import_module(f"families.{module.stem}").cases():
            if case.path in found:
                raise CaseError(f"{case.path}: two cases have this path")
            found[case.path] = case
    return [case for path, case in sorted(found.items()) if path.startswith(prefix)]


def write_model(folder, case):
    """Stores the case's model and returns the path of its XML."""
    import build
    import store

    if case.files:
        return store.write_files(folder, case.files)
    if case.model:
        model = case.model()
    else:
        arrays = [array[0] for array in case.inputs] if case.calls else case.inputs
        parameters = [
            build.parameter_like(array, f"x{index}") for index, array in enumerate(arrays)
        ]
        model = build.finish(case.graph(*parameters), parameters, case.path.split("/")[1])
    return store.write_model(folder, model, case.compress, case.edit)


def own_answers(case, arrays, xml_path):
    """The reference's arrays in the types that the model declares. f64 may become f32, but floats
    never become integers."""
    import numpy
    import store

    declared = store.ports(xml_path)[1]
    if len(arrays) != len(declared):
        raise CaseError(f"{case.path}: {len(declared)} outputs; the reference gives {len(arrays)}")
    answers = []
    for array, (name, dtype) in zip(map(numpy.asarray, arrays), declared):
        if dtype and array.dtype.kind != numpy.dtype(dtype).kind:
            raise CaseError(f"{case.path}: output {name} is {numpy.dtype(dtype)}; the reference "
                            f"gives {array.dtype}")
        answers.append(array.astype(dtype) if dtype else array)
    return answers


def answers_of(case, oracle, xml_path):
    """The expected outputs and the name of their oracle."""
    import compare
    import numpy
    import oracle as openvino_oracle

    asked = None if case.oracle == "numpy" and case.differs else oracle.run(
        xml_path, case.inputs, case.calls, case.settings)
    if not case.reference:
        return asked, openvino_oracle.release()
    with numpy.errstate(all="ignore"):
        own = case.reference(*case.inputs)
        own = own_answers(case, own if isinstance(own, (list, tuple)) else [own], xml_path)
    for index, (left, right) in enumerate(zip(asked or [], own)):
        fault = compare.difference(left, right, case.rtol, case.atol)
        if fault:
            raise CaseError(
                f"{case.path}: output {index} of OpenVINO is not the reference's: {fault}")
    if case.oracle == "numpy":
        return own, "numpy"
    return asked, openvino_oracle.release()


def derive(root, case, oracle):
    """Writes one complete case."""
    import arrays
    import store

    folder = root / case.path
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        xml_path = write_model(folder, case)
        expected, reference = answers_of(case, oracle, xml_path)
    except RuntimeError as error:
        raise CaseError(
            f"{case.path}: OpenVINO rejects the model: "
            f"{str(error).strip().splitlines()[-1][-300:]}"
        ) from error
    arrays.write(folder, case.inputs, expected)
    store.write_facts(folder, case, reference)


def derive_all(root, cases, verbose):
    """Derives every case and returns the errors, one or more lines each."""
    import oracle

    reference, faults = oracle.Oracle(), []
    for case in cases:
        try:
            derive(root, case, reference)
            if verbose:
                print(case.path)
        except CaseError as error:
            shutil.rmtree(root / case.path)
            faults.append(str(error))
    return faults


def same(case, root):
    """Compares a derived case with the committed one; returns (errors, whether all bits match)."""
    import arrays
    import compare

    faults, identical = [], True
    try:
        parts = zip(("input", "output"), arrays.read(root / case.path),
                    arrays.read(CASES / case.path))
    except (OSError, ValueError, EOFError) as error:
        return [f"{case.path}: cannot be read: {error}"], False
    for part, derived, committed in parts:
        if len(derived) != len(committed):
            faults.append(f"{case.path}: {part}s are {len(committed)}; must be {len(derived)}")
            continue
        tolerance = (0, 0) if part == "input" else (case.rtol, case.atol)
        for index, (left, right) in enumerate(zip(committed, derived)):
            fault = compare.difference(left, right, *tolerance)
            identical = identical and left.tobytes() == right.tobytes()
            if fault:
                faults.append(f"{case.path}: {part} {index}: {fault}")
    return faults, identical


def check_full_example(root, reference):
    """Compares the full example of document_lstm.py, which is not stored, with OpenVINO; returns
    errors."""
    import compare
    import document_lstm
    import numpy

    weights = document_lstm.Weights(512, 256, 25)
    (root / "full").mkdir()
    text, binary = document_lstm.files(weights, "today")
    (root / "full/model.xml").write_text(text)
    (root / "full/model.bin").write_bytes(binary)
    inputs = [
        numpy.array([rows], numpy.float32)
        for rows in (weights.x, weights.first_hidden, weights.first_cell)
    ]
    expected = numpy.array([weights.expected()], numpy.float32)
    fault = compare.difference(reference.run(root / "full/model.xml", inputs)[0], expected, 1e-4, 1e-4)
    return [f"document_lstm.py: its output differs from OpenVINO's: {fault}"] if fault else []


def check(cases):
    """Derives all cases in a temporary folder and compares them with the committed ones."""
    import oracle

    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        faults = derive_all(root, cases, verbose=False)
        full = check_full_example(root, oracle.Oracle())
        refused = {line.split(":")[0] for line in faults}
        equal = identical = 0
        for case in cases:
            if case.path in refused:
                continue
            found, bits = same(case, root)
            faults += found
            equal += not found
            identical += bits and not found
    faults += full
    faults += undescribed(cases)
    report(faults)
    print(f"conformance: {identical} of {len(cases)} bit for bit")
    print(f"conformance: goldens re-derived: {equal} of {len(cases)} equal")
    return 1 if faults else 0


def report(faults):
    for fault in faults:
        print(fault, file=sys.stderr)


def undescribed(cases):
    """Stored cases that no family describes, as errors."""
    known = {case.path for case in cases}
    stored = {str(path.parent.relative_to(CASES)) for path in CASES.glob("*/*/case.json")}
    return [f"{path}: stored, but no family describes it" for path in sorted(stored - known)]


def write(cases, prefix):
    """Writes the cases and the archives of their families. A case that cannot be derived remains
    unchanged. Cases that no family describes are reported, never removed."""
    with tempfile.TemporaryDirectory(dir=archives.FIXTURES) as temporary:
        root = pathlib.Path(temporary)
        faults = derive_all(root, cases, verbose=True)
        for case in cases:
            if (root / case.path).exists():
                shutil.rmtree(CASES / case.path, ignore_errors=True)
                (CASES / case.path).parent.mkdir(parents=True, exist_ok=True)
                (root / case.path).rename(CASES / case.path)
    changed = archives.pack()
    written = len(cases) - len(faults)
    report(faults if prefix else faults + undescribed(cases))
    print(f"conformance: {written} of {len(cases)} cases written; changed archives: "
          f"{', '.join(changed) or 'none'}", file=sys.stderr)
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="compare with the committed cases, write nothing")
    parser.add_argument("--only", default="", metavar="PREFIX",
                        help="only cases whose path starts with PREFIX")
    options = parser.parse_args()
    if options.check and options.only:
        parser.error("--check compares all cases; --only is for writing")
    try:
        import numpy  # noqa: F401
        import onnx  # noqa: F401
        import openvino  # noqa: F401
    except ImportError as error:
        print(f"OpenVINO is not available: goldens not re-derived ({error})")
        return 0 if options.check else 1
    archives.unpack()
    try:
        cases = collect(options.only)
    except CaseError as error:
        sys.exit(str(error))
    return check(cases) if options.check else write(cases, options.only)


if __name__ == "__main__":
    sys.exit(main())
