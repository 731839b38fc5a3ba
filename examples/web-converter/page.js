// SPDX-License-Identifier: Apache-2.0
// The page calls the weft command (worker.js) and shows its output files and texts.
import {drawArray, parseNpy} from './array.mjs';

const kBounded = ['cortex-m4f', 'cortex-m55'];  // targets of weft inspect --target
const byId = (id) => document.getElementById(id);

const files = new Map();     // name -> bytes, as the user added them
let converted = new Map();   // files of the last conversion
let model = '';              // name of the model file
let links = [];              // object URLs that the page shows

const worker = new Worker('worker.js', {type: 'module'});
const calls = new Map();     // id -> function that receives the result
worker.onmessage = ({data}) => calls.get(data.id)(data);
worker.onerror = ({message}) => showErrors(`worker: ${message}`);

// Returns the result of `weft WORDS`; throws its errors.
async function weft(...words) {
  const id = calls.size;
  const result = await new Promise((receive) => {
    calls.set(id, receive);
    worker.postMessage({id, words, files: new Map([...files, ...converted])});
  });
  if (result.code !== 0) throw new Error(result.err || result.out);
  return result;
}

function showErrors(text) {
  byId('errors').textContent = text;
  byId('errors').hidden = text === '';
}

const fileWith = (...ends) => [...files.keys()].find((name) => ends.some((e) => name.endsWith(e)));
// The command rejects .onnx with the way to an IR.
const sourceName = () => fileWith('.tflite', '.xml', '.weft', '.onnx');

// Whether the model of the files is complete: an IR needs its weights, unless it has none.
const isComplete = () => sourceName() !== undefined &&
    (!sourceName().endsWith('.xml') || fileWith('.bin') !== undefined);

function link(name, bytes) {
  const element = document.createElement('a');
  element.href = URL.createObjectURL(new Blob([bytes]));
  links.push(element.href);
  element.download = name.split('/').pop();
  element.textContent = `${element.download} (${bytes.length.toLocaleString('en')} bytes)`;
  return element;
}

// The page in the frame must be loaded before it receives a report.
function showReport(bytes) {
  const frame = byId('report');
  const page = new TextDecoder().decode(bytes);
  onmessage = ({source}) => {
    if (source === frame.contentWindow) frame.contentWindow.postMessage(page, '*');
  };
  frame.src = 'report_frame.html';
}

function convertWords(source) {
  const base = source.replace(/\.[a-z]+$/, '');
  const words = ['convert', source, '-o', model, '--c-source', `${base}.c`,
                 '--precision', byId('precision').value];
  if (source.endsWith('.xml')) words.push('--weights', fileWith('.bin'));
  if (byId('target').value) words.push('--target', byId('target').value);
  return [...words, ...byId('options').value.split(' ').filter((word) => word)];
}

// Sets `model` and `converted`; returns the summary.
async function convertModel() {
  const source = sourceName();
  converted = new Map();
  model = source.replace(/\.[a-z]+$/, '.weft');
  if (source === model) return '';
  const {out, err, written} = await weft(...convertWords(source));
  converted = written;
  return [out, err].filter((text) => text).join('\n');
}

async function showModel() {
  const target = byId('target').value;
  const bound = kBounded.includes(target) ? ['--target', target] : [];
  byId('plan').textContent = (await weft('inspect', model, '--plan')).out;
  byId('budget').textContent = (await weft('inspect', model, '--budget', ...bound)).out;
  const ports = JSON.parse((await weft('inspect', model, '--json')).out);
  const report = (await weft('inspect', model, '--html', 'report.html')).written.get('report.html');
  byId('results').hidden = false;  // the report measures its width
  showReport(report);
  byId('downloads').replaceChildren(
      ...[...converted].map(([name, bytes]) => link(name, bytes)), link('report.html', report));
  byId('inputs').replaceChildren(...ports.inputs.map(inputRow));
  byId('run').disabled = false;
}

