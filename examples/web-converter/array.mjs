// SPDX-License-Identifier: Apache-2.0
// Reads .npy files of little-endian numbers and draws them.

const kTypes = {
  f4: Float32Array, f8: Float64Array, i1: Int8Array, u1: Uint8Array, b1: Uint8Array,
  i2: Int16Array, u2: Uint16Array, i4: Int32Array, u4: Uint32Array, i8: BigInt64Array,
};
const kMaxLines = 32;

// Returns {shape, values}, or null for element types that are not drawn, such as f16.
export function parseNpy(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isShort = bytes[6] === 1;  // of version 1.0
  const start = isShort ? 10 : 12;
  const length = isShort ? view.getUint16(8, true) : view.getUint32(8, true);
  const header = new TextDecoder('latin1').decode(bytes.subarray(start, start + length));
  const [, type] = /'descr': *'[<|]?([a-z]\d)'/.exec(header) ?? [];
  const [, dims] = /'shape': *\(([^)]*)\)/.exec(header) ?? [];
  if (!kTypes[type] || dims === undefined) return null;
  const shape = dims.split(',').filter((dim) => dim.trim()).map(Number);
  return {shape, values: Array.from(new kTypes[type](bytes.slice(start + length).buffer), Number)};
}

// One line per element of the last axis over the others, or one line if the others are 1.
function linesOf({shape, values}) {
  const last = shape.length ? shape[shape.length - 1] : 1;
  if (last === 0 || values.length === last || last > kMaxLines) return [values];
  const line = (at) => values.filter((_, i) => i % last === at);
  return Array.from({length: last}, (_, at) => line(at));
}

export function drawArray(canvas, array) {
  const lines = linesOf(array);
  const finite = array.values.filter(Number.isFinite);
  const low = finite.reduce((a, b) => Math.min(a, b), 0);
  const high = finite.reduce((a, b) => Math.max(a, b), low + 1e-9);
  const {width, height} = canvas;
  const context = canvas.getContext('2d');
  context.clearRect(0, 0, width, height);
  lines.forEach((line, at) => {
    context.strokeStyle = `hsl(${Math.round(210 + 360 * at / lines.length)} 60% 50%)`;
    context.beginPath();
    line.forEach((value, i) => {
      context.lineTo(width * i / Math.max(1, line.length - 1),
                     height - 2 - (height - 4) * (value - low) / (high - low));
    });
    context.stroke();
  });
}
