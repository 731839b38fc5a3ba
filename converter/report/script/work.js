// SPDX-License-Identifier: Apache-2.0
// Work, flash, copies, measured times and accuracy, and what streaming cut.

// Of a layer's steps of one kind together; undefined where none was measured.
function measured(kind, layer) {
  let sum;
  for (const step of steps) {
    const time = step.kind === kind && step.layer === layer ? timeOfStep.get(step.step) : undefined;
    if (time !== undefined) sum = (sum ?? 0) + time;
  }
  return sum;
}

function times() {
  if (!facts.times) return "";
  const rows = new Map();  // by kind and layer
  for (const [index, microseconds] of timeOfStep) {
    const { kind, layer, multiply_adds } = steps[index];
    const key = `${kind} ${layer}`;
    const row = rows.get(key) ?? { kind, layer, microseconds: 0, multiplyAdds: 0 };
    row.microseconds += microseconds;
    row.multiplyAdds += multiply_adds ?? 0;
    rows.set(key, row);
  }
  const all = [...rows.values()].reduce((sum, row) => sum + row.microseconds, 0);
  const { runs, median, min, max, mean } = facts.times;
  const head = element("p", null, runs === undefined ? `Measured on a board: ${timeText(mean)} per run on average.` :
    `Measured: ${counted(runs, "run")}, median ${timeText(median)}, from ${timeText(min)} to ${timeText(max)}.`);
  if (rows.size === 0) return [head, element("p", null, "weft bench --profile also measures each step.")];
  return [head, table("layers by measured time", [{ title: "layer" }, { title: "step" },
    { title: "per run", number: true }, { title: "share", number: true }, { title: "multiply-adds / \u00b5s", number: true }, { title: "" }],
  [...rows.values()].sort((a, b) => b.microseconds - a.microseconds),
  (row) => [layerLink(row.layer), row.kind, timeText(row.microseconds), shareText(row.microseconds, all),
    row.multiplyAdds > 0 && row.microseconds > 0 ? grouped(row.multiplyAdds / row.microseconds) : "", bar(row.microseconds, all)])];
}

function accuracy() {
  const comparison = facts.comparison;
  if (!comparison) return "";
  const rows = comparison.rows;
  const decibels = (number) => number === undefined ? "" : number.toFixed(1);
  return table(`accuracy: ${comparison.equal ? "all agree" : "some differ"}`,
    [{ title: comparison.of }, { title: "elements", number: true }, { title: "differ", number: true },
      { title: "largest difference", number: true }, { title: "signal to noise, dB", number: true },
      { title: "weights, dB", number: true }, { title: "" }],
    rows, (row) => [comparison.of === "layer" ? layerLink(row.name) : named(row.name),
      row.elements === undefined ? "" : grouped(row.elements), row.mismatches === undefined ? "" : grouped(row.mismatches),
      row.largest_difference === undefined ? (row.mismatches === undefined ? "" : "infinite") : row.largest_difference.toPrecision(3),
      decibels(row.signal_to_noise_db), decibels(row.weights_signal_to_noise_db),
      row.equal ? "equal" : row.mismatches === undefined ? "another type or shape" : "differs"]);
}

// The largest difference that a comparison found in a layer.
function differenceText(layer) {
  const row = facts.comparison?.of === "layer" ? facts.comparison.rows.find((one) => one.name === layer) : undefined;
  return row?.largest_difference === undefined ? "" : row.largest_difference.toPrecision(3);
}

// Why a weight stays f32, as the conversion reports it for constants of 1 KB and more.
function f32Reason(row) {
  if (!row.type.startsWith("f32")) return "";
  const found = (facts.weights_by_layer ?? []).find((one) => one.layer === row.layer && one.bytes === row.bytes);
  return found?.f32_because ?? "";
}

function work() {
  const budget = facts.budget;
  const all = budget.work.multiply_adds;
  const weights = plan.weights_bytes;
  // A reason that all f32 weights share is one line below the table.
  const reasons = new Set(budget.largest_weights.map(f32Reason).filter((reason) => reason !== ""));
  const hasReasons = reasons.size > 1;
  const hasTimes = timeOfStep.size > 0, hasDifferences = facts.comparison?.of === "layer";
  return section("work", "Work and flash",
    table("layers by multiply-adds", [{ title: "layer" }, { title: "step" }, { title: "calls", number: true },
      { title: "multiply-adds", number: true }, { title: "share", number: true }, { title: "" },
      ...(hasTimes ? [{ title: "measured", number: true }] : []), ...(hasDifferences ? [{ title: "largest difference", number: true }] : [])],
    budget.largest_steps, (row) => {
      const time = measured(row.step, row.layer);
      return [layerLink(row.layer), row.step, grouped(row.calls),
        grouped(row.multiply_adds), shareText(row.multiply_adds, all), bar(row.multiply_adds, all),
        ...(hasTimes ? [time === undefined ? "" : timeText(time)] : []), ...(hasDifferences ? [differenceText(row.layer)] : [])];
    }),
    times(), accuracy(),
    table("weights", [{ title: "layer" }, { title: "step" }, { title: "type" }, { title: "bytes", number: true },
      { title: "share", number: true }, { title: "" }, ...(hasReasons ? [{ title: "stays f32 because" }] : [])],
    budget.largest_weights, (row) => [layerLink(row.layer), row.step, row.type, grouped(row.bytes),
      shareText(row.bytes, weights), bar(row.bytes, weights), ...(hasReasons ? [f32Reason(row)] : [])]),
    reasons.size === 1 ? element("p", null, `Weights stay f32 because: ${[...reasons][0]}.`) : "",
    table("flash", [{ title: "part" }, { title: "bytes", number: true }, { title: "share", number: true },
      { title: "" }, { title: "what" }],
    budget.flash, (part) => [part.part, grouped(part.bytes), shareText(part.bytes, budget.flash_bytes),
      bar(part.bytes, budget.flash_bytes), part.what]),
    facts.copies.length === 0 ? element("p", null, "No step copies or fills: every value is read where it was written.")
      : table("bytes copied or filled per run", [{ title: "layer" }, { title: "step" },
        { title: "bytes", number: true }, { title: "reason" }],
      facts.copies, (row) => [layerLink(row.layer), row.step, grouped(row.bytes), row.why]));
}

function streaming() {
  const s = facts.streamed;
  if (!s) return "";
  const time = (port) => port.axis === undefined ? (port.so_far ? "result of all time steps so far" : "no time axis")
    : `time axis ${port.axis}, ${port.positions}${port.of === undefined ? "" : ` of ${port.of}`} positions per run`;
  const cut = s.full_multiply_adds === null || s.full_multiply_adds === undefined ? ""
    : ` Multiply-adds per time step: ${grouped(s.multiply_adds)}; without streaming: ${grouped(s.full_multiply_adds)}.`;
  return section("streaming", "Streaming",
    element("p", null, `${s.steps}${s.of === undefined ? "" : ` of ${s.of}`} time steps per run; each output depends on ` +
      `${s.receptive_steps === null ? "all time steps so far" : `${s.receptive_steps} time steps`}. ` +
      `State: ${bytesText(s.state_bytes)}, lower bound ${bytesText(s.min_state_bytes)}.${cut}`),
    table("ports", [{ title: "port" }, { title: "time" }, { title: "latency, time steps", number: true }],
      [...s.inputs, ...s.outputs], (port) => [named(port.name), time(port), String(port.latency ?? "")]));
}
