import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonSize } from '../json-size.ts';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

const text = fc.string({ unit: fc.constantFrom('a', 'ü', '漢', '🦊', '\u0001', '"', '\\', '\n', '\ud800') });
const name = fc.stringMatching(/^[A-Za-z_]\w{0,20}$/);
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double({ noNaN: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(name, tie('value')),
  ),
}));

test('exceeds a bound if and only if the JSON does', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: -2, max: 2 }), (value, offset) => {
      const max = bytesOf(value) + offset;
      expect(jsonSize(value, max) > max).toBe(offset < 0);
    }),
  );
});

test('is the exact number of bytes near the bound', () => {
  fc.assert(fc.property(values, (value) => expect(jsonSize(value, bytesOf(value))).toBe(bytesOf(value))));
});

test('stops counting beyond the bound', () => {
  const endlessList = new Proxy<string[]>([], {
    get: (list, key) => (key === Symbol.iterator ? texts : (Reflect.get(list, key) as unknown)),
  });
  function* texts() {
    for (;;) yield 'text';
  }
  expect(jsonSize(endlessList, 1000)).toBeGreaterThan(1000);
});
