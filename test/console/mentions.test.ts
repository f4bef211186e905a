import { expect, test } from '@jest/globals';
import { partsOf, withIds, withNames } from '../../console/src/app/mentions.ts';
import { newId } from '../../src/platform/ids.ts';

const member = (name: string) => ({ id: newId('User'), name, aliases: [] });
const [ada, adam, odd] = [member('Ada'), member('Ada M. Byron'), member('a+b@example.com (C)')] as const;
const members = [ada, adam, odd];

test.each([
  ['@Ada, look', `@${ada.id}, look`],
  ['Ask @Ada M. Byron.', `Ask @${adam.id}.`],
  ['(@Ada)\n@Ada’s list', `(@${ada.id})\n@${ada.id}’s list`],
  ['@a+b@example.com (C) and @Ada', `@${odd.id} and @${ada.id}`],
])('“%s” mentions members by their ids, and is shown as it was written', (text, sent) => {
  expect(withIds(text, members)).toBe(sent);
  expect(withNames(sent, members)).toBe(text);
});

test('letters in upper or lower case mean the same name', () => {
  expect(withIds('@ada m. BYRON and @ADA', members)).toBe(`@${adam.id} and @${ada.id}`);
});

test('a name may have a letter that is two in lower case', () => {
  const members = [member('İbrahim'), member('Ada')] as const;
  expect(withIds('Ask @İbrahim, not @ada', members)).toBe(`Ask @${members[0].id}, not @${members[1].id}`);
});

test.each(Array.from('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'))('a name may have a “%s”', (sign) => {
  const anne = member(`Anne${sign}Marie`);
  expect(withIds(`Ask @Anne${sign}Marie today`, [ada, anne])).toBe(`Ask @${anne.id} today`);
});

test.each(['mail@Ada', '@Adamant', '@ Ada', '@Nobody', 'Ada', '@@'])('“%s” is plain text', (text) => {
  expect(withIds(text, members)).toBe(text);
});

test('ids of others, and longer words, are plain text', () => {
  const other = newId('User');
  for (const text of [`@${other}`, `@${ada.id}x`, ada.id]) expect(withNames(text, members)).toBe(text);
});

test('a text has its mentions as parts', () => {
  expect(partsOf(`@${ada.id} or @${adam.id}`, members)).toEqual([
    { text: '@Ada', isMention: true },
    { text: ' or ', isMention: false },
    { text: '@Ada M. Byron', isMention: true },
  ]);
  expect(partsOf('no one', [])).toEqual([{ text: 'no one', isMention: false }]);
  expect(withIds('@Ada', [])).toBe('@Ada');
});
