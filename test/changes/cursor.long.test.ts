import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { decodeCursor, encodeCursor, type LogPosition } from '../../src/changes/log/cursor.ts';
import { newId } from '../../src/platform/ids.ts';
import { workspaceLimits } from '../../src/workspaces/policy.ts';
import { makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { cursorOfNow, poll, Socket, Stream } from './stream.ts';

/** The last possible position in a space. */
const last = { revision: Number.MAX_SAFE_INTEGER, historyNonce: 2 ** 31 - 1 };

function positionIn(count: number): LogPosition {
  const spaces = Array.from({ length: count }, () => newId('Workspace'));
  return {
    points: new Map(spaces.map((id) => [id, last])),
    within: { space: spaces[0] ?? '', ...last },
  };
}

const decompress = (cursor: string) =>
  inflateRawSync(Buffer.from(cursor, 'base64url').subarray(1)).toString('base64url');

describe('a cursor', () => {
  test('with the maximum number of memberships fits into a header line of 8,000 bytes, which common proxies accept', () => {
    const place = positionIn(1 + workspaceLimits.workspaces);
    const cursor = encodeCursor(place);
    expect(cursor.length).toBeLessThan(8000);
    expect(decodeCursor(cursor)).toEqual(place);
    // Compressing each cursor of a page would take long.
    expect(Buffer.from(cursor, 'base64url').toString()).toMatch(/^\[/);
  });

  test('of more spaces than a user can have is refused', () => {
    expect(decodeCursor(encodeCursor(positionIn(3000))).points.size).toBe(3000);
    expect(() => decodeCursor(encodeCursor(positionIn(3001)))).toThrow('cursor');
  });

  test.each([
    ['nothing', ''],
    ['no JSON', Buffer.from('[').toString('base64url')],
    ['nothing compressed', Buffer.of(0).toString('base64url')],
    ['what is no compression', Buffer.of(0, 1, 2, 3).toString('base64url')],
    ['another form', Buffer.concat([Buffer.of(0), deflateRawSync('{"a":1}')]).toString('base64url')],
    [
      'what unfolds to 64 MB',
      Buffer.concat([Buffer.of(0), deflateRawSync(Buffer.alloc(64 * 1024 * 1024, ' '))]).toString('base64url'),
    ],
    ['more spaces than anybody could be in', encodeCursor(positionIn(10_000))],
    ['as many as they are, not compressed', decompress(encodeCursor(positionIn(10_000)))],
  ])('that holds %s is refused', (_label, cursor) => {
    expect(() => decodeCursor(cursor)).toThrow(expect.objectContaining({ code: 'CURSOR_EXPIRED' }));
  });
});

describe('the cursors of a member', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });

  test.each([
    ['of as many workspaces as there can be', workspaceLimits.workspaces],
    // Only SQL by hand makes so many workspaces. Uncompressed, their ids would not fit into the headers of a request.
    ['of more workspaces than there can be', 2500],
  ])('%s, with high revisions and within a transaction, are accepted by every transport', async (_label, count) => {
    const anna = await signUp(service);
    const tasks = await Promise.all([1, 2, 3].map(() => makeTask(anna)));
    await service.sql(
      `WITH made AS (
         INSERT INTO spaces (id, kind, name) SELECT id, 'WORKSPACE', 'Filler' FROM unnest($2::text[]) AS id RETURNING id
       )
       INSERT INTO memberships (space_id, user_id) SELECT id, $1 FROM made`,
      [anna.id, Array.from({ length: count }, () => newId('Workspace'))],
    );
    await service.sql(
      `UPDATE spaces SET revision = $2::bigint - 1000000000 * random()
       WHERE id IN (SELECT space_id FROM memberships WHERE user_id = $1)`,
      [anna.id, Number.MAX_SAFE_INTEGER - 1000],
    );
    const start = await cursorOfNow(anna);
    await anna.patch(`/api/v2/todo/bulk?todoIds=${tasks.map(({ id }) => id).join()}`, { reminder: true });
    const { nodes } = await poll(anna, start, 1);
    const after = nodes[0]?.cursor ?? '';
    expect(decodeCursor(after)).toMatchObject({ within: { space: anna.id } });
    expect(decodeCursor(after).points.size).toBe(1 + count);
    const next = (await poll(anna, after)).nodes.map(({ taskId }) => taskId);
    expect(next).toHaveLength(2);

    const restResult = await anna.get<{ changes: { taskId: string }[] }>(`/api/v2/changes?after=${after}`);
    expect(restResult.status).toBe(200);
    expect(restResult.body.changes.map(({ taskId }) => taskId)).toEqual(next);
    const query = new URLSearchParams({
      query: 'query ($after: String) { changes(after: $after) { nodes { taskId } } }',
      variables: JSON.stringify({ after }),
    });
    const csrf = { headers: { 'x-graphql-yoga-csrf': '1' } };
    expect((await anna.get(`/graphql?${query.toString()}`, csrf)).body).toEqual({
      data: { changes: { nodes: next.map((taskId) => ({ taskId })) } },
    });
    const socket = await Socket.ready(service.url, anna.cookie);
    const pollResult = await socket.run(query.get('query') ?? '', { after });
    expect(pollResult.payload).toEqual({ data: { changes: { nodes: next.map((taskId) => ({ taskId })) } } });
    socket.close();
    const stream = await Stream.open(service, anna, { after });
    expect((await stream.takeMany(2)).map(({ taskId }) => taskId)).toEqual(next);
    stream.close();
    for (const [path, headers] of [
      ['/api/v2/events', { 'Last-Event-ID': after }],
      [`/api/v2/events?after=${after}`, {}],
    ] as const) {
      const events = await EventStream.open(service, anna, path, headers);
      const received = [await events.take(), await events.take()].map(({ data }) => JSON.parse(data ?? '') as unknown);
      expect(received).toMatchObject(next.map((taskId) => ({ taskId })));
      events.close();
    }
  });
});
