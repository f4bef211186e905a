import { z } from 'zod';
import type { EnumType, Fields } from '../platform/fields.ts';
import { text, timeZone } from '../platform/input.ts';

export const basis = {
  name: 'RecurrenceBasis',
  description: 'What the next date of a series follows from.',
  values: {
    SCHEDULE: 'The rule: its next date that is not over.',
    COMPLETION: 'The day of the completion, plus the interval. The rule has only FREQ, INTERVAL, COUNT and UNTIL.',
    EACH: 'The rule: its next date, past or not.',
  },
} as const satisfies EnumType;

const number = { type: 'integer', shape: z.int().positive(), nullable: false } as const;

export const occurrenceFields = {
  number: { ...number, description: 'Position among the dates of the series, from 1.' },
  date: { type: 'date', nullable: false, description: 'The date.' },
  dueTime: { type: 'timestamp', nullable: true, description: 'The due time. Null: all day.' },
} as const satisfies Fields;

/** Input and output of GraphQL and REST. Without `upcoming`, which has an argument. */
export const recurrenceFields = {
  rule: {
    type: 'text',
    shape: text(),
    nullable: false,
    inputs: ['create'],
    required: true,
    description: 'RRULE value (RFC 5545, 3.3.10) in its canonical form.',
    inputDescription:
      'RRULE value (RFC 5545, 3.3.10) of up to 500 characters, which repeats by days: FREQ=DAILY to YEARLY. `RRULE:` before it and lower case are accepted.',
    rest: {
      description:
        'RRULE value (RFC 5545, 3.3.10) of up to 500 characters, which repeats by days. Responses have its canonical form.',
      example: 'FREQ=WEEKLY;BYDAY=MO,TH',
    },
  },
  basis: {
    type: basis,
    nullable: false,
    inputs: ['create'],
    description: basis.description,
    inputDescription: `${basis.description} In a new series: SCHEDULE.`,
  },
  timeZone: {
    type: 'text',
    shape: timeZone(),
    nullable: false,
    inputs: ['create'],
    description: 'IANA name of the time zone. All days and times of the series are local to it, for every viewer.',
    inputDescription: "IANA name. In a new series: the time zone of the caller's preferences.",
    rest: { example: 'Europe/Berlin' },
  },
  start: {
    type: 'date',
    nullable: false,
    inputs: ['create'],
    description: 'Day from which the rule counts (DTSTART).',
    inputDescription: 'Day from which the rule counts, at most 20 years before the due date. By default the due date.',
  },
  date: {
    type: 'date',
    nullable: false,
    description: "The occurrence's date in the series (RECURRENCE-ID), even if its due date was moved.",
  },
  time: {
    type: 'text',
    nullable: true,
    description: 'Local time of the series: HH:MM, or HH:MM:SS if it has seconds. Null: all day.',
    rest: { example: '09:00' },
  },
  number: { ...number, description: 'Position of `date` among the dates of the series, from 1.' },
  seriesId: {
    type: { idOf: 'Series' },
    nullable: true,
    description: 'TypeID with the prefix `seri`. All occurrences of the series have it. Null in a preview.',
  },
  summary: {
    type: 'text',
    nullable: false,
    isComputed: true,
    description: 'The recurrence in words, such as `Every week on Monday and Thursday`.',
  },
} as const satisfies Fields;
