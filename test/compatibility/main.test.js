import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

/** @param {string} file */
const published = (file) => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8');

/** @type {string} */
let repository;
beforeEach(() => {
  repository = mkdtempSync(path.join(os.tmpdir(), 'taskgate-repository-'));
  git('init', '--quiet');
  for (const file of ['schema.graphql', 'openapi.json']) write(file, published(file));
  write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n## [0.1.0]\n\n- **Breaking** `Task` is there.\n');
  commit();
});
afterEach(() => rmSync(repository, { recursive: true }));

/** @param {string[]} args */
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: repository });
/** @type {(file: string, text: string) => void} */
const write = (file, text) => writeFileSync(path.join(repository, file), text);
const commit = () => {
  git('add', '.');
  git('commit', '--quiet', '--message', 'a commit');
};
const release = () => git('tag', 'v0.1.0');

/** @param {(document: any) => void} change */
function changeOpenApi(change) {
  const document = JSON.parse(published('openapi.json'));
  change(document);
  write('openapi.json', JSON.stringify(document));
}

/** @param {string} entry */
const announce = (entry) =>
  write(
    'CHANGELOG.md',
    `# Changelog\n\n## [Unreleased]\n\n### Changed\n\n${entry}\n\n## [0.1.0]\n\n- **Breaking** \`Task\`\n`,
  );

function compare() {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(import.meta.dirname, 'main.js'), repository],
    {
      encoding: 'utf8',
    },
  );
  return { status, output: stdout + stderr };
}

test('before the first release nothing can break', () => {
  write('schema.graphql', 'type Query { nothing: Int }');
  assert.match(compare().output, /Nothing has been released yet/);
  assert.equal(compare().status, 0);
});

test('what is the same breaks nothing', () => {
  release();
  assert.deepEqual(compare(), {
    status: 0,
    output: '0 breaking changes since v0.1.0, all of them in the changelog.\n',
  });
});

test('an addition breaks nothing', () => {
  release();
  write('schema.graphql', `${published('schema.graphql')}\nextend type Query { more: Int }`);
  changeOpenApi(({ paths }) => (paths['/api/v2/more'] = paths['/api/v2/tag']));
  assert.equal(compare().status, 0);
});

/** @type {[string, string, () => void][]} */
const breaks = [
  [
    'a field that has gone',
    'Tag.color',
    () => write('schema.graphql', renamed(/type Tag .*?^}/ms, 'color: ', 'colour: ')),
  ],
  [
    'an operation that has gone',
    'POST /api/v2/tag',
    () => changeOpenApi(({ paths }) => delete paths['/api/v2/tag'].post),
  ],
  [
    'another type of a response',
    'GET /api/v2/tag',
    () => changeOpenApi(({ components }) => (components.schemas.CountedTag.properties.name = { type: 'integer' })),
  ],
];

/** @type {(type: RegExp, before: string, after: string) => string} */
const renamed = (type, before, after) =>
  published('schema.graphql').replace(type, (definition) => definition.replace(before, after));

for (const [name, at, change] of breaks) {
  test(`${name} has to stand in the changelog`, () => {
    release();
    change();
    const { status, output } = compare();
    assert.equal(status, 1);
    assert.ok(output.includes(`${at}: `), output);
    announce('- Nothing of it.');
    assert.equal(compare().status, 1);
    announce(`- **Breaking** \`${at.replace(/^\S+ |\.\w+$/g, '')}\`: what to do about it.`);
    assert.deepEqual({ ...compare(), output: '' }, { status: 0, output: '' });
  });
}
