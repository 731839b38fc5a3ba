#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests examples/web: builds it, runs its module under Node.js, then its page in a headless browser.

    worklet_test.py WEFT SOURCE_DIR PAGE_DIR

requires Emscripten, Node.js, Chromium, its driver and Selenium (else exit code 77). Under Node.js the outputs
of the stored frames must be within 1e-5 of OpenVINO's. In the browser the worklet must detect the keys of
test.wav, with the same hash over all outputs.
"""
import functools
import http.server
import json
import os
import pathlib
import shutil
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parents[1] / "report"))
import browser_test  # noqa: E402

_SKIPPED = 77
_DEBIANS_MODULES = "/usr/share/nodejs"  # which a Node.js that is not Debian's does not search
_TOLERANCE = 1e-5  # of two f32 engines, as in examples/dtmf/dtmf.cc


class _Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


def build(weft, source, page):
    """Builds the page, or exits with code 77."""
    for tool in ("emcc", "node", "ninja"):
        if shutil.which(tool) is None:
            print(f"skipped: needs {tool}")
            sys.exit(_SKIPPED)
    os.environ.setdefault("NODE_PATH", _DEBIANS_MODULES)
    browser_test.run("cmake", "-S", source / "examples/web", "-B", page, "-G", "Ninja",
                     f"-DCMAKE_TOOLCHAIN_FILE={source}/toolchains/wasm32.cmake", "-DCMAKE_BUILD_TYPE=Release",
                     f"-DWEFT_COMMAND={weft}")
    browser_test.run("cmake", "--build", page)


def decode_with_node(source, page):
    """Returns the report of frames.mjs."""
    model = source / "examples/dtmf/model"
    report = json.loads(browser_test.run("node", pathlib.Path(__file__).with_name("frames.mjs"),
                                         page / "keypad.wasm", model / "audio_frames.npy",
                                         model / "expected.npy"))
    browser_test.must_equal((report["grew"], report["imports"]), (False, []), "memory growth and imports")
    if not report["difference"] <= _TOLERANCE:
        sys.exit(f"outputs differ from OpenVINO's by {report['difference']}; must be at most {_TOLERANCE}")
    return report


def decode_in_browser(page):
    """Returns the texts of the page after it decoded test.wav."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Files, directory=page))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = browser_test.open_browser()
    try:
        browser.get(f"http://127.0.0.1:{server.server_port}/index.html")
        browser.execute_script("document.getElementById('example').click()")
        texts = {}
        for _ in range(3000):
            texts = browser.execute_script(
                "return Object.fromEntries(['keys', 'latency', 'status'].map("
                "id => [id, document.getElementById(id).textContent]))")
            if texts["status"]:
                break
            time.sleep(0.01)
        return texts
    finally:
        browser.quit()
        server.shutdown()


def main():
    weft, source, page = map(pathlib.Path, sys.argv[1:])
    build(weft, source, page)
    keys = (source / "examples/dtmf/model/test.txt").read_text().strip()
    report = decode_with_node(source, page)
    browser_test.must_equal(report["keys"], keys, "keys under Node.js")
    texts = decode_in_browser(page)
    browser_test.must_equal(texts["keys"], keys, f"keys ({texts})")
    status = texts["status"]
    browser_test.must_equal((status.split(" ")[0], status.split(" ")[-1]),
                            (str(report["count"]), report["hash"]), f"frames and hash ({status})")
    print(f"node: differs from OpenVINO by at most {report['difference']:.2g}; browser: {status}; latency "
          f"{texts['latency']}")


if __name__ == "__main__":
    sys.exit(main())
