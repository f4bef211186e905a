import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Point } from '@taskgate/postgres';
import { Hub } from '../../src/changes/live/hub.ts';
import { makeTask } from '../kit/make.ts';
import { Restorable } from '../kit/restorable.ts';
import type { Service } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { errorCodesOf, expired } from './doors.ts';
import { cursorOfNow, poll, Stream } from './stream.ts';

let restorable: Restorable;
let service: Service;
beforeAll(async () => {
  restorable = await Restorable.start();
  service = restorable.service;
});
afterAll(() => restorable.close());

const change = ({ id }: User, title: string) =>
  service.sql('UPDATE tasks SET title = $2 WHERE space_id = $1', [id, title]);

describe('a history that a restore has removed', () => {
  test('expires its cursors on every transport, however far revisions have come since, and earlier cursors continue', async () => {
    const anna = await signUp(service);
    for (let count = 0; count < 3; count += 1) await makeTask(anna);
    const kept = await cursorOfNow(anna);
    const restore = await restorable.backUp();
    await change(anna, 'lost');
    const [within] = (await poll(anna, kept, 1)).nodes;
    const lost = await cursorOfNow(anna);
    await restore();
    for (const count of [0, 3, 6]) {
      for (const cursor of [lost, within?.cursor ?? '']) {
        expect({ count, answers: await errorCodesOf(service, anna, cursor) }).toEqual({ count, answers: expired });
      }
      expect((await poll(anna, kept)).nodes).toHaveLength(count);
      await change(anna, `found ${count}`);
    }
  });

  test.each([
    ['reached its position again', ['found']],
    ['passed its position', ['found', 'found again']],
  ])('ends subscriptions of a running process if revisions have %s', async (_what, titles) => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    for (const user of [anna, ben]) await makeTask(user);
    const restore = await restorable.backUp();
    const [annas, bens] = [await Stream.open(service, anna), await Stream.open(service, ben)];
    await change(anna, 'lost');
    await annas.take();
    await restore(async () => {
      for (const title of titles) await change(anna, title);
    });
    expect(await annas.ended).toBe('CURSOR_EXPIRED');
    annas.close();
    const { id } = await makeTask(ben);
    expect(await bens.take()).toMatchObject({ taskId: id });
    bens.close();
  });
});

describe('a subscription that has read further than the dispatched changes', () => {
  /** @returns the hub's first call to a second subscriber at another point */
  async function toldAt({ id: userId }: User, dispatched: Point, own: Point): Promise<string> {
    const hub = new Hub(service.services.connections);
    const deaf = { userId, push: () => undefined, advance: () => undefined, fallBehind: () => undefined };
    const recheck = () => Promise.resolve();
    const told = new Promise<string>((tell) => {
      hub.watch({ ...deaf, recheck }, userId, dispatched);
      hub.watch({ ...deaf, recheck, push: () => tell('go on'), fallBehind: () => tell('look again') }, userId, own);
    });
    return told.finally(() => hub.close());
  }
  const pointOf = async ({ id }: User): Promise<Point> => {
    const [point] = await service.sql<Point>(
      'SELECT revision::int, history_nonce AS "historyNonce" FROM spaces WHERE id = $1',
      [id],
    );
    if (!point) throw new Error('a user has a space');
    return point;
  };

  test('continues if the dispatched changes reach its position, and reads again if they do not', async () => {
    const anna = await signUp(service);
    const dispatched = await pointOf(anna);
    await makeTask(anna);
    const own = await pointOf(anna);
    await makeTask(anna);
    expect(await toldAt(anna, dispatched, own)).toBe('go on');
    expect(await toldAt(anna, dispatched, { ...own, historyNonce: dispatched.historyNonce })).toBe('look again');
  });
});
