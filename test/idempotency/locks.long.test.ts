import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { databaseLimits } from '@taskgate/postgres';
import { type LockHolder, openLockHolder, untilWaiting } from '../kit/locks.ts';
import { makeProject, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { mutate, newKey, titlesOf, withKey } from './keyed.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let lockHolder: LockHolder | undefined;
afterEach(() => lockHolder?.release());

describe('a keyed operation', () => {
  test('locks only the spaces that it names, and no other workspace of its caller', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const [namedProject, other] = [await makeWorkspace(anna, ben), await makeWorkspace(anna, ben)];
    const [project, otherProject] = [
      await makeProject(anna, { workspaceId: namedProject.id }),
      await makeProject(anna, { workspaceId: other.id }),
    ];
    // Its first mutation waits here and holds the locks of the operation.
    lockHolder = await openLockHolder(service);
    await lockHolder.sql('LOCK TABLE tags IN EXCLUSIVE MODE');
    const operation = mutate(
      anna,
      `mutation ($project: ID) {
        createTag(name: "late") { id }
        createTask(input: { title: "shared", projectId: $project }) { id }
      }`,
      { key: newKey(), variables: { project: project.id } },
    );
    await untilWaiting(service, 1);
    expect((await ben.post('/api/v2/todo', { title: 'free', projectId: otherProject.id })).status).toBe(201);
    const blockedWrite = ben.post('/api/v2/todo', { title: 'behind', projectId: project.id });
    await untilWaiting(service, 2);
    await lockHolder.release();
    expect((await operation).body.errors).toBeUndefined();
    expect((await blockedWrite).status).toBe(201);
  });

  test(`has ${databaseLimits.operationMs} milliseconds, then is refused without an effect, and its key is free`, async () => {
    const [anna, key] = [await signUp(service), newKey()];
    await service.sql(`
      CREATE SEQUENCE slow_runs;
      CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('slow_runs') = 1 THEN PERFORM pg_sleep(600); END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER be_slow BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION be_slow();`);
    try {
      const refusedRetry = await anna.post('/api/v2/todo', { title: 'slow' }, withKey(key));
      expect(refusedRetry).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
      expect(await titlesOf(service, anna)).toEqual([]);
      expect((await anna.post('/api/v2/todo', { title: 'slow' }, withKey(key))).status).toBe(201);
    } finally {
      await service.sql('DROP FUNCTION be_slow CASCADE; DROP SEQUENCE slow_runs');
    }
  });
});
