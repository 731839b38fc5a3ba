// SPDX-License-Identifier: Apache-2.0
// The facts of the page, and those of the model that is shown: what the drawings look up.

const given = JSON.parse(document.getElementById("facts").textContent);
const models = given.models ?? [given];

let shown = 0;  // of models
let facts, steps, sections, plan, buffers;
let bufferOfSlot, placeOfSlot, sectionOfStep, stepOfLayer, timeOfStep;

// The last part of a path.
const fileName = (path) => path.split("/").pop();

function takeModel(index) {
  shown = index;
  facts = models[index];
  steps = facts.listing;
  sections = facts.sections;
  plan = facts.plan;
  buffers = plan.buffers.map((buffer, i) => ({
    ...buffer, index: i, kind: "value", types: new Set(), written: new Set(), read: new Set(), pairs: [],
  }));
  bufferOfSlot = new Map();
  for (const buffer of buffers) for (const slot of buffer.slots) bufferOfSlot.set(slot, buffer);
  takePorts();
  takeOperands();
  sectionOfStep = new Map(sections.map((s) => [s.first_step, s]));
  stepOfLayer = new Map();
  for (const step of steps) if (!stepOfLayer.has(step.layer)) stepOfLayer.set(step.layer, step.step);
  timeOfStep = new Map((facts.times?.steps ?? []).map((row) => [row.step, row.microseconds]));
  for (const s of sections) {
    for (const [there, back] of s.ping_pong_slots) {
      const a = bufferOfSlot.get(there), b = bufferOfSlot.get(back);
      if (!a || !b) continue;
      a.pairs.push({ with: b, section: s });
      if (b !== a) b.pairs.push({ with: a, section: s });
    }
  }
}

function takePorts() {
  for (const [kind, ports] of [["output", facts.outputs], ["input", facts.inputs]]) {
    for (const port of ports) {
      const buffer = bufferOfSlot.get(port.slot);
      if (!buffer) continue;
      buffer.kind = kind;
      (buffer.ports ??= []).push(`${kind} ${port.name}`);
    }
  }
}

function takeOperands() {
  placeOfSlot = new Map();
  for (const step of steps) {
    for (const [operands, side] of [[step.inputs, "read"], [step.outputs, "written"]]) {
      for (const operand of operands ?? []) {
        const buffer = operand === null ? undefined : bufferOfSlot.get(operand.slot);
        if (!buffer) continue;
        buffer[side].add(step.step);
        buffer.types.add(operand.type);
        placeOfSlot.set(operand.slot, Number(/\+(\d+)/.exec(operand.place)[1]));
      }
    }
  }
}

// Innermost last.
const sectionsAround = (step) => sections.filter((s) => s.first_step < step && step < s.end_step);
const sectionAt = (step) => sectionOfStep.get(step);
const timesText = (s) => `${s.iterations_exact ? "\u00d7" : "\u2264"} ${grouped(s.iterations)}`;
const isLiveAt = (buffer, step) => buffer.live.some(([first, last]) => first <= step && step <= last);
const aliveAt = (step, region) => buffers.filter((buffer) => buffer.region === region && isLiveAt(buffer, step));
const stepsText = (buffer) => buffer.live.map(([first, last]) => `${first}\u2013${last}`).join(", ");

// Scratch regions follow those of weights and state.
const alignmentOf = (region) => facts.regions[region + 2].alignment;
const peakOf = (region) => facts.budget.scratch[region]?.peak;
const regionName = (region) => facts.budget.scratch[region]?.region ?? `scratch${region}`;

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

// Steps that write what this one reads, and those that read what it writes, through whole buffers.
function neighbours(step) {
  const of = (operands, side) => {
    const found = new Set();
    for (const operand of operands ?? []) {
      const buffer = operand === null ? undefined : bufferOfSlot.get(operand.slot);
      for (const other of buffer?.[side] ?? []) if (other !== step.step) found.add(other);
    }
    return [...found];
  };
  return { before: of(step.inputs, "written"), after: of(step.outputs, "read") };
}
