import { expect, test } from '@jest/globals';
import { connectionsOfClient } from '../../packages/http/http-server.ts';
import type { RateLimitPolicy } from '@taskgate/limits';
import { defaultRates, fixedPolicies, ratePolicies } from '../../src/platform/rate-limit-policies.ts';
import { fileOf } from './page.ts';
import { socketsOfClient } from '../../packages/execution/subscription-limits.ts';

test('docs/operations.md has every rate limit with its figures', async () => {
  const page = await fileOf('docs/operations.md');
  const [, table = ''] = /## Rate limits\n([^]*?)\nThere are/.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `([\w-]+)` +\|[^|]+\|[^|]+\| ([\d,]+) +\| ([\d,]*) +\|/gm)];
  const figure = (text: string | undefined) => (text ? Number(text.replaceAll(',', '')) : undefined);
  const documented = rows.map(([, name, quota, seconds]) => [name, figure(quota), figure(seconds)]);
  const policies: RateLimitPolicy[] = [
    ...Object.values(ratePolicies(defaultRates)),
    connectionsOfClient(defaultRates.connections),
    socketsOfClient(defaultRates.sockets),
    ...Object.values(fixedPolicies),
  ];
  expect(documented).toEqual(policies.map(({ name, quota, windowSeconds }) => [name, quota, windowSeconds]));
});
