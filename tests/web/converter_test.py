#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the page of examples/web-converter, under Node.js and in a headless browser.

    converter_test.py node|browser SOURCE_DIR PAGE_DIR MODELS_DIR WORK_DIR

node: converts all conformance cases; the models must have the bytes that the host's weft wrote
(target weft_models), and rejected files the host's exit code. browser: drops a model and a recording into the
page; the summary, the report, the downloaded files and the outputs of a run must be those of the host and of
OpenVINO. Requires Node.js, or Chromium, its driver and Selenium (else exit code 77).
"""
import array
import functools
import http.server
import importlib.util
import json
import pathlib
import shutil
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parents[1] / "report"))
import browser_test  # noqa: E402


def load_models_script():
    """scripts/models.py; tests/report has a module of the same name."""
    path = pathlib.Path(__file__).parents[2] / "scripts/models.py"
    spec = importlib.util.spec_from_file_location("models_script", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


models = load_models_script()
_SKIPPED = 77
_TOLERANCE = 1e-5  # of two f32 engines, as in examples/dtmf/dtmf.cc
_DTMF = "examples/dtmf/model"


def case_job(name, case, expected):
    """A conversion as scripts/models.py does it."""
    model = models.model_of(case)
    files = {path.name: str(path) for path in (model, case / "model.bin") if path.exists()}
    words = ["convert", model.name, "-o", "out.weft", *models.described(case).get("convert", []),
             "--self-test", "2"]
    return {"words": words, "files": files,
            "expected": {"out.weft": str(expected)} if expected.exists() else {}, "prints": not expected.exists(), "name": name}


def convert_with_node(source, page, models_dir, work):
    if shutil.which("node") is None:
        print("skipped: needs node")
        return _SKIPPED
    cases = list(models.cases_of(source / "build/fixtures").items())
    jobs = [case_job(name, case, models_dir / f"{name}.weft") for name, case in cases]
    (work / "jobs.json").write_text(json.dumps(jobs))
    report = json.loads(browser_test.run("node", pathlib.Path(__file__).with_name("convert.mjs"), page,
                                         work / "jobs.json"))
    if report["wrong"]:
        sys.exit("\n".join([f"{len(report['wrong'])} of {len(jobs)} differ:", *report["wrong"]]))
    refused = sum(output["code"] in (1, 2) for output in report["outputs"])
    browser_test.must_equal(refused, len(report["outputs"]), "rejections with exit code 1 or 2")
    if len(jobs) < 3000:
        sys.exit(f"{len(jobs)} cases; must be at least 3000")
    print(f"{len(jobs) - refused} models equal the host's, {refused} rejected, {report['time']:.0f} ms")
    return 0


class _Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass

    def do_GET(self):
        self.server.requested.append(self.path)
        super().do_GET()


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Files, directory=folder))
    server.requested = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def floats(npy):
    """The elements of an f32 .npy file of version 1.0."""
    data = npy.read_bytes()
    start = 10 + int.from_bytes(data[8:10], "little")
    return array.array("f", data[start:])


class Page:
    """The page in a browser, with a folder for downloads."""

    def __init__(self, browser, port, downloads):
        self.browser = browser
        self.downloads = downloads
        browser.execute_cdp_cmd("Browser.setDownloadBehavior",
                                {"behavior": "allow", "downloadPath": str(downloads)})
        browser.get(f"http://127.0.0.1:{port}/index.html")

    def text(self, name):
        return self.browser.execute_script("return document.getElementById(arguments[0]).textContent", name)

    def wait(self, what):
        """Waits until the page has done `what`; returns the status."""
        for _ in range(6000):
            status = self.text("status")
            if status.startswith(f"{what}: "):
                break
            time.sleep(0.01)
        if not status.endswith(" ms"):
            sys.exit(f"{what}: {status}: {self.text('errors')}; {self.browser.get_log('browser')}")
        return status

    def choose(self, *paths):
        self.browser.execute_script(
            "document.getElementById('status').textContent = '';"
            "const chosen = document.getElementById('chosen');"
            "chosen.addEventListener('change', () => { window.last = [...chosen.files]; }, {capture: true})")
        self.browser.find_element("id", "chosen").send_keys("\n".join(map(str, paths)))

    def drop_chosen(self):
        """Drops the chosen files once more, as from a file manager."""
        self.browser.execute_script(
            "const t = new DataTransfer(); for (const file of window.last) t.items.add(file);"
            "document.getElementById('status').textContent = '';"
            "document.getElementById('drop').dispatchEvent(new DragEvent('drop', {dataTransfer: t}))")

    def download(self, section, name):
        """Returns the path of a downloaded file."""
        for link in self.browser.find_elements("css selector", f"#{section} a"):
            if link.get_attribute("download") == name:
                link.click()
        path = self.downloads / name
        for _ in range(1000):
            if path.exists():
                return path
            time.sleep(0.01)
        sys.exit(f"{name}: is not in section {section}")

    def report_tiles(self):
        self.browser.switch_to.frame("report")
        tiles = []
        for _ in range(1000):
            tiles = self.browser.find_elements("css selector", ".tile strong")
            if tiles:
                break
            time.sleep(0.01)
        tiles = [browser_test.numbers(tile.text) for tile in tiles]
        self.browser.switch_to.default_content()
        return tiles


def check_conversion(page, source, models_dir):
    """Converts the model of keypad tones; all files must have the host's bytes."""
    page.browser.execute_script("document.getElementById('options').value = '--arena-budget 16K';"
                                "document.getElementById('target').value = 'cortex-m4f'")
    page.choose(source / _DTMF / "dtmf.xml", source / _DTMF / "dtmf.bin")
    status = page.wait("convert")
    for name in ("dtmf.weft", "dtmf.c", "dtmf.h"):
        is_equal = page.download("downloads", name).read_bytes() == (models_dir / name).read_bytes()
        browser_test.must_equal(is_equal, True, f"{name} has the host's bytes")
    size = (models_dir / "dtmf.weft").stat().st_size
    browser_test.must_equal(page.text("summary").startswith(f"dtmf.weft: {size} bytes"), True,
                            page.text("summary"))
    browser_test.must_equal("scratch 0:" in page.text("plan"), True, page.text("plan"))
    browser_test.must_equal("instructions" in page.text("budget"), True, page.text("budget"))
    browser_test.must_equal(size in page.report_tiles(), True, f"size in the tiles {page.report_tiles()}")
    return status


