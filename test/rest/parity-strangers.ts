import { makeComment, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

const noId = '0'.repeat(26);

/** Names for entities of another user, and for missing ones. */
export async function createStrangerNames(service: Service): Promise<Map<string, string>> {
  const ben = await signUp(service);
  const project = await makeProject(ben);
  const task = await makeTask(ben);
  const theirs = {
    task: task.id,
    comment: (await makeComment(ben, task.id)).id,
    project: project.id,
    section: (await makeSection(ben, project.id)).id,
    tag: (await makeTag(ben)).id,
    workspace: (await makeWorkspace(ben)).id,
  };
  const missingIds = { task: 'task_', project: 'proj_', section: 'sect_', tag: 'tag_', workspace: 'wksp_' };
  return new Map([
    ...Object.entries(theirs).map(([kind, id]): [string, string] => [`<their ${kind}>`, id]),
    ...Object.entries(missingIds).map(([kind, prefix]): [string, string] => [`<no ${kind}>`, `${prefix}${noId}`]),
  ]);
}
