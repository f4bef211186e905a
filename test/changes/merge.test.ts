import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deflateRawSync } from 'node:zlib';
import { decodeCursor, encodeCursor } from '../../src/changes/log/cursor.ts';
import type { LogRow } from '../../src/changes/log/data.ts';
import { arrange } from '../../src/changes/log/page.ts';
import { mergeRows } from '../../src/changes/log/merge.ts';

let revision = 0;
const row = (kind: LogRow['kind'], more: Partial<LogRow> = {}): LogRow => ({
  spaceId: 'home',
  revision: (revision += 1),
  transactionId: 1,
  operationId: 'op',
  part: 0,
  taskId: 'task',
  kind,
  fields: [],
  projectId: 'p',
  previousProjectId: null,
  at: 0,
  presentSpace: 'home',
  historyNonce: 1,
  ...more,
});
const kinds = (rows: LogRow[], projectId: string | null = null) => mergeRows(rows, projectId).map(({ kind }) => kind);

describe('the rows of one transaction for one task', () => {
  test.each<[string, LogRow[], string[]]>([
    ['made and changed: made', [row('CREATED'), row('UPDATED', { fields: ['title'] })], ['CREATED']],
    ['made and deleted: nothing', [row('CREATED'), row('UPDATED'), row('DELETED')], []],
    ['changed and deleted: deleted', [row('UPDATED'), row('DELETED')], ['DELETED']],
    ['moved, both spaces seen: changed', [row('DELETED'), row('CREATED', { spaceId: 'team' })], ['UPDATED']],
    ['moved, the old one seen: deleted', [row('UPDATED', { fields: ['tags'] }), row('DELETED')], ['DELETED']],
    ['moved, the new one seen: made', [row('CREATED', { spaceId: 'team' })], ['CREATED']],
    [
      'made in one space, moved and deleted in another: nothing',
      [row('CREATED'), row('DELETED'), row('CREATED', { spaceId: 'team' }), row('DELETED', { spaceId: 'team' })],
      [],
    ],
    ['there and back: changed', [row('DELETED'), row('CREATED')], ['UPDATED']],
  ])('%s', (_name, rows, expected) => expect(kinds(rows)).toEqual(expected));

  test('have the time of the last row and the place of the first one', () => {
    const [first, last] = [row('UPDATED', { at: 1 }), row('UPDATED', { at: 2 })];
    const told = { at: new Date(2), point: { space: 'home', revision: first.revision, historyNonce: 1 } };
    expect(mergeRows([first, last], null)).toMatchObject([told]);
    expect(mergeRows([last, first], null)).toMatchObject([told]);
  });

  test('are ordered by space, then by revision, for any task', () => {
    const rows = [
      row('UPDATED', { spaceId: 'team', taskId: 'one' }),
      row('UPDATED', { taskId: 'two' }),
      row('UPDATED', { taskId: 'three' }),
    ];
    expect(mergeRows(rows, null).map(({ taskId }) => taskId)).toEqual(['two', 'three', 'one']);
  });

  test('name each changed field once, and only for updates', () => {
    const fields = [row('UPDATED', { fields: ['title', 'tags'] }), row('UPDATED', { fields: ['title'] })];
    expect(mergeRows(fields, null)[0]?.fields).toEqual(['title', 'tags']);
    expect(mergeRows([row('CREATED'), ...fields], null)[0]?.fields).toEqual([]);
  });

  test.each<[string, LogRow[], string[]]>([
    ['into it', [row('UPDATED', { previousProjectId: 'q' })], ['CREATED']],
    ['out of it', [row('UPDATED', { projectId: 'q', previousProjectId: 'p' })], ['DELETED']],
    [
      'through it',
      [row('UPDATED', { previousProjectId: 'q' }), row('UPDATED', { projectId: 'r', previousProjectId: 'p' })],
      [],
    ],
    [
      'out and back',
      [row('UPDATED', { projectId: 'q', previousProjectId: 'p' }), row('UPDATED', { previousProjectId: 'q' })],
      ['UPDATED'],
    ],
    [
      'out with tags of the owner',
      [
        row('UPDATED', { projectId: 'q', previousProjectId: 'p', fields: ['project'] }),
        row('UPDATED', { spaceId: 'tags', projectId: 'q', fields: ['tags'] }),
      ],
      ['DELETED'],
    ],
    ['made in it, and moved on', [row('CREATED'), row('UPDATED', { projectId: 'q', previousProjectId: 'p' })], []],
    [
      'out of it, with tags of its own space and of the reader, whose row is of before',
      [
        row('UPDATED', { projectId: 'q', previousProjectId: 'p', fields: ['project'] }),
        row('UPDATED', { projectId: 'q', fields: ['tags'] }),
        row('UPDATED', { spaceId: 'tags', fields: ['tags'] }),
      ],
      ['DELETED'],
    ],
    [
      'out of it, with tags, whose space comes first and whose row is of before',
      [
        row('UPDATED', { spaceId: 'a', fields: ['tags'] }),
        row('UPDATED', { projectId: 'q', previousProjectId: 'p', fields: ['project'] }),
      ],
      ['DELETED'],
    ],
    [
      'out of it, with tags in the same row, and tags of the reader',
      [
        row('UPDATED', { projectId: 'q', previousProjectId: 'p', fields: ['tags', 'project'] }),
        row('UPDATED', { spaceId: 'tags', fields: ['tags'] }),
      ],
      ['DELETED'],
    ],
    ['in it, where only tags change', [row('UPDATED', { fields: ['tags'] })], ['UPDATED']],
    ['from another space', [row('DELETED', { projectId: 'q' }), row('CREATED', { spaceId: 'team' })], ['CREATED']],
    ['to another space', [row('DELETED'), row('CREATED', { spaceId: 'team', projectId: 'q' })], ['DELETED']],
    ['elsewhere', [row('UPDATED', { projectId: 'q' })], []],
  ])('a stream of one project: %s', (_name, rows, expected) => expect(kinds(rows, 'p')).toEqual(expected));
});

