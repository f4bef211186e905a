import type { FragmentOf } from 'gql.tada';
import { z } from 'zod';
import { orNotFound } from '../../src/platform/errors.ts';
import { maxUpcoming } from '../../src/recurrence/input.ts';
import { date, timestamp } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { idOf, queryNumber } from '../json-schema.ts';
import { message, type RestCaller, route } from '../route.ts';
import { occurrence, recurrence, task } from './entities.ts';
import * as responses from './responses.ts';
import { toTodo } from './task-shape.ts';

const Shown = graphql(
  'fragment RecurrenceOfRest on Recurrence { ...RecurrenceFields upcoming(first: $first) { ...OccurrenceFields } }',
  [recurrence.fragment, occurrence.fragment],
);

const Repeating = graphql('fragment RepeatingOfRest on Task { ...TaskFields recurrence { ...RecurrenceOfRest } }', [
  task.fragment,
  Shown,
]);

const path = z.object({ id: idOf('Task') });

const description = 'Maximum number of entries in `upcoming`.';
const first = queryNumber({ minimum: 0, maximum: maxUpcoming, default: 5, description }).optional();

const changed = z.object({ todo: responses.task, recurrence: responses.recurrence.nullable() });

const shownOrNull = (data: FragmentOf<typeof Shown> | null) => data && recurrence.show(data);

const toChanged = ({ recurrence, ...fields }: FragmentOf<typeof Repeating>, caller: RestCaller) => ({
  todo: toTodo(fields, caller),
  recurrence: shownOrNull(recurrence),
});

const inNewSeries =
  "In a new series, `basis` is by default `schedule`, `timeZone` that of the caller's preferences, and `start` the due date.";

export const recurrences = [
  route({
    method: 'get',
    path: '/api/v2/todo/:id/recurrence',
    summary: 'Reads how a task repeats',
    description: 'Null: it does not repeat.',
    input: z.object({ path, query: z.object({ first }) }),
    document: graphql(
      'query GetRecurrence($id: ID!, $first: Int) { task(id: $id) { recurrence { ...RecurrenceOfRest } } }',
      [Shown],
    ),
    response: z.object({ recurrence: responses.recurrence.nullable() }),
    reply: ({ task: data }) => ({ recurrence: shownOrNull(orNotFound(data, 'Task').recurrence) }),
  }),
  route({
    method: 'put',
    path: '/api/v2/todo/:id/recurrence',
    summary: 'Sets how a task repeats',
    description: `The due date and time of the task become the date and time of the series. Without a due date, the task gets the first day from today that fits the rule. ${inNewSeries}`,
    input: z.object({ path, body: z.object(recurrence.body('create')) }),
    resource: 'Task',
    names: { recurrence: '' },
    document: graphql(
      `
        mutation SetRecurrence($id: ID!, $recurrence: RecurrenceInput!, $first: Int) {
          updateTask(id: $id, input: { recurrence: $recurrence }) {
            ...RepeatingOfRest
          }
        }
      `,
      [Repeating],
    ),
    variables: ({ path: { id }, body }) => ({ id, recurrence: body }),
    response: changed,
    reply: ({ updateTask }, caller) => toChanged(updateTask, caller),
  }),
  route({
    method: 'delete',
    path: '/api/v2/todo/:id/recurrence',
    summary: 'Ends the series of a task',
    description: 'The task stays, and does not repeat any more.',
    input: z.object({ path }),
    document: graphql('mutation EndRecurrence($id: ID!) { updateTask(id: $id, input: { recurrence: null }) { id } }'),
    ...message('recurrence removed successfully'),
  }),
  route({
    method: 'post',
    path: '/api/v2/todo/:id/skip',
    summary: 'Moves a task to the next date of its series',
    description:
      "Its subtasks' dates move along. Refused if the task is completed or does not repeat, or if there is no later date.",
    input: z.object({ path }),
    document: graphql(
      'mutation SkipOccurrence($id: ID!, $first: Int) { skipOccurrence(id: $id) { ...RepeatingOfRest } }',
      [Repeating],
    ),
    response: changed,
    reply: ({ skipOccurrence }, caller) => toChanged(skipOccurrence, caller),
  }),
  route({
    method: 'get',
    path: '/api/v2/recurrence',
    summary: 'Previews the recurrence of a task',
    description: `Without \`dueDate\` and \`dueTime\`, the series begins on the first day from today that fits the rule. Without \`dueTime\`, it is all day. ${inNewSeries}`,
    input: z.object({
      query: z.object({
        ...recurrence.body('create'),
        dueDate: date.describe('Due date of the task.').optional(),
        dueTime: timestamp.describe('Due time of the task.').optional(),
        first,
      }),
    }),
    document: graphql(
      `
        query PreviewRecurrence($input: RecurrenceInput!, $dueDate: Date, $dueTime: DateTime, $first: Int) {
          previewRecurrence(input: $input, dueDate: $dueDate, dueTime: $dueTime) {
            ...RecurrenceOfRest
          }
        }
      `,
      [Shown],
    ),
    variables: ({ query: { dueDate, dueTime, first, ...input } }) => ({ input, dueDate, dueTime, first }),
    response: z.object({ recurrence: responses.recurrence }),
    reply: ({ previewRecurrence }) => ({ recurrence: recurrence.show(previewRecurrence) }),
  }),
];
