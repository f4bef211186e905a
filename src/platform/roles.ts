import { type EnumType, valuesOf } from './fields.ts';

/** Ascending. The API and docs/together.md have the descriptions. */
export const workspaceRole = {
  name: 'WorkspaceRole',
  description:
    'What a member may do in a workspace. VIEWER, COMMENTER, EDITOR, ADMIN: each role has the rights of those before it.',
  values: {
    VIEWER: 'Reads everything in the workspace; leaves it; mutes tasks; marks notifications as read.',
    COMMENTER: 'Writes comments; edits and deletes its own comments.',
    EDITOR:
      "Changes projects, sections, tasks and assignees, and its own tags on the workspace's tasks; uses `undo`, `restore` and `emptyTrash`.",
    ADMIN:
      "Changes the workspace's name, roles, members and invitations; deletes comments of others; deletes the workspace as its last member.",
  },
} as const satisfies EnumType;

export const roles = valuesOf(workspaceRole);

/** Role of a member in a space. */
export type Role = (typeof roles)[number];

/** Roles that mutations need in the spaces that they write to. All others need EDITOR. */
const rolesOfMutations: Readonly<Record<string, Role>> = {
  acceptInvitation: 'VIEWER',
  declineInvitation: 'VIEWER',
  deleteAccount: 'VIEWER',
  // These judge each entity by the role for its mutation.
  emptyTrash: 'VIEWER',
  restore: 'VIEWER',
  undo: 'VIEWER',
  createComment: 'COMMENTER',
  updateComment: 'COMMENTER',
  deleteComment: 'COMMENTER',
  deleteTags: 'VIEWER',
  leaveWorkspace: 'VIEWER',
  muteTask: 'VIEWER',
  readNotifications: 'VIEWER',
  deleteWorkspace: 'ADMIN',
  inviteToWorkspace: 'ADMIN',
  removeWorkspaceMember: 'ADMIN',
  revokeInvitation: 'ADMIN',
  setWorkspaceRole: 'ADMIN',
  updateWorkspace: 'ADMIN',
  // These concern only the caller.
  createWebhook: 'VIEWER',
  updateWebhook: 'VIEWER',
  deleteWebhook: 'VIEWER',
  rotateWebhookSecret: 'VIEWER',
  testWebhook: 'VIEWER',
};

export const roleFor = (mutation: string): Role => rolesOfMutations[mutation] ?? 'EDITOR';
