import { z } from 'zod';
import { shapesOf } from '../platform/shapes.ts';
import { recurrenceFields } from './fields.ts';

/** An absent basis or time zone keeps its value. */
export const recurrence = z.object(shapesOf(recurrenceFields, 'create'));

export const maxUpcoming = 100;
