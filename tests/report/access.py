# SPDX-License-Identifier: Apache-2.0
"""Accessibility checks of a page: contrast, names of controls, order of headings. If the package
axe-selenium-python is installed, axe-core also checks the page."""
import sys

# Returns the errors of a page as texts. The background of an HTML text is the nearest opaque background;
# that of a text in a drawing is the rectangle of its group, else that of its figure.
_FAULTS = """
const faults = [];
const shown = (node) => node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
const channels = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
const light = (rgb) => rgb.slice(0, 3).map((c) => c / 255)
  .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
function ground(node) {
  for (let at = node; at; at = at.parentElement) {
    const style = getComputedStyle(at);
    const rectangle = at instanceof SVGElement && at.tagName === "g" ? at.querySelector(":scope > rect") : null;
    if (rectangle) return channels(getComputedStyle(rectangle).fill);
    const color = channels(style.backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
}
const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
for (let text = walk.nextNode(); text; text = walk.nextNode()) {
  const node = text.parentElement;
  if (!text.data.trim() || !shown(node) || node.closest(":disabled") || node.tagName === "title") continue;
  const style = getComputedStyle(node);
  const a = light(channels(node instanceof SVGElement ? style.fill : style.color)), b = light(ground(node));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)} of "${text.data.slice(0, 40)}"`);
}
for (const node of document.querySelectorAll("a, button, input, [role=button], [role=img], [role=group], [role=region]")) {
  const label = node.id ? document.querySelector(`label[for="${node.id}"]`) : null;
  const name = node.getAttribute("aria-label") ?? label?.textContent ?? node.textContent;
  if (!name.trim()) faults.push(`<${node.tagName}> has no name`);
}
for (const node of document.querySelectorAll("[role=button], .table, .tree")) {
  if (node.tabIndex < 0) faults.push(`<${node.tagName} class=${node.getAttribute("class")}> is not reached by keys`);
}
let level = 0;
for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
  const here = Number(heading.tagName[1]);
  if (here > level + 1) faults.push(`heading "${heading.textContent}" skips a level`);
  level = here;
}
const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
if (new Set(ids).size !== ids.length) faults.push("an id is there twice");
for (const node of document.querySelectorAll("[aria-labelledby]")) {
  if (!document.getElementById(node.getAttribute("aria-labelledby"))) faults.push("aria-labelledby leads nowhere");
}
if (!document.documentElement.lang || !document.querySelector("main")) faults.push("no language or no main");
return [...new Set(faults)].slice(0, 20);
"""


def faults(browser):
    """Returns the errors of the displayed page."""
    return browser.execute_script(_FAULTS)


def has_axe():
    """Returns true if axe-core is available."""
    try:
        import axe_selenium_python  # noqa: F401
    except ImportError:
        return False
    return "axe_selenium_python" in sys.modules


def axe_faults(browser):
    """Returns the violations that axe-core reports: rule and first element."""
    from axe_selenium_python import Axe
    axe = Axe(browser)
    axe.inject()
    return [f"{found['id']}: {found['nodes'][0]['html'][:120]} {found['nodes'][0].get('failureSummary', '')[:200]}"
            for found in axe.run()["violations"]]
