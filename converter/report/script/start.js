// SPDX-License-Identifier: Apache-2.0
// The page from its parts, and its address: "#step=12", "#layer=NAME", of several models
// "#model=1&step=12".

function showModel(index) {
  takeModel(index);
  Object.assign(state, { step: 0, buffer: null, region: 0 });
  state.folded.clear();
  pinned = false;
  makeControls();
  document.title = `${shortened(fileName(facts.file), 60)} \u2013 weft report`;
  document.getElementById("report").replaceChildren(...[head(), compared(), questions(), memory(), curve(), work(),
    streaming(), schedule()].filter((part) => part !== ""));
  redraw();
  select(peakOf(0)?.step ?? 0, null, 0);
}

function follow() {
  const address = new URLSearchParams(location.hash.slice(1));
  const model = Number(address.get("model") ?? shown);
  if (Number.isInteger(model) && model >= 0 && model < models.length && model !== shown) showModel(model);
  const step = address.has("step") ? Number(address.get("step")) : stepOfLayer.get(address.get("layer"));
  if (Number.isInteger(step) && step >= 0 && step < steps.length) go(step);
}

showModel(0);
follow();
window.addEventListener("hashchange", follow);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") pinned = false; });
