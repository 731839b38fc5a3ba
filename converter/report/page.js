// SPDX-License-Identifier: Apache-2.0
// Draws the facts of the page. Names come from foreign files: they become text nodes and attribute
// values, never markup.
"use strict";

const facts = JSON.parse(document.getElementById("facts").textContent);

// ---- text -------------------------------------------------------------------------------------

const grouped = (number) => Math.round(number).toLocaleString("en-US");
const bytesText = (number) => `${grouped(number)} B`;
const counted = (number, one) => `${grouped(number)} ${one}${number === 1 ? "" : "s"}`;
const shareText = (part, whole) => (whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : "");

// What would reorder or hide text around it is spelled.
function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function shortened(text, most) {
  const characters = Array.from(visible(text));
  if (characters.length <= most) return characters.join("");
  const half = Math.floor((most - 1) / 2);
  return `${characters.slice(0, half).join("")}\u2026${characters.slice(-half).join("")}`;
}

// ---- elements ---------------------------------------------------------------------------------

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const child of children.flat(Infinity)) if (child !== null) node.append(child);
  return node;
}
const element = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);
const drawn = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
// The whole name is shown when pointed at.
const named = (name, most = 60) => element("bdi", { title: visible(name) }, shortened(name, most));

// `columns` are {title, number}; `cellsOf` makes of an item a cell per column, a text or a node. Of
// long tables the first rows are made, the others when asked for.
function table(caption, columns, items, cellsOf) {
  const kFirst = 12;
  const row = (item) => element("tr", null, cellsOf(item).map((cell, i) =>
    element(i === 0 ? "th" : "td",
      { class: columns[i].number ? "number" : null, scope: i === 0 ? "row" : null }, cell)));
  const body = element("tbody", null, items.slice(0, kFirst).map(row));
  const grid = element("table", null, element("caption", null, caption),
    element("thead", null, element("tr", null, columns.map((column) =>
      element("th", { scope: "col", class: column.number ? "number" : null }, column.title)))),
    body);
  const box = element("div", { class: "table", tabindex: 0, role: "region", "aria-label": caption },
    grid);
  if (items.length > kFirst) {
    const more = element("button", {
      type: "button", class: "more",
      onclick: () => {
        body.append(...items.slice(kFirst).map(row));
        more.remove();
      },
    }, `show ${grouped(items.length - kFirst)} more rows`);
    box.append(more);
  }
  return box;
}

// A bar as long as its share, with the number beside it for everyone.
const bar = (part, whole) => element("span", { class: "bar", "aria-hidden": "true" },
  element("span", { style: `width:${whole > 0 ? (100 * part / whole).toFixed(2) : 0}%` }));

