#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the report page in a headless browser: the page must show the values of its JSON.

    browser_test.py WEFT SOURCE_DIR WORK_DIR

requires Chromium, its driver and Selenium (else exit code 77). Converts models, also one with hostile names
and one with 5,000 values, and opens their pages. Selects steps by slider, pointer and keys, folds, searches,
compares and prints. Writes screenshots of each page, light and dark, to WORK_DIR, and prints the times of
painting and pointing.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time
from urllib.parse import quote

import access
import models

_SKIPPED = 77
_DEBIANS = "/usr/lib/python3/dist-packages"  # packages that other Python installations do not search
_MODELS = {
    "dtmf": "examples/dtmf/model/dtmf.xml",
    "lstm": "build/fixtures/cases/document/lstm_document_i16_h17_t7/model.xml",
    "no_steps": "build/fixtures/cases/blocks/batch_to_space_rank2_3x2_by_1x1/model.xml",
}
_RECTANGLES = "#charts [data-buffer]"


def run(*words):
    """Returns the output of a command that must succeed."""
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def must_equal(shown, expected, what):
    """Ends the run if the page shows another value."""
    if shown != expected:
        sys.exit(f"{what}: the page shows {shown!r}; must be {expected!r}")


def open_browser():
    """Starts Chromium, or exits with code 77."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    sys.path.append(_DEBIANS)
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        webdriver = None
    if not browser or not driver or webdriver is None:
        print("skipped: needs chromium, chromedriver and Python's selenium")
        sys.exit(_SKIPPED)
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,1600"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


def numbers(text):
    """"1,344 B" -> 1344, of the first number."""
    digits = ""
    for c in text:
        if c.isdigit():
            digits += c
        elif digits and c != ",":
            break
    return int(digits)


class Page:
    """A page in the browser, and its JSON facts."""

    def __init__(self, browser, file):
        self.browser = browser
        browser.get(file.as_uri())
        self.facts = json.loads(self.script("return document.getElementById('facts').textContent"))
        for _ in range(1000):  # the last part is created after the first paint
            if self.texts(".tree ol"):
                return
            time.sleep(0.01)
        sys.exit(f"{file}: the schedule is not drawn; console: {browser.get_log('browser')}")

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def texts(self, selector):
        return self.script("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)",
                           selector)

    def set_step(self, step):
        self.script("const s = document.getElementById('step'); s.value = arguments[0];"
                    "s.dispatchEvent(new Event('input'))", step)

    def check_head(self):
        """Checks the tiles."""
        tiles = [numbers(text) for text in self.texts(".tile strong")]
        facts = self.facts
        must_equal(tiles, [sum(facts["plan"]["arena_bytes"]), facts["plan"]["ports_shared_bytes"],
                           facts["needs"]["state_bytes"],
                           facts["file_bytes"], int(facts["budget"]["work"]["multiply_adds"]),
                           int(sum(cause["bytes"] for cause in facts["copies"])),
                           facts["budget"]["stack_bytes"]], "tiles")

    def check_steps(self):
        """Checks the live bytes of each step, and the sum of its live values."""
        buffers = self.facts["plan"]["buffers"]
        must_equal(len(self.texts(_RECTANGLES)), len(buffers), "rectangles")
        for step, bytes_alive in enumerate(self.facts["plan"]["live_bytes"][0]):
            self.set_step(step)
            must_equal(numbers(self.texts("#details p")[0]), bytes_alive, f"live bytes at step {step}")
            expected = sorted((b["bytes"] for b in buffers if b["region"] == 0
                               and any(first <= step <= last for first, last in b["live"])), reverse=True)
            alive = "#details [aria-label='alive at this step']"
            self.script("document.querySelector(arguments[0] + ' .more')?.click()", alive)
            shown = [numbers(text) for text in self.texts(f"{alive} tbody td:nth-child(2)")]
            must_equal(shown, expected, f"bytes alive at step {step}")

    def check_work(self):
        """Checks the tables of work and flash, with all rows shown."""
        self.script("document.querySelectorAll('#work .more').forEach(b => b.click())")
        budget = self.facts["budget"]
        for caption, key, column, rows in (
                ("layers by multiply-adds", "multiply_adds", 4, budget["largest_steps"]),
                ("weights", "bytes", 4, budget["largest_weights"]),
                ("flash", "bytes", 2, budget["flash"])):
            selector = f"#work [aria-label='{caption}'] tbody td:nth-child({column})"
            must_equal([numbers(text) for text in self.texts(selector)],
                       [int(row[key]) for row in rows], caption)

    def check_folding(self):
        """Checks that a folded loop is one column and can be unfolded."""
        brackets = len(self.texts(".bracket"))
        must_equal(brackets, len(self.facts["sections"]), "brackets")
        if brackets == 0:
            return
        state = "return document.querySelector('.bracket').getAttribute('aria-expanded')"
        press = ("document.querySelector('.bracket').dispatchEvent("
                 "new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))")
        self.script(press)
        must_equal(self.script(state), "false", "a folded loop")
        self.script(press)
        must_equal(self.script(state), "true", "an unfolded loop")

    def check_search(self):
        """Checks the search for steps of one kind."""
        kind = next((step["kind"] for step in self.facts["listing"] if step["kind"] != "section"), "x")
        self.script("const s = document.getElementById('search'); s.value = arguments[0];"
                    "s.dispatchEvent(new Event('input'))", kind)
        expected = sum(kind in f"{step['kind']} {step['layer']}".lower()
                       for step in self.facts["listing"] if step["kind"] != "section")
        shown = self.script("return [...document.querySelectorAll('#schedule li[data-text]')]"
                            ".filter(e => e.offsetParent !== null).length")
        must_equal(shown, expected, f"steps found for {kind}")

    def check_pointer(self):
        """Checks that a click pins a step and sets the page's address. Returns milliseconds per move."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.by import By
        rectangle = self.browser.find_elements(By.CSS_SELECTOR, f"{_RECTANGLES} rect")[0]
        ActionChains(self.browser).move_to_element(rectangle).click().perform()
        step = int(self.script("return document.getElementById('step').value"))
        must_equal(self.script("return location.hash"), f"#step={step}", "the address")
        if len(self.facts["listing"]) < 100:  # with thousands of steps, each is narrower than a pixel
            must_equal(len(self.texts("#charts .chosen")), 1, "chosen values")
            self.check_value(int(self.script("return document.querySelector('#charts .chosen').dataset.buffer")))
        return self.script("""
            const picture = document.querySelector('#charts svg'), box = picture.getBoundingClientRect();
            document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));
            const begin = performance.now();
            for (let i = 0; i < 50; ++i) {
              picture.dispatchEvent(new MouseEvent('mousemove', {
                clientX: box.left + box.width * i / 50, clientY: box.top + 60, bubbles: true}));
              picture.getBoundingClientRect();
            }
            return (performance.now() - begin) / 50""")

    def check_value(self, index):
        """Checks the listed steps that write the selected value, then those that read it."""
        slots = set(self.facts["plan"]["buffers"][index]["slots"])
        expected = []
        for side in ("outputs", "inputs"):
            expected += [step["step"] for step in self.facts["listing"]
                         if any(one and one["slot"] in slots for one in step.get(side, []))][:8]
        must_equal([numbers(text) for text in self.texts("#details dd a")], expected, "steps of a value")

    def check_console(self):
        must_equal([row["message"] for row in self.browser.get_log("browser")], [], "the console")

    def check_answers(self):
        """Checks that each question has an answer, and that the arena's answer names its fullest step."""
        answers = self.texts("#questions dd")
        must_equal(len(answers), 5, "answers")
        must_equal([text for text in answers if not text.strip()], [], "empty answers")
        peak = self.facts["budget"]["scratch"][0].get("peak")
        if peak and self.facts["listing"]:
            must_equal(numbers(self.texts("#questions dd a")[0]), peak["step"], "the fullest step")

    def check_layer_link(self):
        """Checks that the address of a layer selects its first step."""
        links = self.script("return [...document.querySelectorAll('#work a')].map(e => [e.textContent, e.hash])")
        if not links:
            return
        layer, address = links[0]
        self.script("history.replaceState(null, '', '#'); location.hash = arguments[0]", address)
        expected = next(step["step"] for step in self.facts["listing"]
                        if address.endswith(quote(step["layer"], safe="!'()*~")))
        for _ in range(100):
            if int(self.script("return document.getElementById('step').value")) == expected:
                return
            time.sleep(0.01)
        sys.exit(f"the address {address} of {layer} does not select step {expected}")

    def check_access(self):
        """Checks contrast, names and order in both colour schemes."""
        for scheme in ("light", "dark"):
            self.set_scheme(scheme)
            must_equal(access.faults(self.browser), [], f"faults of access in {scheme}")
            if access.has_axe():
                must_equal(access.axe_faults(self.browser), [], f"axe-core's faults in {scheme}")

    def set_scheme(self, scheme):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def print_sheets(self, file):
        """Prints the page on A4; returns the number of sheets."""
        import base64
        pdf = base64.b64decode(self.browser.execute_cdp_cmd(
            "Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True})["data"])
        file.write_bytes(pdf)
        return len(re.findall(rb"/Type\s*/Page\b", pdf))

    def take_pictures(self, work, name):
        """Writes screenshots of the full page, light and dark."""
        height = self.script("return document.documentElement.scrollHeight")
        self.browser.set_window_size(1280, min(height + 140, 8000))
        for scheme in ("light", "dark"):
            self.set_scheme(scheme)
            self.browser.save_screenshot(str(work / f"{name}.{scheme}.png"))
        self.browser.set_window_size(1280, 1600)


_MOST_SHEETS = 2


def check(browser, file, work, name):
    """Runs all checks of one page."""
    page = Page(browser, file)
    page.check_head()
    page.check_answers()
    is_small = len(page.facts["listing"]) < 100
    if is_small:
        page.check_steps()
        page.check_work()
    page.check_folding()
    move = page.check_pointer()
    page.check_console()
    paint = page.script("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
    page = Page(browser, file)
    page.take_pictures(work, name)
    if is_small:
        page.check_access()
    sheets = page.print_sheets(work / f"{name}.pdf")
    must_equal(sheets <= _MOST_SHEETS, True, f"{sheets} sheets of {name} are at most {_MOST_SHEETS}: it")
    page.check_search()
    page.check_layer_link()
    page.check_console()
    print(f"{name}: {len(page.facts['plan']['buffers'])} values, {len(page.facts['listing'])} steps, {sheets} sheets; "
          f"first paint {paint:.0f} ms, a move of the pointer {move:.1f} ms")
    return page


def check_compared(browser, weft, work):
    """Checks a page of two models, with times and a comparison of the first."""
    both = [work / "dtmf.weft", work / "lstm.weft"]
    times = json.loads(run(weft, "bench", both[0], "--iterations", "20", "--profile", "--json"))
    (work / "times.json").write_text(json.dumps(times), encoding="utf-8")
    comparison = {"equal": False, "checksum": times["checksum"], "f16_weights": False, "outputs": [
        {"output": "keys", "equal": False, "elements": 17, "mismatches": 2, "largest_difference": 0.25}]}
    (work / "comparison.json").write_text(json.dumps(comparison), encoding="utf-8")
    run(weft, "inspect", *both, "--html", work / "both.html", "--bench", work / "times.json",
        "--accuracy", work / "comparison.json")
    page = Page(browser, work / "both.html")
    facts = page.facts["models"]
    cells = page.script("return [...document.querySelectorAll('#compared [aria-label=figures] tbody tr')]"
                        ".map(row => [...row.cells].map(cell => cell.textContent))")
    shown = {row[0]: [numbers(text) if any(c.isdigit() for c in text) else None for text in row[1:]] for row in cells}
    must_equal(shown["arena"], [sum(one["plan"]["arena_bytes"]) for one in facts], "arenas")
    must_equal(shown["flash"], [one["file_bytes"] for one in facts], "flash")
    must_equal(shown["elements that differ"], [2, None], "elements that differ")
    rows = page.texts("#work [aria-label='layers by measured time'] tbody tr")
    must_equal(len(rows), min(12, len({(s["kind"], s["layer"]) for s in times["steps"]})), "rows of times")
    page.take_pictures(work, "both")
    page.check_access()
    page.script("document.querySelector('[data-model=\"1\"]').click()")
    must_equal(page.texts("h1"), ["lstm.weft"], "the model that was chosen")
    must_equal(page.script("return location.hash.startsWith('#model=1&step=')"), True, "the address has the model; it")
    page.check_console()


def check_hostile(browser, weft, source, work):
    """Checks that names with markup are shown as text."""
    model = models.write_hostile(source / _MODELS["lstm"], work / "hostile")
    run(weft, "convert", model, "-o", work / "hostile.weft", "--report", work / "hostile.html")
    page = check(browser, work / "hostile.html", work, "hostile")
    must_equal(page.script("return document.querySelectorAll('img, main script').length"), 0,
               "elements made of names")
    must_equal(any("</script>" in text for text in page.texts("main bdi")), True,
               "a name with markup as text")
    run(weft, "inspect", work / "hostile.weft", "--svg", work / "hostile.svg")
    browser.get((work / "hostile.svg").as_uri())
    must_equal(browser.execute_script("return document.querySelectorAll('script, img').length"), 0,
               "elements of the picture made of names")
    must_equal(browser.execute_script("return document.querySelector('svg > title') !== null"), True, "a picture is well-formed: it")


def main():
    """Checks all models; the first error ends the run."""
    weft, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    work = work.resolve()
    browser = open_browser()
    try:
        for name, model in _MODELS.items():
            run(weft, "convert", source / model, "-o", work / f"{name}.weft",
                "--report", work / f"{name}.html")
            check(browser, work / f"{name}.html", work, name)
        check_hostile(browser, weft, source, work)
        check_compared(browser, weft, work)
        large = models.write_large(5000, work / "large")
        run(weft, "convert", large, "-o", work / "large.weft", "--report", work / "large.html")
        check(browser, work / "large.html", work, "large")
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
