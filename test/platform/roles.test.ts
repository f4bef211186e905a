import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signedIn, type Viewer } from '../../src/platform/context.ts';
import { write, writeStatement } from '../../src/platform/write.ts';
import { contextOf } from '../kit/context.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

let service: Service;
let viewer: Viewer;
beforeAll(async () => {
  service = await startService();
  viewer = signedIn(await contextOf(service, await signUp(service)));
});
afterAll(() => service.close());

test('the compiler refuses a write without the role that it needs', async () => {
  const ids = [viewer.id];
  const writable = write(viewer, { needs: 'MEMBER', ids }, (_tx, { spaceIds }) => Promise.resolve(spaceIds));
  expect(await writable).toEqual(ids);
  const refused = [
    // @ts-expect-error -- without `needs`
    () => write(viewer, { ids }, () => Promise.resolve()),
    // @ts-expect-error -- without `needs`
    () => writeStatement(null, viewer, { ids }, (allowed) => allowed),
  ];
  expect(refused).toHaveLength(2);
});

test('the lock gives a write only the spaces in which the role of the member suffices', async () => {
  const spacesFor = (roles: string[]) =>
    service.sql(`SELECT lock_for_write($1, $2, $3, $4, '{}', $4, '{}') AS spaces`, [
      viewer.id,
      viewer.sessionId,
      roles,
      [viewer.id],
    ]);
  expect(await spacesFor(['OTHER', 'MEMBER'])).toEqual([{ spaces: [viewer.id] }]);
  expect(await spacesFor(['OTHER'])).toEqual([{ spaces: [] }]);
});