function section(id, title, ...children) {
  return element("section", { id, "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, title), children);
}

// ---- the model --------------------------------------------------------------------------------

const steps = facts.listing;
const sections = facts.sections;
const plan = facts.plan;
const buffers = plan.buffers.map((buffer, index) => ({
  ...buffer, index, kind: "value", types: new Set(), written: new Set(), read: new Set(),
}));
const bufferOfSlot = new Map();
for (const buffer of buffers) for (const slot of buffer.slots) bufferOfSlot.set(slot, buffer);

for (const [kind, ports] of [["output", facts.outputs], ["input", facts.inputs]]) {
  for (const port of ports) {
    const buffer = bufferOfSlot.get(port.slot);
    if (!buffer) continue;
    buffer.kind = kind;
    (buffer.ports ??= []).push(`${kind} ${port.name}`);
  }
}
for (const step of steps) {
  for (const [operands, side] of [[step.inputs, "read"], [step.outputs, "written"]]) {
    for (const operand of operands ?? []) {
      const buffer = operand === null ? undefined : bufferOfSlot.get(operand.slot);
      if (!buffer) continue;
      buffer[side].add(step.step);
      buffer.types.add(operand.type);
    }
  }
}
// Innermost last.
const sectionsAround = (step) => sections.filter((s) => s.first_step < step && step < s.end_step);
const sectionOfStep = new Map(sections.map((s) => [s.first_step, s]));
const sectionAt = (step) => sectionOfStep.get(step);
const timesText = (s) => `${s.iterations_exact ? "\u00d7" : "\u2264"} ${grouped(s.iterations)}`;
const aliveAt = (step, region) => buffers.filter((buffer) => buffer.region === region &&
  buffer.first_step <= step && step <= buffer.last_step);

// Scratch regions follow those of weights and state.
const alignmentOf = (region) => facts.regions[region + 2].alignment;
const peakOf = (region) => facts.budget.scratch[region]?.peak;

// Functions that a step applies to its results: operations of the model that were joined to it.
function joined(step) {
  const names = Object.values(step.params ?? {}).map((value) => value?.op)
    .filter((name) => typeof name === "string" && name !== "identity");
  return names.length > 0 ? ` with ${names.join(", ")}` : "";
}

function stepTitle(index) {
  const step = steps[index];
  const s = sectionAt(index);
  return s ? `${index} loop ${timesText(s)}` : `${index} ${step.kind}${joined(step)}`;
}

// ---- the picture of memory --------------------------------------------------------------------

const kWidth = 1000, kLeft = 84, kRight = 12, kBracket = 18, kMap = 300, kCurve = 90, kLane = 20;
const state = { step: 0, buffer: null, folded: new Set(), region: 0 };

// Steps inside folded loops share the column of the step that enters the loop.
function columns() {
  const column = new Array(steps.length);
  let count = 0;
  let hidden = 0;
  for (let step = 0; step < steps.length; ++step) {
    if (step < hidden) {
      column[step] = count - 1;
      continue;
    }
    column[step] = count++;
    const s = sectionAt(step);
    if (s && state.folded.has(s.section)) hidden = s.end_step;
  }
  return { column, count };
}

// Of the columns: where they begin and how wide they are.
function scaleOf(region) {
  const { column, count } = columns();
  const wide = (kWidth - kLeft - kRight) / Math.max(1, count);
  const bytes = Math.max(1, plan.arena_bytes[region]);
  const depth = sections.reduce((most, s) => Math.max(most, s.depth + 1), 0);
  const top = 6 + depth * kBracket;
  const lanes = region === 0 ? facts.variables.length : 0;
  return {
    region, bytes, top, lanes, count,
    x: (step) => kLeft + (column[step] ?? 0) * wide,
    end: (step) => kLeft + ((column[step] ?? 0) + 1) * wide,
    y: (address) => top + kMap - address * kMap / bytes,
    curveTop: top + kMap + 26,
    laneTop: top + kMap + 26 + kCurve + 14,
    height: top + kMap + 26 + kCurve + 14 + (lanes ? 18 + Math.min(lanes, kMostLanes) * kLane : 0) + 22,
    stepAt: (x) => {
      const at = Math.max(0, Math.min(count - 1, Math.floor((x - kLeft) / wide)));
      return Math.max(0, column.indexOf(at));
    },
  };
}
const kMostLanes = 8;

function label(x, y, text, attributes) {
  return drawn("text", { x, y, ...attributes }, text);
}

// A label that ends where its rectangle does; none where there is no room for three characters.
const kCharacter = 6.2;
function inside(left, top, width, height, text) {
  const room = Math.floor((width - 8) / kCharacter);
  if (room < 3 || height < 13) return "";
  return drawn("svg", { x: left, y: top, width, height },
    label(5, Math.min(height / 2 + 4, 14), shortened(text, room)));
}

function drawBrackets(scale) {
  return sections
    .filter((s) => !sectionsAround(s.first_step).some((outer) => state.folded.has(outer.section)))
    .map((s) => {
      const folded = state.folded.has(s.section);
      const left = scale.x(s.first_step) + 1, right = scale.end(s.end_step - 1) - 1;
      const y = 6 + s.depth * kBracket;
      const text = `${folded ? "\u25b8" : "\u25be"} ${timesText(s)} ${visible(s.layer)}`;
      const toggle = () => {
        if (!state.folded.delete(s.section)) state.folded.add(s.section);
        redraw();
        document.querySelector(`[data-section="${s.section}"]`)?.focus();
      };
      return drawn("g", {
        class: "bracket", role: "button", tabindex: 0, "data-section": s.section,
        "aria-expanded": String(!folded), "aria-label": `loop ${timesText(s)} ${shortened(s.layer, 60)}`,
        onclick: (event) => { event.stopPropagation(); toggle(); },
        onkeydown: (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          toggle();
        },
      },
      drawn("rect", { x: left, y, width: Math.max(1, right - left), height: kBracket - 3, rx: 3 }),
      inside(left, y, right - left, kBracket - 3, text));
    });
}

function drawBuffer(buffer, scale) {
  const left = scale.x(buffer.first_step), right = scale.end(buffer.last_step);
  const y = scale.y(buffer.offset + buffer.bytes);
  const width = Math.max(1, right - left - 1);
  const height = Math.max(0.8, scale.y(buffer.offset) - y - (buffer.bytes * kMap > 3 * scale.bytes ? 1 : 0));
  return drawn("g", { class: `buffer ${buffer.kind}`, "data-buffer": buffer.index },
    drawn("rect", { x: left, y, width, height, rx: height > 6 && width > 6 ? 2 : 0 },
      drawn("title", null, `${shortened(buffer.name, 80)}: ${bytesText(buffer.bytes)} at ${grouped(buffer.offset)}, ` +
        `steps ${buffer.first_step} to ${buffer.last_step}`)),
    inside(left, y, width, height, buffer.name));
}

function drawAxis(scale) {
  const parts = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const address = Math.round(scale.bytes * share);
    const y = scale.y(address);
    return [drawn("line", { class: "grid", x1: kLeft, x2: kWidth - kRight, y1: y, y2: y }),
      label(kLeft - 8, y + 4, grouped(address), { class: "tick", "text-anchor": "end" })];
  });
  return [...parts.flat(),
    label(14, scale.top + kMap / 2, "address, B", {
      class: "tick", "text-anchor": "middle", transform: `rotate(-90 14 ${scale.top + kMap / 2})`,
    })];
}

