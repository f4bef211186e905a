// Runs tests on the supported versions of PostgreSQL for `.ci/run`. By hand, in this folder: npm ci && npm start. That
// runs a few tests on the oldest version, because the embedded one is the newest.
// `npm start -- all` runs many more on each version, and `npm start -- 15 test/sync` chooses.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

const { dependencies } = createRequire(import.meta.url)('./package.json');
const versions = Object.keys(dependencies).map((name) => name.replace('postgres-', ''));
const few = [
  'test/database/(requirements|columns|functions|migrations)',
  'test/rest/v2/(todo-create|todo-list|todo-search|sections)',
  'test/sync/sync.test',
  'test/graphql/fields',
];
const extendedTests = [
  'test/database',
  'test/rest',
  'test/tasks',
  'test/sync',
  'test/changes',
  'test/notifications',
  'test/start',
];

const [requestedVersion, ...files] = process.argv.slice(2);
const selectedVersions = { undefined: versions.slice(0, 1), all: versions }[String(requestedVersion)] ?? [
  requestedVersion,
];
const tests = files.length > 0 ? files : requestedVersion === 'all' ? extendedTests : few;

const failed = selectedVersions.filter((version) => {
  console.log(`== PostgreSQL ${version}`);
  const { status } = spawnSync('npm', ['test', '--', ...tests], {
    cwd: path.join(import.meta.dirname, '../..'),
    env: { ...process.env, TASKGATE_TESTS_POSTGRES: version },
    stdio: 'inherit',
  });
  return status !== 0;
});
if (failed.length > 0) {
  console.error(`These fail on PostgreSQL ${failed.join(', ')}.`);
  process.exitCode = 1;
}
