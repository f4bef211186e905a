import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';

const blanks = ['HOST', 'METRICS_HOST', 'DATA_DIR', 'MAIL_FROM', 'PUBLIC_URL', 'APP_URL', 'SMTP_URL', 'REDIS_URL'];
test.each([...blanks, 'DATABASE_URL', 'DATABASE_DIRECT_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OIDC_X_CLIENT_SECRET'])(
  'refuses a blank or a line break around %s',
  (name) => {
    const provider = { OIDC_X_ISSUER: 'https://x.example.com', OIDC_X_CLIENT_ID: 'taskgate' };
    for (const value of [' value', 'value ', 'value\n', 'value\r\n', '\tvalue', ' ', 'one\ntwo', '\uFEFFvalue']) {
      const message = new RegExp(`^${name} must not begin or end with a blank, or have a line break$`);
      expect(() => loadConfig({ ...provider, [name]: value })).toThrow(message);
    }
  },
);

test('refuses a host that is too long for one line', () => {
  expect(() => loadConfig({ HOST: 'h'.repeat(254) })).toThrow(/^HOST must be an address of this machine$/);
});

test.each(['DATABASE_URL_FILE', 'PASSWORD_BLOCKLIST', 'NODE_EXTRA_CA_CERTS'])('refuses a device as %s', (name) => {
  expect(() => loadConfig({ [name]: '/dev/zero' })).toThrow(`${name} must name a file, and not a device or a pipe`);
});

test('refuses a pipe as SESSION_SECRET_FILE, which may have no writer', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'taskgate-pipe-'));
  const pipe = path.join(folder, 'secret');
  execFileSync('mkfifo', [pipe]);
  expect(() => loadConfig({ SESSION_SECRET_FILE: pipe })).toThrow(/^SESSION_SECRET_FILE must name a file, and not/);
  rmSync(folder, { recursive: true });
});

test.each(['~/taskgate', '~'])('refuses DATA_DIR=%s, which only a shell expands', (folder) => {
  expect(() => loadConfig({ DATA_DIR: folder })).toThrow(/^DATA_DIR must be a path without ~$/);
});

test.each(['//', '/?a=b', '#tasks'])('refuses %s at the end of PUBLIC_URL', (end) => {
  expect(() => loadConfig({ PUBLIC_URL: `https://example.com${end}` })).toThrow(/^PUBLIC_URL must be an http/);
});

test.each(['anna@', ':geheim@'])('refuses the user %s in PUBLIC_URL', (user) => {
  expect(() => loadConfig({ PUBLIC_URL: `https://${user}example.com` })).toThrow(/^PUBLIC_URL must be an http/);
});

test.each(['APP_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'])('refuses a query in %s, which paths follow', (name) => {
  expect(() => loadConfig({ [name]: 'https://example.com/x?a=b' })).toThrow(
    new RegExp(`^${name} must be a URL without a query$`),
  );
});

test.each(['anna@', ':geheim@'])('refuses the user %s in APP_URL, which mails contain', (user) => {
  expect(() => loadConfig({ APP_URL: `https://${user}example.com` })).toThrow(/^APP_URL must be a URL without a user$/);
});

test('accepts a user of the collector, and an application whose paths follow a #', () => {
  const [tracesEndpoint, appUrl] = ['https://anna:geheim@collector:4318', 'https://example.com/#'];
  expect(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: tracesEndpoint, APP_URL: appUrl })).toMatchObject({
    tracesEndpoint,
    appUrl,
  });
});

test('refuses GRAPHQL_PERSISTED_ONLY without operations', () => {
  expect(() => loadConfig({ GRAPHQL_PERSISTED_ONLY: 'on' })).toThrow(
    /^GRAPHQL_PERSISTED_OPERATIONS is required when GRAPHQL_PERSISTED_ONLY is on, [^;]+$/,
  );
});