// Live bytes of each step against the arena, and the least that any placement needs.
function drawCurve(scale) {
  const live = plan.live_bytes[scale.region] ?? [];
  const bottom = scale.curveTop + kCurve;
  const y = (bytes) => bottom - bytes * kCurve / scale.bytes;
  const most = new Map();  // by column: a folded loop has its fullest step
  live.forEach((bytes, step) => {
    const x = scale.x(step);
    most.set(x, Math.max(most.get(x) ?? 0, bytes));
  });
  const wide = (kWidth - kLeft - kRight) / Math.max(1, scale.count);
  let path = `M${kLeft} ${bottom}`;
  for (const [x, bytes] of most) path += `L${x.toFixed(2)} ${y(bytes).toFixed(2)}h${wide.toFixed(3)}`;
  path += `V${bottom}Z`;
  const top = Math.max(0, ...live);
  return [
    drawn("path", { class: "live", d: path }),
    drawn("line", { class: "arena", x1: kLeft, x2: kWidth - kRight, y1: scale.curveTop, y2: scale.curveTop }),
    drawn("line", { class: "grid", x1: kLeft, x2: kWidth - kRight, y1: bottom, y2: bottom }),
    label(kLeft - 8, scale.curveTop + 4, grouped(scale.bytes), { class: "tick", "text-anchor": "end" }),
    label(kLeft - 8, bottom + 4, "0", { class: "tick", "text-anchor": "end" }),
    label(kLeft, scale.curveTop - 7, `live bytes, at most ${grouped(top)}; dashed: the arena, ${bytesText(plan.arena_bytes[scale.region])}`,
      { class: "tick" }),
  ];
}

