import { randomInt } from 'node:crypto';

export interface Targets {
  workspaceId: string;
  projectId: string;
  /** In another space. */
  otherProjectId: string;
  sectionId: string;
  taskId: string;
  /** The caller's, on the task. */
  commentId: string;
  otherTaskId: string;
  tagId: string;
  invitationId: string;
  email: string;
  userId: string;
  /** In the trash. */
  deletedId: string;
  /** Can be undone. */
  operationId: string;
  /** Of the caller's claim on a third task. */
  fence: string;
}

/** Every mutation that writes to existing spaces. */
export const mutations = {
  acceptInvitation: ({ invitationId }) => `acceptInvitation(id: "${invitationId}") { id }`,
  claimTask: ({ taskId }) => `claimTask(id: "${taskId}") { fence }`,
  createComment: ({ taskId }) => `createComment(taskId: "${taskId}", text: "New") { id }`,
  createProject: ({ workspaceId }) => `createProject(name: "New", workspaceId: "${workspaceId}") { id }`,
  createSection: ({ projectId }) => `createSection(name: "New", projectId: "${projectId}") { id }`,
  createTag: () => `createTag(name: "New ${crypto.randomUUID()}") { id }`,
  createTask: ({ projectId, tagId }) =>
    `createTask(input: { title: "New", projectId: "${projectId}", tagIds: ["${tagId}"] }) { id }`,
  createWorkspace: () => 'createWorkspace(name: "New") { id }',
  declineInvitation: ({ invitationId }) => `declineInvitation(id: "${invitationId}")`,
  deleteComment: ({ commentId }) => `deleteComment(id: "${commentId}")`,
  deleteProject: ({ projectId }) => `deleteProject(id: "${projectId}")`,
  deleteSection: ({ sectionId }) => `deleteSection(id: "${sectionId}")`,
  deleteTags: ({ tagId }) => `deleteTags(ids: ["${tagId}"]) { count }`,
  deleteTask: ({ taskId }) => `deleteTask(id: "${taskId}")`,
  deleteTasks: ({ taskId, otherTaskId }) => `deleteTasks(ids: ["${otherTaskId}", "${taskId}"]) { count }`,
  deleteWorkspace: ({ workspaceId }) => `deleteWorkspace(id: "${workspaceId}")`,
  emptyTrash: () => 'emptyTrash',
  inviteToWorkspace: ({ workspaceId, email }) =>
    `inviteToWorkspace(workspaceId: "${workspaceId}", email: "${email}") { id }`,
  leaveWorkspace: ({ workspaceId }) => `leaveWorkspace(id: "${workspaceId}")`,
  moveTask: ({ taskId, otherTaskId }) => `moveTask(id: "${taskId}", after: "${otherTaskId}") { id }`,
  muteTask: ({ taskId }) => `muteTask(id: "${taskId}", muted: true) { muted }`,
  readNotifications: () => 'readNotifications',
  releaseClaim: ({ fence }) => `releaseClaim(fence: "${fence}") { id }`,
  removeWorkspaceMember: ({ workspaceId, userId }) =>
    `removeWorkspaceMember(workspaceId: "${workspaceId}", userId: "${userId}") { id }`,
  renewClaim: ({ fence }) => `renewClaim(fence: "${fence}") { fence }`,
  restore: ({ deletedId }) => `restore(ids: ["${deletedId}"]) { applied }`,
  revokeInvitation: ({ invitationId }) => `revokeInvitation(id: "${invitationId}")`,
  setWorkspaceRole: ({ workspaceId, userId }) =>
    `setWorkspaceRole(workspaceId: "${workspaceId}", userId: "${userId}", role: ADMIN) { id }`,
  sendTestMail: () => 'sendTestMail',
  skipOccurrence: ({ taskId }) =>
    `set: updateTask(id: "${taskId}", input: { recurrence: { rule: "FREQ=DAILY" } }) { id } skipOccurrence(id: "${taskId}") { id }`,
  undo: ({ operationId }) => `undo(operationId: "${operationId}") { applied }`,
  updateComment: ({ commentId }) => `updateComment(id: "${commentId}", text: "New") { id }`,
  updatePreferences: () => `updatePreferences(input: { reminderBefore: ${randomInt(40_000)} }) { reminderBefore }`,
  updateProfile: () => `updateProfile(name: "New ${crypto.randomUUID()}") { id }`,
  updateProject: ({ projectId }) => `updateProject(id: "${projectId}", name: "New") { id }`,
  updateSection: ({ sectionId, otherProjectId }) =>
    `updateSection(id: "${sectionId}", projectId: "${otherProjectId}") { id }`,
  updateTag: ({ tagId }) => `updateTag(id: "${tagId}", color: RED) { id }`,
  updateTask: ({ taskId, otherProjectId }) =>
    `updateTask(id: "${taskId}", input: { projectId: "${otherProjectId}" }) { id }`,
  updateTasks: ({ taskId, otherTaskId, otherProjectId, tagId }) =>
    `updateTasks(ids: ["${taskId}", "${otherTaskId}"], input: { projectId: "${otherProjectId}", tagIds: ["${tagId}"] }) { count }`,
  updateWorkspace: ({ workspaceId }) =>
    `updateWorkspace(id: "${workspaceId}", name: "New ${crypto.randomUUID()}") { id }`,
} satisfies Record<string, (targets: Targets) => string>;

export type MutationName = keyof typeof mutations;

/** The other mutations. Only `deleteAccount` writes to existing spaces: it deletes them. */
export const mutationsOfSessions = [
  'changePassword',
  'createAccessToken',
  'confirmEmailChange',
  'confirmTotp',
  'deleteAccount',
  'deletePasskey',
  'disableTotp',
  'endOtherSessions',
  'endSession',
  'finishPasskeyRegistration',
  'finishPasskeySignIn',
  'requestEmailChange',
  'requestPasswordReset',
  'linkProvider',
  'requestSignUpCode',
  'revokeAccessToken',
  'resetPassword',
  'signIn',
  'signOut',
  'signUp',
  'unlinkProvider',
  'startPasskeyRegistration',
  'startPasskeySignIn',
  'startTotp',
  'createWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'allowApplication',
  'revokeApplication',
];

/** Mutations of the account alone that are stored under idempotency keys. */
export const keyedMutationsOfAccounts = ['deleteWebhook', 'updateWebhook'];
