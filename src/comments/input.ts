import { z } from 'zod';
import { shapesOf } from '../platform/shapes.ts';
import { commentFields } from './fields.ts';

/** Of a task. */
export const maxComments = 10_000;

/** Different ones in a text. */
export const maxMentions = 20;

export const createComment = z.object(shapesOf(commentFields, 'create'));

export const updateComment = z.object(shapesOf(commentFields, 'update'));
