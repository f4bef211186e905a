import { beforeAll, describe, expect, test } from '@jest/globals';
import { feeds } from '../changes/feeds.ts';
import { cursorOfNow } from '../changes/stream.ts';
import { makeComment, makeProject, makeTask, makeWorkspace, type RestComment, type RestTask } from '../kit/make.ts';
import { type Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

describe('a comment, its edit and its deletion', () => {
  let service: Service;
  let anna: User;
  let ben: User;
  let task: RestTask;
  beforeAll(async () => {
    service = await sharedService();
    [anna, ben] = [await signUp(service), await signUp(service)];
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    task = await makeTask(anna, { projectId: (await makeProject(anna, { workspaceId })).id });
  });

  test.each(Object.entries(feeds))('change the task and its field `comments` over %s', async (_transport, open) => {
    const reader = { cookie: ben.cookie ?? '', inboxId: '' };
    const feed = await open(service, reader, await cursorOfNow(ben));
    const change = { kind: 'UPDATED', taskId: task.id, changedFields: ['comments'] };
    const comment: RestComment = await makeComment(anna, task.id);
    expect(await feed.take()).toMatchObject(change);
    await anna.patch(`/api/v2/comments/${comment.id}`, { text: 'new' });
    expect(await feed.take()).toMatchObject(change);
    await anna.delete(`/api/v2/comments/${comment.id}`);
    expect(await feed.take()).toMatchObject(change);
    feed.disconnect();
  });
});