function drawLanes(scale) {
  if (scale.lanes === 0) return [];
  const shown = facts.variables.slice(0, kMostLanes);
  const rest = facts.variables.length - shown.length;
  return [
    label(kLeft, scale.laneTop + 8, `state, kept between runs: ${bytesText(facts.needs.state_bytes)}` +
      (rest > 0 ? `; ${grouped(rest)} more in the table below` : ""), { class: "tick" }),
    ...shown.map((variable, i) => {
      const y = scale.laneTop + 14 + i * kLane;
      const text = `${variable.name} ${variable.type}, ${bytesText(variable.bytes)} at ${grouped(variable.offset)}`;
      return drawn("g", { class: "buffer state" },
        drawn("rect", { x: kLeft, y, width: kWidth - kLeft - kRight, height: kLane - 3, rx: 2 }),
        inside(kLeft, y, kWidth - kLeft - kRight, kLane - 3, text));
    }),
  ];
}

function drawMemory(region) {
  const scale = scaleOf(region);
  const band = drawn("rect", { class: "band", y: scale.top, height: scale.laneTop - 14 - scale.top });
  const move = (event) => {
    const box = picture.getBoundingClientRect();
    const step = scale.stepAt((event.clientX - box.left) * kWidth / box.width);
    const hit = event.target.closest?.("[data-buffer]");
    const buffer = hit ? buffers[Number(hit.dataset.buffer)] : null;
    return { step, buffer };
  };
  const picture = drawn("svg", {
    viewBox: `0 0 ${kWidth} ${scale.height}`, role: "group",
    "aria-label": `Memory of ${regionName(region)}: ${buffers.filter((b) => b.region === region).length} values over ` +
      `${steps.length} steps in ${bytesText(plan.arena_bytes[region])}`,
    onmousemove: (event) => {
      if (pinned) return;
      const { step, buffer } = move(event);
      if (step !== state.step || buffer !== state.buffer) select(step, buffer, region);
    },
    onclick: (event) => {
      const { step, buffer } = move(event);
      pinned = !pinned || step !== state.step || buffer !== state.buffer;
      select(step, buffer, region);
      rememberStep();
    },
  }, drawAxis(scale),
  buffers.filter((buffer) => buffer.region === region).map((buffer) => drawBuffer(buffer, scale)),
  drawBrackets(scale), drawCurve(scale), drawLanes(scale), band,
  label((kWidth + kLeft) / 2, scale.height - 6, `steps of the schedule, 0 to ${steps.length - 1}`,
    { class: "tick", "text-anchor": "middle" }));
  return { picture, scale, band };
}

const regionName = (region) => facts.budget.scratch[region]?.region ?? `scratch${region}`;

// ---- selection --------------------------------------------------------------------------------

let drawings = [];
let pinned = false;
const charts = element("div", { id: "charts" });
const details = element("div", { id: "details" });
const slider = element("input", {
  id: "step", type: "range", min: 0, max: Math.max(0, steps.length - 1), value: 0,
  oninput: () => { pinned = true; select(Number(slider.value), null, state.region); rememberStep(); },
});

// A model whose outputs are its inputs has no step.
const stepLink = (step) => step >= steps.length ? "none" : element("a", {
  href: `#step=${step}`, onclick: (event) => { event.preventDefault(); go(step); },
}, stepTitle(step));

// To the first step of a layer.
const stepOfLayer = new Map();
for (const step of steps) if (!stepOfLayer.has(step.layer)) stepOfLayer.set(step.layer, step.step);
const layerLink = (layer) => element("a", { href: `#layer=${encodeURIComponent(layer)}` }, named(layer));

function stepLinks(list) {
  const kMost = 8;
  const links = [...list].slice(0, kMost).map((step, i) => [i > 0 ? ", " : "", stepLink(step)]).flat();
  return list.size > kMost ? [...links, ` and ${list.size - kMost} more`] : links;
}

function bufferFacts(buffer) {
  const entry = (term, ...content) => content.flat().length === 0 ? [] :
    [element("dt", null, term), element("dd", null, content)];
  return element("dl", null,
    entry("value", element("bdi", { class: "whole" }, visible(buffer.name))),
    entry("lies at", `${regionName(buffer.region)}+${grouped(buffer.offset)}, ${bytesText(buffer.bytes)}`),
    entry("lives", `steps ${buffer.first_step} to ${buffer.last_step}`),
    buffer.ports ? entry("is", buffer.ports.map((name, i) => [i > 0 ? ", " : "", named(name)]).flat()) : [],
    entry("as", [...buffer.types].join(", ")),
    entry("written by", stepLinks(buffer.written)),
    entry("read by", stepLinks(buffer.read)));
}