def check_run(page, source):
    """Runs the model on frames; the outputs must be those of OpenVINO."""
    page.choose(source / _DTMF / "audio_frames.npy")
    page.wait("inspect")
    page.browser.find_element("id", "run").click()
    status = page.wait("run")
    actual = floats(page.download("outputs", "keys.npy"))
    expected = floats(source / _DTMF / "expected.npy")
    browser_test.must_equal(len(actual), len(expected), "outputs")
    difference = max(abs(a - b) for a, b in zip(actual, expected))
    if not difference <= _TOLERANCE:
        sys.exit(f"outputs differ from OpenVINO's by {difference}; must be at most {_TOLERANCE}")
    browser_test.must_equal(len(page.browser.find_elements("css selector", "#outputs canvas")), 1, "plots")
    return status


def must_show(page, begin):
    """Waits until the page shows an error that begins like this."""
    for _ in range(1000):
        if page.text("errors").startswith(begin):
            return
        time.sleep(0.01)
    sys.exit(f"errors: {page.text('errors')!r}; must begin with {begin!r}")


def check_missing(page, source):
    """Weights without a model and a model without weights give a line."""
    page.choose(source / _DTMF / "dtmf.bin")
    must_show(page, "dtmf.bin: its model is missing; must be dropped too")
    page.browser.refresh()
    page.choose(source / _DTMF / "dtmf.xml")
    must_show(page, "dtmf.xml: its weights are missing; must be dropped too")


def check_errors(page, work):
    """A damaged or unknown model gives the line of the command, and a correct model can follow."""
    for name, content, begin in (("broken.tflite", b"TFL3" * 9, "broken.tflite: "),
                                 ("net.onnx", b"\x08\x08\x12\x07pytorch", "net.onnx: is an ONNX model; must be")):
        (work / name).write_bytes(content)
        page.choose(work / name)
        must_show(page, begin)


def check_isolation(page, server, other):
    """The page requests its own files only, and its policy forbids all other addresses."""
    answer = page.browser.execute_async_script(
        "const done = arguments[1]; fetch(arguments[0]).then(() => done('sent'), () => done('refused'))",
        f"http://127.0.0.1:{other.server_port}/")
    browser_test.must_equal((answer, other.requested), ("refused", []), "request to another address")
    files = {path.name for path in pathlib.Path(sys.argv[3]).iterdir()} | {"favicon.ico"}
    browser_test.must_equal({path.lstrip("/") for path in server.requested} - files, set(), "requests")


def convert_in_browser(source, page_dir, models_dir, work):
    server, other = serve(page_dir), serve(work)
    browser = browser_test.open_browser()
    try:
        page = Page(browser, server.server_port, work)
        check_missing(page, source)
        converted = check_conversion(page, source, models_dir.with_name(models_dir.name + "-c"))
        ran = check_run(page, source)
        log = [entry for entry in browser.get_log("browser") if "favicon" not in entry["message"]]
        browser_test.must_equal(log, [], "console")
        check_errors(page, work)
        check_isolation(page, server, other)
        page.choose(source / _DTMF / "dtmf.xml", source / _DTMF / "dtmf.bin")
        page.wait("convert")
        page.drop_chosen()
        page.wait("convert")
    finally:
        browser.quit()
        server.shutdown()
        other.shutdown()
    print(f"browser: {converted}, {ran}")
    return 0


def main():
    source, page, models_dir, work = map(pathlib.Path, sys.argv[2:])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    test = convert_with_node if sys.argv[1] == "node" else convert_in_browser
    return test(source, page, models_dir, work)


if __name__ == "__main__":
    sys.exit(main())
