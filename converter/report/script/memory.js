// SPDX-License-Identifier: Apache-2.0
// The picture of memory: addresses run up, the steps of the schedule to the right.

const kWidth = 1000, kLeft = 84, kRight = 12, kBracket = 18, kMap = 300, kCurve = 90, kLane = 20;
const state = { step: 0, buffer: null, folded: new Set(), region: 0 };
const kMostLanes = 8;

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

// A rectangle for each time that it holds something.
function drawBuffer(buffer, scale) {
  const y = scale.y(buffer.offset + buffer.bytes);
  const height = Math.max(0.8, scale.y(buffer.offset) - y - (buffer.bytes * kMap > 3 * scale.bytes ? 1 : 0));
  const title = `${shortened(buffer.name, 80)}: ${bytesText(buffer.bytes)} at ${grouped(buffer.offset)}, ` +
    `steps ${stepsText(buffer)}`;
  return drawn("g", { class: `buffer ${buffer.kind}`, "data-buffer": buffer.index },
    buffer.live.map(([first, last]) => {
      const left = scale.x(first), width = Math.max(1, scale.end(last) - left - 1);
      return [drawn("rect", { x: left, y, width, height, rx: height > 6 && width > 6 ? 2 : 0 },
        drawn("title", null, title)), inside(left, y, width, height, buffer.name)];
    }).flat());
}

// Hatched: values that share the memory of another value.
function drawShared(buffer, scale) {
  return buffer.shared.map((place) => {
    const left = scale.x(place.first_step), right = scale.end(place.last_step);
    const y = scale.y(place.offset + place.bytes);
    return drawn("rect", {
      class: "shared", x: left, y, width: Math.max(1, right - left - 1),
      height: Math.max(0.8, scale.y(place.offset) - y), fill: `url(#hatch${scale.region})`,
    });
  });
}

const drawHatch = (region) => drawn("defs", null, drawn("pattern", {
  id: `hatch${region}`, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
}, drawn("path", { class: "hatch", d: "M0 0V6" })));

// An arrow with two heads between the two slots of a value that alternates, at the start of its loop.
function drawShuttles(scale) {
  const drawable = sections.flatMap((s) => s.ping_pong_slots.map((pair) => ({ s, pair })))
    .filter(({ pair }) => bufferOfSlot.get(pair[0])?.region === scale.region &&
      bufferOfSlot.get(pair[1])?.region === scale.region);
  return drawable.map(({ s, pair }, i) => {
    const x = Math.min(scale.x(s.first_step) + 12 + (i % 6) * 9, scale.end(s.end_step - 1) - 4);
    const [from, to] = pair.map((slot) => scale.y(placeOfSlot.get(slot)) - 5);
    const [upper, lower] = [Math.min(from, to), Math.max(from, to)];
    return drawn("g", { class: "shuttle" },
      drawn("path", { d: `M${x} ${upper}V${lower}M${x - 4} ${upper + 6}l4 -6l4 6M${x - 4} ${lower - 6}l4 6l4 -6` }),
      drawn("title", null, `ping-pong pair of the loop ${timesText(s)}: iterations alternate between these two buffers`));
  });
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
      remember(`step=${step}`);
    },
  }, drawHatch(region), drawAxis(scale),
  buffers.filter((buffer) => buffer.region === region).map((buffer) => drawBuffer(buffer, scale)),
  buffers.filter((buffer) => buffer.region === region).map((buffer) => drawShared(buffer, scale)),
  drawShuttles(scale), drawBrackets(scale), drawCurve(scale), drawLanes(scale), band,
  label((kWidth + kLeft) / 2, scale.height - 6, `steps of the schedule, 0 to ${steps.length - 1}`,
    { class: "tick", "text-anchor": "middle" }));
  return { picture, scale, band };
}
