// SPDX-License-Identifier: Apache-2.0
// Text and elements. Names come from foreign files: they become text nodes and attribute values,
// never markup.
"use strict";

// ---- text -------------------------------------------------------------------------------------

const kNumbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });  // one: making them is slow
const grouped = (number) => kNumbers.format(Math.round(number));
const bytesText = (number) => `${grouped(number)} B`;
const counted = (number, one) => `${grouped(number)} ${one}${number === 1 ? "" : "s"}`;
// Three digits at least, as clocks resolve them.
const timeText = (microseconds) => microseconds >= 1000 ? `${(microseconds / 1000).toPrecision(3)} ms`
  : `${microseconds.toPrecision(3)} \u00b5s`;
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
