import createClient from 'openapi-fetch';
import type { RestCalls } from '../../kit/rest-tour.ts';
import type { paths } from '../generated/openapi-typescript.ts';

const { GET, POST, PUT, PATCH, DELETE } = createClient<paths>({ baseUrl: origin });

/** Excludes event streams, whose type is text. */
async function dataOf<Data>(answer: Promise<{ data?: Data; error?: unknown }>): Promise<Exclude<Data, string>> {
  const { data, error } = await answer;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data as Exclude<Data, string>;
}

export const calls: RestCalls = {
  requestSignUpCode: ({ body }) => dataOf(POST('/api/v1/user/signup/send-otp', { body })),
  signUp: ({ body }) => dataOf(POST('/api/v1/user/signup/verify', { body })),
  signIn: ({ body }) => dataOf(POST('/api/v1/user/signin', { body })),
  checkSession: () => dataOf(GET('/api/v1/auth-check')),
  signOut: () => dataOf(POST('/api/v1/user/logout')),
  getProfile: () => dataOf(GET('/api/v1/user/profile')),
  // The schema describes the file as text, but the serializer sends the form.
  updateProfile: ({ body }) =>
    dataOf(POST('/api/v1/user/profile', { body: { name: String(body.get('name')) }, bodySerializer: () => body })),
  updateName: ({ body }) => dataOf(PUT('/api/v1/user/name', { body })),
  changePassword: ({ body }) => dataOf(PUT('/api/v1/user/password', { body })),
  getPreferences: () => dataOf(GET('/api/v1/user/user-preferences')),
  updatePreferences: ({ body }) => dataOf(PUT('/api/v1/user/user-preferences', { body })),
  listProjects: () => dataOf(GET('/api/v2/projects')),
  createProject: ({ body }) => dataOf(POST('/api/v2/projects', { body })),
  getInbox: () => dataOf(GET('/api/v2/projects/inbox')),
  listPersonalProjects: ({ query }) => dataOf(GET('/api/v2/projects/personal', { params: { query } })),
  getProject: ({ params: path }) => dataOf(GET('/api/v2/projects/{id}', { params: { path } })),
  updateProject: ({ params: path, body }) => dataOf(PUT('/api/v2/projects/{id}', { params: { path }, body })),
  deleteProject: ({ params: path }) => dataOf(DELETE('/api/v2/projects/{id}', { params: { path } })),
  listSections: ({ params: path }) => dataOf(GET('/api/v2/projects/{id}/sections', { params: { path } })),
  createSection: ({ params: path, body }) => dataOf(POST('/api/v2/projects/{id}/sections', { params: { path }, body })),
  updateSection: ({ params: path, body }) =>
    dataOf(PATCH('/api/v2/projects/{id}/sections/{sectionId}', { params: { path }, body })),
  deleteSection: ({ params: path }) =>
    dataOf(DELETE('/api/v2/projects/{id}/sections/{sectionId}', { params: { path } })),
  listTasks: ({ query } = {}) => dataOf(GET('/api/v2/todo', { params: { query } })),
  createTask: ({ body }) => dataOf(POST('/api/v2/todo', { body })),
  searchTasks: ({ query }) => dataOf(GET('/api/v2/todo/search', { params: { query } })),
  updateTasks: ({ query, body }) => dataOf(PATCH('/api/v2/todo/bulk', { params: { query }, body })),
  deleteTasks: ({ query }) => dataOf(DELETE('/api/v2/todo/bulk', { params: { query } })),
  updateTask: ({ params: path, body }) => dataOf(PATCH('/api/v2/todo/{id}', { params: { path }, body })),
  listComments: ({ params: path, query }) => dataOf(GET('/api/v2/todo/{id}/comments', { params: { path, query } })),
  createComment: ({ params: path, body }) => dataOf(POST('/api/v2/todo/{id}/comments', { params: { path }, body })),
  searchComments: ({ query }) => dataOf(GET('/api/v2/comments/search', { params: { query } })),
  updateComment: ({ params: path, body }) => dataOf(PATCH('/api/v2/comments/{id}', { params: { path }, body })),
  deleteComment: ({ params: path }) => dataOf(DELETE('/api/v2/comments/{id}', { params: { path } })),
  listAssignedTasks: ({ query } = {}) => dataOf(GET('/api/v2/todo/assigned', { params: { query } })),
  listAssignees: ({ params: path }) => dataOf(GET('/api/v2/todo/{id}/assignees', { params: { path } })),
  addAssignee: ({ params: path }) => dataOf(PUT('/api/v2/todo/{id}/assignees/{userId}', { params: { path } })),
  removeAssignee: ({ params: path }) => dataOf(DELETE('/api/v2/todo/{id}/assignees/{userId}', { params: { path } })),
  deleteTask: ({ params: path }) => dataOf(DELETE('/api/v2/todo/{id}', { params: { path } })),
  listTags: ({ query } = {}) => dataOf(GET('/api/v2/tag', { params: { query } })),
  createTag: ({ body }) => dataOf(POST('/api/v2/tag', { body })),
  countTags: () => dataOf(GET('/api/v2/tag/count')),
  deleteTags: ({ query }) => dataOf(DELETE('/api/v2/tag/bulk', { params: { query } })),
  updateTag: ({ params: path, body }) => dataOf(PATCH('/api/v2/tag/{id}', { params: { path }, body })),
  todoHistory: ({ params: path, query }) => dataOf(GET('/api/v2/todo/{id}/history', { params: { path, query } })),
  undoOperation: ({ params: path, body }) => dataOf(POST('/api/v2/operations/{id}/undo', { params: { path }, body })),
  listTrash: ({ query } = {}) => dataOf(GET('/api/v2/trash', { params: { query } })),
  restoreEntries: ({ body }) => dataOf(POST('/api/v2/trash/restore', { body })),
  listChanges: ({ query } = {}) => dataOf(GET('/api/v2/changes', { params: { query } })),
  sync: ({ query } = {}) => dataOf(GET('/api/v2/sync', { params: { query } })),
  exportData: () => dataOf(GET('/api/v2/export')),
  requestPasswordReset: ({ body }) => dataOf(POST('/api/v1/user/password/send-otp', { body })),
  resetPassword: ({ body }) => dataOf(POST('/api/v1/user/password/reset', { body })),
  getTask: ({ params: path }) => dataOf(GET('/api/v2/todo/{id}', { params: { path } })),
  moveTask: ({ params: path, body }) => dataOf(POST('/api/v2/todo/{id}/move', { params: { path }, body })),
  listReminders: ({ params: path }) => dataOf(GET('/api/v2/todo/{id}/reminders', { params: { path } })),
  listWorkspaces: () => dataOf(GET('/api/v2/workspaces')),
  createWorkspace: ({ body }) => dataOf(POST('/api/v2/workspaces', { body })),
  updateWorkspace: ({ params: path, body }) => dataOf(PUT('/api/v2/workspaces/{id}', { params: { path }, body })),
  deleteWorkspace: ({ params: path }) => dataOf(DELETE('/api/v2/workspaces/{id}', { params: { path } })),
  listMembers: ({ params: path }) => dataOf(GET('/api/v2/workspaces/{id}/members', { params: { path } })),
  setMemberRole: ({ params: path, body }) =>
    dataOf(PUT('/api/v2/workspaces/{id}/members/{userId}', { params: { path }, body })),
  removeMember: ({ params: path }) => dataOf(DELETE('/api/v2/workspaces/{id}/members/{userId}', { params: { path } })),
  listWorkspaceInvitations: ({ params: path }) =>
    dataOf(GET('/api/v2/workspaces/{id}/invitations', { params: { path } })),
  inviteToWorkspace: ({ params: path, body }) =>
    dataOf(POST('/api/v2/workspaces/{id}/invitations', { params: { path }, body })),
  revokeInvitation: ({ params: path }) =>
    dataOf(DELETE('/api/v2/workspaces/{id}/invitations/{invitationId}', { params: { path } })),
  listInvitations: () => dataOf(GET('/api/v2/invitations')),
  acceptInvitation: ({ params: path }) => dataOf(POST('/api/v2/invitations/{id}/accept', { params: { path } })),
  listProviders: () => dataOf(GET('/api/v1/auth/providers')),
  linkProvider: ({ params: path, body }) => dataOf(POST('/api/v1/auth/{provider}/link', { params: { path }, body })),
  declineInvitation: ({ params: path }) => dataOf(POST('/api/v2/invitations/{id}/decline', { params: { path } })),
  listSessions: () => dataOf(GET('/api/v1/user/sessions')),
  endSession: ({ params: path }) => dataOf(DELETE('/api/v1/user/sessions/{id}', { params: { path } })),
  endOtherSessions: () => dataOf(DELETE('/api/v1/user/sessions')),
  changePreferences: ({ body }) => dataOf(PATCH('/api/v1/user/user-preferences', { body })),
  deleteAccount: ({ body }) => dataOf(DELETE('/api/v1/user', { body })),
  getDigest: () => dataOf(GET('/api/v2/digest')),
  listDeliveries: ({ query } = {}) => dataOf(GET('/api/v2/deliveries', { params: { query } })),
  getRecurrence: ({ params: path, query }) => dataOf(GET('/api/v2/todo/{id}/recurrence', { params: { path, query } })),
  setRecurrence: ({ params: path, body }) => dataOf(PUT('/api/v2/todo/{id}/recurrence', { params: { path }, body })),
  endRecurrence: ({ params: path }) => dataOf(DELETE('/api/v2/todo/{id}/recurrence', { params: { path } })),
  listNotifications: ({ query } = {}) => dataOf(GET('/api/v2/notifications', { params: { query } })),
  readNotifications: ({ body }) => dataOf(POST('/api/v2/notifications/read', { body })),
  muteTask: ({ params: path, body }) => dataOf(PUT('/api/v2/todo/{id}/muted', { params: { path }, body })),
  skipOccurrence: ({ params: path }) => dataOf(POST('/api/v2/todo/{id}/skip', { params: { path } })),
  previewRecurrence: ({ query }) => dataOf(GET('/api/v2/recurrence', { params: { query } })),
  listClaims: () => dataOf(GET('/api/v2/claims')),
  claimTask: ({ body }) => dataOf(POST('/api/v2/claims', { body })),
  renewClaim: ({ params: path, body }) => dataOf(POST('/api/v2/claims/{fence}/renew', { params: { path }, body })),
  releaseClaim: ({ params: path }) => dataOf(DELETE('/api/v2/claims/{fence}', { params: { path } })),
  listWebhooks: () => dataOf(GET('/api/v2/webhooks')),
  createWebhook: ({ body }) => dataOf(POST('/api/v2/webhooks', { body })),
  updateWebhook: ({ params: path, body }) => dataOf(PATCH('/api/v2/webhooks/{id}', { params: { path }, body })),
  deleteWebhook: ({ params: path }) => dataOf(DELETE('/api/v2/webhooks/{id}', { params: { path } })),
  rotateWebhookSecret: ({ params: path }) => dataOf(POST('/api/v2/webhooks/{id}/secret', { params: { path } })),
  testWebhook: ({ params: path }) => dataOf(POST('/api/v2/webhooks/{id}/test', { params: { path } })),
  listWebhookAttempts: ({ params: path }) => dataOf(GET('/api/v2/webhooks/{id}/attempts', { params: { path } })),
};

export const streamChanges = (signal: AbortSignal): Promise<unknown> =>
  GET('/api/v2/events', { parseAs: 'stream', signal });

// @ts-expect-error -- unknown colour
export const refused = () => POST('/api/v2/tag', { body: { name: 'garden', color: 'black' } });
