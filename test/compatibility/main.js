// Compares the API with the last release: the newest tag like v0.1.0 among the ancestors of this commit. `.ci/run` runs
// it.
// By hand, in this folder: npm ci && npm start. For another repository: npm start -- FOLDER.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { breakingOfGraphQl, breakingOfRest, unannounced } from './breaking.js';

const [repository = path.join(import.meta.dirname, '../..')] = process.argv.slice(2);

/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { cwd: repository, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
/** @param {string} file */
const read = (file) => readFileSync(path.join(repository, file), 'utf8');

const [release] = git('tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort=-version:refname').split('\n');
if (release) await compareWith(release);
else console.log('Nothing has been released yet: there is nothing to be compatible with.');

/** @param {string} release the name of its tag */
async function compareWith(release) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'taskgate-compatibility-'));
  try {
    const released = path.join(folder, 'openapi.json');
    writeFileSync(released, git('show', `${release}:openapi.json`));
    const changes = [
      ...(await breakingOfGraphQl(git('show', `${release}:schema.graphql`), read('schema.graphql'))),
      ...(await breakingOfRest(released, path.join(repository, 'openapi.json'))),
    ];
    const missing = unannounced(changes, read('CHANGELOG.md'), release.slice(1));
    for (const { at, what } of missing) console.error(`${at}: ${what}`);
    if (missing.length > 0) {
      console.error(
        `The above breaks clients of ${release}. Undo it, or say it in CHANGELOG.md: "- **Breaking** \`NAME\` …".`,
      );
      process.exitCode = 1;
    } else {
      console.log(`${changes.length} breaking changes since ${release}, all of them in the changelog.`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
