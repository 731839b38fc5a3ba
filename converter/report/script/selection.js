// SPDX-License-Identifier: Apache-2.0
// The chosen step and value: by pointer, slider, link or address.

let drawings = [];
let pinned = false;
let charts, details, slider;

// What a page of one model is built around.
function makeControls() {
  charts = element("div", {
    id: "charts",
    onmouseleave: () => { if (!pinned) select(peakOf(state.region)?.step ?? 0, null, state.region); },
  });
  details = element("div", { id: "details" });
  slider = element("input", {
    id: "step", type: "range", min: 0, max: Math.max(0, steps.length - 1), value: 0,
    oninput: () => { pinned = true; select(Number(slider.value), null, state.region); remember(`step=${state.step}`); },
  });
}

const addressOf = (place) => `${document.URL.split("#")[0]}#${models.length > 1 ? `model=${shown}&` : ""}${place}`;

// The page's address leads here again. A page within another has no address of its own.
function remember(place) {
  const tree = document.querySelector(".tree"), row = document.getElementById(`row-${state.step}`);
  // The row of the chosen step comes into view within its list; the page stays where it is.
  if (tree && row) tree.scrollTop = offsetWithin(row, tree) - tree.clientHeight / 2;
  try {
    history.replaceState(null, "", addressOf(place));
  } catch {
    return;
  }
}

const link = (place, action, text) => element("a", {
  href: addressOf(place),
  onclick: (event) => { event.preventDefault(); action(); remember(place); },
}, text);
// A model whose outputs are its inputs has no step.
const stepLink = (step) => step >= steps.length ? "none" : link(`step=${step}`, () => go(step), stepTitle(step));
// To the first step of a layer.
const layerLink = (layer) => !stepOfLayer.has(layer) ? named(layer) :
  link(`layer=${encodeURIComponent(layer)}`, () => go(stepOfLayer.get(layer)), named(layer));

function stepLinks(list) {
  const kMost = 8;
  const links = [...list].slice(0, kMost).map((step, i) => [i > 0 ? ", " : "", stepLink(step)]).flat();
  return list.size > kMost ? [...links, ` and ${list.size - kMost} more`] : links;
}

function valueButton(buffer) {
  return element("button", {
    type: "button", class: `name ${buffer.kind}`,
    onclick: () => {
      pinned = true;
      const step = isLiveAt(buffer, state.step) ? state.step : buffer.first_step;
      select(step, buffer, buffer.region);
    },
  }, shortened(buffer.name, 40));
}

// ---- what is known of the choice ----------------------------------------------------------------

function bufferFacts(buffer) {
  const entry = (term, ...content) => content.flat().length === 0 ? [] :
    [element("dt", null, term), element("dd", null, content)];
  const shared = new Map();  // by reason: how many, and their bytes
  for (const place of buffer.shared) {
    const row = shared.get(place.why) ?? { count: 0, bytes: 0 };
    shared.set(place.why, { count: row.count + 1, bytes: row.bytes + place.bytes });
  }
  return element("dl", null,
    entry("value", element("bdi", { class: "whole" }, visible(buffer.name))),
    entry("lies at", `${regionName(buffer.region)}+${grouped(buffer.offset)}, ${bytesText(buffer.bytes)}`),
    entry("lives", `steps ${stepsText(buffer)}`),
    buffer.ports ? entry("is", buffer.ports.map((name, i) => [i > 0 ? ", " : "", named(name)]).flat()) : [],
    entry("as", [...buffer.types].join(", ")),
    entry("written by", stepLinks(buffer.written)),
    entry("read by", stepLinks(buffer.read)),
    [...shared].map(([why, row]) =>
      entry("shared with", `${counted(row.count, "other value")}, ${bytesText(row.bytes)}: ${why}`)),
    buffer.pairs.map((pair) => entry("ping-pong pair", "with ", valueButton(pair.with),
      `: iterations of the loop ${timesText(pair.section)} alternate between the two buffers`)));
}

// The next step after `step` that accesses the buffer; undefined if only a later iteration does.
function nextTouch(buffer, step) {
  let next;
  for (const touched of [buffer.read, buffer.written]) {
    for (const one of touched) if (one > step && !(one >= next)) next = one;
  }
  return next;
}

function roundingOf(buffer) {
  const alignment = alignmentOf(buffer.region);
  return (alignment - buffer.bytes % alignment) % alignment;
}

