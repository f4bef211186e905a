import { afterEach, expect, jest, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';

const names = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URLS'];
const load = (name: string, parameters: string) =>
  loadConfig({ DATABASE_URL: 'postgres://h/d', [name]: `postgres://anna:geheim@h/d?${parameters}` });

afterEach(() => {
  jest.restoreAllMocks();
});

test.each(['sslMode=require', 'SSLMODE=require', 'sslmod=require', 'sslcrl=/ca.crl', 'ssl_mode=require'])(
  'the TLS parameter %s, which the driver would ignore, is refused',
  (parameters) => {
    for (const name of names)
      expect(() => load(name, parameters)).toThrow(
        new RegExp(`^${name} must be a URL whose TLS parameters are sslmode, [^\\n;]+$`),
      );
  },
);

test.each(['sslmode=Require', 'sslmode=on', 'sslmode=', 'sslmode=allow', 'sslmode=require&sslmode=requrie'])(
  'the mode %s is refused',
  (parameters) => {
    for (const name of names)
      expect(() => load(name, parameters)).toThrow(new RegExp(`^${name} must have an sslmode of disable, [^\\n;]+$`));
  },
);

test.each(['ssl=false', 'ssl=off', 'ssl=TRUE', 'ssl='])('the switch %s is refused', (parameters) => {
  for (const name of names)
    expect(() => load(name, parameters)).toThrow(new RegExp(`^${name} must have ssl as true, `));
});

test.each(['require', 'prefer', 'verify-ca'])('sslmode=%s verifies, without the warning of the driver', (mode) => {
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  expect(load('DATABASE_URL', `x=1&sslmode=${mode}`)).toMatchObject({
    databaseUrl: 'postgres://anna:geheim@h/d?x=1&sslmode=verify-full',
  });
  expect(warn).not.toHaveBeenCalled();
});

test.each(['sslmode=disable', 'sslmode=no-verify', 'ssl=1', 'uselibpqcompat=true&sslmode=require', 'schema=public'])(
  'the parameters %s stay',
  (parameters) => {
    expect(load('DATABASE_URL', parameters)).toMatchObject({
      databaseUrl: `postgres://anna:geheim@h/d?${parameters}`,
    });
  },
);

test.each(['postgres://anna:a#b@h/d', 'postgres://anna:a/b@h:port/d', 'postgres://h:99999/d', 'postgres://::1/d'])(
  'the invalid URL %s is refused with a hint at its password',
  (DATABASE_URL) => {
    expect(() => loadConfig({ DATABASE_URL })).toThrow(
      /^DATABASE_URL must be a valid URL that begins with postgres:\/\/ or postgresql:\/\/, with % and two digits for special characters of a password$/,
    );
  },
);
