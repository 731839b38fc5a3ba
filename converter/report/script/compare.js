// SPDX-License-Identifier: Apache-2.0
// Several models side by side, and the choice of the one that the rest of the page is about.

const arenaOf = (model) => model.plan.arena_bytes.reduce((sum, bytes) => sum + bytes, 0);

// {title, of: a number, text}
const kFigures = [
  { title: "arena", of: arenaOf, text: bytesText },
  { title: "state", of: (m) => m.needs.state_bytes, text: bytesText },
  { title: "flash", of: (m) => m.file_bytes, text: bytesText },
  { title: "weights", of: (m) => m.plan.weights_bytes, text: bytesText },
  { title: "multiply-adds", of: (m) => m.budget.work.multiply_adds, text: grouped },
  { title: "steps per run", of: (m) => m.budget.work.steps, text: grouped },
  { title: "copied per run", of: (m) => m.copies.reduce((sum, row) => sum + row.bytes, 0), text: bytesText },
  { title: "time per run", of: (m) => m.times?.median ?? m.times?.mean, text: timeText },
  { title: "elements that differ", of: (m) => m.comparison?.rows.reduce((sum, row) => sum + (row.mismatches ?? 0), 0), text: grouped },
];

function changeText(is, was) {
  if (is === undefined || was === undefined || is === was) return "";
  if (was === 0) return " (new)";
  const percent = 100 * (is - was) / was;
  return ` (${percent > 0 ? "+" : "\u2212"}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0)} %)`;
}

// Rectangles alone, all models to one scale of bytes.
function smallMap(model, most) {
  const width = 300, height = 120;
  const count = Math.max(1, model.listing.length), bytes = Math.max(1, most);
  const x = (step) => step * width / count;
  const slots = (ports) => new Set(ports.map((port) => port.slot));
  const inputs = slots(model.inputs), outputs = slots(model.outputs);
  const kindOf = (buffer) => buffer.slots.some((slot) => inputs.has(slot)) ? "input"
    : buffer.slots.some((slot) => outputs.has(slot)) ? "output" : "value";
  return drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "map",
    "aria-label": `Values over ${model.listing.length} steps in ${bytesText(model.plan.arena_bytes[0])}` },
  drawn("line", { class: "arena", x1: 0, x2: width, y1: height * (1 - model.plan.arena_bytes[0] / bytes), y2: height * (1 - model.plan.arena_bytes[0] / bytes) }),
  model.plan.buffers.filter((buffer) => buffer.region === 0).map((buffer) => drawn("g", { class: `buffer ${kindOf(buffer)}` },
    buffer.live.map(([first, last]) => drawn("rect", { x: x(first), width: Math.max(0.5, x(last + 1) - x(first) - 0.5),
      y: height * (1 - (buffer.offset + buffer.bytes) / bytes), height: Math.max(0.5, height * buffer.bytes / bytes - 0.5) })))));
}

// Sums of a list of contributors by layer.
function byLayer(rows, key) {
  const sums = new Map();
  for (const row of rows) sums.set(row.layer, (sums.get(row.layer) ?? 0) + row[key]);
  return sums;
}

function layersTable(caption, key, listOf) {
  const sums = models.map((model) => byLayer(listOf(model), key));
  const layers = [...new Set(sums.flatMap((map) => [...map.keys()]))];
  const spread = (layer) => {
    const all = sums.map((map) => map.get(layer) ?? 0);
    return Math.max(...all) - Math.min(...all);
  };
  const differing = layers.filter((layer) => spread(layer) > 0).sort((a, b) => spread(b) - spread(a));
  if (differing.length === 0) return element("p", null, `${caption}: the same in all.`);
  return table(caption, [{ title: "layer" }, ...modelTitles()], differing, (layer) => [named(layer),
    ...sums.map((map, i) => map.has(layer)
      ? grouped(map.get(layer)) + (i > 0 ? changeText(map.get(layer), sums[0].get(layer)) : "") : "\u2013")]);
}

const modelTitles = () => models.map((model, i) =>
  ({ title: `${i + 1} ${shortened(fileName(model.file), 24)}`, number: true }));

function compared() {
  if (models.length < 2) return "";
  const most = Math.max(...models.map((model) => model.plan.arena_bytes[0] ?? 0));
  const figures = kFigures.filter((figure) => models.some((model) => figure.of(model) !== undefined));
  const choose = models.map((model, i) => element("button", {
    type: "button", class: "model", "aria-pressed": String(i === shown), "data-model": i,
    onclick: () => { showModel(i); remember(`step=${state.step}`); },
  }, element("span", null, `${i + 1} `, named(fileName(model.file), 40)), smallMap(model, most)));
  return section("compared", "Side by side",
    element("p", { class: "hint" }, "Changes are relative to the first model. The rest of the page shows the model that is selected here; all memory maps have the same scale."),
    element("div", { class: "models" }, choose),
    table("figures", [{ title: "" }, ...modelTitles()], figures, (figure) => [figure.title,
      ...models.map((model, i) => figure.of(model) === undefined ? "\u2013"
        : figure.text(figure.of(model)) + (i > 0 ? changeText(figure.of(model), figure.of(models[0])) : ""))]),
    layersTable("weights of layers that differ, B", "bytes", (model) => model.budget.largest_weights),
    layersTable("multiply-adds of layers that differ", "multiply_adds", (model) => model.budget.largest_steps));
}
