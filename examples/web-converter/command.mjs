// SPDX-License-Identifier: Apache-2.0
// Runs the weft command in a web worker or in Node.js.

const kFolder = '/work';
const kStopped = 70;  // exit code if the command itself fails, for example without memory

function addFiles(FS, files) {
  FS.mkdir(kFolder);
  FS.chdir(kFolder);
  for (const [name, bytes] of files) FS.writeFile(name, bytes);
}

// Adds the files below `folder` that are not in `given`, by their paths relative to kFolder.
function collectFiles(FS, folder, given, found) {
  for (const entry of FS.readdir(folder)) {
    if (entry === '.' || entry === '..') continue;
    const path = `${folder}/${entry}`;
    const name = path.slice(kFolder.length + 1);
    if (FS.isDir(FS.stat(path).mode)) {
      collectFiles(FS, path, given, found);
    } else if (!given.has(name)) {
      found.set(name, FS.readFile(path));
    }
  }
}

// Emscripten passes null at the end of a stream, and bytes as signed numbers.
function addByte(bytes, byte) {
  if (byte !== null) bytes.push(byte & 0xFF);
}

const textOf = (bytes) => new TextDecoder().decode(new Uint8Array(bytes)).trimEnd();

// Runs `weft WORDS...` in a folder with `files`, a Map of names and Uint8Arrays. `createWeft` is the
// default export of weft.mjs, `module` is weft.wasm, compiled. Returns the exit code, both outputs,
// and a Map of the files that the command created. Each call has its own instance and memory.
export async function runCommand(createWeft, module, words, files) {
  const out = [], err = [];  // bytes
  const written = new Map();
  const weft = await createWeft({
    instantiateWasm(imports, receive) {
      WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module));
      return {};
    },
    stdin: () => null,
    stdout: (byte) => addByte(out, byte),  // not a terminal, as print would be
    stderr: (byte) => addByte(err, byte),
  });
  let code = kStopped;
  try {
    addFiles(weft.FS, files);
    code = weft.callMain([...words]);
    collectFiles(weft.FS, kFolder, files, written);
  } catch (error) {
    err.push(...new TextEncoder().encode(`weft: stopped: ${error.message ?? error}\n`));
  }
  return {code, out: textOf(out), err: textOf(err), written};
}
