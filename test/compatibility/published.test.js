// Checks the package taskgate-client as it would be published.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

const client = path.join(import.meta.dirname, '../../client');

/** @type {string} */
let work;
/** @type {string} */
let tarball;
/** @param {string} file */
const unpacked = (file) => path.join(work, 'package', file);

before(() => {
  work = mkdtempSync(path.join(os.tmpdir(), 'taskgate-published-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', work], { cwd: client, stdio: 'ignore' });
  tarball = path.join(work, readdirSync(work)[0] ?? '');
  execFileSync('tar', ['-xzf', tarball, '-C', work]);
});
after(() => rmSync(work, { recursive: true }));

/** @type {[string, string[]][]} */
const linters = [
  ['publint', ['--strict']],
  ['attw', ['--profile', 'esm-only']],
];
for (const [linter, options] of linters) {
  test(`${linter} finds nothing`, () => {
    const program = path.join(import.meta.dirname, 'node_modules/.bin', linter);
    const { status, stdout, stderr } = spawnSync(program, [...options, tarball], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  });
}

test('has nothing but what its users need', () => {
  const files = readdirSync(unpacked('.'));
  assert.deepEqual(files.sort(), ['LICENSE', 'README.md', 'dist', 'package.json', 'src']);
});

test('has the sources that its source maps name', () => {
  const maps = readdirSync(unpacked('dist'), { recursive: true }).filter((file) => String(file).endsWith('.map'));
  assert.notEqual(maps.length, 0);
  for (const map of maps) {
    const file = unpacked(path.join('dist', String(map)));
    /** @type {{ sources: string[] }} */
    const { sources } = JSON.parse(readFileSync(file, 'utf8'));
    for (const source of sources) assert.ok(existsSync(path.join(path.dirname(file), source)), `${map}: ${source}`);
  }
});

test('its README has no link into the repository', () => {
  const readme = readFileSync(unpacked('README.md'), 'utf8');
  assert.deepEqual(readme.match(/\]\((?!https?:|#)[^)]*\)/g), null);
});
