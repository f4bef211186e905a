import { z } from 'zod';
import { orNotFound } from '../../src/kernel/errors.ts';
import { graphql } from '../graphql.ts';
import { idOf, wholeNumber } from '../json-schema.ts';
import { route } from '../route.ts';
import { delivery } from './entities.ts';
import * as responses from './responses.ts';
import { FoundTask, toFoundTodo } from './task-shape.ts';

const first = wholeNumber({ minimum: 0, maximum: 500, default: 50, description: 'Mails at most.' });

/** Additions to the contract: reminders, the digest, and what has become of mails. */
export const mails = [
  route({
    method: 'get',
    path: '/api/v2/todo/:id/reminders',
    summary: "Lists the caller's own reminders of a task",
    description: 'The planned one comes first, then past ones, the latest first, at most 20.',
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
    summary: "Shows what the caller's digest would tell if it were sent now",
    description: 'Whether they get one or not. Tasks have the shape of the search.',
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
    summary: "Lists the caller's own mails, planned and past",
    description: 'By the moment that they are for, the latest first. They are kept for 90 days.',
    input: z.object({ query: z.object({ first: first.optional() }) }),
    document: graphql('query ListDeliveries($first: Int) { deliveries(first: $first) { ...DeliveryFields } }', [
      delivery.fragment,
    ]),
    response: z.object({ deliveries: z.array(responses.delivery) }),
    reply: (data) => data,
  }),
];
