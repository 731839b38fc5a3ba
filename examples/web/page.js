// SPDX-License-Identifier: Apache-2.0
const kRate = 8000;          // of the model; the browser resamples its devices
const kFrameSamples = 80;
const kBlockSamples = 128;   // of an AudioWorklet

const byId = (id) => document.getElementById(id);
const milliseconds = (samples) => (1000 * samples / kRate).toFixed(1);

// A sample waits for the rest of its block and of its frame; a key counts after two frames.
byId('latency').textContent =
    `${milliseconds(kBlockSamples)} ms for a block of ${kBlockSamples} samples, ` +
    `${milliseconds(kFrameSamples)} ms for a frame of ${kFrameSamples}`;

// The samples of a WAV file with 16-bit mono PCM. decodeAudioData scales samples in other ways.
function samplesOf(file) {
  const view = new DataView(file);
  let at = 12;
  while (view.getUint32(at) !== 0x64617461) at += 8 + view.getUint32(at + 4, true);  // "data"
  const samples = new Float32Array(view.getUint32(at + 4, true) / 2);
  for (let i = 0; i < samples.length; ++i) samples[i] = view.getInt16(at + 8 + 2 * i, true) / 32768;
  return samples;
}

// Returns a node that decodes what is connected to it.
async function createKeypad(context, processorOptions, onMessage) {
  const bytes = await (await fetch('keypad.wasm')).arrayBuffer();
  await context.audioWorklet.addModule('worklet.js');
  const node = new AudioWorkletNode(
      context, 'keypad',
      {processorOptions: {module: await WebAssembly.compile(bytes), ...processorOptions}});
  node.port.onmessage = ({data}) => {
    if (data.key) byId('keys').textContent += data.key;
    if (data.fault) byId('status').textContent = `fault ${data.fault}`;
    onMessage?.(data);
  };
  return node;
}

async function decodeRecording(file) {
  byId('keys').textContent = '';
  const samples = samplesOf(file);
  const context = new OfflineAudioContext(1, samples.length, kRate);
  const buffer = context.createBuffer(1, samples.length, kRate);
  buffer.copyToChannel(samples, 0);
  let resolveReport;
  const report = new Promise((resolve) => { resolveReport = resolve; });
  const reportAfter = Math.floor(samples.length / kFrameSamples);
  const node = await createKeypad(context, {reportAfter}, (data) => {
    if (data.frames) resolveReport(data);
  });
  const source = new AudioBufferSourceNode(context, {buffer});
  source.connect(node).connect(context.destination);
  source.start();
  const begin = performance.now();
  await context.startRendering();
  const time = performance.now() - begin;
  const {frames, hash} = await report;
  byId('status').textContent = `${frames} frames in ${time.toFixed(1)} ms, hash ${hash.toString(16)}`;
}

async function decodeMicrophone() {
  byId('keys').textContent = '';
  const context = new AudioContext({sampleRate: kRate});
  const stream = await navigator.mediaDevices.getUserMedia({audio: true});
  context.createMediaStreamSource(stream).connect(await createKeypad(context, {}));
  byId('status').textContent = `${context.baseLatency.toFixed(3)} s more for the audio device`;
}

function reportingErrors(action) {
  return (...words) => action(...words).catch((error) => {
    byId('status').textContent = `error: ${error.message}`;
  });
}

byId('example').onclick = reportingErrors(
    async () => decodeRecording(await (await fetch('test.wav')).arrayBuffer()));
byId('file').onchange = reportingErrors(
    async (event) => decodeRecording(await event.target.files[0].arrayBuffer()));
byId('microphone').onclick = reportingErrors(decodeMicrophone);
