import { typeidUnboxed } from 'typeid-js';
import { type Action, type ActionContext, pick, someTask } from './acts.ts';
import { graphql, rest } from './requests.ts';

const everybody = ({ team }: ActionContext) => [...team.members, ...team.guests];
const somebody = (context: ActionContext) => pick(context, everybody(context))?.user.id ?? '';

/** Mentions nobody, or a user who need not be a member. */
const textOf = (context: ActionContext) =>
  context.random() < 0.5 ? `comment ${context.mark}` : `comment ${context.mark} @${somebody(context)}`;

const createComment: Action = async (context) => {
  const { createdIds, person, send } = context;
  const [mark, taskId] = [textOf(context), someTask(context)];
  const variables = { id: typeidUnboxed('cmnt'), taskId, text: mark };
  const request =
    context.random() < 0.5
      ? graphql('createComment', '$id: ID!, $taskId: ID!, $text: String!', variables, ' { id }')
      : rest('POST', `/api/v2/todo/${taskId}/comments`, { text: mark });
  const sent = await send(person, { mark, request });
  if (sent.createdId !== undefined) createdIds.comments.push({ id: sent.createdId, authorId: person.user.id });
};

const editComment: Action = async (context) => {
  const { createdIds, person, send } = context;
  const own = createdIds.comments.slice(-40).filter(({ authorId }) => authorId === person.user.id);
  const mark = textOf(context);
  await send(person, { mark, request: rest('PATCH', `/api/v2/comments/${pick(context, own)?.id}`, { text: mark }) });
};

const deleteComment: Action = async (context) => {
  const deletes = pick(context, context.createdIds.comments.slice(-20))?.id ?? 'cmnt_x';
  await context.send(context.person, { deletes, request: rest('DELETE', `/api/v2/comments/${deletes}`) });
};

const assign: Action = (context) => {
  const { createdIds, person, random, send } = context;
  const path = `/api/v2/todo/${someTask(context)}/assignees/${somebody(context)}`;
  if (random() < 0.6) return send(person, { request: rest(random() < 0.7 ? 'PUT' : 'DELETE', path) });
  const input = { addAssigneeIds: [somebody(context)], removeAssigneeIds: [somebody(context)] };
  const variables = { ids: createdIds.tasks.slice(-4), input };
  const types = '$ids: [ID!]!, $input: BulkUpdateTasksInput!';
  return send(person, { request: graphql('updateTasks', types, variables, ' { count }') });
};

const mute: Action = (context) => {
  const muted = context.random() < 0.5;
  const request = rest('PUT', `/api/v2/todo/${someTask(context)}/muted`, { muted });
  return context.send(context.person, { request });
};

const read: Action = (context) => {
  const taskIds = context.random() < 0.3 ? undefined : [someTask(context), someTask(context)];
  return context.send(context.person, { request: rest('POST', '/api/v2/notifications/read', { taskIds }) });
};

/** Mostly to ADMIN: others may write less. */
const changeRole: Action = (context) => {
  const role = pick(context, ['admin', 'admin', 'admin', 'editor', 'commenter', 'viewer']);
  const path = `/api/v2/workspaces/${context.team.workspaceId}/members/${somebody(context)}`;
  return context.send(context.person, { request: rest('PUT', path, { role }) });
};

const actions = [
  ...[createComment, createComment, createComment, createComment, editComment, editComment, deleteComment],
  ...[assign, assign, assign, mute, read, read, changeRole],
];

/** Comments, assigns, mutes, reads notifications, or changes a role. */
export const actTogether: Action = async (context) => pick(context, actions)?.(context);
