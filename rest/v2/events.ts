import type { ResultOf } from 'gql.tada';
import { z } from 'zod';
import { sendEvents } from '../event-stream.ts';
import { events, rawRoute } from '../route.ts';
import { ChangeStream, CursorOfNow, toChange } from './changes.ts';
import { taskChange } from './responses.ts';

const source = events({
  event: 'task',
  data: taskChange,
  description: 'Each event is a change, and its id is the cursor. The stream starts at a cursor, or now.',
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

export const taskEvents = rawRoute({
  path: '/api/v2/events',
  operationId: 'streamChanges',
  reason: 'A subscription has no end.',
  summary: 'Streams changes of tasks as Server-Sent Events',
  description: 'Send the id of the last event as `Last-Event-ID` to resume. Browsers do so automatically.',
  input: z.object({ query: z.object({ after: z.string().optional().describe('Cursor to continue from.') }) }),
  takesTokens: true,
  errors: ['CURSOR_EXPIRED'],
  events: source,
  raw: (core) => sendEvents(core, source),
});