// Changes that would reduce the live bytes of a step: {bytes, content}, the largest first.
function lowering(step, alive) {
  const list = [];
  const add = (bytes, ...content) => { if (bytes > 0) list.push({ bytes, content }); };
  const sum = (chosen) => chosen.reduce((bytes, buffer) => bytes + buffer.bytes, 0);
  for (const buffer of alive) {
    const touches = buffer.read.has(step) || buffer.written.has(step);
    if (touches || sectionAt(step)) continue;
    const next = nextTouch(buffer, step);
    add(buffer.bytes, "order: ", valueButton(buffer), " is not used here; its next use is in ",
      next === undefined ? (buffer.kind === "output" ? "the caller" : "the next iteration") : stepLink(next));
  }
  const ports = alive.filter((buffer) => buffer.kind !== "value");
  add(sum(ports), `ports: ${counted(ports.length, "input or output")} of the model; a shorter input (--streaming, --shape) needs less`);
  const wide = alive.filter((buffer) => [...buffer.types].every((type) => type.startsWith("f32")));
  add(Math.floor(sum(wide) / 2), "type: half of the f32 values if they had 16 bits; this requires a change of the model, because weft only narrows weights");
  const rounded = alive.reduce((bytes, buffer) => bytes + roundingOf(buffer), 0);
  add(rounded, `layout: rounding of each value up to ${alignmentOf(state.region)} B`);
  const points = facts.curve ?? [];
  const chosen = points.find((point) => point.chosen), least = points[points.length - 1];
  if (chosen) add(chosen.scratch_bytes - least.scratch_bytes, "budget: --arena-budget min, at the cost in ", element("a", { href: "#curve" }, "the plans to choose from"));
  return list.sort((a, b) => b.bytes - a.bytes);
}

// Reduction of the arena if only this step needs less.
function gainText(step, region) {
  const live = plan.live_bytes[region] ?? [];
  const others = live.reduce((most, bytes, other) => other === step ? most : Math.max(most, bytes), 0);
  const here = live[step] ?? 0;
  return here > others ? `Up to ${bytesText(here - others)} of these lower the peak; then another step is the fullest.`
    : "Other steps need as much or more: the peak decreases only if they need less as well.";
}

function showLowering(alive) {
  const list = lowering(state.step, alive);
  if (list.length === 0) return "";
  return element("div", null,
    table("what would lower it here", [{ title: "B", number: true }, { title: "how" }], list,
      (row) => [grouped(row.bytes), row.content]),
    element("p", null, gainText(state.step, state.region)));
}

function showDetails() {
  const step = steps[state.step];
  if (!step) return details.replaceChildren();
  const alive = aliveAt(state.step, state.region).sort((a, b) => b.bytes - a.bytes);
  const live = plan.live_bytes[state.region]?.[state.step] ?? 0;
  const around = sectionsAround(state.step);
  const peak = peakOf(state.region);
  const time = timeOfStep.get(state.step);
  details.replaceChildren(
    element("h3", null, `step ${stepTitle(state.step)} `, step.layer ? named(step.layer) : null),
    element("p", null,
      `${bytesText(live)} alive in ${regionName(state.region)}`,
      peak && peak.step === state.step ? " (its fullest step)" : "",
      `; runs ${counted(step.times, "time")}`,
      step.multiply_adds > 0 ? `, ${grouped(step.multiply_adds)} multiply-adds together` : "",
      time === undefined ? "" : `, ${timeText(time)} measured`,
      around.map((s) => `; in loop ${timesText(s)} ${shortened(s.layer, 40)}`)),
    state.buffer ? bufferFacts(state.buffer) : "",
    table("alive at this step", [{ title: "value" }, { title: "bytes", number: true },
      { title: "share", number: true }, { title: "at", number: true }, { title: "steps" },
      { title: "first written by" }],
    alive, (buffer) => [
      valueButton(buffer), grouped(buffer.bytes), shareText(buffer.bytes, live), grouped(buffer.offset),
      stepsText(buffer),
      buffer.kind !== "input" && buffer.written.size > 0 ? stepLink(Math.min(...buffer.written)) : "the caller"]),
    showLowering(alive));
}

// ---- choosing -----------------------------------------------------------------------------------

function mark() {
  for (const { picture, scale, band } of drawings) {
    const x = scale.x(state.step);
    fill(band, { x, width: Math.max(1.5, scale.end(state.step) - x) }, []);
    picture.querySelector(".chosen")?.classList.remove("chosen");
    if (state.buffer && state.buffer.region === scale.region) {
      picture.querySelector(`[data-buffer="${state.buffer.index}"]`)?.classList.add("chosen");
    }
  }
  markRow();
}

function select(step, buffer, region) {
  Object.assign(state, { step, buffer, region });
  slider.value = step;
  slider.setAttribute("aria-valuetext",
    `step ${step}, ${bytesText(plan.live_bytes[region]?.[step] ?? 0)} alive`);
  mark();
  showDetails();
}

function go(step) {
  pinned = true;
  for (const s of sectionsAround(step)) state.folded.delete(s.section);
  redraw();
  select(step, null, state.region);
  remember(`step=${step}`);
}

function redraw() {
  drawings = plan.arena_bytes.map((_, region) => drawMemory(region));
  charts.replaceChildren(...drawings.map(({ picture }, region) => element("figure", null,
    plan.arena_bytes.length > 1 ? element("figcaption", null, regionName(region)) : "", picture)));
  mark();
}
