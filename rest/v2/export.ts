import { type RequestHandler, Router } from 'express';
import type { ResultOf } from 'gql.tada';
import type { GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { sendStreamed } from '@taskgate/http';
import { signedIn } from '../../src/platform/context.ts';
import { noBody, type RequestContexts } from '../../src/http/request-contexts.ts';
import { syncedKinds } from '../../src/platform/entities.ts';
import { parse } from '../../src/platform/input.ts';
import { passkeyFields } from '../../src/accounts/fields.ts';
import { entity } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { cacheKey, sendNotModified } from '../../src/http/response-cache.ts';
import { bindExport, type Export, exportedAs, exportedLists } from '../operation.ts';
import type { RestCaller } from '../route.ts';
import { allPreferences } from '../v1/preferences.ts';
import { moment } from '../json-schema.ts';
import { session, user } from '../v1/responses.ts';
import { invitation, workspace } from './entities.ts';
import { kinds } from './kinds.ts';
import { TaskWithTags, toTodoWithTags } from './task-shape.ts';

const passkey = entity('Passkey', passkeyFields);

const ExportedTask = graphql('fragment ExportedTask on Task { ...TaskWithTags createdAt updatedAt }', [TaskWithTags]);

type TaskData = ResultOf<typeof ExportedTask>;

/** Without children, with timestamps. */
const toExportedTodo = (task: TaskData, caller: RestCaller) => ({
  ...toTodoWithTags(task, caller),
  createdAt: task.createdAt,
  updatedAt: task.updatedAt,
});

const createdAt = moment();

/** With creation times. */
const listResponses = Object.fromEntries(
  syncedKinds.map((kind) => {
    const response: z.ZodObject = kind === 'Workspace' ? workspace.response : kinds[kind].shown.response;
    return [exportedAs(kind), z.array(response.extend({ createdAt, ...(kind === 'Task' && { updatedAt: moment() }) }))];
  }),
);

export const exported = z
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

export function exportEndpoint(schema: GraphQLSchema, contexts: RequestContexts): Router {
  const sendExport = bindExport(schema, ExportedTask, kinds);
  const handler: RequestHandler = async (request, response) => {
    const { context } = await contexts.afterBody(request, noBody);
    const { inboxId, sessionId } = signedIn(context);
    // All input must be valid text.
    parse(z.object({}), { query: request.query });
    await sendExport(context, async (all) => {
      if (sendNotModified(request, response, cacheKey(signedIn(context), `export ${all.version}`))) return;
      response.attachment('taskgate-export.json');
      await sendStreamed(response, writeExport(all, { inboxId: inboxId ?? '' }), (cut) =>
        contexts.watchSession(sessionId, cut),
      );
    });
  };
  return Router({ caseSensitive: true }).get('/api/v2/export', handler);
}
