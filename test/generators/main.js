// Holds openapi.json against what integrators do with it: the document is linted, four generators make clients of it, and a small
// program of each is checked by the compiler. Made for `.ci/run`; by hand: npm ci && npm start, in this folder.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';

const folder = import.meta.dirname;
const document = path.join(folder, '../../openapi.json');

/** @type {(command: string, ...args: string[]) => void} */
const run = (command, ...args) => {
  const program = path.join(folder, 'node_modules/.bin', command);
  execFileSync(program, args, { cwd: folder, stdio: 'inherit', env: { ...process.env, CI: 'true' } });
};

rmSync(path.join(folder, 'generated'), { recursive: true, force: true });
run('redocly', 'lint', document, '--config', 'redocly.yaml');
run('openapi-typescript', document, '--output', 'generated/openapi-typescript.ts');
run('openapi-ts', '--input', document, '--output', 'generated/hey-api');
run('orval', '--input', document, '--output', 'generated/orval/client.ts', '--client', 'fetch', '--mode', 'single');
run('kubb', 'generate', '--config', 'kubb.config.js');
run('tsc', '--project', '.');
console.log('The document is clean, and four generators take it.');