// A row of one input of the model: its type, and the dropped file with its values.
function inputRow({name, type, shape}, at) {
  const arrays = [...files.keys()].filter((file) => /\.(npy|wav)$/.test(file));
  const select = document.createElement('select');
  select.append(...arrays.map((file) => new Option(file)));
  const own = arrays.findIndex((file) => file.replace(/\.[a-z]+$/, '') === name);
  select.selectedIndex = own >= 0 ? own : Math.min(at, arrays.length - 1);
  const label = document.createElement('label');
  label.append(`${name} ${type}[${shape}] `, select);
  const row = document.createElement('p');
  row.append(label);
  return row;
}

async function runModel() {
  const inputs = [...byId('inputs').querySelectorAll('select')].flatMap(
      (select, at) => ['--input', `${at}=${select.value}`]);
  const {out, written} = await weft('run', model, ...inputs, '--output-dir', 'out');
  byId('ran').textContent = out;
  byId('ran').hidden = false;
  byId('outputs').replaceChildren(...[...written].flatMap(([name, bytes]) => {
    const array = parseNpy(bytes);
    if (!array) return [link(name, bytes)];
    const canvas = document.createElement('canvas');
    canvas.width = 1200;
    canvas.height = 200;
    drawArray(canvas, array);
    return [link(name, bytes), canvas];
  }));
}

// Runs one action at a time, with its time or its errors in the page.
async function perform(what, action) {
  showErrors('');
  byId('convert').disabled = byId('run').disabled = true;
  byId('status').textContent = `${what} ...`;
  const begin = performance.now();
  try {
    await action();
    byId('status').textContent = `${what}: ${(performance.now() - begin).toFixed(0)} ms`;
  } catch (error) {
    byId('status').textContent = `${what}: failed`;
    showErrors(error.message);
  }
  byId('convert').disabled = !isComplete();
  byId('run').disabled = byId('results').hidden;
}

const convert = () => perform('convert', async () => {
  byId('results').hidden = true;
  links.forEach((url) => URL.revokeObjectURL(url));
  links = [];
  byId('ran').hidden = true;
  byId('outputs').replaceChildren();
  byId('summary').textContent = await convertModel();
  await showModel();
});

const isSource = (name) => /\.(tflite|xml|weft|onnx)$/.test(name);
const isWeights = (name) => name.endsWith('.bin');
const isModel = (name) => isSource(name) || isWeights(name);

// An IR of which one file is missing. The results are those of another model.
function showMissing() {
  const source = sourceName();
  byId('results').hidden = true;
  showErrors(source ? `${source}: its weights are missing; must be dropped too, a .bin file`
                    : `${fileWith('.bin')}: its model is missing; must be dropped too, an .xml file`);
  byId('status').textContent = '';
}

// A new model replaces the old one and its weights, new weights the old ones. Inputs are kept.
async function addFiles(list) {
  const added = [...list];
  const has = (kind) => added.some(({name}) => kind(name));
  const isReplaced = (name) => isSource(name) && has(isSource) ||
      isWeights(name) && (has(isWeights) || has(isSource) && sourceName() !== undefined);
  for (const name of [...files.keys()].filter(isReplaced)) files.delete(name);
  for (const file of added) files.set(file.name, new Uint8Array(await file.arrayBuffer()));
  byId('files').textContent = [...files.keys()].join(', ');
  byId('convert').disabled = !isComplete();
  if (has(isModel)) {
    if (isComplete()) {
      await convert();
    } else {
      showMissing();
    }
  } else if (!byId('results').hidden) {
    await perform('inspect', showModel);
  }
}

byId('chosen').onchange = ({target}) => {
  const list = [...target.files];
  target.value = '';  // so that the same file can be chosen again
  addFiles(list);
};
byId('drop').ondragover = (event) => {
  event.preventDefault();
  byId('drop').classList.add('over');
};
byId('drop').ondragleave = () => byId('drop').classList.remove('over');
byId('drop').ondrop = (event) => {
  event.preventDefault();
  byId('drop').classList.remove('over');
  addFiles(event.dataTransfer.files);
};
byId('convert').onclick = convert;
byId('run').onclick = () => perform('run', runModel);
