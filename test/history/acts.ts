import { newId } from '../../src/platform/ids.ts';
import type { mutations } from '../kit/mutations.ts';

/** Mutations without an undo: of workspaces, members, preferences and notifications, and permanent deletions. */
export const withoutUndo = [
  'acceptInvitation',
  'createWorkspace',
  'declineInvitation',
  'deleteWorkspace',
  'emptyTrash',
  'inviteToWorkspace',
  'leaveWorkspace',
  'muteTask',
  'readNotifications',
  'removeWorkspaceMember',
  'revokeInvitation',
  'sendTestMail',
  'setWorkspaceRole',
  'updatePreferences',
  'updateProfile',
  'claimTask',
  'releaseClaim',
  'renewClaim',
] as const satisfies (keyof typeof mutations)[];

export type UndoableMutation = Exclude<keyof typeof mutations, (typeof withoutUndo)[number]>;

export interface EntityIds {
  task: string;
  other: string;
  /** On the level of the first task. */
  sibling: string;
  third: string;
  project: string;
  otherProject: string;
  section: string;
  comment: string;
  tag: string;
  workspace: string;
  /** Deleted, and not restored. */
  deleted: string;
  operation: string;
  name: string;
  b: number;
  c: number;
  ownTags: (number: number) => string[];
  /** Some of the users. A user who is no member is refused. */
  assignees: (number: number) => string[];
}

export const variablesByMutation: Record<UndoableMutation, (ids: EntityIds) => object[]> = {
  createTask: ({ name, project, task, c, ownTags }) => [
    { input: { title: name, projectId: project, tagIds: ownTags(c) } },
    { input: { title: name, parentId: task } },
  ],
  updateTask: ({ name, task: id, other, project, section, b, c, ownTags, assignees }) =>
    [
      { title: name, priority: 'HIGH', description: c % 2 ? name : null },
      { completed: c % 2 === 0, dueDate: `2027-01-0${1 + (b % 9)}` },
      { isAllDay: c % 2 === 0, ...(c % 2 ? { dueTime: '2027-01-01T10:00:00Z' } : {}) },
      { color: c % 2 ? '#123' : null, reminder: b % 2 === 0 },
      { tagIds: ownTags(b) },
      { projectId: project },
      { projectId: project, tagIds: ownTags(c) },
      { sectionId: section },
      { parentId: c % 4 ? other : null },
      { assigneeIds: assignees(c) },
      c % 2 ? { addAssigneeIds: assignees(1) } : { removeAssigneeIds: assignees(1) },
      { recurrence: c % 3 ? { rule: 'FREQ=DAILY' } : null },
    ].map((input) => ({ id, input })),
  updateTasks: ({ task, other, otherProject, c, ownTags, assignees }) =>
    [{ priority: 'LOW', tagIds: ownTags(c), assigneeIds: assignees(c) }, { projectId: otherProject }].map((input) => ({
      ids: [task, other],
      input,
    })),
  moveTask: ({ task, sibling }) => [
    { id: task, after: sibling },
    { id: task, before: sibling },
  ],
  skipOccurrence: ({ task }) => [{ id: task }],
  deleteTask: ({ task }) => [{ id: task }],
  deleteTasks: ({ task, other, third }) => [{ ids: [task, other, third] }],
  createProject: ({ name, workspace, c }) => [{ name, workspaceId: c % 2 ? workspace : null }],
  updateProject: ({ project, name }) => [{ id: project, name }],
  deleteProject: ({ project }) => [{ id: project }],
  createSection: ({ project, name }) => [{ projectId: project, name }],
  updateSection: ({ section, name, project, b }) => [{ id: section, name, ...(b % 2 ? { projectId: project } : {}) }],
  deleteSection: ({ section }) => [{ id: section }],
  createComment: ({ task, name }) => [{ taskId: task, text: name }],
  updateComment: ({ comment, name }) => [{ id: comment, text: name }],
  deleteComment: ({ comment }) => [{ id: comment }],
  createTag: ({ name }) => [{ name }],
  updateTag: ({ tag, name }) => [{ id: tag, name, color: 'RED' }],
  deleteTags: ({ c, ownTags }) => [{ ids: ownTags(c) }],
  updateWorkspace: ({ workspace, name }) => [{ id: workspace, name }],
  restore: ({ deleted }) => [{ ids: [deleted] }],
  undo: ({ operation }) => [{ operationId: operation }],
};

export const compositions: Record<string, { document: string; variables: (ids: EntityIds) => object }> = {
  'a project around a task': {
    document: `mutation ($made: ID!, $name: String!, $workspace: ID, $task: ID!) {
      createProject(id: $made, name: $name, workspaceId: $workspace) { id }
      updateTask(id: $task, input: { projectId: $made }) { id }
    }`,
    variables: ({ name, workspace, task, c }) => ({
      made: newId('Project'),
      name,
      workspace: c % 2 ? workspace : null,
      task,
    }),
  },
  'a task above a task': {
    document: `mutation ($made: ID!, $name: String!, $project: ID!, $task: ID!) {
      createTask(input: { id: $made, title: $name, projectId: $project }) { id }
      updateTask(id: $task, input: { projectId: $project, parentId: $made }) { id }
    }`,
    variables: ({ name, project, task }) => ({ made: newId('Task'), name, project, task }),
  },
  'a section around a task': {
    document: `mutation ($made: ID!, $name: String!, $project: ID!, $task: ID!) {
      createSection(id: $made, projectId: $project, name: $name) { id }
      updateTask(id: $task, input: { projectId: $project, sectionId: $made }) { id }
    }`,
    variables: ({ name, project, task }) => ({ made: newId('Section'), name, project, task }),
  },
  'a task back and away again': {
    document: `mutation ($gone: ID!, $name: String!) {
      restore(ids: [$gone]) { applied }
      updateTask(id: $gone, input: { title: $name }) { id }
      deleteTask(id: $gone)
    }`,
    variables: ({ deleted, name }) => ({ gone: deleted, name }),
  },
  'the name of a tag for another one': {
    document: `mutation ($tag: ID!, $name: String!, $other: ID!) {
      rename: updateTag(id: $tag, name: $name) { id }
      deleteTags(ids: [$other]) { deletedIds }
      createTag(name: "taken over") { id }
    }`,
    variables: ({ tag, name, ownTags, c }) => ({ tag, name, other: ownTags(c)[0] ?? 'none' }),
  },
};
