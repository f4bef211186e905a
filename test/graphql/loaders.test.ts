import { expect, test } from '@jest/globals';
import type { Context } from '../../src/platform/context.ts';
import { loaderOf } from '../../src/platform/loaders.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';

test('each mutation of a document counts the rows after its own change', async () => {
  const anna = await signUp(await sharedService());
  const created = 'createTask(input: { title: "Task" }) { project { tasks { totalCount } } }';
  const data = await anna.data(`mutation { a: ${created} b: ${created} }`);
  expect(data).toEqual({ a: { project: { tasks: { totalCount: 1 } } }, b: { project: { tasks: { totalCount: 2 } } } });
});

test('each mutation of a document reads rows after its own change, also if one relation has two arguments', async () => {
  const anna = await signUp(await sharedService());
  const created = (title: string) => `createTask(input: { title: "${title}" }) {
    project { first: tasks(first: 1) { nodes { title } } all: tasks(first: 9) { nodes { title } } }
  }`;
  const data = await anna.data(`mutation { a: ${created('A')} b: ${created('B')} }`);
  const tasks = (...titles: string[]) => ({ nodes: titles.map((title) => ({ title })) });
  expect(data).toEqual({
    a: { project: { first: tasks('A'), all: tasks('A') } },
    b: { project: { first: tasks('A'), all: tasks('A', 'B') } },
  });
});

test('a loader reads as its latest caller, because a mutation may change the viewer', async () => {
  const context = { viewer: null } as Context;
  const readAs = (viewer: string) =>
    loaderOf(context, 'names', (ids: readonly string[]) => Promise.resolve(ids.map((id) => `${viewer} ${id}`)));
  expect(await readAs('member').load('a')).toBe('member a');
  expect(await readAs('nobody').load('a')).toBe('nobody a');
});
