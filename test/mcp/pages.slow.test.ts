import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Agent } from './agent.ts';

interface Tasks {
  tasks: { id: string }[];
  cursor?: string;
}

let service: Service;
let anna: User;
let agent: Agent;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
  agent = await Agent.of(service, anna);
});
afterAll(() => service.close());

test('list_tasks has pages that fit, and each of 10,000 tasks once', async () => {
  // Without triggers: the log would take minutes.
  await service.sql(
    `BEGIN;
     ALTER TABLE tasks DISABLE TRIGGER USER;
     INSERT INTO tasks (id, space_id, project_id, title, description, search, sort_key)
     SELECT 'task_' || lpad(n::text, 26, '0'), space_id, id, 'task ' || n, repeat('ä', 16384), '', 'a' || lpad(n::text, 5, '0') || 'V'
     FROM generate_series(1, 10000) AS n, projects WHERE space_id = '${anna.id}' AND is_default;
     SET CONSTRAINTS ALL IMMEDIATE;
     ALTER TABLE tasks ENABLE TRIGGER USER;
     COMMIT`,
  );
  const first = await agent.call<Tasks>('list_tasks');
  expect(first).toMatchObject({ tasks: { length: 25 }, total: 10_000, cursor: expect.any(String) });
  const seen = new Set<string>();
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = (await agent.result('list_tasks', { limit: 100, cursor })).structuredContent as unknown as Tasks;
    for (const { id } of page.tasks) seen.add(id);
    ({ cursor } = page);
    pages += page.tasks.length;
  } while (cursor !== undefined);
  expect([seen.size, pages]).toEqual([10_000, 10_000]);
});
