import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonSize } from '../json-size.ts';
import { jsonBytes } from '../json-text.ts';

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

let pauses = 0;
const pause = () => {
  pauses += 1;
  return Promise.resolve();
};

test('exceeds a bound if and only if the JSON does', () => {
  return fc.assert(
    fc.asyncProperty(values, fc.integer({ min: -2, max: 2 }), async (value, offset) => {
      const max = bytesOf(value) + offset;
      expect((await jsonSize(value, max, pause)) > max).toBe(offset < 0);
    }),
  );
});

test('is the exact number of bytes near the bound', () => {
  return fc.assert(
    fc.asyncProperty(values, async (value) =>
      expect(await jsonSize(value, bytesOf(value), pause)).toBe(bytesOf(value)),
    ),
  );
});

test('stops counting beyond the bound', async () => {
  const endlessList = new Proxy<string[]>([], {
    get: (list, key) => (key === Symbol.iterator ? texts : (Reflect.get(list, key) as unknown)),
  });
  function* texts() {
    for (;;) yield 'text';
  }
  expect(await jsonSize(endlessList, 1000, pause)).toBeGreaterThan(1000);
});

describe('the text of a large value', () => {
  const long = 'ü"🦊'.repeat(20_000);
  const larger = fc.oneof(
    values,
    fc.dictionary(
      name,
      fc.oneof(
        values,
        fc.constantFrom(long, undefined, new Date(0), () => long),
      ),
    ),
    fc.array(
      fc.oneof(
        values,
        fc.constantFrom(long, undefined, new Date(0), () => long),
      ),
    ),
    fc.constant({ lists: [[], [[]], {}, [{}, long]] }),
  );

  test('is that of JSON.stringify', () =>
    fc.assert(
      fc.asyncProperty(larger, async (value) =>
        expect((await jsonBytes(value, pause)).toString()).toBe(JSON.stringify(value)),
      ),
    ));

  test.each([
    ['rows', Array.from({ length: 50_000 }, (_, at) => ({ id: `task_${at}`, children: [{ id: at }] }))],
    ['nested rows', [{ children: Array.from({ length: 50_000 }, (_, at) => ({ id: `task_${at}` })) }]],
  ])('is made in pieces: %s', async (_which, value) => {
    pauses = 0;
    const { length } = await jsonBytes(value, pause);
    expect(pauses).toBeGreaterThan(length / 100_000);
    pauses = 0;
    await jsonSize(value, length, pause);
    expect(pauses).toBeGreaterThan(length / 100_000);
  });
});
