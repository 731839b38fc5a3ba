// SPDX-License-Identifier: Apache-2.0
// What a reviewer asks first, answered from the facts alone.

const kSmaller = 0.8;  // of the arena: the saving that a price is named for

function whyThisLarge() {
  const answers = plan.arena_bytes.flatMap((_, region) => whyRegion(region));
  return answers.length > 0 ? answers : [["No step needs scratch."]];
}

function whyRegion(region) {
  const peak = peakOf(region);
  if (!peak || peak.largest.length === 0) return [];
  const answers = [[plan.arena_bytes.length > 1 ? `In ${regionName(region)} step ` : "Step ", stepLink(peak.step),
    ` is the fullest: ${bytesText(peak.bytes)} are live there in ${counted(peak.buffers, "value")}, mostly in `,
    peak.largest.slice(0, 3).map((row, i) => [i > 0 ? ", " : "", named(row.name, 40), ` (${bytesText(row.bytes)})`]), "."]];
  if (peak.value_bytes > peak.bytes) {
    answers.push([`The values overlap in memory: the sum of their sizes is ${bytesText(peak.value_bytes)}.`]);
  }
  const bytes = aliveAt(peak.step, region).filter((b) => b.kind !== "value").reduce((sum, b) => sum + b.bytes, 0);
  if (bytes > 0) answers.push([`${bytesText(bytes)} of them are inputs and outputs of the model.`]);
  if (plan.bound_bytes !== undefined) {
    const above = plan.arena_bytes[region] - plan.bound_bytes;
    answers.push([above > 0 ? `The placement needs ${bytesText(above)} more than the maximum live bytes.`
      : "The scratch is the proven minimum for this order of steps. Only another order or smaller values can need less."]);
  }
  return answers;
}

// Kinds of steps whose products may be of integers; convolutions of one tap may, too.
const kOfIntegers = ["dense", "lstm_cell", "gru_cell", "gru_reset_cell"];

// Kinds of steps whose constants may be of 16 bits.
const kOfNarrowWeights = [...kOfIntegers, "matmul", "conv", "depthwise"];

function whatToNarrow() {
  const wide = facts.budget.largest_weights.filter((w) => w.type.startsWith("f32") && kOfNarrowWeights.includes(w.step));
  if (wide.length === 0) return [["No weights are f32."]];
  const byLayer = new Map();
  for (const row of wide) byLayer.set(row.layer, (byLayer.get(row.layer) ?? 0) + row.bytes);
  const [layer, bytes] = [...byLayer].sort((a, b) => b[1] - a[1])[0];
  const mayBeIntegers = wide.filter((w) => w.layer === layer).every((w) => kOfIntegers.includes(w.step));
  const name = /^[\w./-]{1,40}$/.test(layer) ? layer : "LAYER";
  return [[layerLink(layer), ` has the most f32 weights, ${bytesText(bytes)} of ${bytesText(plan.weights_bytes)}: ` +
    `as f16 they take ${bytesText(bytes / 2)} less flash${mayBeIntegers ? `, as i8 at most ${bytesText(Math.round(bytes * 3 / 4))}` : ""}, ` +
    "and results may round. ",
  element("code", null, `--precision ${name}=f16${mayBeIntegers ? `, ${name}=i8` : ""}`)]];
}

// The fastest plan of those that are small enough.
function whatLessCosts() {
  const points = facts.curve ?? [];
  const chosen = points.find((point) => point.chosen);
  if (!chosen) {
    return [["Only the conversion has the other plans: ", element("code", null, "weft convert --report"),
      " writes a page with them."]];
  }
  const price = (point) => `${bytesText(point.scratch_bytes)}, ${bytesText(chosen.scratch_bytes - point.scratch_bytes)} less: ` +
    `a run reads ${bytesText(point.weight_bytes_read)} of weights instead of ${bytesText(chosen.weight_bytes_read)}, ` +
    `in ${grouped(point.steps)} steps instead of ${grouped(chosen.steps)}`;
  const target = kSmaller * chosen.scratch_bytes;
  const fit = points.filter((point) => point.scratch_bytes <= target)
    .sort((a, b) => a.cost - b.cost)[0];
  if (fit) return [[`${price(fit)}. `, element("code", null, `--arena-budget ${fit.scratch_bytes}`)]];
  const least = points.reduce((a, b) => b.scratch_bytes < a.scratch_bytes ? b : a);
  return [[`No plan of this model needs ${bytesText(target)}; `, least.scratch_bytes < chosen.scratch_bytes
    ? `the smallest is ${price(least)}.` : "the chosen plan is the smallest. The values of its fullest step would have to change."]];
}

function whereCopies() {
  if (facts.copies.length === 0) return [["No step copies or fills: every value is read where it was written."]];
  const all = facts.copies.reduce((sum, row) => sum + row.bytes, 0);
  return facts.copies.slice(0, 3).map((row) => [`${bytesText(row.bytes)} of ${bytesText(all)} a run: ${row.step} of `,
    layerLink(row.layer), `: ${row.why}.`]);
}

function whatIsKept() {
  const answers = [];
  if (facts.variables.length === 0) answers.push(["Nothing is kept between runs: the model has no state."]);
  else {
    answers.push([`Between runs ${bytesText(facts.needs.state_bytes)}: `,
      facts.variables.slice(0, 4).map((v, i) => [i > 0 ? ", " : "", named(v.name, 40), ` ${v.type}`]),
      facts.variables.length > 4 ? ` and ${facts.variables.length - 4} more.` : "."]);
  }
  const carrying = sections.filter((s) => s.in_place + s.ping_pong + s.through_scan + s.by_copy > 0);
  for (const s of carrying.slice(0, 3)) {
    answers.push(["From one iteration of the loop ", stepLink(s.first_step), ` to the next: ${carriedText(s)}.`]);
  }
  if (carrying.length > 3) answers.push([`${carrying.length - 3} more loops carry values.`]);
  return answers;
}

function carriedText(s) {
  const ways = [[s.in_place, "in place"], [s.ping_pong, "in ping-pong buffers"], [s.through_scan, "in a scan output"], [s.by_copy, "by copy"]]
    .filter(([count]) => count > 0).map(([count, way]) => `${count} ${way}`);
  return ways.length > 0 ? `carried: ${ways.join(", ")}` : "carries nothing";
}

function questions() {
  const ask = (question, answers) => [element("dt", null, question),
    element("dd", null, answers.map((content) => element("p", null, content)))];
  return section("questions", "In short", element("dl", { class: "answers" },
    ask("Why is the arena this large?", whyThisLarge()),
    ask("Which layer to narrow first?", whatToNarrow()),
    ask("What does an arena 20 % smaller cost?", whatLessCosts()),
    ask("Where do copies come from?", whereCopies()),
    ask("What is kept between steps?", whatIsKept())));
}
