import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { type ServerFacts, unmetRequirement } from '../requirements.ts';
import { createTestDatabase, sqlAt } from '../../../test/kit/postgres.ts';
import { dataFolders, endServices, spawnService } from '../../../test/kit/process.ts';

const folders = dataFolders();
afterEach(() => endServices('SIGTERM'));
afterAll(() => folders.remove());

describe('the requirements of a PostgreSQL server', () => {
  const fittingServer: ServerFacts = { version: 140_000, versionName: '14.0', encoding: 'UTF8', missingExtensions: [] };

  test('are met from version 14 on', () => {
    expect(unmetRequirement(fittingServer)).toBeUndefined();
    expect(unmetRequirement({ ...fittingServer, version: 190_001 })).toBeUndefined();
    expect(unmetRequirement({ ...fittingServer, version: 130_023, versionName: '13.23 (Debian 13.23-1)' })).toBe(
      'PostgreSQL 14 or later is needed, and the server is 13.23 (Debian 13.23-1)',
    );
  });

  test('include the extensions', () => {
    expect(unmetRequirement({ ...fittingServer, missingExtensions: ['pg_trgm'] })).toContain(
      'lacks the extensions pg_trgm',
    );
  });

  test('include the encoding: another one is refused in one line', async () => {
    const url = new URL(await createTestDatabase({ migrated: false }));
    const name = `latin_${process.hrtime.bigint()}`;
    const [server] = await sqlAt<{ old: boolean }>(
      url.href,
      "SELECT current_setting('server_version_num')::int < 150000 AS old",
    );
    const provider = server?.old ? '' : 'LOCALE_PROVIDER libc';
    await sqlAt(url.href, `CREATE DATABASE ${name} ENCODING 'LATIN1' ${provider} LOCALE 'C' TEMPLATE template0`);
    url.pathname = `/${name}`;
    const service = await spawnService({ DATA_DIR: await folders.make(), DATABASE_URL: url.href });
    expect(await service.ended).toBe(1);
    expect(service.errors()).toBe('Taskgate cannot start: the database must have the encoding UTF8, and has LATIN1\n');
  });
});
