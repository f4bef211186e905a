import { z } from 'zod';
import { basis } from '../../src/recurrence/fields.ts';
import { maxUpcoming } from '../../src/recurrence/input.ts';
import { date, lowerEnum, timestamp } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { wholeNumber } from '../json-schema.ts';
import { route } from '../route.ts';
import { occurrence, recurrence } from './entities.ts';
import * as responses from './responses.ts';

const first = wholeNumber({
  minimum: 0,
  maximum: maxUpcoming,
  default: 5,
  description: 'Maximum number of entries in `upcoming`.',
});

const Shown = graphql(
  'fragment RecurrenceOfRest on Recurrence { ...RecurrenceFields upcoming(first: $first) { ...OccurrenceFields } }',
  [recurrence.fragment, occurrence.fragment],
);

export const recurrences = [
  route({
    method: 'get',
    path: '/api/v2/recurrence',
    summary: 'Previews the recurrence of a task',
    description:
      'Without `dueDate` and `dueTime`, the series begins on the first day from today that fits the rule. Without `dueTime`, it is all day.',
    input: z.object({
      query: z.object({
        rule: z.string().meta({
          description: 'RRULE value (RFC 5545, 3.3.10) of up to 500 characters, which repeats by days.',
          examples: ['FREQ=WEEKLY;BYDAY=MO,TH'],
        }),
        basis: lowerEnum(basis).describe(`${basis.description} By default \`schedule\`.`).optional(),
        timeZone: z.string().describe("IANA name. By default the time zone of the caller's preferences.").optional(),
        start: date.describe('Day from which the rule counts. By default the due date.').optional(),
        dueDate: date.describe('Due date of the task.').optional(),
        dueTime: timestamp.describe('Due time of the task.').optional(),
        first: first.optional(),
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
