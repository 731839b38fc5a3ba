#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of `weft convert --evidence` is a valid SPDX 2.3 document, by the rules of spdx-tools.

    sbom_test.py WEFT MODEL WORK_DIR

Exit code 77: this Python does not have spdx-tools (pip install spdx-tools).
"""
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys


def faults_of(file):
    """Returns the texts of all violated rules."""
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    return [message.validation_message
            for message in validate_full_spdx_document(parse_file(str(file)))]


def main(weft, model, work):
    if importlib.util.find_spec("spdx_tools") is None:
        print("sbom: skipped: this Python has no spdx-tools")
        return 77
    work = pathlib.Path(work)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    subprocess.run([weft, "convert", model, "-o", work / "model.weft", "--evidence", work / "ev", "--quiet"], check=True)
    sbom = work / "ev" / "sbom.spdx.json"
    faults = faults_of(sbom)
    # The validator must reject a document that is not valid.
    document = json.loads(sbom.read_text(encoding="utf-8"))
    document["packages"][0]["checksums"][0]["checksumValue"] = "1234"
    wrong = work / "wrong.spdx.json"
    wrong.write_text(json.dumps(document), encoding="utf-8")
    if not faults_of(wrong):
        faults.append("the validator accepts a checksum of 4 digits")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
