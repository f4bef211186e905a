import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { merge } from '../../console/src/details/merge.ts';

test.each([
  ['lines', 'One\nTwo\nThree', 'One, mine\nTwo\nThree', 'One\nTwo\nThree, theirs', 'One, mine\nTwo\nThree, theirs'],
  ['words', 'Call Ada about the roof', 'Phone Ada about the roof', 'Call Ada about it', 'Phone Ada about it'],
  [
    'words of one line',
    'Call Ada at noon today',
    'Phone Ada at noon today',
    'Call Ada at one today',
    'Phone Ada at one today',
  ],
  ['one word', 'Call Ada about the roof', 'Phone Ada about the roof', 'Ring Ada about the roof', undefined],
  [
    'sentences of one line',
    'Dig. Sow. Water.',
    'Dig deep. Sow. Water.',
    'Dig. Sow. Water. Rest.',
    'Dig deep. Sow. Water. Rest.',
  ],
  ['both ends', 'Milk', 'Milk and bread', 'Buy Milk', 'Buy Milk and bread'],
  [
    'a script without spaces',
    '会議の資料を準備する',
    '会議の資料をすぐ準備する',
    '明日会議の資料を準備する',
    '明日会議の資料をすぐ準備する',
  ],
  ['an end that both have added to', 'Plan.', 'Plan. Mine.', 'Plan. Theirs.', undefined],
  ['a text that was empty', '', 'Mine', 'Theirs', undefined],
  ['the same change', 'One two', 'One 2', 'One 2', 'One 2'],
  ['what one removes and the other one changes', 'One\nTwo\nThree', 'One\nThree', 'One\n2\nThree', undefined],
])('changes of two users are merged: %s', (_kind, base, mine, theirs, merged) => {
  expect(merge(base, mine, theirs)).toBe(merged);
});

test('a change of one user stays unchanged, and the order does not matter', () => {
  const text = fc
    .array(fc.constantFrom('One', 'two', ' ', '\n', 'three.'), { maxLength: 12 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, text, (base, mine, theirs) => {
      expect(merge(base, mine, base)).toBe(mine);
      expect(merge(base, base, theirs)).toBe(theirs);
      expect(merge(base, mine, theirs)).toBe(merge(base, theirs, mine));
    }),
  );
});

test('a long line is fast: one without sentences stays unchanged', () => {
  const [sentences, line] = ['Dig and water. ', 'dig and water '].map((part) => part.repeat(500));
  expect(merge(`${sentences}`, `First. ${sentences}`, `${sentences}Last.`)).toBe(`First. ${sentences}Last.`);
  expect(merge(`${line}`, `First ${line}`, `${line}last`)).toBeUndefined();
});
