import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeProject, makeTask, makeWorkspace, type RestTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { misspell, misspelt, word } from './search-cases.ts';

let service: Service;
let anna: User;

beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});
beforeEach(() => service.sql('DELETE FROM tasks; DELETE FROM trash'));

async function found(q: string, user = anna): Promise<string[]> {
  const { body } = await user.get<{ todos: RestTask[] }>(`/api/v2/todo/search?q=${encodeURIComponent(q)}`);
  return body.todos.map(({ title }) => title);
}

const patch = (id: string, body: object) => anna.patch(`/api/v2/todo/${id}`, body);

const insert = (titles: string[]) =>
  service.sql(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
     SELECT format('task_%s', lpad(n::text, 26, '0')), $1, (SELECT id FROM projects WHERE space_id = $1 AND is_default),
       title, lpad(n::text, 6, '0')
     FROM unnest($2::text[]) WITH ORDINALITY AS task (title, n)`,
    [anna.id, titles],
  );

describe('the search', () => {
  test('finds every word of a title and a description, and every prefix of it', () =>
    fc.assert(
      fc.asyncProperty(fc.array(word(1), { minLength: 1, maxLength: 4 }), fc.nat(), async (words, number) => {
        await service.sql('DELETE FROM tasks; DELETE FROM trash');
        const text = [...words, number].join(' ');
        await makeTask(anna, { title: text });
        await makeTask(anna, { title: '.', description: text });
        for (const each of [...words, String(number)]) {
          const letters = [...each];
          for (const length of new Set([1, 2, Math.ceil(letters.length / 2), letters.length])) {
            expect(await found(letters.slice(0, length).join(''))).toEqual([text, '.']);
          }
        }
        expect(await found(text)).toEqual([text, '.']);
      }),
      { numRuns: 12 },
    ));

  test('finds a word of five letters or more with one letter wrong', () =>
    fc.assert(
      fc.asyncProperty(misspelt, async (typo) => {
        await service.sql('DELETE FROM tasks; DELETE FROM trash');
        await makeTask(anna, { title: `Some ${typo.right} thing` });
        expect(await found(misspell(typo))).toEqual([`Some ${typo.right} thing`]);
        expect(await found(`thin ${misspell(typo)} some`)).toEqual([`Some ${typo.right} thing`]);
      }),
      { numRuns: 25 },
    ));

  test('needs every word, even if one is misspelt', async () => {
    await insert(['Paint the fence', 'Paint the wall', 'Mend the fence']);
    expect(await found('paint fnece')).toEqual(['Paint the fence']);
    expect(await found('paint xylophone')).toEqual([]);
  });

  test('does not treat a number as another one misspelt', async () => {
    await insert(['Invoice 20261', 'Invoice 20271']);
    expect(await found('invocie 20271')).toEqual(['Invoice 20271']);
    expect(await found('invoice 20281')).toEqual([]);
  });

  test('has the current words of a task after each write', async () => {
    const { id } = await makeTask(anna, { title: 'Harbour' });
    await patch(id, { title: 'Lighthouse' });
    expect(await found('lighthosue')).toEqual(['Lighthouse']);
    expect(await found('harbour')).toEqual([]);
    await patch(id, { description: 'near the breakwater' });
    expect(await found('breakw')).toEqual(['Lighthouse']);
    await patch(id, { description: null });
    expect(await found('breakwater')).toEqual([]);
  });

  test('has the words of a moved task only in its new space', async () => {
    const ben = await signUp(service);
    const project = await makeProject(anna, { workspaceId: (await makeWorkspace(anna, ben)).id });
    const { id } = await makeTask(anna, { title: 'Lighthouse' });
    expect(await found('lighthouse', ben)).toEqual([]);
    await patch(id, { projectId: project.id });
    expect(await found('lighthouse', ben)).toEqual(['Lighthouse']);
    expect(await found('ligthouse', ben)).toEqual(['Lighthouse']);
  });

  test('prefers the exact word to prefixes, and the most similar title, however many there are', async () => {
    const cargos = Array.from({ length: 1200 }, (_, index) => `Cargo ${index}`);
    await insert([...cargos, 'Wash the car', 'Car', 'Of no use']);
    const first = (await found('car')).slice(0, 3);
    expect(first.slice(0, 2).sort()).toEqual(['Car', 'Wash the car']);
    expect(first.slice(2)).toEqual(['Cargo 0']);
    expect((await found('cargo 7')).slice(0, 2)).toEqual(['Cargo 7', 'Cargo 70']);
    expect((await found('cagro'))[0]).toBe('Cargo 0');
  });

  test('finds a prefix with more words than are looked up', async () => {
    const words = Array.from({ length: 1500 }, (_, index) => `x${index} y${index}`);
    await insert([...words, 'Zebra']);
    expect(await found('x')).toHaveLength(50);
    const exact = words.filter((each) => each.includes('y149'));
    expect((await found('x y149')).slice(0, exact.length)).toEqual(exact);
    expect(await found('x zebra')).toEqual([]);
  });

  test('accepts long words and many of them', async () => {
    const long = `https://example.com/${'a/'.repeat(220)}`;
    const manyWords = Array.from({ length: 160 }, (_, index) => index.toString(36)).join(' ');
    await insert([long, manyWords]);
    expect(await found(long)).toEqual([long]);
    expect(await found(manyWords)).toEqual([manyWords]);
  });
});
