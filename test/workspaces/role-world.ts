import { type Role, roles } from '../../src/platform/roles.ts';
import { mustClaim } from '../claims/claims.ts';
import type { GraphqlAnswer } from '../kit/client.ts';
import { type MutationName, mutations, type Targets } from '../kit/mutations.ts';
import {
  addMember,
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
  ...{ updateTask: 'EDITOR', updateTasks: 'EDITOR', claimTask: 'EDITOR', renewClaim: 'EDITOR', releaseClaim: 'EDITOR' },
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

export const codesOf = ({ errors = [] }: Pick<GraphqlAnswer<unknown>, 'errors'>) => [
  ...new Set(errors.map(({ extensions }) => extensions.code)),
];

const tablesByColumn = {
  id: ['spaces', 'users'],
  user_id: ['memberships', 'preferences', 'notification_events', 'task_mutes', 'claims'],
  space_id: [
    ...['memberships', 'invitations', 'projects', 'sections', 'tasks', 'task_tags', 'tags', 'comments'],
    ...['operations', 'changes', 'history', 'trash'],
  ],
};

/** A workspace of an ADMIN, an EDITOR, and the guest whose role is tested. */
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
    const [workspace, other] = await Promise.all([makeWorkspaceOfAdmins(owner, guest), makeWorkspace(owner)]);
    await addMember(owner, workspace.id, this.#member);
    const [project, otherProject, tag, invitationId, revocableId] = await Promise.all([
      makeProject(owner, { workspaceId: workspace.id }),
      makeProject(guest),
      makeTag(guest, { color: 'blue' }),
      invite(owner, other.id, guest.email),
      invite(owner, workspace.id, randomEmail()),
    ]);
    const section = await makeSection(owner, project.id);
    const inSection = { projectId: project.id, projectSectionId: section.id };
    const task = await makeTask(guest, { ...inSection, tags: [tag.id] });
    const { otherTask } = await owner.data<{ otherTask: { id: string } }>(
      `mutation ($project: ID!, $section: ID!, $member: ID!) {
        otherTask: createTask(input: {
          title: "Other", projectId: $project, sectionId: $section, assigneeIds: [$member], recurrence: { rule: "FREQ=DAILY" }
        }) { id }
      }`,
      { project: project.id, section: section.id, member: this.#member.id },
    );
    const deleted = await makeTask(guest, { projectId: project.id });
    const comment = await makeComment(guest, task.id);
    // A notification for the guest.
    await makeComment(owner, task.id);
    await guest.delete(`/api/v2/todo/${deleted.id}`);
    const fence = await mustClaim(guest, (await makeTask(guest, { projectId: project.id })).id);
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
      fence,
    };
  }

  async discard({ workspaceId, otherWorkspaceId }: WorldTargets): Promise<void> {
    await this.#service.sql('DELETE FROM spaces WHERE id = ANY ($1)', [[workspaceId, otherWorkspaceId]]);
    await this.#service.sql('DELETE FROM tags WHERE space_id = $1', [this.guest.id]);
  }

  async setRole(workspaceId: string, role: Role): Promise<void> {
    await this.#service.sql(
      'UPDATE memberships SET role = $1::"WorkspaceRole" WHERE space_id = $2 AND user_id = $3 AND role <> $1::"WorkspaceRole"',
      [role, workspaceId, this.guest.id],
    );
  }

  /** Hashes of all rows of the spaces, with their history, and of the users with these ids, by table. */
  async rowsOf(...ids: string[]): Promise<Record<string, string>> {
    const tables = Object.entries(tablesByColumn).flatMap(([column, names]) =>
      names.map((name) => `SELECT '${name}' AS name, row::text FROM ${name} AS row WHERE ${column} = ANY ($1)`),
    );
    const testMails = `SELECT 'deliveries', id FROM deliveries WHERE user_id = ANY ($1) AND kind = 'TEST'`;
    const hashes = await this.#service.sql<{ name: string; hash: string }>(
      `SELECT name, md5(string_agg(row, ' ' ORDER BY row)) AS hash
       FROM (${[...tables, testMails].join(' UNION ')}) AS rows GROUP BY name ORDER BY name`,
      [ids],
    );
    return Object.fromEntries(hashes.map(({ name, hash }) => [name, hash]));
  }
}
