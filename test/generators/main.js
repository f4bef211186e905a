// Lints openapi.json and generates clients with four generators. With each client, a program calls every operation of a running service.
// Manual run, in this folder and with a built root: npm ci --ignore-scripts && npm start.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { runWithService } from '../kit/process.ts';
import { randomEmail } from '../kit/random.ts';
import { browserFetch, tourRest, WatchedOperations } from '../kit/rest-tour.ts';
import { accessService } from '../kit/service.ts';

const folder = import.meta.dirname;
const root = path.join(folder, '../..');
const document = path.join(root, 'openapi.json');

/** @type {(command: string, ...args: string[]) => void} */
const run = (command, ...args) => {
  const program = path.join(folder, 'node_modules/.bin', command);
  // `npm start` would find the locally installed Node first.
  execFileSync(process.execPath, [program, ...args], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, CI: 'true' },
  });
};

/** @param {string} program */
const bundle = (program) => path.join(folder, `generated/programs/${program}.mjs`);

rmSync(path.join(folder, 'generated'), { recursive: true, force: true });
run('redocly', 'lint', document, '--config', 'redocly.yaml');
run('openapi-typescript', document, '--output', 'generated/openapi-typescript.ts');
run('openapi-ts', '--input', document, '--output', 'generated/hey-api');
run('orval', '--input', document, '--output', 'generated/orval/client.ts', '--client', 'fetch', '--mode', 'single');
run(
  'swagger-typescript-api',
  'generate',
  '--path',
  document,
  '-o',
  'generated/swagger-typescript-api',
  '-n',
  'client.ts',
);
run('tsc', '--project', '.');

const programs = ['openapi-typescript', 'hey-api', 'orval', 'swagger-typescript-api'];
await build({
  entryPoints: programs.map((program) => path.join(folder, `programs/${program}.ts`)),
  outdir: path.join(folder, 'generated/programs'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
});

await runWithService(root, { LOG_LEVEL: 'warn', RATE_LIMITS: 'off' }, async (service, dataDir) => {
  const { url, mailbox } = accessService(service.url ?? '', dataDir);
  const queries = [];
  for (const program of programs) {
    const operations = await WatchedOperations.fromDocument();
    const stopController = new AbortController();
    const watchedFetch = browserFetch(url, (request, response) => {
      if (operations.record(request, response) === 'streamChanges') stopController.abort();
    });
    Object.assign(globalThis, { origin: url, fetch: watchedFetch });
    const { calls, streamChanges } = await import(bundle(program));
    const email = randomEmail();
    await tourRest(calls, email, (address) => mailbox.takeCode(address));
    // The tour deletes its account.
    const otherEmail = randomEmail();
    await calls.requestSignUpCode({ body: { email: otherEmail } });
    const code = await mailbox.takeCode(otherEmail);
    await calls.signUp({ body: { email: otherEmail, code, password: 'correct horse battery staple' } });
    // The program leaves the stream at its start, so the outcome does not matter.
    await streamChanges(stopController.signal).catch(() => undefined);
    // There is no provider, and only browsers follow redirects to one.
    const providerOperations = ['finishProviderSignIn', 'linkProvider', 'startProviderSignIn'];
    assert.deepEqual(operations.missing.sort(), providerOperations, `${program} has not called`);
    queries.push(...operations.queries);
    console.log(`${program} calls every operation`);
  }
  for (const list of [/^\?todoIds=\w+&todoIds=\w+$/, /^\?todoIds=\w+(%2C|,)\w+$/]) {
    assert.ok(
      queries.some((query) => list.test(query)),
      `no program has sent a list like ${list}`,
    );
  }
});
