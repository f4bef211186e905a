import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { benchFolder } from './lib/paths.js';

// Installs the dependencies if they are missing or outdated.
const changedAt = (/** @type {string} */ file) =>
  statSync(path.join(benchFolder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
  // npm gives its own path. On Windows, the `npm` command is a script that needs a shell.
  const { npm_execpath: npm } = process.env;
  if (npm === undefined) throw new Error('is run by npm: npm run bench');
  execFileSync(process.execPath, [npm, '--prefix', benchFolder, 'ci'], { stdio: 'inherit' });
}
