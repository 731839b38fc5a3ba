#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report page in a browser without a screen: what it shows is what its JSON says.

    browser_test.py WEFT SOURCE_DIR WORK_DIR

needs Chromium, its driver and Selenium (exit code 77 without). Converts models, one of them with hostile
names, opens their pages, moves through the steps by slider, pointer and keys, folds, searches and prints.
Leaves pictures of each page, light and dark, in WORK_DIR, and prints how long painting and pointing took.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import time

_SKIPPED = 77
_MODELS = {
    "dtmf": "examples/dtmf/model/dtmf.xml",
    "lstm": "tests/conformance/cases/document/lstm_document_i16_h17_t7/model.xml",
    "no_steps": "tests/conformance/cases/blocks/batch_to_space_rank2_3x2_by_1x1/model.xml",
}
_HOSTILE = ("</script><script>document.title='run'</script>", "\"'><img src=x onerror=alert(1)>",
            "\u202egnol", "n" * 10_000)
_RECTANGLES = "#charts [data-buffer]"


def run(*words):
    """The output of a command that must succeed."""
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def must_equal(shown, expected, what):
    """Ends the run where the page shows something else."""
    if shown != expected:
        sys.exit(f"{what}: the page shows {shown!r}; must be {expected!r}")


def open_browser():
    """Chromium of this machine, or exit code 77."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
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


def hostile_model(source, folder):
    """The LSTM with names that try to become markup."""
    folder.mkdir(parents=True, exist_ok=True)
    model = source / _MODELS["lstm"]
    shutil.copy(model.with_suffix(".bin"), folder / "model.bin")
    text = model.read_text(encoding="utf-8")
    for name, hostile in zip(("lstm", "sequence", "first_hidden", "first_cell"), _HOSTILE):
        escaped = "".join(f"&#{ord(c)};" for c in hostile)
        for attribute in ("name", "names"):
            text = text.replace(f'{attribute}="{name}"', f'{attribute}="{escaped}"')
    (folder / "model.xml").write_text(text, encoding="utf-8")
    return folder / "model.xml"


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
    """A page in the browser, and its facts."""

    def __init__(self, browser, file):
        self.browser = browser
        browser.get(file.as_uri())
        self.facts = json.loads(self.script("return document.getElementById('facts').textContent"))
        for _ in range(1000):  # the last part comes after the first paint
            if self.texts(".tree ol"):
                return
            time.sleep(0.01)
        sys.exit(f"{file}: the schedule does not come; the console: {browser.get_log('browser')}")

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def texts(self, selector):
        return self.script("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)",
                           selector)

    def set_step(self, step):
        self.script("const s = document.getElementById('step'); s.value = arguments[0];"
                    "s.dispatchEvent(new Event('input'))", step)

    def check_head(self):
        """The tiles."""
        tiles = [numbers(text) for text in self.texts(".tile strong")]
        facts = self.facts
        must_equal(tiles, [sum(facts["plan"]["arena_bytes"]), facts["needs"]["state_bytes"],
                           facts["file_bytes"], int(facts["budget"]["work"]["multiply_adds"]),
                           int(sum(cause["bytes"] for cause in facts["copies"])),
                           facts["budget"]["stack_bytes"]], "tiles")

    def check_steps(self):
        """Each step's live bytes, and the bytes of what is alive there."""
        buffers = self.facts["plan"]["buffers"]
        must_equal(len(self.texts(_RECTANGLES)), len(buffers), "rectangles")
        for step, bytes_alive in enumerate(self.facts["plan"]["live_bytes"][0]):
            self.set_step(step)
            must_equal(numbers(self.texts("#details p")[0]), bytes_alive, f"live bytes at step {step}")
            expected = sorted((b["bytes"] for b in buffers if b["region"] == 0
                               and b["first_step"] <= step <= b["last_step"]), reverse=True)
            if self.texts("#details .more"):
                self.script("document.querySelector('#details .more').click()")
            shown = [numbers(text) for text in self.texts("#details tbody td:nth-child(2)")]
            must_equal(shown, expected, f"bytes alive at step {step}")

    def check_work(self):
        """The tables of work and flash, with every row shown."""
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
        """A folded loop is one column, and opens again."""
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
        """Steps of one kind."""
        kind = next((step["kind"] for step in self.facts["listing"] if step["kind"] != "section"), "x")
        self.script("const s = document.getElementById('search'); s.value = arguments[0];"
                    "s.dispatchEvent(new Event('input'))", kind)
        expected = sum(kind in f"{step['kind']} {step['layer']}".lower()
                       for step in self.facts["listing"] if step["kind"] != "section")
        shown = self.script("return [...document.querySelectorAll('#schedule li[data-text]')]"
                            ".filter(e => e.offsetParent !== null).length")
        must_equal(shown, expected, f"steps found for {kind}")

    def check_pointer(self):
        """A click keeps a step, and gives the page an address for it. Returns milliseconds per move."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.by import By
        rectangle = self.browser.find_elements(By.CSS_SELECTOR, f"{_RECTANGLES} rect")[0]
        ActionChains(self.browser).move_to_element(rectangle).click().perform()
        step = int(self.script("return document.getElementById('step').value"))
        must_equal(self.script("return location.hash"), f"#step={step}", "the address")
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
        """Steps that write the chosen value, then those that read it, as far as they are listed."""
        slots = set(self.facts["plan"]["buffers"][index]["slots"])
        expected = []
        for side in ("outputs", "inputs"):
            expected += [step["step"] for step in self.facts["listing"]
                         if any(one and one["slot"] in slots for one in step.get(side, []))][:8]
        must_equal([numbers(text) for text in self.texts("#details dd a")], expected, "steps of a value")

    def check_console(self):
        must_equal([row["message"] for row in self.browser.get_log("browser")], [], "the console")

    def take_pictures(self, work, name):
        """The whole page as an image, light and dark, and on paper."""
        import base64
        height = self.script("return document.documentElement.scrollHeight")
        self.browser.set_window_size(1280, min(height + 140, 8000))
        for scheme in ("light", "dark"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            self.browser.save_screenshot(str(work / f"{name}.{scheme}.png"))
        self.browser.set_window_size(1280, 1600)
        (work / f"{name}.pdf").write_bytes(base64.b64decode(self.browser.print_page()))


def check(browser, file, work, name):
    """All of one page; its facts."""
    page = Page(browser, file)
    page.check_head()
    page.check_steps()
    page.check_work()
    page.check_folding()
    move = page.check_pointer()
    page.check_console()
    paint = page.script("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
    page = Page(browser, file)
    page.take_pictures(work, name)
    page.check_search()
    print(f"{name}: {len(page.facts['plan']['buffers'])} values, {len(page.facts['listing'])} steps; "
          f"first paint {paint:.0f} ms, a move of the pointer {move:.1f} ms")
    return page


def main():
    """Checks all models; the first fault ends the run."""
    weft, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    work = work.resolve()
    browser = open_browser()
    try:
        for name, model in _MODELS.items():
            run(weft, "convert", source / model, "-o", work / f"{name}.weft",
                "--report", work / f"{name}.html")
            check(browser, work / f"{name}.html", work, name)
        model = hostile_model(source, work / "hostile")
        run(weft, "convert", model, "-o", work / "hostile.weft", "--report", work / "hostile.html")
        page = check(browser, work / "hostile.html", work, "hostile")
        must_equal(page.script("return document.querySelectorAll('img, main script').length"), 0,
                   "elements made of names")
        must_equal(any("</script>" in text for text in page.texts("main bdi")), True,
                   "a name with markup as text")
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
