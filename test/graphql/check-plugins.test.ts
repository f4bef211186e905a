import { describe, expect, test } from '@jest/globals';
import { parse, Source } from 'graphql';
import { notText } from '@taskgate/base';
import { forbidden } from '../../src/platform/errors.ts';
import { schema } from '../../src/schema.ts';
import { enveloped, recorder } from '../kit/executor.ts';
import { documentCache } from '../../packages/execution/document-cache.ts';
import type { CheckContext, CheckPlugin } from '../../packages/execution/envelop.ts';
import { codeOf } from '../../packages/execution/errors.ts';
import { useCost } from '../../packages/execution/use-cost.ts';
import { useDocumentCache } from '../../packages/execution/use-document-cache.ts';
import { useLimits } from '../../packages/execution/use-limits.ts';
import { usePersistedOperations } from '../../packages/execution/use-persisted-operations.ts';
import { useValidation } from '../../packages/execution/use-validation.ts';
import { useVariables } from '../../packages/execution/use-variables.ts';

describe('plugins around the check', () => {
  const onNewDocument = recorder(undefined);
  const contextFor = (query: string | undefined, parts: Partial<CheckContext> = {}): CheckContext => ({
    sender: { requestId: 'test', userId: 'user', onNewDocument },
    query,
    operationName: undefined,
    variables: {},
    extensions: {},
    fields: 0,
    cost: 0,
    ...parts,
  });

  function check(plugins: CheckPlugin[], context: CheckContext) {
    const engine: CheckPlugin = {
      onParse: ({ setParseFn }) => setParseFn(parse),
      onValidate: ({ setValidationFn }) => setValidationFn(() => []),
    };
    const functions = enveloped([engine, ...plugins], context);
    const document = functions.parse(new Source(context.query ?? ''));
    return { document, errors: functions.validate(schema, document) };
  }

  const refusalOf = (plugins: CheckPlugin[], context: CheckContext): unknown => {
    try {
      return check(plugins, context).errors.map(({ message }) => message);
    } catch (error) {
      return codeOf(error);
    }
  };

  test('useLimits refuses a document before it is parsed, and counts its fields', () => {
    const parsed = recorder(undefined);
    const spy: CheckPlugin = { onParse: ({ parseFn, setParseFn }) => setParseFn((text) => (parsed(), parseFn(text))) };
    const nested = `${'{ a '.repeat(61)}${'}'.repeat(61)}`;
    expect(refusalOf([spy, useLimits(schema)], contextFor(nested))).toBe('VALIDATION_FAILED');
    expect(parsed.calls).toHaveLength(0);
    const context = contextFor('{ viewer { id email } }');
    expect(refusalOf([spy, useLimits(schema)], context)).toEqual([]);
    expect([context.fields, parsed.calls.length]).toEqual([3, 1]);
  });

  test('useDocumentCache keeps valid documents of signed-in clients', () => {
    onNewDocument.calls.length = 0;
    const plugins = [useDocumentCache(documentCache())];
    const text = '{ viewer { id } }';
    const { document } = check(plugins, contextFor(text));
    expect(check(plugins, contextFor(text)).document).toBe(document);
    expect(onNewDocument.calls).toEqual([[text.length]]);
    const sender = { requestId: 'test', userId: undefined, onNewDocument };
    const other = '{ viewer { email } }';
    expect(check(plugins, contextFor(other, { sender })).document).not.toBe(
      check(plugins, contextFor(other, { sender })).document,
    );
    const invalidAlways: CheckPlugin = {
      onValidate: ({ setValidationFn }) => setValidationFn(() => [forbidden('no')]),
    };
    expect(refusalOf([...plugins, invalidAlways], contextFor('{ viewer { name } }'))).toEqual(['no']);
    expect(refusalOf([...plugins, invalidAlways], contextFor('{ viewer { name } }'))).toEqual(['no']);
  });

  test('usePersistedOperations finds the text of a hash', () => {
    const hash = 'a'.repeat(64);
    const plugins = [usePersistedOperations({ listed: new Map([[hash, '{ viewer { id } }']]), only: true })];
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
    expect(check(plugins, contextFor(undefined, { extensions })).document.loc?.source.body).toBe('{ viewer { id } }');
    expect(refusalOf(plugins, contextFor('{ viewer { id } }'))).toBe('VALIDATION_FAILED');
  });

  test('useValidation hides the schema without introspection', () => {
    const hidden = [useValidation({ introspection: false })];
    expect(refusalOf(hidden, contextFor('{ __schema { types { name } } }'))).toHaveLength(2);
    expect(refusalOf([useValidation({ introspection: true })], contextFor('{ __schema { types { name } } }'))).toEqual(
      [],
    );
    expect(refusalOf(hidden, contextFor('{ tag(id: "\\u0000") { id } }'))).toContainEqual(notText);
  });

  test('useVariables refuses a value of another type, and an unknown operation', () => {
    const plugins = [useVariables(schema, { introspection: true })];
    const text = 'query One($n: Int) { tasks(first: $n) { nodes { id } } } query Two { viewer { id } }';
    const named = (operationName: string | undefined, n: unknown) =>
      contextFor(text, { operationName, variables: { n } });
    expect(refusalOf(plugins, named('One', 1))).toEqual([]);
    expect(refusalOf(plugins, named('One', 'one'))).toBe('VALIDATION_FAILED');
    expect(refusalOf(plugins, named(undefined, 1))).toBe('VALIDATION_FAILED');
  });

  test('useCost notes the cost of an operation, and refuses a high one', () => {
    const context = contextFor('{ tasks(first: 10) { nodes { id } } }');
    expect(refusalOf([useCost(schema)], context)).toEqual([]);
    expect(context.cost).toBeGreaterThan(10);
    const pages = Array.from({ length: 40 }, (_, index) => `a${index}: search(query: "a") { tasks { id } }`);
    expect(refusalOf([useCost(schema)], contextFor(`{ ${pages.join(' ')} }`))).toBe('VALIDATION_FAILED');
  });
});
