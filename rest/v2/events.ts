import type { ResultOf } from 'gql.tada';
import type { RequestContexts } from '../../src/http/request-contexts.ts';
import type { Context } from '../../src/platform/context.ts';
import { eventEndpoint } from '../event-stream.ts';
import type { Executor } from '../operation.ts';
import { ChangeStream, CursorOfNow, toChange } from './changes.ts';
import { SyncStream, toBatch } from './sync.ts';

export const taskEvents = (executor: Executor<Context>, contexts: RequestContexts) =>
  eventEndpoint(executor, contexts, {
    path: '/api/v2/events',
    event: 'task',
    document: ChangeStream,
    start: {
      document: CursorOfNow,
      cursorOf: (data) => (data as ResultOf<typeof CursorOfNow>).changes.cursor,
    },
    toEvent({ taskChanges }, caller) {
      const change = toChange(taskChanges, caller);
      return { id: change.cursor, data: change };
    },
  });

export const syncEvents = (executor: Executor<Context>, contexts: RequestContexts) =>
  eventEndpoint(executor, contexts, {
    path: '/api/v2/sync',
    isShared: true,
    event: 'batch',
    document: SyncStream,
    toEvent: ({ sync }, caller) => ({ id: sync.cursor, data: toBatch(sync, caller) }),
  });
