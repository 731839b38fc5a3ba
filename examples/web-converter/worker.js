// SPDX-License-Identifier: Apache-2.0
// Runs commands for the page: {id, words, files} -> {id, code, out, err, written}.
import {runCommand} from './command.mjs';
import createWeft from './weft.mjs';

const module = fetch('weft.wasm')
                   .then((response) => response.arrayBuffer())
                   .then((bytes) => WebAssembly.compile(bytes));

onmessage = async ({data: {id, words, files}}) => {
  try {
    postMessage({id, ...await runCommand(createWeft, await module, words, files)});
  } catch (error) {
    postMessage({id, code: 1, out: '', err: `weft.wasm: ${error.message}`, written: new Map()});
  }
};