function showDetails() {
  const step = steps[state.step];
  if (!step) return details.replaceChildren();
  const alive = aliveAt(state.step, state.region).sort((a, b) => b.bytes - a.bytes);
  const live = plan.live_bytes[state.region]?.[state.step] ?? 0;
  const around = sectionsAround(state.step);
  const peak = peakOf(state.region);
  details.replaceChildren(
    element("h3", null, `step ${stepTitle(state.step)} `, step.layer ? named(step.layer) : null),
    element("p", null,
      `${bytesText(live)} alive in ${regionName(state.region)}`,
      peak && peak.step === state.step ? " (its fullest step)" : "",
      `; runs ${counted(step.times, "time")}`,
      step.multiply_adds > 0 ? `, ${grouped(step.multiply_adds)} multiply-adds together` : "",
      around.map((s) => `; in loop ${timesText(s)} ${shortened(s.layer, 40)}`)),
    state.buffer ? bufferFacts(state.buffer) : "",
    table("alive at this step", [{ title: "value" }, { title: "bytes", number: true },
      { title: "share", number: true }, { title: "at", number: true }, { title: "steps" },
      { title: "first written by" }],
    alive, (buffer) => [
      element("button", {
        type: "button", class: `name ${buffer.kind}`,
        onclick: () => { pinned = true; select(state.step, buffer, state.region); },
      }, shortened(buffer.name, 40)),
      grouped(buffer.bytes), shareText(buffer.bytes, live), grouped(buffer.offset),
      `${buffer.first_step}\u2013${buffer.last_step}`,
      buffer.written.size > 0 ? stepLink(Math.min(...buffer.written)) : "the caller"]));
}

function mark() {
  for (const { picture, scale, band } of drawings) {
    const x = scale.x(state.step);
    fill(band, { x, width: Math.max(1.5, scale.end(state.step) - x) }, []);
    picture.querySelector(".chosen")?.classList.remove("chosen");
    if (state.buffer && state.buffer.region === scale.region) {
      picture.querySelector(`[data-buffer="${state.buffer.index}"]`)?.classList.add("chosen");
    }
  }
  document.querySelector("#schedule .chosen")?.classList.remove("chosen");
  document.getElementById(`row-${state.step}`)?.classList.add("chosen");
}

function select(step, buffer, region) {
  Object.assign(state, { step, buffer, region });
  slider.value = step;
  slider.setAttribute("aria-valuetext",
    `step ${step}, ${bytesText(plan.live_bytes[region]?.[step] ?? 0)} alive`);
  mark();
  showDetails();
}

// The row of the chosen step comes into view within its list; the page stays where it is.
function rememberStep() {
  const tree = document.querySelector(".tree"), row = document.getElementById(`row-${state.step}`);
  if (tree && row) tree.scrollTop = row.offsetTop - tree.clientHeight / 2;
  history.replaceState(null, "", `#step=${state.step}`);
}

function go(step) {
  pinned = true;
  for (const s of sectionsAround(step)) state.folded.delete(s.section);
  redraw();
  select(step, null, state.region);
  rememberStep();
}

function redraw() {
  drawings = plan.arena_bytes.map((_, region) => drawMemory(region));
  charts.replaceChildren(...drawings.map(({ picture }, region) => element("figure", null,
    plan.arena_bytes.length > 1 ? element("figcaption", null, regionName(region)) : "", picture)));
  mark();
}

// ---- the parts of the page --------------------------------------------------------------------

function tile(title, value, note) {
  return element("div", { class: "tile" }, element("dt", null, title),
    element("dd", null, element("strong", null, value), note ? element("span", null, note) : null));
}

