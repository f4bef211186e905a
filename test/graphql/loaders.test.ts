import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';

test('each mutation of a document counts the rows after its own change', async () => {
  const anna = await signUp(await sharedService());
  const created = 'createTask(input: { title: "Task" }) { project { tasks { totalCount } } }';
  const data = await anna.data(`mutation { a: ${created} b: ${created} }`);
  expect(data).toEqual({ a: { project: { tasks: { totalCount: 1 } } }, b: { project: { tasks: { totalCount: 2 } } } });
});
