import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maxProblems } from '@taskgate/base';
import { email } from '../../src/platform/email.ts';
import { codePoints, generalProblems, line, maxListEntries, paragraphs } from '../../src/platform/input.ts';

describe('lengths', () => {
  test('are counted in code points for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'ü', '🦊', '\ud83e', '\udd8a') }), (value) => {
        expect(codePoints(value)).toBe([...value].length);
      }),
    );
  });

  test('are bounded for texts of several lines', () => {
    expect(paragraphs(3).safeParse('🦊\n🦊').success).toBe(true);
    expect(paragraphs(3).safeParse('abcd').error?.issues).toMatchObject([
      { message: 'must be at most 3 characters long' },
    ]);
  });
});

const invisible = [
  ...[0x01, 0x20, 0x7f, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x2000, 0x200b, 0x200c],
  ...[0x200d, 0x200e, 0x2028, 0x202e, 0x2060, 0x2064, 0x206f, 0x2800, 0x3000, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xfff9],
  ...[0xfffc, 0x13440, 0x13441, 0x16fe4, 0x1bca0, 0x1d159, 0x1d173, 0xe0001, 0xe0020, 0xe0100],
];
const joiners = ['\u200c', '\u200d', '\ufe0f'];

describe('invisible characters', () => {
  test.each(invisible.map((point) => [point.toString(16), String.fromCodePoint(point)]))(
    'are no line on their own: U+%s',
    (_point, character) => {
      expect(line(255).safeParse(character.repeat(3)).success).toBe(false);
      expect(line(255).safeParse(`${character}a${character}`).success).toBe(true);
    },
  );

  test('give a line one problem', () => {
    for (const value of ['', ' ', '\u200b']) expect(line(255).safeParse(value).error?.issues).toHaveLength(1);
  });

  test.each(['👩‍👩‍👧', '❤️', 'می‌خواهم', 'क्‍ष', '한', 'ㅋ', '7', '\u0301', '؀', '.', '\u{e000}'])(
    'are part of %s',
    (value) => {
      expect(line(255).parse(value)).toBe(value);
    },
  );

  test.each(invisible.map((point) => [point.toString(16), String.fromCodePoint(point)]))(
    'are not part of an e-mail address, except joiners: U+%s',
    (_point, character) => {
      for (const address of [`an${character}na@example.com`, `anna@exam${character}ple.com`])
        expect(email.safeParse(address).success).toBe(joiners.includes(character));
    },
  );
});

describe('an e-mail address', () => {
  test.each([
    ['anna@ｅxample.com', 'anna@example.com'],
    ['anna@ⓔⓧample.com', 'anna@example.com'],
    ['anna@mail.example。com', 'anna@mail.example.com'],
    ['anna@example．com', 'anna@example.com'],
    ['anna@mu\u0308nchen.de', 'anna@münchen.de'],
    ['anna@mu\u0308nchen.xn--mnchen-3ya.de', 'anna@münchen.münchen.de'],
    ['anna@0x7f.1', 'anna@127.0.0.1'],
    [' Anna@MÜNCHEN.de ', 'anna@münchen.de'],
  ])('has the one domain that mail goes to: %j is %s', (typed, canonical) => {
    expect(email.parse(typed)).toBe(canonical);
    expect(email.parse(canonical)).toBe(canonical);
  });

  test.each(['ａnna@example.com', 'anna@straße.de', 'anna@xn--mnchen-3ya.de', 'anna@💩.la', "o'neill+x@example.com"])(
    'keeps %s',
    (address) => {
      expect(email.parse(address)).toBe(address);
    },
  );

  test('does not become another mailbox by its lower case', () => {
    const others = Array.from({ length: 0x10_ff80 }, (_, at) => String.fromCodePoint(0x80 + at));
    const mapped = others.filter((character) => /^[\0-\x7f]+$/.test(character.toLowerCase()));
    expect(mapped).toEqual(['\u212a']);
    expect(email.safeParse('\u212aarl@example.com').success).toBe(false);
    expect(email.parse('anna@\u212aarl.de')).toBe('anna@karl.de');
  });

  test.each(['anna@example.com/ü.de', 'anna@example.com?ü.de', 'anna@e%78ample.ü.com', 'anna@ü', '@ü.de', 'ü.de'])(
    'is not cut to fit: %s',
    (address) => {
      expect(email.safeParse(address).data ?? address).toBe(address);
    },
  );
});

test('names a few problems of any number of bad texts, as values or names of fields', () => {
  const bad = Array.from({ length: maxListEntries }, (_, index) => `\0${index}`);
  for (const input of [bad, Object.fromEntries(bad.map((name) => [name, 1]))]) {
    expect(generalProblems({ input })).toHaveLength(maxProblems);
  }
});
