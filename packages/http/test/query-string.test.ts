import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ValidationError } from '@taskgate/base';
import { maxParameters, parseQueryString } from '../query-string.ts';

function problemsAt(query: string) {
  try {
    parseQueryString(query);
  } catch (error) {
    if (error instanceof ValidationError) return error.problems;
    throw error;
  }
  return [];
}

describe('a query string', () => {
  test('is read like URLSearchParams', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !/\0|.\[\d*\]$/s.test(text)),
      fc.constantFrom('', 'ids', '[]', 'ids[a]', '__proto__', 'a b', '100%', '+'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(part, part), { maxLength: 20 }), (pairs) => {
        const encoded = new URLSearchParams(pairs).toString();
        const expected = new Map<string, string | string[]>();
        for (const [name] of pairs) {
          const values = pairs.filter(([other]) => other === name).map(([, value]) => value);
          expected.set(name, values.length === 1 ? (values[0] ?? '') : values);
        }
        expect(Object.entries(parseQueryString(encoded))).toEqual([...expected]);
      }),
    );
  });

  test.each([
    ['', {}],
    ['&&', {}],
    ['a', { a: '' }],
    ['=', { '': '' }],
    ['a=b=c', { a: 'b=c' }],
    ['q=100%', { q: '100%' }],
    ['q=%zz%4', { q: '%zz%4' }],
    ['q=a+b%2B', { q: 'a b+' }],
    ['ids[]=a&ids%5B%5D=b&ids=c', { ids: ['a', 'b', 'c'] }],
    ['ids[0]=a', { ids: 'a' }],
    ['q=\u00e2\u0082\u00ac', { q: '€' }],
  ])('%j is read', (query, expected) => {
    expect(parseQueryString(query)).toEqual(expected);
  });

  test.each([
    ['q=%00', 'q'],
    ['q=a%00b', 'q'],
    ['%00=a', 'query'],
    ['q=%ED%A0%80', 'q'],
    ['q=%FF', 'q'],
    ['ids=a&ids=%C0%AF', 'ids'],
  ])('%j is invalid text', (query, path) => {
    expect(problemsAt(query)).toEqual([{ path, message: expect.any(String) }]);
  });

  test("is named in errors by a part of the client's text", () => {
    expect(problemsAt(`${'n'.repeat(50_000)}=%00`)).toMatchObject([{ path: 'n'.repeat(100) }]);
  });

  test('may have a thousand parameters of one name or 10,000 ids in one, and is bounded', () => {
    expect(parseQueryString('ids=a&'.repeat(1000))).toEqual({ ids: Array.from({ length: 1000 }, () => 'a') });
    const ids = Array.from({ length: 10_000 }, (_, index) => `task_${index}`).join(',');
    expect(parseQueryString(`ids=${ids}`)).toEqual({ ids });
    const distinctPairs = (count: number) => Array.from({ length: count }, (_, index) => `n${index}=1`).join('&');
    expect(Object.keys(parseQueryString(distinctPairs(maxParameters)))).toHaveLength(maxParameters);
    expect(problemsAt(distinctPairs(maxParameters + 1))).toEqual([
      { path: 'query', message: `must have at most ${maxParameters} parameters` },
    ]);
  });
});
