import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { benchFolder } from './lib/paths.js';

// Installs what the benchmark needs, where that is not there or younger than what it was installed by.
const changedAt = (/** @type {string} */ file) =>
  statSync(path.join(benchFolder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
  // npm names its own program: on Windows its command is a script, which only a shell runs.
  const { npm_execpath: npm } = process.env;
  if (npm === undefined) throw new Error('is run by npm: npm run bench');
  execFileSync(process.execPath, [npm, '--prefix', benchFolder, 'ci'], { stdio: 'inherit' });
}
