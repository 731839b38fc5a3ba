// SPDX-License-Identifier: Apache-2.0
// What stands first: the figures of the model, the picture of its memory, and the plans to choose
// from.

function tile(title, value, note) {
  return element("li", { class: "tile" }, element("span", { class: "what" }, title),
    element("strong", null, value), note ? element("span", null, note) : null);
}

function head() {
  const work = facts.budget.work;
  const copied = facts.copies.reduce((sum, cause) => sum + cause.bytes, 0);
  const arena = plan.arena_bytes.reduce((sum, bytes) => sum + bytes, 0);
  return element("header", null,
    element("h1", null, named(facts.file.split("/").pop(), 100)),
    element("p", null, `format ${facts.format_version}, checksum ${facts.checksum}, `,
      named(facts.generator)),
    element("ul", { class: "tiles" },
      tile("arena", bytesText(arena), plan.proof ?? ""),
      tile("ports shared", bytesText(plan.ports_shared_bytes), "of outputs that overlap inputs"),
      tile("state", bytesText(facts.needs.state_bytes), counted(facts.variables.length, "variable") +
        (facts.streams ? `, of ${counted(facts.streams.count, "stream")} with ${bytesText(facts.streams.state_bytes)} each` : "")),
      tile("flash", bytesText(facts.file_bytes), `${bytesText(plan.weights_bytes)} of weights`),
      facts.times ? tile("time", timeText(facts.times.median ?? facts.times.mean), facts.times.runs === undefined ?
      "mean of a run on a board" : `median of ${counted(facts.times.runs, "run")}`) : "",
      tile("multiply-adds", grouped(work.multiply_adds), `${work.exact ? "" : "at most, "}in ${counted(work.steps, "step")} per run`),
      tile("copied", bytesText(copied), "per run, by copy and fill steps"),
      tile("stack", bytesText(facts.budget.stack_bytes), "maximum, on Cortex-M")));
}

const kLegend = [["value", "between steps"], ["input", "input"], ["output", "output"], ["state", "state"],
  ["shared", "a value that shares memory"]];

function memory() {
  const peak = peakOf(0);
  const toPeak = () => go(peakOf(state.region)?.step ?? 0);
  return section("memory", "Memory over the schedule",
    element("p", { class: "hint" }, "The horizontal axis is time, with a column for each step of one run. A rectangle is a " +
      "value from its first to its last step. Point at a step or use the slider; a click pins it, another click or Escape releases it. A click on the bracket of a loop folds it."),
    element("p", { class: "legend" }, kLegend.map(([kind, text]) =>
      element("span", { class: `key ${kind}` }, text))),
    element("div", { class: "controls" },
      element("label", { for: "step" }, "step"), slider,
      element("button", { type: "button", onclick: toPeak, disabled: !peak }, "fullest step"),
      element("button", { type: "button", onclick: () => { sections.forEach((s) => state.folded.add(s.section)); redraw(); }, disabled: sections.length === 0 }, "fold loops"),
      element("button", { type: "button", onclick: () => { state.folded.clear(); redraw(); }, disabled: sections.length === 0 }, "unfold")),
    charts, details, variables());
}

function variables() {
  if (facts.variables.length === 0) return "";
  return table("state", [{ title: "variable" }, { title: "type" }, { title: "bytes", number: true },
    { title: "at", number: true }, { title: "initial value" }],
  facts.variables, (v) => [named(v.name), v.type, grouped(v.bytes), grouped(v.offset), v.starts_as]);
}

// Scratch against cost, which is in bytes of weights read.
function curve() {
  const points = facts.curve ?? [];
  if (points.length < 2) return "";
  const width = 560, height = 220, left = 84, bottom = height - 40;
  const most = Math.max(...points.map((p) => p.scratch_bytes));
  const dearest = Math.max(...points.map((p) => p.cost), 1);
  const x = (p) => left + p.scratch_bytes * (width - left - 24) / most;
  const y = (p) => bottom - p.cost * (bottom - 16) / dearest;
  const path = points.map((p, i) => `${i ? "L" : "M"}${x(p).toFixed(1)} ${y(p).toFixed(1)}`).join("");
  const picture = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "small",
    "aria-label": "Scratch bytes and cost of a run; the table has the numbers" },
  [0, 0.5, 1].map((share) => [
    drawn("line", { class: "grid", x1: left, x2: width - 24, y1: bottom - share * (bottom - 16), y2: bottom - share * (bottom - 16) }),
    label(left - 8, bottom - share * (bottom - 16) + 4, grouped(Math.round(share * dearest)), { class: "tick", "text-anchor": "end" }),
    label(left + share * (width - left - 24), bottom + 16, grouped(share * most), { class: "tick", "text-anchor": "middle" })]).flat(),
  drawn("path", { class: "plans", d: path }),
  points.map((p) => drawn("circle", { class: p.chosen ? "plan chosen" : "plan", cx: x(p), cy: y(p), r: p.chosen ? 6 : 4 },
    drawn("title", null, `${bytesText(p.scratch_bytes)} of scratch, cost ${grouped(Math.round(p.cost))}`))),
  label((width + left) / 2, height - 6, "scratch, B", { class: "tick", "text-anchor": "middle" }),
  label(14, bottom / 2 + 8, "cost", { class: "tick", "text-anchor": "middle", transform: `rotate(-90 14 ${bottom / 2 + 8})` }));
  return section("curve", "Cost of less memory", picture,
    table("plans to choose from", [{ title: "scratch", number: true }, { title: "estimated cost", number: true },
      { title: "weights read per run", number: true }, { title: "other bytes per run", number: true }, { title: "in overlapping steps", number: true },
      { title: "steps", number: true }, { title: "maximum rows" }, { title: "" }],
    points, (p) => [bytesText(p.scratch_bytes), grouped(Math.round(p.cost)), grouped(p.weight_bytes_read),
      grouped(p.other_bytes_touched), grouped(p.bytes_over_inputs), grouped(p.steps), p.hoisted_rows, p.chosen ? "chosen" : ""]));
}