function head() {
  const work = facts.budget.work;
  const copied = facts.copies.reduce((sum, cause) => sum + cause.bytes, 0);
  const arena = plan.arena_bytes.reduce((sum, bytes) => sum + bytes, 0);
  return element("header", null,
    element("h1", null, named(facts.file.split("/").pop(), 100)),
    element("p", null, `format ${facts.format_version}, checksum ${facts.checksum}, `,
      named(facts.generator)),
    element("dl", { class: "tiles" },
      tile("arena", bytesText(arena), plan.proof ?? ""),
      tile("state", bytesText(facts.needs.state_bytes), counted(facts.variables.length, "variable")),
      tile("flash", bytesText(facts.file_bytes), `${bytesText(plan.weights_bytes)} of weights`),
      tile("multiply-adds", grouped(work.multiply_adds), `${work.exact ? "" : "at most, "}in ${counted(work.steps, "step")} a run`),
      tile("copied", bytesText(copied), "a run, beyond the arithmetic"),
      tile("stack", bytesText(facts.budget.stack_bytes), "at most, on Cortex-M")));
}

const kLegend = [["value", "between steps"], ["input", "input"], ["output", "output"], ["state", "state"]];

function memory() {
  const peak = peakOf(0);
  const toPeak = () => go(peakOf(state.region)?.step ?? 0);
  return section("memory", "Memory over the schedule",
    element("p", { class: "hint" }, "Time runs to the right, a column for each step of one run; a rectangle is a " +
      "value from its first to its last step. Point at a step or use the slider; a click keeps it, another or Escape lets go. A loop's bracket folds it."),
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
    { title: "at", number: true }, { title: "begins as" }],
  facts.variables, (v) => [named(v.name), v.type, grouped(v.bytes), grouped(v.offset), v.starts_as]);
}

// What the facts themselves say of the arena's size.
function reasons() {
  const list = [];
  const peak = peakOf(0);
  if (peak && peak.largest.length > 0) {
    const ports = aliveAt(peak.step, 0).filter((b) => b.kind !== "value");
    const portBytes = ports.reduce((sum, b) => sum + b.bytes, 0);
    const largest = peak.largest[0];
    list.push(["At step ", stepLink(peak.step), `, the fullest, ${bytesText(peak.bytes)} are alive in ` +
      `${counted(peak.buffers, "value")}, each rounded up to ${alignmentOf(0)} B; the largest is `,
      named(largest.name, 40), `, ${bytesText(largest.bytes)}.`]);
    if (portBytes > 0) list.push([`${bytesText(portBytes)} of them are inputs and outputs of the model.`]);
    if (plan.bound_bytes !== undefined) {
      const above = plan.arena_bytes[0] - plan.bound_bytes;
      list.push([above > 0 ? `The placement takes ${bytesText(above)} more than is alive at once.`
        : "No placement of this schedule is smaller: to need less, the schedule or its values must change."]);
    }
  }
  const curve = facts.curve ?? [];
  const chosen = curve.find((point) => point.chosen), least = curve[curve.length - 1];
  if (chosen && least && least.scratch_bytes < chosen.scratch_bytes) {
    list.push([`--arena-budget min saves ${bytesText(chosen.scratch_bytes - least.scratch_bytes)} ` +
      `(${shareText(chosen.scratch_bytes - least.scratch_bytes, chosen.scratch_bytes)}); a run then reads ` +
      `${bytesText(least.weight_bytes_read)} of weights instead of ${bytesText(chosen.weight_bytes_read)}.`]);
  }
  const wide = facts.budget.largest_weights.filter((w) => w.type.startsWith("f32"));
  if (wide.length > 0) {
    const most = wide[0];
    list.push(["Of the weights, ", named(most.layer, 40), ` has most, ${bytesText(most.bytes)} as f32: ` +
      `--precision f16 would save ${bytesText(most.bytes / 2)} of flash there, and may round.`]);
  }
  return section("reasons", "Why so large, and what would lower it",
    element("ul", null, list.map((content) => element("li", null, content))));
}

