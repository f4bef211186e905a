import { type Role, roles } from '../../src/platform/roles.ts';
import { type MutationName, mutations, type Targets } from '../kit/mutations.ts';
import {
  invite,
  makeComment,
  makeProject,
  makeSection,
  makeTag,
  makeTask,
  makeWorkspace,
  makeWorkspaceOfAdmins,
} from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

export interface WorldTargets extends Targets {
  /** Of the workspace. */
  revocableId: string;
  otherWorkspaceId: string;
}

/** The least role for each mutation. `nobody`: the workspace has other members. */
export const leastRoles: Record<MutationName, Role | 'nobody'> = {
  ...{ acceptInvitation: 'VIEWER', createTag: 'VIEWER', createWorkspace: 'VIEWER', declineInvitation: 'VIEWER' },
  ...{ deleteTags: 'VIEWER', leaveWorkspace: 'VIEWER', muteTask: 'VIEWER', readNotifications: 'VIEWER' },
  ...{ sendTestMail: 'VIEWER', updatePreferences: 'VIEWER', updateProfile: 'VIEWER', updateTag: 'VIEWER' },
  ...{ createComment: 'COMMENTER', deleteComment: 'COMMENTER', updateComment: 'COMMENTER' },
  ...{ createProject: 'EDITOR', createSection: 'EDITOR', createTask: 'EDITOR', deleteProject: 'EDITOR' },
  ...{ deleteSection: 'EDITOR', deleteTask: 'EDITOR', deleteTasks: 'EDITOR', emptyTrash: 'EDITOR', moveTask: 'EDITOR' },
  ...{ restore: 'EDITOR', skipOccurrence: 'EDITOR', undo: 'EDITOR', updateProject: 'EDITOR', updateSection: 'EDITOR' },
  ...{ updateTask: 'EDITOR', updateTasks: 'EDITOR' },
  ...{
    deleteWorkspace: 'nobody',
    inviteToWorkspace: 'ADMIN',
    removeWorkspaceMember: 'ADMIN',
    revokeInvitation: 'ADMIN',
  },
  ...{ setWorkspaceRole: 'ADMIN', updateWorkspace: 'ADMIN' },
};

export const names = Object.keys(mutations) as MutationName[];
export const isAllowed = (name: MutationName, role: Role) => {
  const least = leastRoles[name];
  return least !== 'nobody' && roles.indexOf(role) >= roles.indexOf(least);
};
export const documentOf = (name: MutationName, targets: WorldTargets) =>
  mutations[name](name === 'revokeInvitation' ? { ...targets, invitationId: targets.revocableId } : targets);

/** A workspace of an ADMIN, a member, and the guest whose role is tested. */
export class RoleWorld {
  readonly #service: Service;
  readonly guest: User;
  readonly #owner: User;
  readonly #member: User;

  private constructor(service: Service, users: [User, User, User]) {
    this.#service = service;
    [this.guest, this.#owner, this.#member] = users;
  }

  static async start(service: Service): Promise<RoleWorld> {
    return new RoleWorld(service, await Promise.all([signUp(service), signUp(service), signUp(service)]));
  }

  /** Makes the workspace. The guest is ADMIN, and has written a part of its contents. */
  async make(): Promise<WorldTargets> {
    const [owner, guest] = [this.#owner, this.guest];
    const [workspace, other] = await Promise.all([
      makeWorkspaceOfAdmins(owner, guest, this.#member),
      makeWorkspace(owner),
    ]);
    const [project, otherProject, tag, invitationId, revocableId] = await Promise.all([
      makeProject(owner, { workspaceId: workspace.id }),
      makeProject(guest),
      makeTag(guest),
      invite(owner, other.id, guest.email),
      invite(owner, workspace.id, randomEmail()),
    ]);
    const section = await makeSection(owner, project.id);
    const inSection = { projectId: project.id, projectSectionId: section.id };
    const task = await makeTask(guest, { ...inSection, tags: [tag.id] });
    const [otherTask, deleted] = [await makeTask(owner, inSection), await makeTask(guest, { projectId: project.id })];
    const comment = await makeComment(guest, task.id);
    await guest.delete(`/api/v2/todo/${deleted.id}`);
    const { headers } = await guest.patch(`/api/v2/todo/${otherTask.id}`, { title: 'Changed' });
    return {
      workspaceId: workspace.id,
      projectId: project.id,
      otherProjectId: otherProject.id,
      sectionId: section.id,
      taskId: task.id,
      otherTaskId: otherTask.id,
      commentId: comment.id,
      tagId: tag.id,
      invitationId,
      revocableId,
      otherWorkspaceId: other.id,
      email: randomEmail(),
      userId: this.#member.id,
      deletedId: deleted.id,
      operationId: headers.get('x-operation-id') ?? '',
    };
  }

  async discard({ workspaceId, otherWorkspaceId }: WorldTargets): Promise<void> {
    await this.#service.sql('DELETE FROM spaces WHERE id = ANY ($1)', [[workspaceId, otherWorkspaceId]]);
  }

  async setRole(workspaceId: string, role: Role): Promise<void> {
    await this.#service.sql(
      'UPDATE memberships SET role = $1::"WorkspaceRole" WHERE space_id = $2 AND user_id = $3 AND role <> $1::"WorkspaceRole"',
      [role, workspaceId, this.guest.id],
    );
  }

  /** A hash of everything in the workspace, its history included. */
  async rowsOf(workspaceId: string): Promise<unknown> {
    const tables = ['memberships', 'invitations', 'projects', 'sections', 'tasks', 'comments', 'operations', 'changes'];
    const own = [...tables, 'history', 'trash'].map(
      (table) => `SELECT '${table}' AS name, row::text AS row FROM ${table} AS row WHERE space_id = $1`,
    );
    const tags = `SELECT 'tags', row::text FROM task_tags AS row JOIN tasks ON tasks.id = task_id WHERE tasks.space_id = $1`;
    const [hash] = await this.#service.sql(
      `SELECT md5(string_agg(name || row, ' ' ORDER BY name, row)) FROM (
        SELECT 'spaces' AS name, spaces::text AS row FROM spaces WHERE id = $1 UNION ALL ${[...own, tags].join(' UNION ALL ')}
      ) AS rows`,
      [workspaceId],
    );
    return hash;
  }
}
