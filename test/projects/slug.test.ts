import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { slugOf } from '../../src/projects/slug.ts';

const id = 'proj_01h2xcejqtf2nbrexx3vqjhp41';

test.each([
  ['Inbox', 'inbox-3vqjhp41'],
  ['  Home & Garden! ', 'home-garden-3vqjhp41'],
  ['Ärger im Büro', 'arger-im-buro-3vqjhp41'],
  ['ﬁne Ⅷ', 'fine-viii-3vqjhp41'],
  ['日本語', '3vqjhp41'],
  ['🎉', '3vqjhp41'],
  ['x'.repeat(255), `${'x'.repeat(60)}-3vqjhp41`],
  [`${'x'.repeat(59)} y`, `${'x'.repeat(59)}-3vqjhp41`],
])('the slug of %j is %s', (name, slug) => {
  expect(slugOf(name, id)).toBe(slug);
});

test('the slug of any name is safe in a URL and not empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 255 }), (name) => {
      expect(slugOf(name, id)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    }),
  );
});
