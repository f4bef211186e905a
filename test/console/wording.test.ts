import { expect, test } from '@jest/globals';
import { nameOf } from '../../console/src/app/names.ts';
import { texts } from '../../console/src/texts.ts';

test.each(['👨‍👩‍👧‍👦', '🇪🇺', '👍🏽', '🙂', 'é', 'नि', 'x'])(
  'a notice about a long title of %s has whole characters',
  (character) => {
    const [, shown = ''] = /“x(.*)…”$/u.exec(texts.added(`x${character.repeat(100)}`)) ?? [];
    expect(shown.replaceAll(character, '')).toBe('');
    expect(shown.length).toBeLessThanOrEqual(60);
    expect(shown.length).toBeGreaterThan(60 - character.length - 2);
  },
);

test('a notice has a short title as a whole', () => {
  expect(texts.added('x'.repeat(60))).toBe(`Added “${'x'.repeat(60)}”`);
});

test.each(['\u202E', '\u2067', '\u2069\u202E'])('a name with %j turns no sentence around', (sign) => {
  const host = nameOf({ name: `${sign}Eve`, email: null });
  expect(texts.invited(host, `${sign}Garden`)).toBe('Eve invited you to “Garden”');
});