// Scratch against the bytes of weights that a run reads: the fewer, the faster.
function curve() {
  const points = facts.curve ?? [];
  if (points.length < 2) return "";
  const width = 560, height = 220, left = 84, bottom = height - 40;
  const most = Math.max(...points.map((p) => p.scratch_bytes));
  const reads = Math.max(...points.map((p) => p.weight_bytes_read), 1);
  const x = (p) => left + p.scratch_bytes * (width - left - 24) / most;
  const y = (p) => bottom - p.weight_bytes_read * (bottom - 16) / reads;
  const path = points.map((p, i) => `${i ? "L" : "M"}${x(p).toFixed(1)} ${y(p).toFixed(1)}`).join("");
  const picture = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "small",
    "aria-label": "Scratch bytes against bytes of weights that a run reads; the table has the numbers" },
  [0, 0.5, 1].map((share) => [
    drawn("line", { class: "grid", x1: left, x2: width - 24, y1: bottom - share * (bottom - 16), y2: bottom - share * (bottom - 16) }),
    label(left - 8, bottom - share * (bottom - 16) + 4, grouped(share * reads), { class: "tick", "text-anchor": "end" }),
    label(left + share * (width - left - 24), bottom + 16, grouped(share * most), { class: "tick", "text-anchor": "middle" })]).flat(),
  drawn("path", { class: "plans", d: path }),
  points.map((p) => drawn("circle", { class: p.chosen ? "plan chosen" : "plan", cx: x(p), cy: y(p), r: p.chosen ? 6 : 4 },
    drawn("title", null, `${bytesText(p.scratch_bytes)} of scratch, ${bytesText(p.weight_bytes_read)} of weights read`))),
  label((width + left) / 2, height - 6, "scratch, B", { class: "tick", "text-anchor": "middle" }),
  label(14, bottom / 2 + 8, "weights read, B", { class: "tick", "text-anchor": "middle", transform: `rotate(-90 14 ${bottom / 2 + 8})` }));
  return section("curve", "What less memory costs", picture,
    table("plans to choose from", [{ title: "scratch", number: true }, { title: "weights read", number: true },
      { title: "other bytes", number: true }, { title: "steps", number: true }, { title: "rows at most" }, { title: "" }],
    points, (p) => [bytesText(p.scratch_bytes), grouped(p.weight_bytes_read), grouped(p.other_bytes_touched),
      grouped(p.steps), p.hoisted_rows, p.chosen ? "chosen" : ""]));
}

function work() {
  const budget = facts.budget;
  const all = budget.work.multiply_adds;
  const weights = plan.weights_bytes;
  return section("work", "Work and flash",
    table("layers by multiply-adds", [{ title: "layer" }, { title: "step" }, { title: "calls", number: true },
      { title: "multiply-adds", number: true }, { title: "share", number: true }, { title: "" }],
    budget.largest_steps, (row) => [layerLink(row.layer), row.step, grouped(row.calls),
      grouped(row.multiply_adds), shareText(row.multiply_adds, all), bar(row.multiply_adds, all)]),
    table("weights", [{ title: "layer" }, { title: "step" }, { title: "type" }, { title: "bytes", number: true },
      { title: "share", number: true }, { title: "" }],
    budget.largest_weights, (row) => [layerLink(row.layer), row.step, row.type, grouped(row.bytes),
      shareText(row.bytes, weights), bar(row.bytes, weights)]),
    table("flash", [{ title: "part" }, { title: "bytes", number: true }, { title: "share", number: true },
      { title: "" }, { title: "what" }],
    budget.flash, (part) => [part.part, grouped(part.bytes), shareText(part.bytes, budget.flash_bytes),
      bar(part.bytes, budget.flash_bytes), part.what]),
    facts.copies.length === 0 ? element("p", null, "No step copies or fills: every value lies where it is read.")
      : table("bytes copied or filled in a run", [{ title: "layer" }, { title: "step" },
        { title: "bytes", number: true }, { title: "reason" }],
      facts.copies, (row) => [layerLink(row.layer), row.step, grouped(row.bytes), row.why]));
}

