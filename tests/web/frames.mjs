// SPDX-License-Identifier: Apache-2.0
// node frames.mjs KEYPAD.wasm FRAMES.npy EXPECTED.npy: decodes stored frames, prints JSON with the
// keys, the hash and the largest difference from the expected probabilities.
import {readFileSync} from 'node:fs';

const [wasm, framesFile, expectedFile] = process.argv.slice(-3);
const floatsOf = (file) => {
  const bytes = readFileSync(file);
  const start = 10 + bytes.readUInt16LE(8);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + start,
                                             bytes.byteOffset + bytes.length));
};
const module = new WebAssembly.Module(readFileSync(wasm));
const imports = WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`);
const {exports} = new WebAssembly.Instance(module);
exports._initialize();
if (exports.open() !== 0) throw new Error('open');
const samples = exports.frameSamples();
const memory = exports.memory.buffer;
const frame = new Float32Array(memory, exports.frame(), samples);
const frames = floatsOf(framesFile), expected = floatsOf(expectedFile);
const count = frames.length / samples, answers = expected.length / count;
const probabilities = new Float32Array(memory, exports.probabilities(), answers);
let keys = '', difference = 0;
for (let i = 0; i < count; ++i) {
  frame.set(frames.subarray(i * samples, (i + 1) * samples));
  const key = exports.decode();
  if (key < 0) throw new Error(`fault ${-key}`);
  if (key > 0) keys += String.fromCharCode(key);
  for (let k = 0; k < answers; ++k) {
    difference = Math.max(difference, Math.abs(probabilities[k] - expected[i * answers + k]));
  }
}
const grew = exports.memory.buffer !== memory;
console.log(JSON.stringify({keys, count, hash: (exports.hash() >>> 0).toString(16), difference, grew,
                            imports}));
