import { z } from 'zod';
import { orNotFound } from '../../src/platform/errors.ts';
import { graphql } from '../graphql.ts';
import { idOf, queryNumber } from '../json-schema.ts';
import { route } from '../route.ts';
import { delivery } from './entities.ts';
import * as responses from './responses.ts';
import { FoundTask, toFoundTodo } from './task-shape.ts';

const first = queryNumber({ minimum: 0, maximum: 500, default: 50, description: 'Maximum number of mails.' });

export const mails = [
  route({
    method: 'get',
    path: '/api/v2/todo/:id/reminders',
    summary: "Lists the caller's own reminders of a task",
    description: 'The planned reminder comes first, then past ones, latest first. At most 20.',
    input: z.object({ path: z.object({ id: idOf('Task') }) }),
    document: graphql('query ListReminders($id: ID!) { task(id: $id) { reminders { ...DeliveryFields } } }', [
      delivery.fragment,
    ]),
    response: z.object({ reminders: z.array(responses.delivery) }),
    reply: ({ task }) => ({ reminders: orNotFound(task, 'Task').reminders }),
  }),
  route({
    method: 'get',
    path: '/api/v2/digest',
    summary: "Previews the caller's digest as it would be sent now",
    description: 'Works even if the digest is off. Tasks have the shape of the search.',
    document: graphql(
      `
        query GetDigest {
          digest {
            at
            subject
            text
            html
            overdue {
              ...FoundTask
            }
            today {
              ...FoundTask
            }
            upcoming {
              ...FoundTask
            }
          }
        }
      `,
      [FoundTask],
    ),
    response: z.object({ digest: responses.digest }),
    reply: ({ digest: { overdue, today, upcoming, ...digest } }, caller) => {
      const shown = (tasks: typeof today) => tasks.map((task) => toFoundTodo(task, caller));
      return { digest: { ...digest, overdue: shown(overdue), today: shown(today), upcoming: shown(upcoming) } };
    },
  }),
  route({
    method: 'get',
    path: '/api/v2/deliveries',
    summary: "Lists the caller's planned and past mails",
    description: 'Ordered by planned time, latest first. Mails are kept for 90 days.',
    input: z.object({ query: z.object({ first: first.optional() }) }),
    document: graphql('query ListDeliveries($first: Int) { deliveries(first: $first) { ...DeliveryFields } }', [
      delivery.fragment,
    ]),
    response: z.object({ deliveries: z.array(responses.delivery) }),
    reply: (data) => data,
  }),
];
