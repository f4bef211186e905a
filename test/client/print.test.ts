import { describe, expect, test } from '@jest/globals';
import { parse, print as printAsGraphql } from 'graphql';
import { print } from '../../client/src/print.ts';

const documents = {
  'a query without a name': '{ viewer { id } }',
  variables:
    'query Page($first: Int = 5, $ids: [ID!]!, $tag: String @deprecated) { tasks(first: $first) { nodes { id } } }',
  'values of all kinds':
    'mutation { f(i: -1, n: 1.5e3, s: "a \\"b\\"\\n\\u00e9 😀", b: true, z: null, e: HIGH, l: [1, [2]], o: {a: {b: $c}, d: []}) }',
  'a block of text': 'mutation { f(s: """\n  first\n    second "quoted"\n""") }',
  fragments:
    'subscription S { sync { ...Batch @include(if: true) ... on SyncBatch { cursor } ... @skip(if: $no) { full } } } fragment Batch on SyncBatch { more: hasMore }',
};

describe('the text of a document', () => {
  test.each(Object.entries(documents))('parses to the same document: %s', (_name, source) => {
    const document = parse(source);
    expect(printAsGraphql(parse(print(document)))).toBe(
      printAsGraphql(document).replace(/"""[^]*?"""/, JSON.stringify('first\n  second "quoted"')),
    );
  });

  test('is refused for type definitions', () => {
    expect(() => print(parse('type T { id: ID }'))).toThrow('ObjectTypeDefinition');
  });
});
