import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;

beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
});
afterAll(() => service.close());

const longestTitle = 500;
const longestDescription = 16_384;

/** A text of so many code points, made of numbered pieces. */
const fillText = (length: number, piece: (index: number) => string) => {
  let text = '';
  for (let index = 0; text.length < 2 * length; index += 1) text += piece(index);
  return [...text].slice(0, length).join('');
};

const create = (title: string, description: string) => anna.post('/api/v2/todo', { title, description });

const fourBytes = (index: number) => String.fromCodePoint(0x20000 + (index % 40_000));

test.each<[string, (index: number) => string]>([
  ['words of one sign of four bytes', (index) => `${fourBytes(index)} `],
  ['one word of signs of four bytes', fourBytes],
  ['words of 500 such signs', (index) => fourBytes(index).repeat(500) + ' '],
  ['numbers', (index) => `${index} `],
  ['addresses', (index) => `http://h${index}.example/p/${index}?q=${index} `],
  ['an address', (index) => (index === 0 ? 'http://example.org' : `/${index}`)],
  ['words with hyphens', (index) => `a${index}-b${index}-`],
  ['letters that grow in lower case', () => 'İȺȾ '],
])('the longest texts are accepted: %s', async (_name, piece) => {
  const answer = await create(fillText(longestTitle, piece).trim() || 'x', fillText(longestDescription, piece));
  expect(answer).toMatchObject({ status: 201 });
});

test('the longest texts are accepted, whatever their characters', async () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
    fc.constantFrom('-', '/', '.', '@', ':', ' ', '<a b="', 'http://', 'x@y.example', '𠀀', '1e9', '"', "'", '\\\\'),
  );
  const texts = fc.array(unit, { minLength: 1, maxLength: 40 });
  const property = fc.asyncProperty(texts, async (units) => {
    const piece = (index: number) => `${units[index % units.length]}${index % 3 === 0 ? index : ''}`;
    const clean = (text: string) => text.replaceAll('\0', '');
    const description = clean(fillText(longestDescription, piece));
    expect(await create('x', description)).toMatchObject({ status: 201 });
  });
  await fc.assert(property, { numRuns: 12 });
});
