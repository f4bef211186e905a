import { type RequestHandler, Router } from 'express';
import type { ResultOf } from 'gql.tada';
import type { GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { signedIn } from '../../src/kernel/context.ts';
import { noBody, type RequestContexts } from '../../src/http/request-contexts.ts';
import { parse } from '../../src/kernel/input.ts';
import { graphql } from '../graphql.ts';
import { cacheKey, sendNotModified } from '../../src/http/response-cache.ts';
import { bindExport, type Export, exportedLists } from '../operation.ts';
import type { RestCaller } from '../route.ts';
import { sendStreamed } from '../../src/http/streamed-response.ts';
import { TaskWithTags, toTodoWithTags } from './task-shape.ts';

const ExportedTask = graphql(
  `
    fragment ExportedTask on Task {
      ...TaskWithTags
      createdAt
      updatedAt
    }
  `,
  [TaskWithTags],
);

type TaskData = ResultOf<typeof ExportedTask>;

/** A task as lists show it, without children, and when it was made and changed. */
const toExportedTodo = (task: TaskData, caller: RestCaller) => ({
  ...toTodoWithTags(task, caller),
  createdAt: task.createdAt,
  updatedAt: task.updatedAt,
});

/** The document: the account, then the lists, each there also where it is empty. */
async function* writeExport({ account, lists }: Export<TaskData>, caller: RestCaller): AsyncGenerator<string> {
  const [firstList] = exportedLists;
  let text = `${JSON.stringify(account).slice(0, -1)},"${firstList}":[`;
  let [open, isFirst]: [string, boolean] = [firstList, true];
  const beginUpTo = (list: string) => {
    for (const next of exportedLists.slice(exportedLists.findIndex((each) => each === open) + 1)) {
      if (open === list) break;
      text += `],"${next}":[`;
      [open, isFirst] = [next, true];
    }
  };
  for await (const { part, rows } of lists) {
    beginUpTo(part);
    const shown =
      part === 'todos' ? rows.map(({ record }) => toExportedTodo(record, caller)) : rows.map(({ record }) => record);
    for (const record of shown) {
      text += `${isFirst ? '' : ','}${JSON.stringify(record)}`;
      isFirst = false;
    }
    yield text;
    text = '';
  }
  beginUpTo('');
  yield `${text}]}`;
}

/** Serves `GET /api/v2/export`, an addition to the contract: all of the caller's own data, as one JSON document. */
export function exportEndpoint(schema: GraphQLSchema, contexts: RequestContexts): Router {
  const sendExport = bindExport(schema, ExportedTask);
  const handler: RequestHandler = async (request, response) => {
    const { context } = await contexts.afterBody(request, noBody);
    const { inboxId, sessionId } = signedIn(context);
    // It takes no parameters, but what it is sent has to be text, as everywhere.
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
