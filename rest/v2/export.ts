import type { RequestHandler } from 'express';
import type { ResultOf } from 'gql.tada';
import { z } from 'zod';
import { noBody, sendText, sendUnchanged } from '../../src/door/http.ts';
import { bindExport, type Export, exportedAs, exportedLists, signedIn } from '../../src/door/index.ts';
import { syncedKinds } from '../../src/platform/entities.ts';
import { parse } from '../../src/platform/input.ts';
import { passkeyFields } from '../../src/accounts/fields.ts';
import { entity } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { callerOf, type Core, rawRoute, type RestCaller } from '../route.ts';
import { allPreferences } from '../v1/preferences.ts';
import { moment } from '../json-schema.ts';
import { session, user } from '../v1/responses.ts';
import { invitation, membership, recurrence, workspace } from './entities.ts';
import { kinds } from './kinds.ts';
import { TaskWithAssignees, toTodoWithAssignees } from './task-shape.ts';
import { webhook } from './webhooks.ts';

const passkey = entity('Passkey', passkeyFields);

const ExportedTask = graphql(
  'fragment ExportedTask on Task { ...TaskWithAssignees createdAt updatedAt recurrence { ...RecurrenceFields } }',
  [TaskWithAssignees, recurrence.fragment],
);

type TaskData = ResultOf<typeof ExportedTask>;

/** Shows a task without children, with timestamps. */
const toExportedTodo = (task: TaskData, caller: RestCaller) => ({
  ...toTodoWithAssignees(task, caller),
  createdAt: task.createdAt,
  updatedAt: task.updatedAt,
  recurrence: task.recurrence && recurrence.show(task.recurrence),
});

const createdAt = moment();

const ofTasks = { updatedAt: moment(), recurrence: recurrence.response.nullable() };

const workspaceWithRole = workspace.response.extend({
  role: membership.response.shape.role.describe("The caller's own role."),
});

/** Shapes of the lists, with creation times. */
const listResponses = Object.fromEntries(
  syncedKinds.map((kind) => {
    const response: z.ZodObject = kind === 'Workspace' ? workspaceWithRole : kinds[kind].shown.response;
    return [exportedAs(kind), z.array(response.extend({ createdAt, ...(kind === 'Task' && ofTasks) }))];
  }),
);

const exported = z
  .object({
    user: user.response,
    preferences: allPreferences,
    sessions: z.array(session.response),
    accessTokens: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        scopes: z.array(z.enum(['READ', 'WRITE'])),
        spaceIds: z
          .array(z.string())
          .nullable()
          .describe('The only spaces that the token may access. Null if it may access all.'),
        createdAt,
        expiresAt: moment().nullable(),
        lastUsedAt: moment().nullable(),
      }),
    ),
    applications: z.array(
      z.object({
        id: z.string(),
        name: z.string().describe('Not verified.'),
        redirectHost: z.string(),
        scopes: z.array(z.enum(['READ', 'WRITE'])),
        spaceIds: z.array(z.string()).nullable().describe('As for an access token.'),
        createdAt,
        lastUsedAt: moment().nullable(),
      }),
    ),
    webhooks: z.array(webhook),
    passkeys: z.array(passkey.response),
    providers: z.array(z.object({ name: z.string(), linkedAt: moment() })).describe('External providers.'),
    invitations: z.array(invitation.response),
    ...listResponses,
  })
  .meta({ id: 'Export', description: "All the caller's data." });

/** Includes empty lists. */
async function* writeExport({ account, lists }: Export<TaskData>, caller: RestCaller): AsyncGenerator<string> {
  const [firstList = ''] = exportedLists;
  let text = `${JSON.stringify(account).slice(0, -1)},"${firstList}":[`;
  let [open, isFirst] = [firstList, true];
  const beginUpTo = (list: string) => {
    for (const next of exportedLists.slice(exportedLists.indexOf(open) + 1)) {
      if (open === list) break;
      text += `],"${next}":[`;
      [open, isFirst] = [next, true];
    }
  };
  for await (const batch of lists) {
    beginUpTo(batch.part);
    const records = batch.rows
      ? batch.rows.map(({ record }) => record)
      : batch.todos.map((todo) => toExportedTodo(todo, caller));
    for (const record of records) {
      text += `${isFirst ? '' : ','}${JSON.stringify(record)}`;
      isFirst = false;
    }
    yield text;
    text = '';
  }
  beginUpTo('');
  yield `${text}]}`;
}

function sendAll({ executor: { schema }, contexts }: Core): RequestHandler {
  const sendExport = bindExport(schema, ExportedTask, kinds);
  return async (request, response) => {
    const { context } = await contexts.afterBody(request, noBody);
    const caller = callerOf(signedIn(context));
    // All input must be valid text.
    parse(z.object({}), { query: request.query });
    await sendExport(context, async (all) => {
      if (sendUnchanged({ request, response, context }, `export ${all.version}`)) return;
      response.attachment('taskgate-export.json');
      await sendText(contexts, { response, context }, writeExport(all, caller));
    });
  };
}

export const exportOfAll = rawRoute({
  path: '/api/v2/export',
  operationId: 'exportData',
  reason: 'It streams more than an operation may return.',
  summary: "Exports all the caller's data",
  description:
    'One JSON document with the account, its preferences and sessions, workspaces, projects, sections, tags and tasks.',
  isConditional: true,
  response: exported,
  raw: sendAll,
});
