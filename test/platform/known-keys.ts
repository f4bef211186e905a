const spaces = (count: number) => ' '.repeat(count);
const [smallest, greatest] = [`A${'0'.repeat(26)}`, `z${'z'.repeat(26)}`];

/** The key that comes between two keys. Null is an end of the list, or no key. */
export const knownKeys: readonly (readonly [after: string | null, before: string | null, key: string | null])[] = [
  [null, null, 'a0'],
  // Generated keys: the next or previous integer, or a fraction.
  ['a0', null, 'a1'],
  [null, 'a0', 'Zz'],
  ['a0', 'a1', 'a0V'],
  ['a9', 'aB', 'aA'],
  ['a0', 'a011', 'a01'],
  [greatest, null, `${greatest}V`],
  [`${greatest}z`, null, `${greatest}zV`],
  [null, `${smallest}1`, `${smallest}0V`],
  // They have no zeros at the end.
  ['a00', 'a1', 'a01'],
  ['a0', 'a0-', 'a0&'],
  // After keys of clients: 'a0' if it is greater. Otherwise the first character that can grow does.
  ['-', null, 'a0'],
  ['b-', null, 'c'],
  ['~~b', null, '~~c'],
  ['~', null, '~P'],
  ['~a-', null, '~b'],
  // Between keys of clients: their common beginning, and the middle of the next characters.
  ['-', 'a0', 'G'],
  [null, '-', '&'],
  ['a-', 'a/', 'a.'],
  ['a-', 'a.', 'a-P'],
  ['a-x', 'a.', 'a-y'],
  ['a-~', 'a.', 'a-~P'],
  ['a', 'a!', 'a P'],
  ['a', 'a ', null],
  // None has more than 200 characters.
  [`-${spaces(197)}`, `-${spaces(197)}!`, `-${spaces(198)}P`],
  [`-${spaces(198)}`, `-${spaces(198)}!`, null],
];
