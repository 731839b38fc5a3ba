// SPDX-License-Identifier: Apache-2.0
// Collects blocks of 128 samples into frames of the model and decodes each complete frame. process()
// allocates nothing, except for the message of a key.
class Keypad extends AudioWorkletProcessor {
  constructor(options) {
    super();
    const {module, reportAfter} = options.processorOptions;
    const {exports} = new WebAssembly.Instance(module);
    exports._initialize();
    const fault = exports.open();
    if (fault !== 0) throw new Error(`keypad.wasm: open: fault ${fault}`);
    this.decode = exports.decode;
    this.hash = exports.hash;
    this.frame = new Float32Array(exports.memory.buffer, exports.frame(), exports.frameSamples());
    this.filled = 0;
    this.frames = 0;
    this.reportAfter = reportAfter;  // number of frames; undefined: never
  }

  process(inputs) {
    const samples = inputs[0][0];
    if (samples === undefined) return true;  // no source is connected
    for (let i = 0; i < samples.length; ++i) {
      this.frame[this.filled] = samples[i];
      if (++this.filled === this.frame.length) this.decodeFrame();
    }
    return true;
  }

  decodeFrame() {
    this.filled = 0;
    const key = this.decode();
    if (key !== 0) this.port.postMessage(key > 0 ? {key: String.fromCharCode(key)} : {fault: -key});
    if (++this.frames === this.reportAfter) {
      this.port.postMessage({frames: this.frames, hash: this.hash() >>> 0});
    }
  }
}

registerProcessor('keypad', Keypad);
