import { z } from 'zod';
import { formatDate } from '../platform/dates.ts';
import { valuesOf } from '../platform/fields.ts';
import { text, timeZone } from '../platform/input.ts';
import { basis } from './fields.ts';

/** An absent basis or time zone keeps its value. */
export const recurrence = z.object({
  rule: text(),
  basis: z.enum(valuesOf(basis)).nullish(),
  timeZone: timeZone().nullish(),
  start: z.date().transform(formatDate).nullish(),
});

export const maxUpcoming = 100;
