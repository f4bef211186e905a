import { beforeAll, describe, expect, test } from '@jest/globals';
import { openLockHolder, lockSpaces, untilWaiting } from '../kit/locks.ts';
import { makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

describe('updateTasks', () => {
  test('without a field is refused', async () => {
    const anna = await signUp(service);
    const { id } = await makeTask(anna);
    const { errors } = await anna.graphql(`mutation { updateTasks(ids: ["${id}"], input: {}) { count } }`);
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'input' }] } }]);
  });
});

describe('updateTask', () => {
  test('with a move and tags locks the space of the tags before it waits for the space of the task', async () => {
    const anna = await signUp(service);
    const workspace = await makeWorkspace(anna);
    const [project, other] = [
      await makeProject(anna, { workspaceId: workspace.id }),
      await makeProject(anna, { workspaceId: workspace.id }),
    ];
    const [task, tag] = [await makeTask(anna, { projectId: project.id }), await makeTag(anna)];
    const lockHolder = await lockSpaces(service, workspace.id);
    const update = anna.data(
      `mutation { updateTask(id: "${task.id}", input: {projectId: "${other.id}", tagIds: ["${tag.id}"]}) { id } }`,
    );
    await untilWaiting(service, 1);
    const secondHolder = await openLockHolder(service);
    const personal = secondHolder.sql('SELECT FROM spaces WHERE id = $1 FOR UPDATE NOWAIT', [anna.id]);
    await expect(personal).rejects.toMatchObject({ code: '55P03' });
    await secondHolder.release();
    await lockHolder.release();
    await update;
  });
});
