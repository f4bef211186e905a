import type { RestCalls } from '../../kit/rest-tour.ts';
import * as api from '../generated/orval/client.ts';

type Answer = { status: number; data: unknown };
/** Excludes event streams, whose type is text. */
type Success<Of extends Answer> = Exclude<Extract<Of, { status: 200 | 201 }>['data'], string>;

async function dataOf<Of extends Answer>(answer: Promise<Of>): Promise<Success<Of>> {
  const { status, data } = await answer;
  if (status > 201) throw new Error(JSON.stringify(data));
  return data as Success<Of>;
}

export const calls: RestCalls = {
  requestSignUpCode: ({ body }) => dataOf(api.requestSignUpCode(body)),
  signUp: ({ body }) => dataOf(api.signUp(body)),
  signIn: ({ body }) => dataOf(api.signIn(body)),
  checkSession: () => dataOf(api.checkSession()),
  signOut: () => dataOf(api.signOut()),
  getProfile: () => dataOf(api.getProfile()),
  updateProfile: ({ body }) =>
    dataOf(api.updateProfile({ name: String(body.get('name')), image: body.get('image') as File })),
  updateName: ({ body }) => dataOf(api.updateName(body)),
  changePassword: ({ body }) => dataOf(api.changePassword(body)),
  getPreferences: () => dataOf(api.getPreferences()),
  updatePreferences: ({ body }) => dataOf(api.updatePreferences(body)),
  listProjects: () => dataOf(api.listProjects()),
  createProject: ({ body }) => dataOf(api.createProject(body)),
  getInbox: () => dataOf(api.getInbox()),
  listPersonalProjects: ({ query }) => dataOf(api.listPersonalProjects(query)),
  getProject: ({ params: { id } }) => dataOf(api.getProject(id)),
  updateProject: ({ params: { id }, body }) => dataOf(api.updateProject(id, body)),
  deleteProject: ({ params: { id } }) => dataOf(api.deleteProject(id)),
  listSections: ({ params: { id } }) => dataOf(api.listSections(id)),
  createSection: ({ params: { id }, body }) => dataOf(api.createSection(id, body)),
  updateSection: ({ params: { id, sectionId }, body }) => dataOf(api.updateSection(id, sectionId, body)),
  deleteSection: ({ params: { id, sectionId } }) => dataOf(api.deleteSection(id, sectionId)),
  listTasks: ({ query } = {}) => dataOf(api.listTasks(query)),
  createTask: ({ body }) => dataOf(api.createTask(body)),
  searchTasks: ({ query }) => dataOf(api.searchTasks(query)),
  updateTasks: ({ query, body }) => dataOf(api.updateTasks(body, query)),
  deleteTasks: ({ query }) => dataOf(api.deleteTasks(query)),
  updateTask: ({ params: { id }, body }) => dataOf(api.updateTask(id, body)),
  listComments: ({ params: { id }, query }) => dataOf(api.listComments(id, query)),
  createComment: ({ params: { id }, body }) => dataOf(api.createComment(id, body)),
  searchComments: ({ query }) => dataOf(api.searchComments(query)),
  updateComment: ({ params: { id }, body }) => dataOf(api.updateComment(id, body)),
  deleteComment: ({ params: { id } }) => dataOf(api.deleteComment(id)),
  listAssignedTasks: ({ query } = {}) => dataOf(api.listAssignedTasks(query)),
  listAssignees: ({ params: { id } }) => dataOf(api.listAssignees(id)),
  addAssignee: ({ params: { id, userId } }) => dataOf(api.addAssignee(id, userId)),
  removeAssignee: ({ params: { id, userId } }) => dataOf(api.removeAssignee(id, userId)),
  deleteTask: ({ params: { id } }) => dataOf(api.deleteTask(id)),
  listTags: ({ query } = {}) => dataOf(api.listTags(query)),
  createTag: ({ body }) => dataOf(api.createTag(body)),
  countTags: () => dataOf(api.countTags()),
  deleteTags: ({ query }) => dataOf(api.deleteTags(query)),
  updateTag: ({ params: { id }, body }) => dataOf(api.updateTag(id, body)),
  todoHistory: ({ params: { id }, query }) => dataOf(api.todoHistory(id, query)),
  undoOperation: ({ params: { id }, body }) => dataOf(api.undoOperation(id, body)),
  listTrash: ({ query } = {}) => dataOf(api.listTrash(query)),
  restoreEntries: ({ body }) => dataOf(api.restoreEntries(body)),
  listChanges: ({ query } = {}) => dataOf(api.listChanges(query)),
  sync: ({ query } = {}) => dataOf(api.sync(query)),
  exportData: () => dataOf(api.exportData()),
  requestPasswordReset: ({ body }) => dataOf(api.requestPasswordReset(body)),
  resetPassword: ({ body }) => dataOf(api.resetPassword(body)),
  getTask: ({ params: { id } }) => dataOf(api.getTask(id)),
  moveTask: ({ params: { id }, body }) => dataOf(api.moveTask(id, body)),
  listReminders: ({ params: { id } }) => dataOf(api.listReminders(id)),
  listWorkspaces: () => dataOf(api.listWorkspaces()),
  createWorkspace: ({ body }) => dataOf(api.createWorkspace(body)),
  updateWorkspace: ({ params: { id }, body }) => dataOf(api.updateWorkspace(id, body)),
  deleteWorkspace: ({ params: { id } }) => dataOf(api.deleteWorkspace(id)),
  listMembers: ({ params: { id } }) => dataOf(api.listMembers(id)),
  setMemberRole: ({ params: { id, userId }, body }) => dataOf(api.setMemberRole(id, userId, body)),
  removeMember: ({ params: { id, userId } }) => dataOf(api.removeMember(id, userId)),
  listWorkspaceInvitations: ({ params: { id } }) => dataOf(api.listWorkspaceInvitations(id)),
  inviteToWorkspace: ({ params: { id }, body }) => dataOf(api.inviteToWorkspace(id, body)),
  revokeInvitation: ({ params: { id, invitationId } }) => dataOf(api.revokeInvitation(id, invitationId)),
  listInvitations: () => dataOf(api.listInvitations()),
  acceptInvitation: ({ params: { id } }) => dataOf(api.acceptInvitation(id)),
  listProviders: () => dataOf(api.listProviders()),
  linkProvider: ({ params: { provider }, body }) => dataOf(api.linkProvider(provider, body)),
  declineInvitation: ({ params: { id } }) => dataOf(api.declineInvitation(id)),
  listSessions: () => dataOf(api.listSessions()),
  endSession: ({ params: { id } }) => dataOf(api.endSession(id)),
  endOtherSessions: () => dataOf(api.endOtherSessions()),
  changePreferences: ({ body }) => dataOf(api.changePreferences(body)),
  deleteAccount: ({ body }) => dataOf(api.deleteAccount(body)),
  getDigest: () => dataOf(api.getDigest()),
  listDeliveries: ({ query } = {}) => dataOf(api.listDeliveries(query)),
  getRecurrence: ({ params: { id }, query }) => dataOf(api.getRecurrence(id, query)),
  setRecurrence: ({ params: { id }, body }) => dataOf(api.setRecurrence(id, body)),
  endRecurrence: ({ params: { id } }) => dataOf(api.endRecurrence(id)),
  listNotifications: ({ query } = {}) => dataOf(api.listNotifications(query)),
  readNotifications: ({ body }) => dataOf(api.readNotifications(body)),
  muteTask: ({ params: { id }, body }) => dataOf(api.muteTask(id, body)),
  skipOccurrence: ({ params: { id } }) => dataOf(api.skipOccurrence(id)),
  previewRecurrence: ({ query }) => dataOf(api.previewRecurrence(query)),
};

export const streamChanges = (signal: AbortSignal): Promise<unknown> => api.streamChanges({}, { signal });

// @ts-expect-error -- unknown priority
export const refused = () => api.createTask({ title: 'Water the plants', priority: 'urgent' });
