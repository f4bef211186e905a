import type { RestCalls } from '../../kit/rest-tour.ts';
import * as api from '../generated/hey-api';
import { client } from '../generated/hey-api/client.gen';

client.setConfig({ baseUrl: origin });

async function dataOf<Data>(answer: Promise<{ data?: Data; error?: unknown }>): Promise<NonNullable<Data>> {
  const { data, error } = await answer;
  if (!data) throw new Error(JSON.stringify(error));
  return data;
}

export const calls: RestCalls = {
  requestSignUpCode: ({ body }) => dataOf(api.requestSignUpCode({ body })),
  signUp: ({ body }) => dataOf(api.signUp({ body })),
  signIn: ({ body }) => dataOf(api.signIn({ body })),
  checkSession: () => dataOf(api.checkSession()),
  signOut: () => dataOf(api.signOut()),
  getProfile: () => dataOf(api.getProfile()),
  updateProfile: ({ body }) =>
    dataOf(api.updateProfile({ body: { name: String(body.get('name')), image: body.get('image') as File } })),
  updateName: ({ body }) => dataOf(api.updateName({ body })),
  changePassword: ({ body }) => dataOf(api.changePassword({ body })),
  getPreferences: () => dataOf(api.getPreferences()),
  updatePreferences: ({ body }) => dataOf(api.updatePreferences({ body })),
  listProjects: () => dataOf(api.listProjects()),
  createProject: ({ body }) => dataOf(api.createProject({ body })),
  getInbox: () => dataOf(api.getInbox()),
  listPersonalProjects: ({ query }) => dataOf(api.listPersonalProjects({ query })),
  getProject: ({ params: path }) => dataOf(api.getProject({ path })),
  updateProject: ({ params: path, body }) => dataOf(api.updateProject({ path, body })),
  deleteProject: ({ params: path }) => dataOf(api.deleteProject({ path })),
  listSections: ({ params: path }) => dataOf(api.listSections({ path })),
  createSection: ({ params: path, body }) => dataOf(api.createSection({ path, body })),
  updateSection: ({ params: path, body }) => dataOf(api.updateSection({ path, body })),
  deleteSection: ({ params: path }) => dataOf(api.deleteSection({ path })),
  listTasks: ({ query } = {}) => dataOf(api.listTasks({ query })),
  createTask: ({ body }) => dataOf(api.createTask({ body })),
  searchTasks: ({ query }) => dataOf(api.searchTasks({ query })),
  updateTasks: ({ query, body }) => dataOf(api.updateTasks({ query, body })),
  deleteTasks: ({ query }) => dataOf(api.deleteTasks({ query })),
  updateTask: ({ params: path, body }) => dataOf(api.updateTask({ path, body })),
  listComments: ({ params: path, query }) => dataOf(api.listComments({ path, query })),
  createComment: ({ params: path, body }) => dataOf(api.createComment({ path, body })),
  searchComments: ({ query }) => dataOf(api.searchComments({ query })),
  updateComment: ({ params: path, body }) => dataOf(api.updateComment({ path, body })),
  deleteComment: ({ params: path }) => dataOf(api.deleteComment({ path })),
  listAssignedTasks: ({ query } = {}) => dataOf(api.listAssignedTasks({ query })),
  listAssignees: ({ params: path }) => dataOf(api.listAssignees({ path })),
  addAssignee: ({ params: path }) => dataOf(api.addAssignee({ path })),
  removeAssignee: ({ params: path }) => dataOf(api.removeAssignee({ path })),
  deleteTask: ({ params: path }) => dataOf(api.deleteTask({ path })),
  listTags: ({ query } = {}) => dataOf(api.listTags({ query })),
  createTag: ({ body }) => dataOf(api.createTag({ body })),
  countTags: () => dataOf(api.countTags()),
  deleteTags: ({ query }) => dataOf(api.deleteTags({ query })),
  updateTag: ({ params: path, body }) => dataOf(api.updateTag({ path, body })),
  todoHistory: ({ params: path, query }) => dataOf(api.todoHistory({ path, query })),
  undoOperation: ({ params: path, body }) => dataOf(api.undoOperation({ path, body })),
  listTrash: ({ query } = {}) => dataOf(api.listTrash({ query })),
  restoreEntries: ({ body }) => dataOf(api.restoreEntries({ body })),
  listChanges: ({ query } = {}) => dataOf(api.listChanges({ query })),
  sync: ({ query } = {}) => dataOf(api.sync({ query })),
  exportData: () => dataOf(api.exportData()),
  requestPasswordReset: ({ body }) => dataOf(api.requestPasswordReset({ body })),
  resetPassword: ({ body }) => dataOf(api.resetPassword({ body })),
  getTask: ({ params: path }) => dataOf(api.getTask({ path })),
  moveTask: ({ params: path, body }) => dataOf(api.moveTask({ path, body })),
  listReminders: ({ params: path }) => dataOf(api.listReminders({ path })),
  listWorkspaces: () => dataOf(api.listWorkspaces()),
  createWorkspace: ({ body }) => dataOf(api.createWorkspace({ body })),
  updateWorkspace: ({ params: path, body }) => dataOf(api.updateWorkspace({ path, body })),
  deleteWorkspace: ({ params: path }) => dataOf(api.deleteWorkspace({ path })),
  listMembers: ({ params: path }) => dataOf(api.listMembers({ path })),
  setMemberRole: ({ params: path, body }) => dataOf(api.setMemberRole({ path, body })),
  removeMember: ({ params: path }) => dataOf(api.removeMember({ path })),
  listWorkspaceInvitations: ({ params: path }) => dataOf(api.listWorkspaceInvitations({ path })),
  inviteToWorkspace: ({ params: path, body }) => dataOf(api.inviteToWorkspace({ path, body })),
  revokeInvitation: ({ params: path }) => dataOf(api.revokeInvitation({ path })),
  listInvitations: () => dataOf(api.listInvitations()),
  acceptInvitation: ({ params: path }) => dataOf(api.acceptInvitation({ path })),
  listProviders: () => dataOf(api.listProviders()),
  linkProvider: ({ params: path, body }) => dataOf(api.linkProvider({ path, body })),
  declineInvitation: ({ params: path }) => dataOf(api.declineInvitation({ path })),
  listSessions: () => dataOf(api.listSessions()),
  endSession: ({ params: path }) => dataOf(api.endSession({ path })),
  endOtherSessions: () => dataOf(api.endOtherSessions()),
  changePreferences: ({ body }) => dataOf(api.changePreferences({ body })),
  deleteAccount: ({ body }) => dataOf(api.deleteAccount({ body })),
  getDigest: () => dataOf(api.getDigest()),
  listDeliveries: ({ query } = {}) => dataOf(api.listDeliveries({ query })),
  getRecurrence: ({ params: path, query }) => dataOf(api.getRecurrence({ path, query })),
  setRecurrence: ({ params: path, body }) => dataOf(api.setRecurrence({ path, body })),
  endRecurrence: ({ params: path }) => dataOf(api.endRecurrence({ path })),
  listNotifications: ({ query } = {}) => dataOf(api.listNotifications({ query })),
  readNotifications: ({ body }) => dataOf(api.readNotifications({ body })),
  muteTask: ({ params: path, body }) => dataOf(api.muteTask({ path, body })),
  skipOccurrence: ({ params: path }) => dataOf(api.skipOccurrence({ path })),
  previewRecurrence: ({ query }) => dataOf(api.previewRecurrence({ query })),
  listClaims: () => dataOf(api.listClaims()),
  claimTask: ({ body }) => dataOf(api.claimTask({ body })),
  renewClaim: ({ params: path, body }) => dataOf(api.renewClaim({ path, body })),
  releaseClaim: ({ params: path }) => dataOf(api.releaseClaim({ path })),
  listWebhooks: () => dataOf(api.listWebhooks()),
  createWebhook: ({ body }) => dataOf(api.createWebhook({ body })),
  updateWebhook: ({ params: path, body }) => dataOf(api.updateWebhook({ path, body })),
  deleteWebhook: ({ params: path }) => dataOf(api.deleteWebhook({ path })),
  rotateWebhookSecret: ({ params: path }) => dataOf(api.rotateWebhookSecret({ path })),
  testWebhook: ({ params: path }) => dataOf(api.testWebhook({ path })),
  listWebhookAttempts: ({ params: path }) => dataOf(api.listWebhookAttempts({ path })),
};

export async function streamChanges(signal: AbortSignal): Promise<void> {
  const { stream } = await api.streamChanges({ signal, sseMaxRetryAttempts: 1 });
  await stream.next();
}

// @ts-expect-error -- unknown priority
export const refused = () => api.createTask({ body: { title: 'Water the plants', priority: 'urgent' } });
