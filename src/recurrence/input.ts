import { z } from 'zod';
import { valuesOf } from '../platform/fields.ts';
import { text, timeZone } from '../platform/input.ts';
import { basis } from './fields.ts';

/** An absent basis or time zone keeps its value. */
export const recurrence = z.object({
  rule: text(),
  basis: z.enum(valuesOf(basis)).nullish(),
  timeZone: timeZone().nullish(),
  start: z.date().nullish(),
});

export type RecurrenceInput = z.output<typeof recurrence>;

export const maxUpcoming = 100;