const history = fc.array(
  fc
    .uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })
    .chain((spaces) => fc.record({ spaces: fc.constant(spaces), rows: fc.integer({ min: 1, max: 3 }) })),
  { minLength: 1, maxLength: 12 },
);

describe('the order of transactions', () => {
  test('keeps the order of every space, cuts no transaction, and always advances, for pages of any size', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 4 }), (transactions, limit) => {
        const revisions = new Map<string, number>();
        const log = transactions.flatMap(({ spaces, rows }, transactionId) =>
          spaces.flatMap((spaceId) =>
            Array.from({ length: rows }, () => {
              const next = (revisions.get(spaceId) ?? 0) + 1;
              revisions.set(spaceId, next);
              return row('UPDATED', { spaceId, revision: next, transactionId });
            }),
          ),
        );
        const position = new Map([...revisions.keys()].map((space) => [space, 0]));
        const receivedRows: LogRow[][] = [];
        while (receivedRows.flat().length < log.length) {
          const open = log.filter(({ spaceId, revision: own }) => own > (position.get(spaceId) ?? 0));
          const first = [...position.keys()].flatMap((space) =>
            open.filter(({ spaceId }) => spaceId === space).slice(0, limit),
          );
          const ids = new Set(first.map(({ transactionId }) => transactionId));
          const spaces = new Map(
            [...position.keys()].map((space) => {
              const own = first.filter(({ spaceId }) => spaceId === space);
              return [space, { end: own.length === limit ? (own.at(-1)?.revision ?? null) : null }];
            }),
          );
          const sorted = open
            .filter(({ transactionId }) => ids.has(transactionId))
            .sort((a, b) => (a.spaceId < b.spaceId ? -1 : a.spaceId > b.spaceId ? 1 : a.revision - b.revision));
          const { runs } = arrange(sorted, spaces, { breaksCircles: false });
          expect(runs.length).toBeGreaterThan(0);
          for (const run of runs) {
            expect(run.length).toBe(log.filter(({ transactionId }) => transactionId === run[0]?.transactionId).length);
            for (const { spaceId, revision: own } of run) {
              expect(own).toBe((position.get(spaceId) ?? 0) + 1);
              position.set(spaceId, own);
            }
          }
          receivedRows.push(...runs);
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([null, 2])('advances if transactions with repeated numbers block one another: end %s', (end) => {
    const rows = [
      row('UPDATED', { spaceId: 'a', revision: 1, transactionId: 1 }),
      row('UPDATED', { spaceId: 'a', revision: 2, transactionId: 2 }),
      row('UPDATED', { spaceId: 'b', revision: 1, transactionId: 2 }),
      row('UPDATED', { spaceId: 'b', revision: 2, transactionId: 1 }),
    ];
    const spaces = new Map(['a', 'b'].map((space) => [space, { end }]));
    expect(arrange(rows, spaces, { breaksCircles: true }).runs.length).toBeGreaterThan(0);
  });
});

test('a cursor gives the same position each time', () => {
  const point = { revision: fc.maxSafeNat(), historyNonce: fc.nat() };
  const position = fc.record({
    points: fc
      .dictionary(
        fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
        fc.record(point),
      )
      .map((spaces) => new Map(Object.entries(spaces))),
    within: fc.option(fc.record({ space: fc.string(), ...point }), { nil: undefined }),
  });
  fc.assert(fc.property(position, (cursor) => expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor)));
});

test('any text that is no cursor is refused with CURSOR_EXPIRED', () => {
  const text = fc.oneof(
    fc.string(),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
  );
  fc.assert(
    fc.property(text, (text) => {
      try {
        expect(decodeCursor(text).points).toBeInstanceOf(Map);
      } catch (error) {
        expect(error).toMatchObject({ code: 'CURSOR_EXPIRED' });
      }
    }),
  );
});

test.each([
  ['with more behind it', `${encodeCursor({ points: new Map([['home', { revision: 1, historyNonce: 1 }]]) })}=`],
  ...[
    ['below zero', '{"home":"-1.1"}'],
    ['without a nonce', '{"home":"1"}'],
    ['that is a number', '{"home":1}'],
    ['beyond what is counted', '{"home":"zzzzzzzzzzz.1"}'],
    ['of no possible nonce', '{"home":"1.zzzzzz"}'],
    ['of a space of no text', '{"ho\\u0000me":"1.1"}'],
  ].map(([what = '', spaces]) => [`with a point ${what}`, Buffer.from(`[${spaces}]`).toString('base64url')]),
  [
    'that unfolds to more than 4 MiB',
    Buffer.concat([Buffer.of(0), deflateRawSync(`[{"${'x'.repeat(5 * 1024 * 1024)}":"1.1"}]`)]).toString('base64url'),
  ],
])('a cursor %s is refused', (_label, cursor) => {
  expect(() => decodeCursor(cursor)).toThrow(expect.objectContaining({ code: 'CURSOR_EXPIRED' }));
});
