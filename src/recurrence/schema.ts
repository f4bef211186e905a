import { LRUCache } from 'lru-cache';
import { type Recurrence as Shown, summaryOf } from '@taskgate/recurrence';
import { builder } from '../graphql/builder.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { occurrenceFields, recurrenceFields } from './fields.ts';
import { maxUpcoming } from './input.ts';
import * as rules from './rules.ts';

const Occurrence = builder.objectRef<rules.Occurrence>('Occurrence').implement({
  description: 'A date of a series.',
  fields: (t) => exposed(t, occurrenceFields),
});

/** Many tasks repeat alike. */
const summaries = new LRUCache<string, string, Shown>({
  max: 1000,
  memoMethod: (_key, _former, { context }) => summaryOf(context),
});

export const Recurrence = builder.objectRef<Shown>('Recurrence').implement({
  description: 'How a task repeats. Each occurrence of the series is a task.',
  fields: (t) => ({
    ...exposed(t, recurrenceFields),
    summary: t.string({
      description: recurrenceFields.summary.description,
      resolve: (context) => summaries.memo(`${context.rule} ${context.basis} ${context.start}`, { context }),
    }),
    upcoming: t.field({
      type: [Occurrence],
      // Its dates are computed, by the millisecond.
      extensions: { cost: 100, maxPageSize: maxUpcoming },
      description: 'The dates in the 50 years after `date`, past ones too.',
      args: { first: t.arg.int({ defaultValue: 5, description: `Maximum number, 0 to ${maxUpcoming}.` }) },
      resolve: (recurrence, { first }, context) => rules.upcoming(context, recurrence, first ?? 5),
    }),
  }),
});

export const RecurrenceInput = builder.inputType('RecurrenceInput', {
  description: 'How a task repeats. An absent `basis` or `timeZone` keeps its value.',
  fields: (t) => inputFields((options) => t.field(options), recurrenceFields, 'create'),
});

builder.queryField('previewRecurrence', (t) =>
  t.field({
    type: Recurrence,
    extensions: { cost: 100 },
    description:
      'The recurrence that a task with this due date and time would have. Without both, it begins on the first day from today that fits the rule.',
    args: {
      input: t.arg({ type: RecurrenceInput, required: true, description: 'The recurrence.' }),
      dueDate: t.arg({ type: 'Date', description: 'Due date of the task.' }),
      dueTime: t.arg({ type: 'DateTime', description: 'Due time of the task. Null: all day.' }),
    },
    resolve: (_root, { input, dueDate, dueTime }, context) =>
      rules.previewRecurrence(context, input, { dueDate: dueDate ?? null, dueTime: dueTime ?? null }),
  }),
);
