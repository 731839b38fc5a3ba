// SPDX-License-Identifier: Apache-2.0
// The graph in the order of its schedule: a row for each step, boxes around the bodies of loops, an
// edge for each value that the chosen step reads or writes. An edge up the page goes to the next
// iteration.

const kGutter = 44;

const operandTypes = (step) => step.inputs === undefined ? "" :
  `${step.inputs.map((o) => o?.type ?? "-").join(", ")} \u2192 ${step.outputs.map((o) => o?.type ?? "-").join(", ")}`;

function stepRow(step) {
  const time = timeOfStep.get(step.step);
  return element("li", { id: `row-${step.step}`, "data-text": `${step.kind}${joined(step)} ${step.layer}`.toLowerCase() },
    stepLink(step.step), " ", step.layer ? named(step.layer) : "",
    element("span", { class: "place" }, operandTypes(step), time === undefined ? "" : `, ${timeText(time)}`));
}

function loopBox(s) {
  const content = stepList(s.first_step + 1, s.end_step);
  return element("li", { class: carriedText(s) === "carries nothing" ? "loop" : "loop carries" },
    element("details", { open: true, ontoggle: () => markRow() },
      element("summary", { id: `row-${s.first_step}` }, `loop ${timesText(s)} `, s.layer ? named(s.layer) : "",
        element("span", { class: "place" }, `${s.unroll > 1 ? `${s.unroll} copies; ` : ""}${carriedText(s)}`)),
      content));
}

function stepList(begin, end) {
  const list = element("ol", null);
  for (let i = begin; i < end; ++i) {
    const s = sectionAt(i);
    list.append(s ? loopBox(s) : stepRow(steps[i]));
    if (s) i = Math.max(i, s.end_step - 1);
  }
  return list;
}

// From the top of the list's content.
function offsetWithin(row, tree) {
  return row.getBoundingClientRect().top - tree.getBoundingClientRect().top + tree.scrollTop;
}

// A row in a folded loop stands where the loop's own does.
function rowMiddle(step, tree) {
  let row = document.getElementById(`row-${step}`);
  for (let folded = row; folded && folded !== tree; folded = folded.parentElement) {
    if (folded.tagName === "DETAILS" && !folded.open) row = folded.querySelector("summary");
  }
  return row ? offsetWithin(row, tree) + Math.min(24, row.offsetHeight) / 2 : undefined;
}

function drawEdges(tree) {
  const kMost = 12;  // of each side
  const here = rowMiddle(state.step, tree);
  if (here === undefined) return "";
  const { before, after } = neighbours(steps[state.step]);
  const edges = [];
  for (const [list, kind] of [[before, "reads"], [after, "feeds"]]) {
    for (const other of list.slice(0, kMost)) {
      const there = rowMiddle(other, tree);
      if (there === undefined || there === here) continue;
      const depth = Math.min(kGutter - 14, 4 + 3 * edges.length);
      const [from, to] = kind === "reads" ? [there, here - 4] : [here + 4, there];
      edges.push(drawn("path", {
        class: `edge ${kind}${from > to ? " back" : ""}`,
        d: `M${kGutter} ${from}H${kGutter - 8 - depth}V${to}H${kGutter}M${kGutter - 6} ${to - 3.5}l6 3.5l-6 3.5`,
      }));
    }
  }
  return drawn("svg", { class: "edges", width: kGutter + 2, height: tree.scrollHeight, "aria-hidden": "true" }, edges);
}

let edgesAsked = false;

// The row of the chosen step, and its edges with the next frame: moves of a pointer come faster.
function markRow() {
  document.querySelector("#schedule .chosen")?.classList.remove("chosen");
  document.getElementById(`row-${state.step}`)?.classList.add("chosen");
  if (edgesAsked) return;
  edgesAsked = true;
  requestAnimationFrame(() => {
    edgesAsked = false;
    const tree = document.querySelector(".tree");
    tree?.querySelector(".edges")?.remove();
    if (tree && steps.length > 0) tree.append(drawEdges(tree));
  });
}

function searchBox(tree) {
  const found = element("output", { for: "search" });
  const search = element("input", {
    id: "search", type: "search",
    oninput: () => {
      const text = search.value.trim().toLowerCase();
      let count = 0;
      for (const item of tree.querySelectorAll("li[data-text]")) {
        item.hidden = text !== "" && !item.dataset.text.includes(text);
        if (!item.hidden) ++count;
      }
      found.textContent = text === "" ? "" : counted(count, "step");
      markRow();
    },
    // Enter goes to the first that is found.
    onkeydown: (event) => {
      if (event.key !== "Enter" || search.value.trim() === "") return;
      const first = tree.querySelector("li[data-text]:not([hidden])");
      if (first) go(Number(first.id.slice("row-".length)));
    },
  });
  return element("div", { class: "controls" }, element("label", { for: "search" }, "layer or step"), search, found);
}

function schedule() {
  const tree = element("div", { class: "tree", tabindex: 0, role: "region", "aria-label": "the graph in the order of its schedule" });
  // After the first paint: of thousands of steps it is most of the page.
  requestAnimationFrame(() => setTimeout(() => {
    tree.append(stepList(0, steps.length));
    markRow();
  }));
  return section("schedule", "The graph as it is scheduled",
    element("p", { class: "hint" }, "Edges connect the selected step with the steps that write its inputs and the steps that read its outputs. " +
      "A dashed edge goes to another iteration; a bracket to the right is the back edge of a loop."),
    searchBox(tree), tree);
}
