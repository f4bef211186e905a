import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { schemaToExecute } from '@taskgate/nested-read';
import { schema } from '../../src/schema.ts';
import { executorWith } from '../kit/executor.ts';
import { usedBytes } from '../kit/heap.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { documentCache, textCache } from '../../packages/execution/document-cache.ts';
import { operationChecker, type OperationRequest } from '../../packages/execution/check-operation.ts';

const mib = 1024 * 1024;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const byHash = (text: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: sha256(text) } } });

const fields = Array.from({ length: 20 }, (_, index) => `a${index}: viewer { ${'id '.repeat(50)} }`).join(' ');
/** 46 fields, spread 33 times in lists of tasks, which are written with the notes about their document. */
const fragments = (() => {
  const spreadQuery = Array.from({ length: 16 }).reduce<string>(
    (inner) => `...F parent { ...F } children { ${inner} }`,
    '...F',
  );
  const aliases = Array.from({ length: 45 }, (_, index) => `a${index}: id`).join(' ');
  return `tasks(first: 5) { nodes { ${spreadQuery} } } } fragment F on Task { id ${aliases}`;
})();
const strings = `nodes(ids: [${'"" '.repeat(1000)}]) { id }`;

/** Distinct documents of about a thousand tokens. Their text is much smaller than the parsed document. */
const heavyDocument = (count: number, content: string) =>
  Array.from({ length: count }, (_, index) => `query Q${index} { ${content} }`);

function checker(maxBytes: number) {
  const documents = documentCache(maxBytes);
  const registered = textCache(maxBytes);
  const persisted = { listed: new Map(), only: false, registered };
  const check = operationChecker(executorWith({ persisted, documents }));
  const accept = (request: OperationRequest, hasSession: boolean) => {
    const userId = hasSession ? 'user' : undefined;
    const checked = check(request, { requestId: 'test', userId, onNewDocument: () => undefined });
    if (checked.errors) throw checked.errors[0];
    // The begin of an execution adds notes to the document.
    schemaToExecute(schema, checked.document, checked.operation);
  };
  return { accept, documents, registered };
}

describe('documents and texts of callers', () => {
  test.each([
    ['fields', fields],
    ['values', strings],
    ['fragments', fragments],
  ])('with a session take no more memory than counted: many of %s', (_label, content) => {
    const { accept, documents } = checker(4 * mib);
    const texts = heavyDocument(40, content);
    accept({ query: texts[0] }, true);
    const before = usedBytes();
    for (const query of texts) accept({ query }, true);
    const growth = usedBytes() - before;
    expect(documents.size).toBeGreaterThan(1);
    expect(documents.size).toBeLessThan(texts.length);
    expect(growth).toBeLessThan(5 * mib);
  });

  test('with a session are counted with their overhead', () => {
    const { accept, documents, registered } = checker(mib);
    for (let index = 0; index < 500; index += 1) {
      const query = `{ a${index}: __typename }`;
      accept({ query, ...byHash(query) }, true);
    }
    expect(documents.calculatedSize).toBeLessThanOrEqual(mib);
    expect(documents.calculatedSize).toBeGreaterThan(documents.size * 2500);
    expect(registered.calculatedSize).toBeGreaterThan(registered.size * 1000);
  });

  test('without one are not kept', () => {
    const { accept, documents, registered } = checker(mib);
    for (const query of heavyDocument(3, fields)) accept({ query, ...byHash(query) }, false);
    expect([documents.size, registered.size]).toEqual([0, 0]);
  });

  test('are shared by all callers', () => {
    const { accept, documents } = checker(mib);
    const query = '{ __typename }';
    accept({ query }, true);
    const cached = documents.get(query);
    accept({ query }, false);
    expect(documents.get(query)).toBe(cached);
  });
});

describe('over HTTP', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
  });

  test('an operation can be named by its hash once a caller with a session has sent it', async () => {
    const query = '{ __typename }';
    const found = { body: { data: { __typename: 'Query' } } };
    expect(await service.anonymous.post('/graphql', { query, ...byHash(query) })).toMatchObject(found);
    expect(await service.anonymous.post('/graphql', byHash(query))).toMatchObject({
      body: { errors: [{ message: 'PersistedQueryNotFound' }] },
    });
    expect(await anna.post('/graphql', { query, ...byHash(query) })).toMatchObject(found);
    expect(await service.anonymous.post('/graphql', byHash(query))).toMatchObject(found);
  });

  test('only the logged part of a long name is kept with the response', async () => {
    service.services.responses.clear();
    await anna.post('/graphql', { query: `query ${'n'.repeat(255)} { __typename }` });
    expect([...service.services.responses.values()].map(({ operationName }) => operationName)).toEqual([
      'n'.repeat(100),
    ]);
  });
});
