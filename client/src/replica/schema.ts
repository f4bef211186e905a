// Printed by `npm run schema`, from the GraphQL schema.

import type { Mutations } from './mutation-types.ts';
import type { Entity } from './types.ts';

/** Lists of a batch, and the types of their entities. */
export const lists = {
  comments: 'Comment',
  projects: 'Project',
  sections: 'Section',
  tags: 'Tag',
  tasks: 'Task',
  workspaces: 'Workspace',
} as const;

/** Fields that refer to other entities. */
export const references = {
  Comment: ['taskId'],
  Project: ['workspaceId'],
  Section: ['projectId'],
  Tag: [],
  Task: ['assigneeIds', 'createdById', 'parentId', 'projectId', 'sectionId', 'tagIds'],
  User: [],
  Workspace: [],
} as const satisfies Record<Entity['__typename'], readonly string[]>;

/** Default field values of a new entity. */
export const defaults = {
  Comment: { author: null, authorId: null, createdAt: '', editedAt: null },
  Project: { isDefault: false, slug: null, viewMode: null, workspaceId: null },
  Section: {},
  Tag: {},
  Task: {
    claim: null,
    color: null,
    completed: false,
    completedAt: null,
    createdAt: '',
    createdById: null,
    description: null,
    dueDate: null,
    dueTime: null,
    isAllDay: true,
    parentId: null,
    priority: null,
    recurrence: null,
    reminder: false,
    sectionId: null,
  },
  Workspace: {},
} as const;

/** Prefixes of ids that a client makes. */
export const prefixes = {
  Comment: 'cmnt',
  Project: 'proj',
  Section: 'sect',
  Tag: 'tag',
  Task: 'task',
  Workspace: 'wksp',
} as const;

/** Their documents. */
export const documents: Record<keyof Mutations, string> = {
  createComment:
    'mutation createComment($id: ID, $taskId: ID!, $text: String!) { createComment(id: $id, taskId: $taskId, text: $text) { id } }',
  createProject:
    'mutation createProject($id: ID, $name: String!, $workspaceId: ID) { createProject(id: $id, name: $name, workspaceId: $workspaceId) { id } }',
  createSection:
    'mutation createSection($id: ID, $name: String!, $projectId: ID!) { createSection(id: $id, name: $name, projectId: $projectId) { id } }',
  createTag:
    'mutation createTag($color: TagColor, $id: ID, $name: String!) { createTag(color: $color, id: $id, name: $name) { id } }',
  createTask: 'mutation createTask($input: CreateTaskInput!) { createTask(input: $input) { id } }',
  createWorkspace: 'mutation createWorkspace($id: ID, $name: String!) { createWorkspace(id: $id, name: $name) { id } }',
  deleteComment: 'mutation deleteComment($id: ID!) { deleteComment(id: $id) }',
  deleteProject: 'mutation deleteProject($id: ID!) { deleteProject(id: $id) }',
  deleteSection: 'mutation deleteSection($id: ID!) { deleteSection(id: $id) }',
  deleteTags: 'mutation deleteTags($ids: [ID!]!) { deleteTags(ids: $ids) { count } }',
  deleteTask: 'mutation deleteTask($id: ID!) { deleteTask(id: $id) }',
  deleteTasks: 'mutation deleteTasks($ids: [ID!]!) { deleteTasks(ids: $ids) { count } }',
  deleteWorkspace: 'mutation deleteWorkspace($id: ID!) { deleteWorkspace(id: $id) }',
  leaveWorkspace: 'mutation leaveWorkspace($id: ID!) { leaveWorkspace(id: $id) }',
  moveTask:
    'mutation moveTask($after: ID, $before: ID, $id: ID!) { moveTask(after: $after, before: $before, id: $id) { id } }',
  restore: 'mutation restore($ids: [ID!]!) { restore(ids: $ids) { applied } }',
  skipOccurrence: 'mutation skipOccurrence($id: ID!) { skipOccurrence(id: $id) { id } }',
  undo: 'mutation undo($operationId: ID!) { undo(operationId: $operationId) { applied } }',
  updateComment: 'mutation updateComment($id: ID!, $text: String!) { updateComment(id: $id, text: $text) { id } }',
  updatePreferences:
    'mutation updatePreferences($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { id } }',
  updateProject:
    'mutation updateProject($id: ID!, $name: String, $viewMode: ViewMode) { updateProject(id: $id, name: $name, viewMode: $viewMode) { id } }',
  updateSection:
    'mutation updateSection($id: ID!, $name: String, $nextIndex: String, $prevIndex: String, $projectId: ID) { updateSection(id: $id, name: $name, nextIndex: $nextIndex, prevIndex: $prevIndex, projectId: $projectId) { id } }',
  updateTag:
    'mutation updateTag($color: TagColor, $id: ID!, $name: String) { updateTag(color: $color, id: $id, name: $name) { id } }',
  updateTask: 'mutation updateTask($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }',
  updateTasks:
    'mutation updateTasks($ids: [ID!]!, $input: BulkUpdateTasksInput!) { updateTasks(ids: $ids, input: $input) { count } }',
  updateWorkspace:
    'mutation updateWorkspace($id: ID!, $name: String!) { updateWorkspace(id: $id, name: $name) { id } }',
};

/** Selections of a batch. An access token may read less than a session. */
export const selectionsOf = (
  isSession: boolean,
) => `comments { author { email id image name } authorId createdAt editedAt id taskId text }
projects { id isDefault name slug viewMode workspaceId }
sections { id name projectId sortKey }
tags { color id name }
tasks { assigneeIds claim { client fence holder { email id image name } since } color completed completedAt createdAt createdById description dueDate dueTime id isAllDay parentId priority projectId recurrence { basis date number rule seriesId start summary time timeZone } reminder sectionId sortKey tags { id } title updatedAt }
user { email id image ${isSession ? 'invitations { createdAt email expiresAt id invitedBy { email id image name } role workspaceId workspaceName }' : ''} name preferences { activityMails automaticRemainder dailyDigest digestTime emailEnabled reminderBefore taskRemainders timeZone } unreadNotifications }
workspaces { id invitations { createdAt email expiresAt id invitedBy { email id image name } role workspaceId workspaceName } members { email id image name } memberships { member { email id image name } role } name role }`;