function streaming() {
  const s = facts.streamed;
  if (!s) return "";
  const time = (port) => port.axis === undefined ? (port.so_far ? "of the steps so far" : "in every run")
    : `axis ${port.axis}, ${port.places}${port.of === undefined ? "" : ` of ${port.of}`}`;
  return section("streaming", "Streaming",
    element("p", null, `${s.steps}${s.of === undefined ? "" : ` of ${s.of}`} steps of time per run; an output depends on ` +
      `${s.receptive_steps === null ? "all so far" : `${s.receptive_steps} of them`}. ` +
      `State: ${bytesText(s.state_bytes)}, of which ${bytesText(s.least_state_bytes)} must be kept.`),
    table("ports", [{ title: "port" }, { title: "time" }, { title: "steps late", number: true }],
      [...s.inputs, ...s.outputs], (port) => [named(port.name), time(port), String(port.latency ?? "")]));
}

// The loops as boxes around their steps.
function schedule() {
  const place = (step) => step.inputs === undefined ? "" :
    `${step.inputs.map((o) => o?.type ?? "-").join(", ")} \u2192 ${step.outputs.map((o) => o?.type ?? "-").join(", ")}`;
  const row = (step) => element("li", { id: `row-${step.step}`, "data-text": `${step.kind} ${step.layer}`.toLowerCase() },
    stepLink(step.step), " ", step.layer ? named(step.layer) : "", element("span", { class: "place" }, place(step)));
  const box = (begin, end) => {
    const list = element("ol", null);
    for (let i = begin; i < end; ++i) {
      const s = sectionAt(i);
      if (!s) {
        list.append(row(steps[i]));
        continue;
      }
      list.append(element("li", { class: "loop" }, element("details", { open: true },
        element("summary", { id: `row-${i}` }, `loop ${timesText(s)} `, s.layer ? named(s.layer) : "",
          element("span", { class: "place" }, `${s.unroll > 1 ? `${s.unroll} copies; ` : ""}carried: ${s.in_place} in place, ` +
            `${s.shuttles} by shuttle, ${s.through_scan} through a scan, ${s.by_copy} by copy`)),
        box(i + 1, s.end_step))));
      i = s.end_step - 1;
    }
    return list;
  };
  const tree = element("div", { class: "tree" });
  // After the first paint: of thousands of steps it is most of the page.
  requestAnimationFrame(() => setTimeout(() => {
    tree.append(box(0, steps.length));
    mark();
  }));
  const found = element("output", { for: "search" });
  const search = element("input", {
    id: "search", type: "search", autocomplete: "off",
    oninput: () => {
      const text = search.value.trim().toLowerCase();
      let count = 0;
      for (const item of tree.querySelectorAll("li[data-text]")) {
        item.hidden = text !== "" && !item.dataset.text.includes(text);
        if (!item.hidden) ++count;
      }
      found.textContent = text === "" ? "" : `${grouped(count)} steps`;
    },
  });
  return section("schedule", "Schedule",
    element("div", { class: "controls" }, element("label", { for: "search" }, "layer or step"), search, found),
    tree);
}

// "#step=12" or "#layer=NAME" of the page's address.
function follow() {
  const asked = /^#(step|layer)=(.*)$/.exec(location.hash);
  if (!asked) return;
  const step = asked[1] === "step" ? Number(asked[2]) : stepOfLayer.get(layerNamed(asked[2]));
  if (Number.isInteger(step) && step >= 0 && step < steps.length) go(step);
}
function layerNamed(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;  // no text that a browser wrote
  }
}

function start() {
  document.title = `${shortened(facts.file.split("/").pop(), 60)} \u2013 weft report`;
  document.getElementById("report").append(head(), memory(), reasons(), curve(), work(), streaming(), schedule());
  redraw();
  select(peakOf(0)?.step ?? 0, null, 0);
  follow();
  window.addEventListener("hashchange", follow);
  charts.addEventListener("mouseleave", () => { if (!pinned) select(peakOf(state.region)?.step ?? 0, null, state.region); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") pinned = false; });
}
start();
