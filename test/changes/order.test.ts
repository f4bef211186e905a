import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { cursorOfNow, poll } from './stream.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

async function kindsOf(reader: User, taskId: string, after: string): Promise<string[]> {
  const kinds: string[] = [];
  for (let cursor = after; ;) {
    const page = await poll(reader, cursor);
    kinds.push(...page.nodes.filter((each) => each.taskId === taskId).map(({ kind }) => kind));
    if (!page.hasNextPage) return kinds;
    ({ cursor } = page);
  }
}

describe('the changes of a task in several spaces are in the order of their commits', () => {
  test('if the reader tags a new task of a workspace', async () => {
    const anna = await signUp(service);
    const project = await makeProject(anna, { workspaceId: (await makeWorkspace(anna)).id });
    const tag = await makeTag(anna);
    const after = await cursorOfNow(anna);
    const task = await makeTask(anna, { projectId: project.id });
    await anna.patch(`/api/v2/todo/${task.id}`, { tags: [tag.id] });
    expect(await kindsOf(anna, task.id, after)).toEqual(['CREATED', 'UPDATED']);
  });

  test.each([0, 120])('if it comes through a space out of sight, with %d other changes before', async (count) => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const [first, second] = [await makeWorkspace(anna, ben), await makeWorkspace(anna, ben)];
    const from = await makeProject(anna, { workspaceId: second.id });
    const to = await makeProject(anna, { workspaceId: first.id });
    const own = await makeProject(anna);
    const task = await makeTask(anna, { projectId: from.id });
    const other = await makeTask(anna, { projectId: from.id });
    const after = await cursorOfNow(ben);
    for (let done = 0; done < count; done += 40) {
      const titles = Array.from({ length: 40 }, (_, index) => String(done + index));
      const fields = titles.map(
        (each) => `t${each}: updateTask(id: "${other.id}", input: { title: "${each}" }) { id }`,
      );
      await anna.data(`mutation { ${fields.join('\n')} }`);
    }
    for (const { id } of [own, to]) await anna.patch(`/api/v2/todo/${task.id}`, { projectId: id });
    expect(await kindsOf(ben, task.id, after)).toEqual(['DELETED', 'CREATED']);
  });
});
