// SPDX-License-Identifier: Apache-2.0
// Runs conversions with the weft command of the page under Node.js:
//
//   node convert.mjs PAGE_DIR JOBS.json
//
// A job has a `name`, `words` of the command, `files` (name -> path) and `expected` (name -> path, empty if
// the command must fail). Prints JSON: the jobs whose exit code or bytes differ, the time of all
// calls in ms, and the standard outputs of jobs with `prints`.
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

const [page, jobs] = process.argv.slice(2);
const url = pathToFileURL(`${page}/`);
const {runCommand} = await import(new URL('command.mjs', url));
const {default: createWeft} = await import(new URL('weft.mjs', url));
const module = await WebAssembly.compile(readFileSync(new URL('weft.wasm', url)));

const read = (names) =>
    new Map(Object.entries(names).map(([name, path]) => [name, new Uint8Array(readFileSync(path))]));

const wrong = [], outputs = [];
const begin = performance.now();
for (const {name: job, words, files, expected, prints} of JSON.parse(readFileSync(jobs, 'utf8'))) {
  const {code, out, err, written} = await runCommand(createWeft, module, words, read(files));
  const fails = Object.keys(expected).length === 0;
  if ((code !== 0) !== fails) wrong.push(`${job}: exit code ${code}: ${err}`);
  for (const [name, bytes] of read(expected)) {
    const is = written.get(name);
    if (!is || Buffer.compare(is, bytes) !== 0) wrong.push(`${job}: ${name} differs`);
  }
  if (prints) outputs.push({code, out, err});
}
console.log(JSON.stringify({wrong, outputs, time: performance.now() - begin}));
